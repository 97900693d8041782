"""Schedules of several problems at the same time on one network: groups of processors that work side by side.

Each schedule must be valid alone. Its steps are carried out in their order, in steps of the whole that the groups
share, and there all transfers together keep to the capacity of every channel, link and port.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pavane.errors import InputError
from pavane.judge.case import Verification
from pavane.judge.load_rules import channel_capacity, channel_loads, half_duplex, port_capacity
from pavane.judge.rules import verify
from pavane.judge.violation import Violation
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

MOST_TOLD = 100


def verify_side_by_side(
    problems: Sequence[Problem], schedules: Sequence[Schedule], steps: Sequence[Sequence[int]]
) -> list[Violation]:
    """Return the violations of schedules that are carried out at the same time; none means that all are valid.

    Step i of schedule g is carried out in step `steps[g][i]` of the whole.
    """
    if not len(problems) == len(schedules) == len(steps) or not problems:
        raise InputError("each problem needs one schedule and the steps in which it is carried out")
    first = problems[0]
    for problem, schedule, moments in zip(problems, schedules, steps, strict=True):
        if problem.network != first.network or problem.rules != first.rules:
            raise InputError("schedules side by side are of one network and obey the same rules")
        if len(moments) != schedule.num_steps or any(a >= b for a, b in pairwise(moments)):
            raise InputError("the steps of each schedule are carried out one after the other, in their order")
        broken = verify(problem, schedule, MOST_TOLD)
        if broken:
            return broken
    case = Verification(first, joined_side_by_side(schedules, steps), MOST_TOLD)
    # Messages of different problems have the same numbers, so trees cannot be seen: transfers count one by one.
    used = channel_loads(case, None)
    return [*channel_capacity(case, used), *half_duplex(case, used), *port_capacity(case, None)]


def joined_side_by_side(schedules: Sequence[Schedule], steps: Sequence[Sequence[int]]) -> Schedule:
    """Return the transfers of all schedules in steps of the whole; messages keep the numbers of their own problem."""
    moments = [np.asarray(each, dtype=np.int64) for each in steps]
    in_whole = [each[schedule.steps] for schedule, each in zip(schedules, moments, strict=True)]
    return Schedule.join(schedules, 1 + max(int(each[-1]) for each in moments), in_whole)
