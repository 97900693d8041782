"""Who is where in a partial schedule: entries in the lanes of units, as every ejection search keeps them.

An entry (a message, or several that symmetries move into each other) takes one path or several, one after the other,
each in a step of its own. A path is a list of units (channels, links, ports). A path that starts in step s uses its
unit number i in step s + shifts[i], counted round: shifts other than 0 come from the slots of tdm, and from symmetries
that move steps as well as routers. A symmetry may also turn time round: a unit whose shift is ~i, below 0, is used in
step i - s. A unit has as many lanes as it can carry entries in a step, and a lane holds one entry.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined

Array = np.ndarray[Any, Any]

FREE, BARRED = -1, -2
"""In place of an entry: a lane is free in a step, or does not exist."""


class UnitLanes(NamedTuple):
    """The lanes that each path may take: one of every unit that it uses. Nothing in it changes."""

    offsets: Array
    """int64 [path + 1]: where the units of each path begin in the next three."""
    first: Array
    """int32 [unit of a path]: the first lane of the unit."""
    last: Array
    """int32 [unit of a path]: the lane behind its last one."""
    shifts: Array
    """int32 [unit of a path]: how many steps after the start of the path the unit is used; fewer than there are.

    Below 0: ~i stands for i - s where the path starts in step s."""


class PartialAssignment(NamedTuple):
    """A partial schedule: the entries in lanes, and those outside."""

    occupant: Array
    """int32 [lane, step]: the entry there, FREE or BARRED."""
    first_path: Array
    """int64 [entry + 1]: where the paths of each entry begin in the next two; there is room for as many as it takes."""
    paths: Array
    """int32: the paths that it takes, in their order."""
    steps: Array
    """int32: the steps in which they start."""
    num_paths: Array
    """int32 [entry]: how many paths it takes; 0 if it is outside."""
    weights: Array
    """int64 [entry]."""
    outside: Array
    """int32 [entry]: those outside come first."""


@inlined
def slot_of(step: int, shift: int, num_steps: int) -> int:
    """Return the step in which a path that starts in some step uses a unit."""
    if shift < 0:
        when = ~shift - step
        return when if when >= 0 else when + num_steps
    when = step + shift
    return when if when < num_steps else when - num_steps


@inlined
def lightest(occupant: Array, weights: Array, first: int, last: int, step: int, known: int, ejected: int) -> int:
    """Return the entry that one more in a unit ejects in a step: FREE if none that is new, BARRED if it has no lane.

    `known` and `ejected` are entries that are ejected anyway, or FREE.
    """
    victim = BARRED
    lane = first
    while lane < last:
        there = occupant[lane, step]
        if (there == FREE) | (there == known) | (there == ejected):
            victim = FREE
            lane = last
        elif there >= 0 and (victim < 0 or weights[there] < weights[victim]):
            victim = there
        lane += 1
    return victim


def eject(lanes: UnitLanes, partial: PartialAssignment, path: int, step: int, num_outside: int) -> int:
    """Eject the lightest occupant of every full unit of a path; return the number of entries outside."""
    for at in range(lanes.offsets[path], lanes.offsets[path + 1]):
        when = slot_of(step, lanes.shifts[at], partial.occupant.shape[1])
        victim = lightest(partial.occupant, partial.weights, lanes.first[at], lanes.last[at], when, FREE, FREE)
        if victim >= 0:
            take_out(lanes, partial, victim)
            partial.outside[num_outside] = victim
            num_outside += 1
    return num_outside


def take_out(lanes: UnitLanes, partial: PartialAssignment, entry: int) -> None:
    """Free the lanes of an entry that has paths."""
    exchange(lanes, partial, entry, entry, FREE)
    partial.num_paths[entry] = 0


def put_in(lanes: UnitLanes, partial: PartialAssignment, entry: int, size: int) -> None:
    """Let an entry take its paths, as many as are written down for it; every unit of theirs has a free lane."""
    partial.num_paths[entry] = size
    exchange(lanes, partial, entry, FREE, entry)


def put_all_in(lanes: UnitLanes, partial: PartialAssignment, entries: Array, sizes: Array) -> None:
    """Let several entries take their paths."""
    for at in range(len(entries)):
        put_in(lanes, partial, entries[at], sizes[at])


def exchange(lanes: UnitLanes, partial: PartialAssignment, entry: int, before: int, after: int) -> None:
    """Replace an occupant by another in the first lane that has it, of every unit of an entry's paths."""
    occupant, begin = partial.occupant, partial.first_path[entry]
    for number in range(begin, begin + partial.num_paths[entry]):
        path, step = partial.paths[number], partial.steps[number]
        for at in range(lanes.offsets[path], lanes.offsets[path + 1]):
            when, lane = slot_of(step, lanes.shifts[at], occupant.shape[1]), lanes.first[at]
            while lane < lanes.last[at]:
                if occupant[lane, when] == before:
                    occupant[lane, when] = after
                    lane = lanes.last[at]
                lane += 1
