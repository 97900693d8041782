"""An allreduce of two phases: all of a reduction, then all of a broadcast."""

from __future__ import annotations

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed


def join_schedules(reduction: Schedule, broadcast: Schedule) -> Schedule:
    """Return the transfers of one schedule, and after its last step those of the other."""
    steps = (reduction.starts, reduction.num_steps + broadcast.starts)
    return Schedule.join((reduction, broadcast), reduction.num_steps + broadcast.num_steps, steps)


def is_symmetric(problem: Problem) -> bool:
    """Return whether every channel has an opposite of the same capacity, so that a broadcast reversed is a reduction.

    Under restricted routing it is not: turns that are allowed one way are forbidden the other.
    """
    network = problem.network
    back = network.opposite
    is_wide_both_ways = bool((back >= 0).all()) and bool((network.capacity == network.capacity[back]).all())
    return is_wide_both_ways and problem.restriction is None


def reduction_of(broadcast: Problem, schedule: Schedule) -> Schedule:
    """Return the reduction that a broadcast is when it is read backwards, over the opposite channels."""
    mirror = time_reversed(broadcast, schedule, dual(broadcast))
    return mirror.with_columns(path_channels=broadcast.network.opposite[mirror.path_channels])
