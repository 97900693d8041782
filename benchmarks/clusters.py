"""Measures schedules for machines of GPUs: allgather, all-to-all and allreduce, over switches that hold nothing.

    python -m benchmarks.clusters [PART...]

Seed 0, one process, 10 seconds a search (60 on two MI250), three minutes in all. Kernels are compiled where they are
first used, and that takes longer than a search: the second run counts. Parts:

machines    what must be reached, and whether it was
rails       eight boxes of eight GPUs, joined by rails
allreduce   one collective, against its two phases one after the other
fronts      start-ups and TCO of a DGX-1, beside what SCCL has published
finishes    machines of several boxes, beside what TE-CCL and TACCL have published
throughput  allgathers, beside the best that ForestColl's program says there can be

What others have published is theirs, and stands in benchmarks/published.py with its sources. All else is measured here.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from benchmarks.published import DGX_1_ALLGATHER, FINISHES, SLOWEST, SOURCES, THROUGHPUTS
from pavane.bounds.fractional import fractional_bound
from pavane.judge.result import Result
from pavane.model.allreduce import phases
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.pareto_over_pieces import pareto_front_over_pieces
from pavane.search.pieces import sweep_pieces
from pavane.search.synthesis import solve

PASSING = Rules(switching="store-and-forward", switches="pass")
SECONDS = 10.0
SECONDS_OF = {"mi250:2": 60.0}
"""Of a machine whose messages are in 83 pieces, more than others take."""

Row = tuple[object, ...]


class Part(NamedTuple):
    """A table: its columns, and what yields its rows. The last cell of a row may say whether the target is met."""

    columns: str
    rows: Callable[[], Iterator[Row]]


class Solved(NamedTuple):
    """What a search has found, and how long it took."""

    result: Result
    seconds: float

    @property
    def times(self) -> Fraction:
        """Return the message times that were reached."""
        return self.result.per_message or Fraction(0)

    @property
    def bound(self) -> int:
        """Return the fewest steps there can be."""
        return self.result.bound.figure if self.result.bound else 0

    @property
    def proven(self) -> str:
        """Return whether no schedule in as many pieces has fewer steps."""
        return yes_or_no(self.result.status == "optimal")


def problem_of(name: str, kind: str, pieces: int = 1) -> Problem:
    """Return a collective on a machine whose switches pass messages on at once."""
    where = network(name)
    return Problem(where, named(kind, where, pieces=pieces), PASSING)


@cache
def solved(name: str, kind: str, pieces: int = 1) -> Solved:
    """Search for a schedule, once for all tables that list it."""
    started = time.monotonic()
    result = solve(problem_of(name, kind, pieces), SearchOptions(seconds=SECONDS_OF.get(name, SECONDS)))
    return Solved(result, time.monotonic() - started)


def yes_or_no(truth: bool) -> str:
    """Return a word."""
    return "yes" if truth else "no"


def decimal(value: float | Fraction) -> str:
    """Return a number as people read it, with at most three places."""
    return f"{float(value):.3f}".rstrip("0").rstrip(".")


# -- the parts

MUST_SHOW = (
    ("dgx-a100:2", "AAB", ((1, 2), (2, 3), (4, 5), (13, 16))),
    ("dgx-a100:4", "AAB", ((1, 4), (2, 7), (24, 73))),
    ("dgx-2:2", "AAB", ((1, 4), (2, 7), (10, 32))),
    ("ndv2:2", "AAS", ((1, 64),)),
    ("mi250", "AAB", ((3, 8), (6, 15), (12, 29))),
)
"""Machines, collectives, and numbers of pieces with their target steps."""


def machines() -> Iterator[Row]:
    """What must be reached."""
    for name, kind, cases in MUST_SHOW:
        for pieces, target in cases:
            found = solved(name, kind, pieces)
            steps = found.result.num_steps
            is_met = steps is not None and steps <= target
            row = (f"{kind} `{name}`", pieces, found.bound, steps, found.times, found.proven, f"{found.seconds:.1f}")
            yield *row, target, "yes" if is_met else "NO"


def rails() -> Iterator[Row]:
    """Eight boxes of eight GPUs: every collective in whole messages."""
    for kind in ("AAB", "AAS", "ALLREDUCE"):
        found = solved("rails:8,8", kind)
        steps = found.result.num_steps or 0
        ratio = f"{steps / found.bound:.2f}" if found.bound else ""
        yield kind, found.bound, steps, ratio, found.proven, found.result.provenance.solver, f"{found.seconds:.1f}"


ALLREDUCES = ("dgx-1", "ring:8", "torus:4x4", "mi250", "dgx-a100:2", "mesh:3x3", "star:5")


def allreduce() -> Iterator[Row]:
    """One collective instead of two, in as many pieces as are the best; the phases alone have as much time as it."""
    for name in ALLREDUCES:
        problem, started = problem_of(name, "allreduce"), time.monotonic()
        found = sweep_pieces(problem, "auto", SearchOptions(seconds=SECONDS))
        best = found.best()
        if not found.is_final(best):
            again = solve(best.problem, SearchOptions(seconds=SECONDS / 2))
            best = min((best, again), key=lambda result: result.num_steps or sys.maxsize)
        seconds = time.monotonic() - started
        times = best.per_message or Fraction(0)
        in_turn = sum(_times_of(phase) for phase in phases(best.problem))
        whole, gather = fractional_bound(problem), fractional_bound(phases(problem)[1])
        least, twice = (None if bound is None else bound.per_message for bound in (whole, gather))
        gain = f"{float(1 - times / in_turn):.0%}" if in_turn else ""
        yield (
            *(f"`{name}`", least, twice and 2 * twice, best.problem.collective.pieces, best.num_steps, times),
            *(yes_or_no(times == least), in_turn, gain, best.provenance.solver, f"{seconds:.1f}"),
        )


def _times_of(phase: Problem) -> Fraction:
    """Return the message times of one phase alone, by the same search."""
    return solve(phase, SearchOptions(seconds=SECONDS / 4)).per_message or Fraction(0)


def fronts() -> Iterator[Row]:
    """The allgather on a DGX-1: what SCCL found one by one is one search here."""
    where = network("dgx-1")
    problem = Problem(where, named("AAB", where), replace(PASSING, combining=True, switches="hold"))
    started = time.monotonic()
    found = pareto_front_over_pieces(
        problem, sorted({each.pieces for each in DGX_1_ALLGATHER}), SearchOptions(seconds=3 * SECONDS)
    )
    seconds = f"{time.monotonic() - started:.1f}"
    points = {(point.pieces, point.start_ups): point for each in found.fronts for point in each.points}
    for each in DGX_1_ALLGATHER:
        point = points.get((each.pieces, each.start_ups))
        theirs = "found" if each.exists else "impossible"
        reached, proven = ("none", "no") if point is None else (str(point.tco), yes_or_no(point.optimal_tco))
        yield each.pieces, each.start_ups, each.tco, theirs, each.seconds, reached, proven, seconds
        seconds = ""


PIECES = {("ndv2:2", "AAB"): 4, ("ndv2:4", "AAB"): 4, ("dgx-2:2", "AAB"): 10}
"""How many pieces are enough to come near the bound; all-to-alls stay whole."""


def finishes() -> Iterator[Row]:
    """Machines of several boxes, 1 GB in all at each GPU."""
    for each in FINISHES:
        found = solved(each.network, each.kind, PIECES.get((each.network, each.kind), 1))
        pieces = found.result.problem.collective.pieces
        processors = found.result.problem.network.num_processors
        theirs = each.milliseconds / 1000 * SLOWEST[each.network] * processors
        yield (
            *(f"{each.kind} `{each.network}`", each.who, each.milliseconds, decimal(theirs), f"{each.seconds:,.1f}"),
            *(each.note, pieces, found.result.num_steps, decimal(found.times), decimal(Fraction(found.bound, pieces))),
            *(_milliseconds(found, each.network), f"{found.seconds:.1f}"),
        )


def _milliseconds(found: Solved, name: str) -> str:
    """Return how long 1 GB takes, without latencies."""
    processors = found.result.problem.network.num_processors
    return f"{1000 * float(found.times) / (SLOWEST[name] * processors):.2f}"


BEST_PIECES = {"dgx-a100:2": 13, "dgx-a100:4": 24, "mi250": 12, "mi250:2": 83}
"""On `dgx-a100:4` k pieces take 3 k + 1 steps, which is proven for each k: the best is a limit that none reaches."""


def throughput() -> Iterator[Row]:
    """Allgathers as GB/s: the data that every GPU has in the end, by the time that takes."""
    for each in THROUGHPUTS:
        problem = problem_of(each.network, "AAB")
        least, whole = fractional_bound(problem), problem.network.num_processors * Fraction(SLOWEST[each.network])
        most = "" if least is None else decimal(whole / least.per_message)
        row = (f"`{each.network}`", decimal(each.bandwidth), most)
        if pieces := BEST_PIECES.get(each.network):
            found = solved(each.network, "AAB", pieces)
            reached = whole / found.times
            share = f"{float(reached / each.bandwidth):.0%}"
            yield *row, pieces, found.result.num_steps, decimal(reached), share, f"{found.seconds:.1f}"
        else:
            yield *row, "", "", "", "", ""


PARTS = {
    "machines": Part(
        "case | pieces | bound | steps | message times | proven | seconds | target | met",
        machines,
    ),
    "rails": Part("collective | bound | steps | ratio | proven | solver | seconds", rails),
    "allreduce": Part(
        "network | bound, any pieces | twice the allgather's | pieces | steps | message times "
        "| least of any | in two phases | gain | solver | seconds",
        allreduce,
    ),
    "fronts": Part(
        "pieces | start-ups | TCO | published: SCCL | published: its seconds "
        "| ours: TCO | ours: proven | ours: seconds, all",
        fronts,
    ),
    "finishes": Part(
        "case | published: by | published: ms | published: message times | published: its seconds | note "
        "| ours: pieces | ours: steps | ours: message times | ours: bound | ours: ms | ours: seconds",
        finishes,
    ),
    "throughput": Part(
        "network | ForestColl's program: best GB/s | ours: best GB/s, proven | ours: pieces | ours: steps "
        "| ours: GB/s | of the best | ours: seconds",
        throughput,
    ),
}


def main() -> int:
    """Print the requested parts, and return whether all targets are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clusters")
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    for name in set(options.parts) - PARTS.keys():
        parser.error(f"no part {name!r}; choose {', '.join(PARTS)}")
    missed = 0
    for name in options.parts:
        part = PARTS[name]
        print(f"\n### {name}\n\n| {part.columns} |\n{'|---' * (part.columns.count('|') + 1)}|", flush=True)
        for row in part.rows():
            missed += row[-1] == "NO"
            print("|", " | ".join("" if cell is None else str(cell) for cell in row), "|", flush=True)
    print("\n### sources\n")
    for source, address in SOURCES.items():
        print(f"- {source}: {address}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
