"""Measures schedules in pieces, over links of different speed, and of messages of different size.

    python -m benchmarks.pieces [PART...]

Prints for each case the number of pieces k, the bound, the steps S, the message times S / k, whether that is proven to
be the least for k pieces, and the seconds. Of fronts the TCO stands where steps stand. Seed 0, one process. Parts:
allgather, alltoall, broadcast, machines, fronts, sizes, fractions.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from pavane.bounds.fractional import fractional_bound
from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.pareto_over_pieces import pareto_front_over_pieces
from pavane.search.pieces import sweep_pieces
from pavane.search.synthesis import solve

WORMHOLE, STORED, ANY = Rules(), Rules(switching="store-and-forward"), Rules(routing="any")


class Line(NamedTuple):
    """What became of a case."""

    label: str
    pieces: int | str
    bound: str
    steps: str
    times: str
    is_proven: bool
    seconds: float
    is_met: bool


def problem_of(made: str | Network, kind: str, rules: Rules = WORMHOLE, pieces: int = 1) -> Problem:
    """Return a problem on a network, or on the network of a name."""
    where = network(made) if isinstance(made, str) else made
    return Problem(where, named(kind, where, pieces=pieces), rules)


def _told(problem: Problem, result: Result, seconds: float, is_met: bool) -> Line:
    pieces = problem.collective.pieces
    switching = "store-and-forward" if problem.rules.switching == "store-and-forward" else "wormhole"
    routing = ", any routing" if problem.rules.routing == "any" else ""
    label = f"{problem.collective.kind} {problem.network.name}, {switching}{routing}"
    bound, steps = result.bound.figure if result.bound else 0, result.num_steps or 0
    return Line(label, pieces, str(bound), str(steps), str(Fraction(steps, pieces)), bound == steps, seconds, is_met)


def solved(problem: Problem, steps: int, limit: float = 10.0) -> Line:
    """Solve a problem that should be proven optimal in a number of steps."""
    started = time.monotonic()
    result = solve(problem, SearchOptions(seconds=limit))
    seconds = time.monotonic() - started
    return _told(problem, result, seconds, result.num_steps == steps and result.status == "optimal")


# -- the parts

ALLGATHERS = {
    "dgx-1": (6, 7),
    "ring:8": (2, 7),
    "octagon": (3, 7),
    "heawood": (3, 13),
    "mesh:4x4": (2, 15),
    "torus:4x4": (4, 15),
    "kautz:3,2": (3, 11),
    "hypercube:5": (5, 31),
    "levi": (3, 29),
    "kautz:3,3": (3, 35),
}


def allgather() -> Iterator[Line]:
    """All-to-all broadcasts and their duals: the number of pieces is found, and no other does better."""
    for name, (pieces, steps) in ALLGATHERS.items():
        for kind, rules in (("AAB", WORMHOLE), ("AAB", STORED), ("AAR", WORMHOLE), ("AAR", STORED)):
            problem = problem_of(name, kind, rules)
            started = time.monotonic()
            found = sweep_pieces(problem, "auto", SearchOptions(seconds=5.0))
            seconds, best = time.monotonic() - started, found.best()
            reached = Fraction(best.num_steps or 0, best.problem.collective.pieces)
            yield _told(best.problem, best, seconds, reached == Fraction(steps, pieces) and found.is_final(best))


def alltoall() -> Iterator[Line]:
    """All-to-all scatters in pieces."""
    yield solved(problem_of("dgx-1", "AAS", WORMHOLE, 3), 8)
    yield solved(problem_of("dgx-1", "AAS", STORED, 3), 8)
    for name, pieces, steps in (("kautz:3,2", 5, 33), ("kautz:2,3", 3, 43), ("de-bruijn:2,4", 3, 77)):
        yield solved(problem_of(name, "AAS", ANY, pieces), steps)
    yield solved(problem_of("bridged-octagons:2", "AAS", WORMHOLE, 3), 58)
    yield solved(problem_of("amp:16", "AAS", WORMHOLE, 2), 15)


BROADCASTS = {
    "dgx-1": ((2, 2), (7, 3), (13, 4), (19, 5)),
    "octagon": ((4, 3), (7, 4)),
    "petersen": ((3, 3), (6, 4)),
    "kautz:3,2": ((4, 3), (7, 4)),
    "ring:8": ((4, 5),),
    "mesh:4x4": ((6, 8),),
    "torus:4x4": ((12, 6),),
}


def broadcast() -> Iterator[Line]:
    """One broadcast under store-and-forward, proven by flows over time."""
    for name, cases in BROADCASTS.items():
        for pieces, steps in cases:
            yield solved(problem_of(name, "OAB", STORED, pieces), steps, 5.0)


def machines() -> Iterator[Line]:
    """Machines with links of different speed."""
    for pieces, steps in ((3, 8), (6, 15), (12, 29)):
        yield solved(problem_of("mi250", "AAB", WORMHOLE, pieces), steps)
    for pieces, steps in ((1, 11), (3, 32)):
        yield solved(problem_of("mi250", "AAS", ANY, pieces), steps)
    yield solved(problem_of("ndv2:2", "AAB", STORED, 4), 34)
    yield solved(problem_of("ndv2:2", "AAB", WORMHOLE, 4), 33)
    yield solved(problem_of("ndv2:2", "AAS"), 64)


COMBINED = Rules(switching="store-and-forward", combining=True)

FRONTS = (
    ("dgx-1", "AAB", (1, 2, 3, 6), ((2, 2, 3), (6, 3, 7))),
    ("dgx-1", "AAS", (1, 3), ((3, 2, 8),)),
    ("dgx-1", "OAS", (1, 6), ((6, 2, 7),)),
    ("ring:8", "AAB", (1, 2), ((2, 4, 7),)),
)
"""Networks, collectives, numbers of pieces, and points of the front: pieces, start-ups and TCO."""

IMPOSSIBLE = (6, 2, 8)
"""Of the allgather on a DGX-1: pieces, start-ups, and a TCO that no schedule has."""


def fronts() -> Iterator[Line]:
    """Start-ups and TCO over several numbers of pieces: a TCO that is proven is the least of its start-ups."""
    for name, kind, numbers, wanted in FRONTS:
        started = time.monotonic()
        found = pareto_front_over_pieces(problem_of(name, kind, COMBINED), numbers, SearchOptions(seconds=12.0))
        seconds = time.monotonic() - started
        for pieces, start_ups, tco in wanted:
            label = f"{kind} {name}, {start_ups} start-ups, TCO {tco}"
            points = {(p.pieces, p.start_ups): p for each in found.fronts for p in each.points}
            point = points.get((pieces, start_ups))
            reached, is_proven = (point.tco, point.optimal_tco) if point else (0, False)
            times = str(Fraction(reached, pieces))
            yield Line(label, pieces, str(tco), str(reached), times, is_proven, seconds, reached == tco and is_proven)
            seconds = 0.0
        if (name, kind) == ("dgx-1", "AAB"):
            pieces, start_ups, tco = IMPOSSIBLE
            point = points.get((pieces, start_ups))
            is_refuted = point is not None and point.tco > tco and point.optimal_tco
            label = f"{kind} {name}, {start_ups} start-ups, no TCO of {tco}"
            yield Line(label, pieces, str(tco + 1), str(point.tco if point else 0), "", is_refuted, 0.0, is_refuted)


def sizes() -> Iterator[Line]:
    """All-to-all with messages of random sizes: the bound is met in at least nine of ten."""
    for name, most in (("dgx-1", 9), ("torus:4x4", 4)):
        for seed in range(10):
            rng, plain = random.Random(seed), problem_of(name, "AAS")
            listed = [(*ends, rng.randint(0, most)) for ends in plain.ends.tolist()]
            problem = replace(plain, collectives=(in_pieces(plain.collective, 1, listed),))
            started = time.monotonic()
            result = solve(problem, SearchOptions(seconds=5.0))
            line = _told(problem, result, time.monotonic() - started, result.status == "optimal")
            yield line._replace(label=f"{line.label}, sizes 0 to {most}, seed {seed}")


FRACTIONS = {
    "dgx-1": "7/6",
    "ring:8": "7/2",
    "octagon": "7/3",
    "petersen": "3",
    "kautz:3,2": "11/3",
    "hypercube:3": "7/3",
    "heawood": "13/3",
    "mesh:4x4": "15/2",
    "torus:4x4": "15/4",
    "levi": "29/3",
    "mi250": "7/3",
    "mi250:2": "15/83",
    "dgx-a100:2": "15/13",
    "dgx-a100:4": "3",
    "ndv2:2": "8",
    "dgx-2:2": "31/10",
}


def fractions() -> Iterator[Line]:
    """Message times of an allgather that no number of pieces goes below, as published for these networks."""
    for name, expected in FRACTIONS.items():
        problem = problem_of(name, "AAB")
        started = time.monotonic()
        found = fractional_bound(problem)
        seconds = time.monotonic() - started
        value = "none" if found is None else str(found.per_message)
        yield Line(f"AAB {name}", "any", value, "", "", True, seconds, value == expected)


PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "allgather": allgather,
    "alltoall": alltoall,
    "broadcast": broadcast,
    "machines": machines,
    "fronts": fronts,
    "sizes": sizes,
    "fractions": fractions,
}


def main() -> int:
    """Print the requested parts, and return whether all targets are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pieces")
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    for name in set(options.parts) - PARTS.keys():
        parser.error(f"no part {name!r}; choose {', '.join(PARTS)}")
    missed = 0
    for name in options.parts:
        print(f"\n## {name}\n\n| case | k | bound | steps | message times | proven | seconds | met |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for line in PARTS[name]():
            missed += not line.is_met
            cells = (line.label, line.pieces, line.bound, line.steps, line.times, "yes" if line.is_proven else "no")
            verdict = "yes" if line.is_met else "NO"
            print("|", " | ".join(map(str, cells)), "|", f"{line.seconds:.2f} | {verdict} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
