"""Ejection search: extend a conflict-free partial schedule by insertions until no message is left outside.

A random message that has no step goes where the messages it ejects weigh least, and becomes heavier if it ejects any.
Heavy messages are the hard ones; they stay where they are, and the search moves the light ones.

A message has candidate paths; a path is a list of units (channels, links, ports). A path that starts in step s uses its
unit number i in step s + shifts[i], counted round: shifts other than 0 come from the slots of tdm, and from symmetries
that move steps as well as routers. A symmetry may also turn time round: a unit whose shift is ~i, below 0, is used in
step i - s. A path may start in the first steps only where nothing may be counted round. A unit has as many lanes as it
can carry messages in a step, and a lane holds one message.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined

Array = np.ndarray[Any, Any]

FREE, BARRED = -1, -2
"""In place of a message: a lane is free in a step, or does not exist."""


class CandidatePaths(NamedTuple):
    """The candidate paths of all messages."""

    first_path: Array
    """int64, messages + 1: the paths of message m are first_path[m] to first_path[m + 1] - 1."""
    offsets: Array
    """int64, paths + 1: where the units of each path begin in the next three."""
    first_lane: Array
    """int32, all units of all paths: the first lane of the unit."""
    last_lane: Array
    """int32, beside it: the lane behind the last one of the unit."""
    shifts: Array
    """int32, beside it: how many steps after the start of the path the unit is used; fewer than there are.

    Below 0: ~i stands for i - s where the path starts in step s."""
    starts: Array
    """int64, paths: the number of steps, from the first one, in which a path may start."""
    barred: Array
    """int64, paths x 2: steps in which a path must not start, or -1."""
    tolls: Array
    """float64, paths: what a path costs by itself, lowest first for each message."""


class PartialAssignment(NamedTuple):
    """A partial schedule: the messages in lanes, and those outside."""

    occupant: Array
    """int32, lanes x steps: the message there, or FREE."""
    step_of: Array
    """int64, messages: the step in which each message starts, or -1."""
    path_of: Array
    """int64, messages: the path along which it goes; without meaning for those outside."""
    weights: Array
    """float64, messages."""
    outside: Array
    """int64, messages: those outside come first."""


def insert_all(
    paths: CandidatePaths, partial: PartialAssignment, num_outside: int, most_moves: int, rng: np.random.Generator
) -> tuple[int, int]:
    """Insert messages, at most `most_moves`; return the moves made and the number of messages still outside."""
    # The trial that counted each message last: a message that conflicts twice is ejected once.
    counted = np.full(len(partial.step_of), -1, dtype=np.int64)
    outside, weights = partial.outside, partial.weights
    trial = 0
    moves = 0
    while num_outside > 0 and moves < most_moves:
        pick = int(rng.random() * num_outside)
        message = outside[pick]
        num_outside -= 1
        outside[pick] = outside[num_outside]
        cost, path, step, trial = best_fit(paths, partial, message, counted, trial, rng)
        moves += 1
        if cost > 0.0:
            weights[message] += 1.0
            num_outside = eject(paths, partial, path, step, num_outside)
        put_in(paths, partial, message, path, step)
    return moves, num_outside


def best_fit(
    paths: CandidatePaths,
    partial: PartialAssignment,
    message: int,
    counted: Array,
    trial: int,
    rng: np.random.Generator,
) -> tuple[float, int, int, int]:
    """Return the least cost of a path and a step for a message, that path and step, and the number of trials so far.

    A path in a step costs its toll and the weight of the messages it would eject. The innermost loop of the search:
    its arrays have names of their own, because machine code counts references whenever it reads one from a tuple.
    """
    first_lane, last_lane, shifts = paths.first_lane, paths.last_lane, paths.shifts
    occupant, weights, barred = partial.occupant, partial.weights, paths.barred
    num_steps = occupant.shape[1]
    first, last = paths.first_path[message], paths.first_path[message + 1]
    num_paths = last - first
    path_start = int(rng.random() * num_paths)
    step_start = int(rng.random() * num_steps)
    best = np.inf
    best_path, best_step, ties = first, 0, 0
    for path_turn in range(num_paths):
        path = first + (path_start + path_turn) % num_paths
        toll = paths.tolls[path]
        if toll > best:
            continue
        begin, end = paths.offsets[path], paths.offsets[path + 1]
        num_starts = paths.starts[path]
        for step_turn in range(num_starts):
            step = (step_start + step_turn) % num_starts
            if step == barred[path, 0] or step == barred[path, 1]:
                continue
            cost = toll
            trial += 1
            for at in range(begin, end):
                when = slot_of(step, shifts[at], num_steps)
                victim, lightest = -1, np.inf
                for lane in range(first_lane[at], last_lane[at]):
                    there = occupant[lane, when]
                    if there < 0 or counted[there] == trial:
                        lightest = 0.0
                        break
                    if weights[there] < lightest:
                        victim, lightest = there, weights[there]
                if lightest > 0.0:
                    counted[victim] = trial
                    cost += lightest
                    if cost > best:
                        break
            if cost < best:
                best, best_path, best_step, ties = cost, path, step, 1
                if cost == 0.0:
                    return best, best_path, best_step, trial
            elif cost == best:
                ties += 1
                if rng.random() * ties < 1.0:
                    best_path, best_step = path, step
    return best, best_path, best_step, trial


@inlined
def slot_of(step: int, shift: int, num_steps: int) -> int:
    """Return the step in which a path that starts in some step uses a unit."""
    if shift < 0:
        when = ~shift - step
        return when if when >= 0 else when + num_steps
    when = step + shift
    return when if when < num_steps else when - num_steps


def eject(paths: CandidatePaths, partial: PartialAssignment, path: int, step: int, num_outside: int) -> int:
    """Eject the lightest occupant of every full unit of a path; return the number of messages outside."""
    num_steps = partial.occupant.shape[1]
    for at in range(paths.offsets[path], paths.offsets[path + 1]):
        when = slot_of(step, paths.shifts[at], num_steps)
        first, last = paths.first_lane[at], paths.last_lane[at]
        victim = lightest(partial.occupant, partial.weights, first, last, when, FREE, FREE)
        if victim >= 0:
            take_out(paths, partial, victim)
            partial.outside[num_outside] = victim
            num_outside += 1
    return num_outside


@inlined
def lightest(occupant: Array, weights: Array, first: int, last: int, step: int, known: int, ejected: int) -> int:
    """Return the message that one more in a unit ejects in a step: FREE if none that is new, BARRED if it has no lane.

    `known` and `ejected` are messages that are ejected anyway, or FREE.
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


def take_out(paths: CandidatePaths, partial: PartialAssignment, message: int) -> None:
    """Free the lanes of a message that has a step."""
    exchange_on_path(paths, partial.occupant, partial.path_of[message], partial.step_of[message], message, FREE)
    partial.step_of[message] = -1


def put_in(paths: CandidatePaths, partial: PartialAssignment, message: int, path: int, step: int) -> None:
    """Give a message a step and a path whose units all have a free lane."""
    exchange_on_path(paths, partial.occupant, path, step, FREE, message)
    partial.step_of[message] = step
    partial.path_of[message] = path


def exchange_on_path(paths: CandidatePaths, occupant: Array, path: int, step: int, before: int, after: int) -> None:
    """Replace an occupant by another in every unit of a path."""
    num_steps = occupant.shape[1]
    for at in range(paths.offsets[path], paths.offsets[path + 1]):
        when = slot_of(step, paths.shifts[at], num_steps)
        exchange(occupant, paths.first_lane[at], paths.last_lane[at], when, before, after)


def exchange(occupant: Array, first: int, last: int, step: int, before: int, after: int) -> None:
    """Replace an occupant by another in the first lane of a unit that has it."""
    lane = first
    while lane < last:
        if occupant[lane, step] == before:
            occupant[lane, step] = after
            lane = last
        lane += 1
