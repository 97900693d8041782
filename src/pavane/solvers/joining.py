"""Joins a reduction and a broadcast to an allreduce: all of the one, then all of the other."""

from __future__ import annotations

import numpy as np

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed


def joined(gathered: Schedule, spread: Schedule) -> Schedule:
    """Return the transfers of one schedule, and after its last step those of the other."""
    return Schedule.from_columns(
        gathered.num_steps + spread.num_steps,
        np.concatenate((gathered.steps, gathered.num_steps + spread.steps)),
        np.concatenate((gathered.senders, spread.senders)),
        np.concatenate((gathered.receivers, spread.receivers)),
        np.concatenate((gathered.path_lengths, spread.path_lengths)),
        np.concatenate((gathered.path_channels, spread.path_channels)),
        np.concatenate((gathered.payloads, spread.payloads)),
        np.concatenate((gathered.messages, spread.messages)),
    )


def is_symmetric(problem: Problem) -> bool:
    """Say whether every channel has one back of the same capacity, so that a broadcast turned round is a reduction.

    Under restricted routing it is none: turns that are allowed one way are forbidden the other.
    """
    network = problem.network
    back = network.opposite
    is_wide_both_ways = bool((back >= 0).all()) and bool((network.capacity == network.capacity[back]).all())
    return is_wide_both_ways and problem.restriction is None


def turned_round(spread: Problem, schedule: Schedule) -> Schedule:
    """Return the reduction that a broadcast is when it is read backwards, over the channels back."""
    mirror = time_reversed(spread, schedule, dual(spread))
    return Schedule.from_columns(
        mirror.num_steps,
        mirror.steps,
        mirror.senders,
        mirror.receivers,
        mirror.path_lengths,
        spread.network.opposite[mirror.path_channels],
        mirror.payloads,
        mirror.messages,
    )
