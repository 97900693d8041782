"""Timed schedules as levels: steps that keep every order and every sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from pavane.errors import InputError
from pavane.io.levels import OrderedResult, in_levels, receive_steps
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from pavane.solvers.timed.retiming import retime
from tests.io.formats.timed_schedules import WITH_STARTS
from tests.judge.test_hold_rules import HOLD, LATER, LINE, STORED, timed_on
from tests.strategies import Case
from tests.timed_cases import schedule_of, timed_cases


@given(timed_cases())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_levels_are_a_valid_schedule_of_steps(drawn: tuple[Problem, Case]) -> None:
    """The judge of steps accepts levels: no channel is used twice, and all that is sent is there."""
    problem, case = drawn
    levels = in_levels(Result(problem, retime(problem, case.schedule)))
    # Several ports have no order, so that a level may use more of them than there are.
    assert {violation.rule for violation in verify(problem.in_steps, levels)} <= {"port-capacity"}


@pytest.mark.parametrize("name", ["searched allgather", "searched alltoall", "rails aar in 3", "allreduce on a mesh"])
def test_channels_have_their_transfers_in_the_order_of_starts(name: str) -> None:
    """Along every channel levels grow with starts."""
    result = WITH_STARTS[name]()
    assert result.schedule is not None
    levels = OrderedResult(result).schedule
    assert len(levels) == len(result.schedule)
    level_of = {(one.sender, one.receiver, one.path, one.messages): one.start for one in levels}
    orders: dict[int, list[int]] = {}
    for one in result.schedule:
        for channel in one.path:
            orders.setdefault(channel, []).append(level_of[one.sender, one.receiver, one.path, one.messages])
    assert all(np.diff(order).min(initial=1) > 0 for order in orders.values())


def test_a_program_receives_when_it_needs_the_data() -> None:
    """What is sent on is received before, and what is not in the last step."""
    problem = timed_on(LINE, "oab", STORED, pieces=2, root=0)
    rows = [Transfer(piece * HOLD, 0, 1, (0,), (piece,)) for piece in (0, 1)]
    rows += [Transfer(start, 1, 2, (2,), (piece,)) for start, piece in ((2 * LATER, 1), (3 * LATER, 0))]
    levels = OrderedResult(Result(problem, schedule_of(*rows)))
    places = [(one.receiver, one.messages[0]) for one in levels.schedule]
    received = dict(zip(places, receive_steps(levels), strict=True))
    assert received == {(1, 1): 1, (1, 0): 2, (2, 1): 3, (2, 0): 3}


def test_a_sum_that_is_not_all_that_has_come_is_refused() -> None:
    """A processor that sends each of two arrivals on, both with its own, has no running sum."""
    problem = timed_on(LINE, "allreduce", STORED)
    rows: list[Transfer] = []
    for message in range(problem.num_messages):
        start = 10 * LATER * message
        first = len(rows)
        rows += [Transfer(start, 0, 1, (0,), (message,)), Transfer(start, 2, 1, (3,), (message,))]
        rows += [Transfer(start + LATER, 1, 2, (2,), (message,), (first,))]
        rows += [Transfer(start + LATER, 1, 0, (1,), (message,), (first + 1,))]
    result = Result(problem, schedule_of(*rows))
    with pytest.raises(InputError, match="not all that has come to it by then"):
        in_levels(result)
