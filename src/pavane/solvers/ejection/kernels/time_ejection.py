"""Ejection search through time: messages go hop by hop, rest in between, and eject each other from units in steps.

For a message that is outside, one sweep back over the steps considers all its ways and waits: it finds for each
location the least weight to be ejected from there to the target. The messages that conflict with the cheapest way are
ejected from all their hops, and the inserted one becomes heavier. Heavy messages are the hard ones; the search moves
the light ones.

A message takes several paths, its hops. The lightest message in the lanes of a full unit is ejected.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.ejection.kernels.hop_paths import ORIGIN, TARGET, HopChoices, MessageHops
from pavane.solvers.ejection.kernels.lanes import BARRED, FREE, PartialAssignment, UnitLanes, eject, lightest, put_in
from pavane.solvers.kernels.random_numbers import draw, next_number

Array = np.ndarray[Any, Any]

COST_OF_WEIGHT = 4096
"""The cost of ejecting a message, for each unit of its weight; a hop costs 1."""

NO_WAY = 1 << 60
"""The cost where no way leads to the target."""


class SweepScratch(NamedTuple):
    """Working memory for each moment and location between the ends of one message."""

    best: Array
    """int64 [moment, location]: the least cost from there to the target."""
    next_ejected: Array
    """int32 [moment, location]: the first message ejected on that way, or FREE; it is counted once."""
    chosen: Array
    """int32 [moment, location]: the way to take at that moment, or -1: wait."""


def insert_through_time(
    lanes: UnitLanes, choices: MessageHops, partial: PartialAssignment, num_outside: int, most_moves: int, state: Array
) -> tuple[int, int]:
    """Insert messages, at most `most_moves`; return the moves made and the number of messages still outside.

    The state is that of the random numbers (`solvers.kernels.random_numbers`).
    """
    outside, num_steps, ways = partial.outside, partial.occupant.shape[1], choices.ways
    most_locations = 2
    for way in range(len(ways.hops)):
        most_locations = max(most_locations, ways.heads[way] + 1)
    scratch = SweepScratch(
        np.empty((num_steps + 1, most_locations), dtype=np.int64),
        np.empty((num_steps + 1, most_locations), dtype=np.int32),
        np.empty((num_steps + 1, most_locations), dtype=np.int32),
    )
    moves = 0
    while num_outside > 0 and moves < most_moves:
        at = draw(state, num_outside)
        message = outside[at]
        sweep(lanes, ways, partial, choices.ends_of[message], scratch, state)
        if scratch.best[0, ORIGIN] >= NO_WAY:
            break
        moves += 1
        num_outside -= 1
        outside[at] = outside[num_outside]
        before = num_outside
        num_outside = walk(lanes, ways, partial, message, scratch, num_outside, state)
        if num_outside > before:
            partial.weights[message] += 1
    return moves, num_outside


def sweep(
    lanes: UnitLanes, ways: HopChoices, partial: PartialAssignment, ends: int, scratch: SweepScratch, state: Array
) -> None:
    """Find the least cost from every location and moment to the target, and the way that has it.

    The innermost loop of the search: arrays have names of their own, because machine code counts references whenever
    it reads one from a tuple.
    """
    hops, tails, heads, away, left = ways.hops, ways.tails, ways.heads, ways.away, ways.left
    offsets, first_lane, last_lane = lanes.offsets, lanes.first, lanes.last
    occupant, weights = partial.occupant, partial.weights
    best, next_ejected, chosen = scratch.best, scratch.next_ejected, scratch.chosen
    num_steps = occupant.shape[1]
    first, num_ways = ways.offsets[ends], ways.offsets[ends + 1] - ways.offsets[ends]
    num_locations = 2
    for way in range(first, first + num_ways):
        num_locations = max(num_locations, heads[way] + 1)
    for location in range(num_locations):
        best[num_steps, location] = NO_WAY
        next_ejected[num_steps, location] = FREE
    best[num_steps, TARGET] = 0
    for step in range(num_steps - 1, -1, -1):
        for location in range(num_locations):
            best[step, location] = best[step + 1, location]
            next_ejected[step, location] = next_ejected[step + 1, location]
            chosen[step, location] = -1
        start = draw(state, max(1, num_ways))
        for turn in range(num_ways):
            way = first + start + turn
            if start + turn >= num_ways:
                way -= num_ways
            if away[way] > step or left[way] >= num_steps - step:
                continue
            tail, head = tails[way], heads[way]
            least = best[step, tail]
            cost = best[step + 1, head] + 1
            known = next_ejected[step + 1, head]
            hop = hops[way]
            at, end = offsets[hop], offsets[hop + 1]
            ejected = known
            while at < end and cost <= least:
                victim = lightest(occupant, weights, first_lane[at], last_lane[at], step, known, ejected)
                if victim == BARRED:
                    cost = NO_WAY
                elif victim != FREE:
                    cost += weights[victim] * COST_OF_WEIGHT
                    ejected = victim
                at += 1
            if cost < least or (cost == least and cost < NO_WAY and next_number(state) & 3 == 0):
                best[step, tail] = cost
                next_ejected[step, tail] = ejected
                chosen[step, tail] = way


def walk(
    lanes: UnitLanes,
    ways: HopChoices,
    partial: PartialAssignment,
    message: int,
    scratch: SweepScratch,
    num_outside: int,
    state: Array,
) -> int:
    """Take the cheapest way and eject the messages that conflict; return the number of messages outside.

    Of equally cheap departures one is drawn.
    """
    best, chosen, num_steps = scratch.best, scratch.chosen, partial.occupant.shape[1]
    location, step, size = ORIGIN, 0, 0
    while location != TARGET:
        while chosen[step, location] < 0:
            step += 1
        seen, departure, later = 1, step, step + 1
        while later < num_steps and best[later, location] == best[step, location]:
            if chosen[later, location] >= 0:
                seen += 1
                if draw(state, seen) == 0:
                    departure = later
            later += 1
        way = chosen[departure, location]
        num_outside = eject(lanes, partial, ways.hops[way], departure, num_outside)
        at = partial.first_path[message] + size
        partial.paths[at], partial.steps[at] = ways.hops[way], departure
        size += 1
        location, step = ways.heads[way], departure + 1
    put_in(lanes, partial, message, size)
    return num_outside
