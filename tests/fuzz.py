"""Random small problems against the program and against the true optimum, as many as one likes.

    python -m tests.fuzz --problems 3000 --seed 0

Problem number n of a seed is the same everywhere, so a failure is repeated by `--first n --problems 1`. Of every
problem the program's answer is judged by the tests' own judge, its bounds are checked, compared with the optimum that
`tests.optimum` finds where it can, written to a file and read again. Every second problem has pieces, sizes or
capacities, and gets `tests.closer_looks`: at other solvers, other numbers of pieces, forged certificates, faults,
exports. What may not be:

* crash: anything raised but a refusal of the problem itself;
* invalid: a schedule that the tests' judge refuses;
* false claim: a bound above the optimum or without a proof, or "impossible" for what is possible;
* lost answer: no schedule, though there is one, without a word about why;
* overrun: more than two seconds over the limit, twice in a row (the first time may have to compile).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pavane
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.judge.result import Result
from pavane.model.bound import Bound
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules, Switching
from pavane.networks import network
from tests import closer_looks as looks
from tests.bounds.exhaustive import TooMany
from tests.checker import judge
from tests.optimum import least_occupancy, optimum

MOST_OVERRUN = 2.0
"""Seconds over the limit that are forgiven."""

NAMED = """
ring:3 ring:4 ring:5 ring:6 ring:8 ring:4,oneway ring:5,oneway line:2 line:3 line:4 line:5 star:3 star:4 star:5
complete:3 complete:4 complete:5 hypercube:2 hypercube:3 folded-hypercube:2 octagon kautz:2,2 kautz:3,2 de-bruijn:2,2
de-bruijn:2,3 utility petersen spidergon:6 twisted-ladder:4 hierarchical-rings:3,2 fat-octagon:2 bridged-octagons:2
coated-mesh:2x2 random-regular:6,3,1 random-regular:8,3,2 dgx-1 fat-tree:2 ring:3*2 line:3*2 star:4*2 ring:4*2
"""

GRIDS = "mesh:2x2 mesh:2x3 mesh:3x2 mesh:3x3 mesh:2x4 mesh:2x2x2 torus:2x2 torus:2x3 torus:3x3 mesh:2x2*2"

RESTRICTED: list[Routing] = ["dimension-order", "west-first", "north-last"]


@dataclass
class Found:
    """What became of one problem."""

    number: int
    text: str
    is_front: bool = False
    """Whether few start-ups are not all that counts, so that a schedule may well have more of them."""
    optimum: int | None = None
    steps: int | None = None
    bound: int = 0
    status: str = ""
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)


# -- problems


def drawn_problem(seed: int, number: int) -> Problem:
    """Return problem number n of a seed: of any kind, under any rules, on any kind of network; never a refused one."""
    rng = random.Random(f"{seed}/{number}")
    while True:
        try:
            where, is_grid = _network(rng)
            problem = Problem(where, _collective(rng, where.num_processors), _rules(rng, is_grid))
            return problem if number % 2 else _in_pieces(rng, problem)
        except InputError:
            continue


def _in_pieces(rng: random.Random, problem: Problem) -> Problem:
    """Return the problem with pieces, sizes or capacities, or two or three of them."""
    network, collective = problem.network, problem.collective
    if rng.random() < 0.6:
        collective = replace(collective, pieces=rng.choice((2, 2, 3, 4)))
    if rng.random() < 0.4:
        ends = [tuple(row) for row in problem.distinct_ends.tolist()]
        some = rng.sample(ends, rng.randint(1, len(ends)))
        collective = replace(collective, sizes=tuple((*end, rng.choice((0, 1, 2, 2, 3))) for end in some))
    if rng.random() < 0.5:
        # Half duplex wants both ways of a link alike.
        is_even = problem.rules.duplex == "half" or rng.random() < 0.5
        ends_of = [tuple(sorted(ends) if is_even else ends) for ends in network.channels.tolist()]
        carried = {ends: rng.choice((1, 1, 2, 3, 5)) for ends in sorted(set(ends_of))}
        network = replaced(network, [carried[ends] for ends in ends_of])
    return Problem(network, collective, problem.rules)


def replaced(network: Network, capacities: list[int]) -> Network:
    """Return a network with other capacities."""
    about = (network.name, network.routers, network.channels, network.router_of, network.positions, network.grid)
    return Network(*about, capacities=capacities)


def _network(rng: random.Random) -> tuple[Network, bool]:
    """Return a network from the catalogue or a random one, perhaps with faults, and whether it is a grid."""
    kind = rng.choice(("named", "grid", "random", "random"))
    where = (
        _random_network(rng) if kind == "random" else network(rng.choice((NAMED if kind == "named" else GRIDS).split()))
    )
    if rng.random() < 0.25 and where.num_channels > 2:
        some = [int(c) for c in rng.sample(range(where.num_channels), rng.choice((1, 1, 2)))]
        where = where.without(channels=some)
    if rng.random() < 0.1:
        where = where.reversed()
    return where, kind == "grid"


def _random_network(rng: random.Random) -> Network:
    """Return a connected network or one in pieces, with one-way and parallel channels, fat routers, pure switches."""
    size = rng.randint(1, 7)
    channels: list[tuple[int, int]] = []
    shape = rng.choice(("tree", "ring", "one-way ring", "nothing"))
    for r in range(1, size):
        other = rng.randrange(r) if shape == "tree" else r - 1
        if shape != "nothing":
            channels += [(other, r)] if shape == "one-way ring" else [(other, r), (r, other)]
    if shape in ("ring", "one-way ring") and size > 2:
        channels += [(size - 1, 0)] if shape == "one-way ring" else [(size - 1, 0), (0, size - 1)]
    for _ in range(rng.randint(0, 5) if size > 1 else 0):
        tail, head = rng.sample(range(size), 2)
        channels += [(tail, head)] if rng.random() < 0.5 else [(tail, head), (head, tail)]
    rng.shuffle(channels)
    each = [rng.choice((0, 1, 1, 1, 1, 2)) for _ in range(size)]
    homes = [router for router, many in enumerate(each) for _ in range(many)]
    return Network("drawn", size, channels, homes)


def _collective(rng: random.Random, size: int) -> Collective:
    """Return a collective of any kind, over everybody or over some."""
    if size < 2:
        raise InputError("nobody to talk to")
    kind = rng.choice(sorted(PATTERN_OF))
    everyone = tuple(range(size))
    if kind == "PAIRS":
        ends = [(a, b) for a in everyone for b in everyone if a != b]
        return Collective(kind, pairs=tuple(rng.sample(ends, rng.randint(1, min(len(ends), 8)))))
    senders, receivers = (
        everyone if rng.random() < 0.6 else tuple(rng.sample(everyone, rng.randint(1, size))) for _ in range(2)
    )
    if kind in ("OAB", "OAS"):
        senders = (rng.choice(everyone),)
    if kind in ("AOG", "AOR"):
        receivers = (rng.choice(everyone),)
    if kind == "ALLREDUCE":
        receivers = tuple(rng.sample(senders, rng.choice((1, len(senders)))))
    return Collective(kind, senders, receivers)


def _rules(rng: random.Random, is_grid: bool) -> Rules:
    free: list[Routing] = ["minimal", "any"]
    switching: Switching = rng.choice(("wormhole", "wormhole", "store-and-forward"))
    return Rules(
        switching=switching,
        switches="pass" if switching == "store-and-forward" and rng.random() < 0.5 else "hold",
        ports=rng.choice(("all", "all", 1, 1, 2, 3)),
        duplex=rng.choice(("full", "full", "half")),
        routing=rng.choice(RESTRICTED if is_grid and rng.random() < 0.4 else free),
        combining=rng.random() < 0.2,
    )


# -- one problem


def examined(problem: Problem, number: int, limit: float, most_tried: int, *, closely: bool = True) -> Found:
    """Let the program solve a problem, and look at its answer from every side; every second one closely."""
    about = problem.to_dict()
    found = Found(number, f"{problem} {about['collective']} {about['network']}")
    found.is_front = problem.rules.combining
    found.optimum = optimum(problem, most_tried)
    try:
        result, found.seconds = _timed(problem, number, limit)
        if found.seconds > limit + MOST_OVERRUN:
            # Kernels are compiled when they are first called, which no limit can hurry.
            result, found.seconds = _timed(problem, number, limit)
        found.steps, found.status = result.num_steps, result.status
        found.bound = max((bound.steps for bound in result.bounds), default=0)
        found.failures += list(_faults(problem, result, found))
        if number % 3 == 0 and found.optimum is not None:
            found.failures += list(_asked(problem, number, limit, found.optimum))
        if problem.rules.combining and problem.pattern != "reduction" and number % 2 == 0:
            found.failures += list(_front(problem, number, limit, most_tried))
        if closely and number % 2 == 0:
            found.failures += list(_looked_at(problem, result, number, limit, found.optimum))
    except Exception:
        found.failures.append(f"crash: {traceback.format_exc()}")
    if found.seconds > limit + MOST_OVERRUN:
        found.failures.append(f"overrun: {found.seconds:.1f} s where {limit} s were given")
    return found


def _looked_at(problem: Problem, result: Result, number: int, limit: float, best: int | None) -> Iterator[str]:
    """Take closer looks at a problem with pieces, sizes or capacities; those that take long, of some problems each."""
    turn, tries = number // 2, 5_000
    yield from looks.inexact_bounds(problem, result.bounds)
    yield from looks.wrong_solvers(problem, number, limit / 6, best)
    if best is not None:
        yield from looks.too_high(problem, best, random.Random(f"forged/{number}"))
    if problem.num_messages <= 12 and turn % 3 == 0:
        if not problem.rules.combining:
            yield from looks.wrong_message_times(problem, number, limit, tries)
        elif problem.pattern != "reduction":
            yield from looks.wrong_joint_front(problem, number, limit)
    if turn % 3 == 1 and problem.network.num_channels <= 8:
        yield from looks.wrong_faults(problem, number, limit / 6, tries)
    if result.schedule is None:
        return
    for look in (looks.wrong_times, looks.wrong_reversal, looks.wrong_words):
        yield from look(result)
    if turn % 3 == 2:
        yield from looks.wrong_repair(result, number, limit / 3, tries)
    if turn % 20 == 0:
        yield from looks.wrong_pictures(result)


def _timed(problem: Problem, number: int, limit: float) -> tuple[Result, float]:
    begun = time.monotonic()
    return pavane.synthesize(problem, seconds=limit, seed=number), time.monotonic() - begun


def _faults(problem: Problem, result: Result, found: Found) -> Iterator[str]:
    """Say what is wrong with an answer: its schedule, its bounds, its status, its file."""
    best = found.optimum
    if result.schedule is None:
        if not result.notes:
            yield f"lost answer: none, optimum {best}"
        return
    broken = judge(problem, result.schedule)
    if broken:
        yield f"invalid: {sorted(broken, key=str)[0]}"
    if result.notes:
        yield f"note: {'; '.join(result.notes)}"
    if best is not None and result.schedule.num_steps < best:
        yield f"invalid or the tests are wrong: {result.schedule.num_steps} steps, optimum {best}"
    yield from _false_bounds(problem, result.bounds, best)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "schedule.json"
        pavane.write_schedule(path, result)
        again = pavane.read_schedule(path).result()
    yield from looks.same_after_file(result, again)
    # That a search found nothing cannot be seen from a file: what only that proves is claimed there.
    status = result.amended(
        bounds=tuple(bound for bound in result.bounds if bound.argument != "exhaustive"),
        occupancy_bounds=tuple(bound for bound in result.occupancy_bounds if bound.argument != "exhaustive"),
    ).status
    if again.schedule != result.schedule or again.status != status:
        yield f"false claim: {status} before and {again.status} after the file"


def _false_bounds(problem: Problem, bounds: tuple[Bound, ...], best: int | None) -> Iterator[str]:
    for bound in bounds:
        if best is not None and bound.steps > best:
            yield f"false claim: {bound} above the optimum {best}"
        if bound.argument != "exhaustive" and proven_steps(problem, bound) < bound.steps:
            yield f"false claim: {bound} is not proven"


def _asked(problem: Problem, number: int, limit: float, best: int) -> Iterator[str]:
    """Ask for the optimum, and for one step less."""
    enough = pavane.synthesize(problem, num_steps=best, seconds=limit, seed=number)
    if enough.status == "impossible":
        yield f"false claim: {best} steps called impossible"
    if best > 1:
        less = pavane.synthesize(problem, num_steps=best - 1, seconds=limit, seed=number)
        yield from _false_bounds(problem, less.bounds, best)
        if less.schedule is not None:
            yield f"invalid or the tests are wrong: {best - 1} steps, optimum {best}"


def _front(problem: Problem, number: int, limit: float, most_tried: int) -> Iterator[str]:
    """Compare the points of a front with the least TCO of their start-ups."""
    for point in pavane.front(problem, seconds=limit, seed=number).points:
        assert point.result.schedule is not None
        broken = judge(problem, point.result.schedule)
        if broken:
            yield f"invalid: {sorted(broken, key=str)[0]}"
        try:
            least = least_occupancy(problem, point.start_ups, most_tried)
        except (TooMany, RecursionError):
            continue
        if least is None or point.tco < least:
            yield f"invalid or the tests are wrong: {point.start_ups}/{point.tco}, least TCO {least}"
        elif point.optimal_tco and point.tco > least:
            yield f"false claim: {point.start_ups}/{point.tco} called optimal, least TCO {least}"
        if least is not None:
            yield from looks.too_high_occupancy(problem, point.start_ups, least, random.Random(f"forged/{number}"))


# -- many problems


def summary(found: list[Found], limit: float) -> dict[str, Any]:
    """Count what was seen."""
    decided = [one for one in found if one.optimum is not None and not one.is_front]
    failures = Counter(line.split(":")[0] for one in found for line in one.failures)
    return {
        "problems": len(found),
        "answers": sum(one.steps is not None for one in found),
        "optimum known": sum(one.optimum is not None for one in found),
        "of these without combining": len(decided),
        "at the optimum": sum(one.steps == one.optimum for one in decided),
        "called optimal": sum(one.status == "optimal" for one in found),
        "above the optimum": sum(one.steps is not None and one.steps > (one.optimum or 0) for one in decided),
        "at the optimum, not proven": sum(one.steps == one.optimum and one.status != "optimal" for one in decided),
        "longest, s": round(max((one.seconds for one in found), default=0.0), 2),
        "limit, s": limit,
        "failures": dict(failures),
    }


def main(arguments: list[str] | None = None) -> int:
    """Examine as many problems as asked for, say what was seen, and fail where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--problems", type=int, default=3000, help="how many (3000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (0)")
    parser.add_argument("--seed", type=int, default=0, help="which series of problems (0)")
    parser.add_argument("--time", type=float, default=1.0, help="seconds for each search (1)")
    parser.add_argument("--tries", type=int, default=50_000, help="trials for each optimum (50000)")
    given = parser.parse_args(arguments)
    found = []
    for number in range(given.first, given.first + given.problems):
        one = examined(drawn_problem(given.seed, number), number, given.time, given.tries)
        found.append(one)
        for line in one.failures:
            print(f"{number}: {line}\n    {one.text}", file=sys.stderr, flush=True)
        is_decided = one.optimum is not None and not one.is_front
        if is_decided and one.steps is not None and one.steps > (one.optimum or 0):
            print(f"{number}: {one.steps} steps, optimum {one.optimum}\n    {one.text}", file=sys.stderr, flush=True)
    seen = summary(found, given.time)
    print(json.dumps(seen, indent=1))
    return 1 if seen["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
