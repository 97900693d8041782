"""Schedules of allreduces: found in two phases and overlapped, and some made by hand that have no phases."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.search.synthesis import solve
from tests.io.formats.schedules import in_one_box

STORED = Rules("store-and-forward")
PASSING = Rules("store-and-forward", switches="pass")


@cache
def summed(spec: str, kind: str = "allreduce", pieces: int = 1, sizes: Any = (), rules: Rules = STORED) -> Result:
    """Return a schedule that the greedy solver finds in two phases, overlapped; several boxes are one machine."""
    made = in_one_box(spec)
    return solve(Problem(made, in_pieces(named(kind, made), pieces, sizes), rules), method="greedy")


@cache
def in_two_phases(spec: str, rules: Rules) -> Result:
    """Return an allgather read backwards and then forwards: an allreduce whose phases do not overlap."""
    gathered = summed(spec, "aab", rules=rules)
    made, schedule = gathered.problem.network, gathered.schedule
    assert schedule is not None
    last, back = schedule.num_steps - 1, made.opposite.tolist()
    inwards = [
        t._replace(
            start=last - t.start, sender=t.receiver, receiver=t.sender, path=tuple(back[c] for c in t.path[::-1])
        )
        for t in schedule
    ]
    outwards = [t._replace(start=last + 1 + t.start) for t in schedule]
    return Result(Problem(made, named("allreduce", made), rules), Schedule.from_transfers([*inwards, *outwards]))


def _swapped(spec: str, pieces: int, pairs_of_steps: list[list[tuple[int, int]]]) -> Result:
    """Return a schedule in which whole running sums go between neighbours, all pieces of all parts at once."""
    made = network(spec)
    problem = Problem(made, in_pieces(named("allreduce", made), pieces), Rules("store-and-forward", combining=True))
    channel = {(int(a), int(b)): i for i, (a, b) in enumerate(made.channels)}
    everything = tuple(range(problem.num_messages))
    transfers = [
        Transfer(step, a, b, (channel[a, b],), everything) for step, ends in enumerate(pairs_of_steps) for a, b in ends
    ]
    return Result(problem, Schedule.from_transfers(transfers))


@cache
def doubling(dimension: int, pieces: int = 1) -> Result:
    """Return recursive doubling in a hypercube: partners along a dimension swap sums in each step."""
    everyone = range(2**dimension)
    return _swapped(
        f"hypercube:{dimension}", pieces, [[(p, p ^ 1 << bit) for p in everyone] for bit in range(dimension)]
    )


@cache
def direct(count: int, pieces: int = 1) -> Result:
    """Return the allreduce in which everyone sends all of its vector to everyone, in one step."""
    everyone = range(count)
    return _swapped(f"complete:{count}", pieces, [[(a, b) for a in everyone for b in everyone if a != b]])


@cache
def replaced() -> Result:
    """Return an allreduce on a line of three, in which 1 adds up, and 2 throws away what it had added for nothing.

    In the first step 0 and 2 swap their vectors with 1, and in the second 1 sends the sum of all to both.
    """
    line = network("line:3")
    problem = Problem(line, in_pieces(named("reduce-broadcast", line), 2), STORED)
    channel = {(int(a), int(b)): i for i, (a, b) in enumerate(line.channels)}
    hops = [(0, 0, 1), (0, 2, 1), (0, 1, 2), (1, 1, 0), (1, 1, 2)]
    transfers = [
        Transfer(2 * step + piece, a, b, (channel[a, b],), (piece,)) for step, a, b in hops for piece in (0, 1)
    ]
    return Result(problem, Schedule.from_transfers(transfers))


@cache
def of_some(kind: str = "ALLREDUCE", receivers: tuple[int, ...] = (0, 2, 4)) -> Result:
    """Return the allreduce, or another collective, of three of a ring of five, over relays that contribute nothing."""
    ring = network("ring:5")
    return solve(Problem(ring, Collective(kind, (0, 2, 4), receivers, pieces=2), STORED), method="greedy")


ALLREDUCES: dict[str, Callable[[], Result]] = {
    "allreduce on a ring": partial(summed, "ring:4"),
    "allreduce on a mesh": partial(summed, "mesh:3x2"),
    "allreduce in 2 on a mesh": partial(summed, "mesh:3x3", pieces=2),
    "allreduce on a hypercube, 1-port": partial(summed, "hypercube:3", rules=Rules("store-and-forward", ports=1)),
    "allreduce through switches": partial(summed, "rails:2,4", pieces=2, rules=PASSING),
    "reduce-broadcast": partial(summed, "ring:5", "reduce-broadcast"),
    "reduce-broadcast in 4": partial(summed, "mesh:3x2", "reduce-broadcast", 4),
    "recursive doubling in 2": partial(doubling, 2, 2),
    "sums replaced": replaced,
    "allreduce of sizes": partial(summed, "ring:4", sizes=((1, 3), (2, 0))),
    "allreduce of sizes in 2": partial(summed, "ring:5", pieces=2, sizes=((0, 2), (3, 0))),
    "reduce-broadcast of a size": partial(summed, "ring:4", "reduce-broadcast", 2, ((0, 3),)),
}
"""Allreduces of all processors."""
