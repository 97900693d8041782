"""Hops and steps for every private message under store-and-forward, by ejection search (kernels/time_ejection.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.hop_network import HopNetwork, counted
from pavane.solvers.ejection.kernels.ejection_search import BARRED, FREE
from pavane.solvers.ejection.kernels.forwarding import Journeys
from pavane.solvers.ejection.kernels.hop_paths import ORIGIN, TARGET, Extent, HopChoices, list_ways
from pavane.solvers.ejection.kernels.time_ejection import (
    HopLanes,
    TimedPartial,
    insert_through_time,
    put_all_in,
    put_in,
    take_out,
)
from pavane.solvers.rerouting import RoutePlan

CELLS_BETWEEN_CLOCK_READS = 20_000_000
"""Pairs of a way and a step between two reads of the clock, which are several a second."""

CELLS_BESIDES = 300
"""The time of a move besides its sweep, in pairs of a way and a step that could be examined in it."""

KEEPERS = 4
"""How many processors of one router may hold a message on its way; half as many with all ports, which bind less."""


class MessageWays(NamedTuple):
    """The hops that messages may take."""

    ways: HopChoices
    ends_of: Ints
    """The number of each message's ends among the ways."""


def ways_between(network: HopNetwork, detour: int, most: int) -> MessageWays | None:
    """List the hops of all messages on paths that are longer than the shortest by at most `detour` hops.

    Those of one origin and target are listed once. None where there are more than `most`, or a message has none.
    """
    problem = network.problem
    ends = problem.distinct_ends.astype(np.int32)
    order = np.argsort(ends[:, 1], kind="stable")
    keepers = KEEPERS // 2 if problem.rules.ports == "all" else KEEPERS
    offsets, columns = compiled(list_ways)(network.graph, ends, order, Extent(detour, keepers, most))
    if (np.diff(offsets) == 0).any() or offsets[-1] > most:
        return None
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    # Pieces of one message follow each other.
    is_new = np.any(np.diff(problem.ends, axis=0), axis=1)
    ends_of = np.concatenate(([0], np.cumsum(is_new)))
    return MessageWays(HopChoices(offsets, *(column[: offsets[-1]] for column in columns)), number[ends_of])


def planned_ways(plan: RoutePlan) -> MessageWays:
    """Give every message the hops of its planned path only."""
    message, at = counted(plan.lengths.astype(np.int64))
    left = plan.lengths[message] - 1 - at
    ways = HopChoices(
        np.concatenate(([0], np.cumsum(plan.lengths))).astype(np.int64),
        plan.arcs,
        tails=np.where(at == 0, ORIGIN, at + 1).astype(np.int32),
        heads=np.where(left == 0, TARGET, at + 2).astype(np.int32),
        away=at.astype(np.int32),
        left=left.astype(np.int32),
    )
    return MessageWays(ways, np.arange(len(plan.lengths), dtype=np.int32))


class HopAssignment:
    """A conflict-free partial schedule: hops with steps for some of the messages, or for all."""

    def __init__(self, network: HopNetwork, ways: MessageWays, widths: Longs, least_room: int = 0) -> None:
        """Begin with every message outside; in step t a unit takes widths[t] times its capacity.

        There is room for the hops of the longest path among the ways, and for `least_room` hops at least.
        """
        self.network, self.widths, self.moves = network, widths, 0
        self.ways, ends_of = ways
        size, most_width = len(ends_of), int(widths.max())
        num_lanes = network.capacity * most_width
        last = np.cumsum(num_lanes)
        self.lanes = HopLanes(
            network.unit_offsets,
            first=(last - num_lanes)[network.units].astype(np.int32),
            last=last[network.units].astype(np.int32),
        )
        occupant = np.full((int(num_lanes.sum()), len(widths)), FREE, dtype=np.int32)
        if (widths < most_width).any():
            _, lane = counted(num_lanes)
            occupant[lane[:, None] >= np.repeat(network.capacity, num_lanes)[:, None] * widths] = BARRED
        shortest = _shortest(self.ways)
        room = np.maximum(least_room, np.minimum(_longest(self.ways), len(widths)))[ends_of]
        first_hop = np.concatenate(([0], np.cumsum(room))).astype(np.int64)
        self.is_reachable = bool((shortest <= len(widths)).all())
        self.partial = TimedPartial(
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
        """Return the effort of a move, as about how many pairs of a way and a step could be examined in it."""
        return CELLS_BESIDES + int(np.diff(self.ways.offsets)[self.partial.ends_of].mean()) * len(self.widths)

    def begin_with(self, journeys: Journeys) -> None:
        """Put in the messages whose planned hops all have a valid step; the assignment must be empty."""
        partial, first = self.partial, journeys.offsets[:-1]
        last = journeys.steps[journeys.offsets[1:] - 1]
        arrived = np.flatnonzero((last >= 0) & (last < len(self.widths)))
        lengths = np.diff(journeys.offsets)[arrived]
        message, at = counted(lengths)
        entries, there = first[arrived][message] + at, partial.first_hop[arrived][message] + at
        partial.hops[there] = self.ways.hops[entries]
        partial.steps[there] = journeys.steps[entries]
        compiled(put_all_in)(self.lanes, partial, arrived, lengths)

    def place_of(self, message: int) -> tuple[Ints, Ints]:
        """Return the hops and steps of a message; none if it is outside."""
        first = self.partial.first_hop[message]
        last = first + self.partial.num_hops[message]
        return self.partial.hops[first:last].copy(), self.partial.steps[first:last].copy()

    def put(self, message: int, hops: Ints, steps: Ints) -> bool:
        """Let a message that is outside take hops in steps, if there is room for all of them."""
        lanes, partial = self.lanes, self.partial
        for hop, step in zip(hops.tolist(), steps.tolist(), strict=True):
            for at in range(lanes.offsets[hop], lanes.offsets[hop + 1]):
                if not (partial.occupant[lanes.first[at] : lanes.last[at], step] == FREE).any():
                    return False
        first = partial.first_hop[message]
        partial.hops[first : first + len(hops)] = hops
        partial.steps[first : first + len(hops)] = steps
        put_in(lanes, partial, message, len(hops))
        return True

    def take_out(self, message: int) -> None:
        """Take a message out of its hops."""
        take_out(self.lanes, self.partial, message)

    def fill(self, most_moves: int, rng: np.random.Generator, budget: Budget) -> bool:
        """Insert messages until all are placed, the moves are made or the time is over; return whether all are."""
        outside = np.flatnonzero(self.partial.num_hops == 0)
        num_outside = len(outside)
        self.partial.outside[:num_outside] = outside
        if num_outside and not self.is_reachable:
            return False
        state = rng.integers(1, 2**32, 4)
        at_a_time = max(100, CELLS_BETWEEN_CLOCK_READS // self.cells_per_move)
        insert = compiled(insert_through_time)
        while num_outside and most_moves > 0 and not budget.is_over:
            moves, num_outside = insert(
                self.lanes, self.ways, self.partial, num_outside, min(at_a_time, most_moves), state
            )
            most_moves -= moves
            self.moves += moves
            if budget.on_conflicts is not None:
                budget.on_conflicts(self.moves, num_outside)
        return num_outside == 0

    def schedule(self) -> Schedule:
        """Return the schedule; every message must have its hops."""
        partial = self.partial
        messages, at = counted(partial.num_hops.astype(np.int64))
        taken = partial.first_hop[messages] + at
        hops, steps = partial.hops[taken], partial.steps[taken].astype(np.int64)
        return self.network.schedule(hops, steps, messages, self.widths)


def _shortest(ways: HopChoices) -> Longs:
    """Return the hops of a shortest path between each two ends: those of the first way, which leaves the origin."""
    return np.minimum.reduceat(ways.away + ways.left, ways.offsets[:-1]).astype(np.int64) + 1


def _longest(ways: HopChoices) -> Longs:
    """Return a limit on the hops of a path between each two ends: it comes to no location twice."""
    return np.maximum.reduceat(np.maximum(ways.heads, 1), ways.offsets[:-1]).astype(np.int64)
