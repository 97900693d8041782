"""Allreduces by hand, which need no search: a ring, recursive doubling, and one whose phases overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pavane.model.collectives import allreduce, reduce_broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

LINE = Network("line", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])

Hop = tuple[int, int, int, int]
"""A step, a sender, a receiver, and the piece whose sum goes from one to the other along one channel."""


def hops(problem: Problem, listed: Iterable[Hop]) -> Schedule:
    """Return the schedule of some hops, each along the first channel from router to router."""
    ends = problem.network.channels.tolist()
    return Schedule.from_transfers(
        [Transfer(step, tail, head, (ends.index([tail, head]),), (piece,)) for step, tail, head, piece in listed]
    )


RING = Problem(network("ring:3"), allreduce(network("ring:3")), Rules(ports=1))
"""Three parts, and every processor has one port."""


def around(order: Sequence[int]) -> list[Hop]:
    """Return the ring algorithm: the sum of each part goes round to whom it is named after, then the sum of all round.

    The parts have the numbers of the processors (Patarasuk and Yuan 2009).
    """
    n = len(order)
    rows = []
    for step in range(n - 1):
        for index, part in enumerate(order):
            ahead = [order[(index + step + more) % n] for more in range(3)]
            rows += [(step, ahead[1], ahead[2], part), (n - 1 + step, ahead[0], ahead[1], part)]
    return sorted(rows)


AROUND = around((0, 1, 2))

CUBE = Problem(network("hypercube:2"), reduce_broadcast(network("hypercube:2")), Rules(ports=1))
"""One part on four processors, each with one port."""

DOUBLING = [(step, p, p ^ bit, 0) for step, bit in enumerate((1, 2)) for p in range(4)]
"""Recursive doubling: everyone exchanges what he has, along one dimension after the other."""

SQUARE = Problem(network("hypercube:2"), allreduce(network("hypercube:2")), Rules(ports=1))
"""Four parts on the same four processors."""

AROUND_SQUARE = around((0, 1, 3, 2))

OVERLAP = Problem(LINE, allreduce(LINE))
"""Three parts on a line, all-port."""

OVERLAPPING = [(part, end, 1, part) for part in range(3) for end in (0, 2)]
OVERLAPPING += [(part + 1, 1, end, part) for part in range(3) for end in (0, 2)]
"""Every sum is complete in the middle; while one is told, the next is made."""
