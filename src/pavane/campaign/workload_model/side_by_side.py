"""Merges schedules of groups: in each step as many groups run as fit into the network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pavane.errors import InvalidSchedule
from pavane.judge.side_by_side import joined_side_by_side, verify_side_by_side
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


def run_side_by_side(problems: Sequence[Problem], schedules: Sequence[Schedule]) -> Schedule:
    """Return the transfers of all groups in as few steps as first fit finds, judged.

    A group whose next step does not fit waits; the group with most steps left goes first. Messages have the numbers of
    their own problem.
    """
    capacity = _capacities(problems[0])
    loads = [_loads(problems[0], schedule) for schedule in schedules]
    steps: list[list[int]] = [[] for _ in schedules]
    moment = 0
    while any(len(done) < len(all_of) for done, all_of in zip(steps, loads, strict=True)):
        used = np.zeros_like(capacity)
        left = sorted(range(len(schedules)), key=lambda group: len(steps[group]) - len(loads[group]))
        for group in left:
            if len(steps[group]) == len(loads[group]):
                continue
            with_it = used + loads[group][len(steps[group])]
            if (with_it <= capacity).all():
                used = with_it
                steps[group].append(moment)
        moment += 1
    broken = verify_side_by_side(problems, schedules, steps)
    if broken:
        raise InvalidSchedule(f"groups side by side break a rule ({broken[0].rule}): {broken[0].text}")
    return joined_side_by_side(schedules, steps)


def _capacities(problem: Problem) -> Longs:
    """Return the capacity of each channel, then of each injection and ejection port."""
    return np.concatenate((problem.network.capacity, problem.injection, problem.ejection)).astype(np.int64)


def _loads(problem: Problem, schedule: Schedule) -> Longs:
    """Return how many transfers use each channel and port in each step, a row a step."""
    network = problem.network
    channels, processors = network.num_channels, network.num_processors
    loads = np.zeros((schedule.num_steps, channels + 2 * processors), dtype=np.int64)
    owner = np.repeat(schedule.steps, schedule.path_lengths)
    np.add.at(loads, (owner, problem.units[schedule.path_channels]), 1)
    for ends, first in ((schedule.senders, channels), (schedule.receivers, channels + processors)):
        at_processor = ends >= 0
        np.add.at(loads, (schedule.steps[at_processor], first + ends[at_processor]), 1)
    return loads
