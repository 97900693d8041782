"""Hops and steps for every private message under store-and-forward, by ejection search (kernels/time_ejection.py)."""

from __future__ import annotations

import numpy as np

from pavane.kernels import compiled
from pavane.kernels.hop_ways import Extent, Ways, list_ways
from pavane.kernels.time_ejection import BARRED, FREE, Lanes, Partial, push_in
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.ejection.hop_network import HopNetwork
from pavane.workers.budget import Budget

CELLS_BETWEEN_LOOKS = 20_000_000
"""Pairs of a way and a step between two looks at the clock, which are several a second."""

KEEPERS = 4
"""How many processors of one router may keep a message on its way, or with all ports half of them: they bind less."""


def ways_between(network: HopNetwork, detour: int, most: int) -> Ways | None:
    """List the hops of all messages on paths that are longer than the shortest by at most `detour` hops.

    Those of one origin and target are listed once, in the order of `distinct_ends`. None where there are more than
    `most`, or where some message has none.
    """
    ends = network.problem.distinct_ends.astype(np.int32)
    order = np.argsort(ends[:, 1], kind="stable")
    keepers = KEEPERS // 2 if network.problem.rules.ports == "all" else KEEPERS
    offsets, columns = compiled(list_ways)(network.graph, ends, order, Extent(detour, keepers, most))
    if (np.diff(offsets) == 0).any() or offsets[-1] > most:
        return None
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return _picked(Ways(offsets, *columns), number)


def _picked(ways: Ways, ends: Longs) -> Ways:
    """Return the ways between some ends."""
    counts = ways.offsets[ends + 1] - ways.offsets[ends]
    offsets = np.concatenate(([0], np.cumsum(counts)))
    at = np.repeat(ways.offsets[ends] - offsets[:-1], counts) + np.arange(offsets[-1])
    return Ways(offsets.astype(np.int64), *(column[at] for column in ways[1:]))


class HopAssignment:
    """A conflict-free partial schedule: hops with steps for some of the messages, or for all."""

    def __init__(self, network: HopNetwork, ways: Ways, widths: Longs) -> None:
        """Begin with every message outside; in step t a unit takes widths[t] times its capacity."""
        self.network, self.ways, self.widths, self.moves = network, ways, widths, 0
        ends_of = _ends_of(network.problem)
        size, most_width = len(ends_of), int(widths.max())
        num_lanes = network.capacity * most_width
        last = np.cumsum(num_lanes)
        self.lanes = Lanes(
            network.unit_offsets,
            first=(last - num_lanes)[network.units].astype(np.int32),
            last=last[network.units].astype(np.int32),
        )
        occupant = np.full((int(num_lanes.sum()), len(widths)), FREE, dtype=np.int32)
        if (widths < most_width).any():
            _, lane = _counted(num_lanes)
            occupant[lane[:, None] >= np.repeat(network.capacity, num_lanes)[:, None] * widths] = BARRED
        shortest = _shortest(ways)
        room = np.minimum(_longest(ways), len(widths))[ends_of]
        first_hop = np.concatenate(([0], np.cumsum(room))).astype(np.int64)
        self.is_reachable = bool((shortest <= len(widths)).all())
        self.partial = Partial(
            occupant,
            ends_of,
            first_hop,
            hops=np.zeros(first_hop[-1], dtype=np.int32),
            steps=np.zeros(first_hop[-1], dtype=np.int32),
            num_hops=np.zeros(size, dtype=np.int32),
            weights=shortest[ends_of].astype(np.int64),
            outside=np.zeros(size, dtype=np.int32),
        )

    @property
    def is_full(self) -> bool:
        """Whether every message has its hops."""
        return bool((self.partial.num_hops > 0).all())

    @property
    def cells_per_move(self) -> int:
        """Return how many pairs of a way and a step a move looks at, about."""
        return max(1, int(np.diff(self.ways.offsets)[self.partial.ends_of].mean()) * len(self.widths))

    def fill(self, most_moves: int, rng: np.random.Generator, budget: Budget) -> bool:
        """Push messages in until none is left outside, the moves are spent or the time is over; say whether all are."""
        outside = np.flatnonzero(self.partial.num_hops == 0)
        num_outside = len(outside)
        self.partial.outside[:num_outside] = outside
        if num_outside and not self.is_reachable:
            return False
        state = rng.integers(1, 2**32, 4)
        at_a_time = max(100, CELLS_BETWEEN_LOOKS // self.cells_per_move)
        search = compiled(push_in)
        while num_outside and most_moves > 0 and not budget.is_over:
            made, num_outside = search(
                self.lanes, self.ways, self.partial, num_outside, min(at_a_time, most_moves), state
            )
            most_moves -= made
            self.moves += made
            if budget.report is not None:
                budget.report(self.moves, num_outside)
        return num_outside == 0

    def schedule(self) -> Schedule:
        """Return the schedule; every message must have its hops."""
        partial = self.partial
        messages, at = _counted(partial.num_hops.astype(np.int64))
        taken = partial.first_hop[messages] + at
        hops, steps = partial.hops[taken].astype(np.int64), partial.steps[taken].astype(np.int64)
        return self.network.schedule(hops, steps, messages, self.widths)


def _ends_of(problem: Problem) -> Ints:
    """Return the number of the ends of each message among the distinct ones: pieces of one follow each other."""
    is_new = np.any(np.diff(problem.ends, axis=0), axis=1)
    return np.concatenate(([0], np.cumsum(is_new))).astype(np.int32)


def _counted(counts: Longs) -> tuple[Longs, Longs]:
    """Return for each of several counts its number as often as it says, and beside it 0, 1, 2 and so on."""
    numbers = np.repeat(np.arange(len(counts)), counts)
    return numbers, np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)


def _shortest(ways: Ways) -> Longs:
    """Return the hops of a shortest path between each two ends: those of the first way, which leaves the origin."""
    return np.minimum.reduceat(ways.away + ways.left, ways.offsets[:-1]).astype(np.int64) + 1


def _longest(ways: Ways) -> Longs:
    """Return a limit on the hops of a path between each two ends: it comes to no location twice."""
    return np.maximum.reduceat(np.maximum(ways.heads, 1), ways.offsets[:-1]).astype(np.int64)
