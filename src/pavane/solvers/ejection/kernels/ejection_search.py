"""Ejection search: extend a conflict-free partial schedule by insertions until no message is left outside.

A random message that has no step goes where the messages it ejects weigh least, and becomes heavier if it ejects any.
Heavy messages are the hard ones; they stay where they are, and the search moves the light ones.

A message has candidate paths, and takes one. A path may start in the first steps only where nothing may be counted
round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.ejection.kernels.lanes import PartialAssignment, UnitLanes, eject, put_in, slot_of

Array = np.ndarray[Any, Any]


class CandidatePaths(NamedTuple):
    """The candidate paths of all messages."""

    first_path: Array
    """int64, messages + 1: the paths of message m are first_path[m] to first_path[m + 1] - 1."""
    starts: Array
    """int64, paths: the number of steps, from the first one, in which a path may start."""
    barred: Array
    """int64, paths x 2: steps in which a path must not start, or -1."""
    tolls: Array
    """float64, paths: what a path costs by itself, lowest first for each message."""


def insert_all(
    lanes: UnitLanes,
    paths: CandidatePaths,
    partial: PartialAssignment,
    num_outside: int,
    most_moves: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Insert messages, at most `most_moves`; return the moves made and the number of messages still outside."""
    # The trial that counted each message last: a message that conflicts twice is ejected once.
    counted = np.full(len(partial.num_paths), -1, dtype=np.int64)
    outside, weights = partial.outside, partial.weights
    trial = 0
    moves = 0
    while num_outside > 0 and moves < most_moves:
        pick = int(rng.random() * num_outside)
        message = outside[pick]
        num_outside -= 1
        outside[pick] = outside[num_outside]
        cost, path, step, trial = best_fit(lanes, paths, partial, message, counted, trial, rng)
        moves += 1
        if cost > 0.0:
            weights[message] += 1
            num_outside = eject(lanes, partial, path, step, num_outside)
        partial.paths[message], partial.steps[message] = path, step
        put_in(lanes, partial, message, 1)
    return moves, num_outside


def best_fit(
    lanes: UnitLanes,
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
    offsets, first_lane, last_lane, shifts = lanes
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
        begin, end = offsets[path], offsets[path + 1]
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
