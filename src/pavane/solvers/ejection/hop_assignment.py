"""Hops and steps for every private message under store-and-forward, by ejection search (kernels/time_ejection.py)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.model.schedule import Schedule
from pavane.solvers.ejection.assignment import Assignment, all_outside, lanes_of
from pavane.solvers.ejection.hop_network import HopNetwork, counted
from pavane.solvers.ejection.kernels.forwarding import Journeys
from pavane.solvers.ejection.kernels.hop_paths import ORIGIN, TARGET, Extent, HopChoices, MessageHops, list_hops
from pavane.solvers.ejection.kernels.lanes import FREE, put_all_in
from pavane.solvers.ejection.kernels.time_ejection import insert_through_time
from pavane.solvers.rerouting import RoutePlan

CELLS_BESIDES = 300
"""The time of a move besides its sweep, in pairs of a way and a step that could be examined in it."""

KEEPERS = 4
"""How many processors of one router may hold a message on its way; half as many with all ports, which bind less."""


def hops_on_paths(network: HopNetwork, detour: int, most: int) -> MessageHops | None:
    """List the hops of all messages on paths that are longer than the shortest by at most `detour` hops.

    Those of one origin and target are listed once. None where there are more than `most`, or a message has none.
    """
    problem = network.problem
    ends = problem.distinct_ends.astype(np.int32)
    order = np.argsort(ends[:, 1], kind="stable")
    keepers = KEEPERS // 2 if problem.rules.ports == "all" else KEEPERS
    offsets, columns = compiled(list_hops)(network.graph, ends, order, Extent(detour, keepers, most))
    if (np.diff(offsets) == 0).any() or offsets[-1] > most:
        return None
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    # Pieces of one message follow each other.
    is_new = np.any(np.diff(problem.ends, axis=0), axis=1)
    ends_of = np.concatenate(([0], np.cumsum(is_new)))
    return MessageHops(HopChoices(offsets, *(column[: offsets[-1]] for column in columns)), number[ends_of])


def planned_hops(plan: RoutePlan) -> MessageHops:
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
    return MessageHops(ways, np.arange(len(plan.lengths), dtype=np.int32))


class HopAssignment(Assignment):
    """Hops for some of the messages of a problem under store-and-forward, or for all."""

    least_moves: ClassVar[int] = 3

    def __init__(self, network: HopNetwork, choices: MessageHops, num_steps: int) -> None:
        """Begin with every message outside."""
        ways, ends_of = choices
        occupant = np.full((int(network.capacity.sum()), num_steps), FREE, dtype=np.int32)
        shortest, longest = _shortest(ways), np.minimum(_longest(ways), num_steps)
        super().__init__(
            insert_through_time,
            lanes_of(network.unit_offsets, network.units, network.capacity),
            choices,
            all_outside(occupant, longest[ends_of], shortest[ends_of]),
            cells_per_move=CELLS_BESIDES + int(np.diff(ways.offsets)[ends_of].mean()) * num_steps,
            may_start=bool((shortest <= num_steps).all()),
        )
        self.network, self.num_steps = network, num_steps

    def _random_numbers(self, rng: np.random.Generator) -> Longs:
        return rng.integers(1, 2**32, 4)

    def begin_with(self, journeys: Journeys) -> None:
        """Put in the messages whose planned hops all have a valid step; the assignment must be empty."""
        partial, first = self.partial, journeys.offsets[:-1]
        last = journeys.steps[journeys.offsets[1:] - 1]
        arrived = np.flatnonzero((last >= 0) & (last < self.num_steps))
        lengths = np.diff(journeys.offsets)[arrived]
        message, at = counted(lengths)
        entries, there = first[arrived][message] + at, partial.first_path[arrived][message] + at
        partial.paths[there] = self.choices.ways.hops[entries]
        partial.steps[there] = journeys.steps[entries]
        compiled(put_all_in)(self.lanes, partial, arrived, lengths)

    def schedule(self) -> Schedule:
        """Return the schedule; every message must have its hops."""
        partial = self.partial
        messages, at = counted(partial.num_paths.astype(np.int64))
        taken = partial.first_path[messages] + at
        hops, steps = partial.paths[taken], partial.steps[taken].astype(np.int64)
        return self.network.schedule(hops, steps, messages)


def _shortest(ways: HopChoices) -> Longs:
    """Return the hops of a shortest path between each two ends: those of the first way, which leaves the origin."""
    return np.minimum.reduceat(ways.away + ways.left, ways.offsets[:-1]).astype(np.int64) + 1


def _longest(ways: HopChoices) -> Longs:
    """Return a limit on the hops of a path between each two ends: it comes to no location twice."""
    return np.maximum.reduceat(np.maximum(ways.heads, 1), ways.offsets[:-1]).astype(np.int64)
