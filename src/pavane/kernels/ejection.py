"""Ejection search: keep a conflict-free partial schedule and push messages in until none is left outside.

Take a random message that has no place, put it where the messages it pushes out weigh least, and make it heavier if it
had to push. Heavy messages are the hard ones; they stay where they are, and the search moves the light ones.

A message has candidate paths, in the order of their tolls (what a detour costs by itself); a path is a list of units
(channels, links, ports). Unit u has `capacity[u]` slots from `first_slot[u]` on; `occupant[slot, step]` is the message
there, or -1. A path that starts in step s uses its unit number i in step s + shifts[i], counted round: shifts other
than 0 come from symmetries that move steps as well as routers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def eject_search(
    first_path: Array,
    unit_offsets: Array,
    units: Array,
    shifts: Array,
    tolls: Array,
    first_slot: Array,
    capacity: Array,
    occupant: Array,
    step_of: Array,
    path_of: Array,
    weights: Array,
    outside: Array,
    num_outside: int,
    most_moves: int,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Make up to so many moves; return the moves made and the number of messages still outside."""
    num_steps = occupant.shape[1]
    # Whom a trial has counted already: a message that stands in the way twice is pushed out once.
    counted = np.full(len(step_of), -1, dtype=np.int64)
    trial = 0
    moves = 0
    while num_outside > 0 and moves < most_moves:
        pick = int(rng.random() * num_outside)
        message = outside[pick]
        outside[pick] = outside[num_outside - 1]
        num_outside -= 1

        first, last = first_path[message], first_path[message + 1]
        num_paths = last - first
        path_start = int(rng.random() * num_paths)
        step_start = int(rng.random() * num_steps)
        best = np.inf
        best_path, best_step, ties = first, 0, 0
        for path_turn in range(num_paths):
            path = first + (path_start + path_turn) % num_paths
            if tolls[path] > best:
                continue
            begin, end = unit_offsets[path], unit_offsets[path + 1]
            for step_turn in range(num_steps):
                step = (step_start + step_turn) % num_steps
                cost = tolls[path]
                trial += 1
                for at in range(begin, end):
                    slot = first_slot[units[at]]
                    when = step + shifts[at]
                    if when >= num_steps:
                        when -= num_steps
                    victim, lightest = -1, np.inf
                    for other in range(slot, slot + capacity[units[at]]):
                        there = occupant[other, when]
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
                        break
                elif cost == best:
                    ties += 1
                    if rng.random() * ties < 1.0:
                        best_path, best_step = path, step
            if best == 0.0:
                break

        moves += 1
        if best > 0.0:
            weights[message] += 1.0
            # Push out the lightest occupant of every full unit on the way.
            for at in range(unit_offsets[best_path], unit_offsets[best_path + 1]):
                slot = first_slot[units[at]]
                when = (best_step + shifts[at]) % num_steps
                victim, lightest = -1, np.inf
                for other in range(slot, slot + capacity[units[at]]):
                    there = occupant[other, when]
                    if there < 0:
                        victim = -1
                        break
                    if weights[there] < lightest:
                        victim, lightest = there, weights[there]
                if victim >= 0:
                    path = path_of[victim]
                    for gone in range(unit_offsets[path], unit_offsets[path + 1]):
                        slot = first_slot[units[gone]]
                        when = (step_of[victim] + shifts[gone]) % num_steps
                        for other in range(slot, slot + capacity[units[gone]]):
                            if occupant[other, when] == victim:
                                occupant[other, when] = -1
                                break
                    step_of[victim] = -1
                    outside[num_outside] = victim
                    num_outside += 1
        for at in range(unit_offsets[best_path], unit_offsets[best_path + 1]):
            slot = first_slot[units[at]]
            when = (best_step + shifts[at]) % num_steps
            for other in range(slot, slot + capacity[units[at]]):
                if occupant[other, when] < 0:
                    occupant[other, when] = message
                    break
        step_of[message] = best_step
        path_of[message] = best_path
    return moves, num_outside
