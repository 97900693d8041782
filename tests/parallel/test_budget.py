"""Budgets: evaluations for repeatable runs, a deadline for impatient people."""

import pickle

import pytest

from pavane.parallel.budget import Budget
from pavane.parallel.pools import Workers


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Stop the clock; its one entry is the time."""
    now = [1000.0]
    monkeypatch.setattr("pavane.jit.clock.now", lambda: now[0])
    return now


def test_the_clock_starts_when_the_budget_is_made(clock: list[float]) -> None:
    """The deadline is so many seconds after the budget was made, and has passed when it is reached."""
    budget = Budget.of(seconds=2.5)
    assert budget.deadline == 1002.5
    for now, over in ((1000.0, False), (1002.4, False), (1002.5, True), (2000.0, True)):
        clock[0] = now
        assert budget.is_over == over


def test_without_a_deadline_it_is_never_over(clock: list[float]) -> None:
    """Without seconds there is no deadline, and evaluations are for the solver to count."""
    for budget in (Budget(), Budget.of(), Budget.of(evaluations=10)):
        clock[0] = 1e12
        assert budget.deadline is None
        assert not budget.is_over
    assert Budget.of(evaluations=10).evaluations == 10


def test_the_seconds_left_travel(clock: list[float]) -> None:
    """A machine whose clock shows something else ends after as many seconds; who asked and works stays behind."""
    left_here = Budget(None, 1030.0, Workers(4), is_stopped=lambda: True, judging_seconds=2.0, started=990.0)
    packed = pickle.dumps(left_here)
    clock[0] = 5.0
    arrived = pickle.loads(packed)
    assert arrived.deadline == 35.0
    assert arrived.started == -5.0
    assert arrived.judging_seconds == 2.0
    assert arrived.workers == Workers(1)
    assert not arrived.is_stopped()
    assert pickle.loads(pickle.dumps(Budget(7))).deadline is None


def test_time_to_judge_is_left_where_time_is_set(clock: list[float]) -> None:
    """A budget without a deadline has no hurry, and stays as it is."""
    endless = Budget(5)
    assert endless.reserving(3.0) is endless
    early = Budget(None, 1030.0).reserving(1.0)
    assert early.deadline is not None
    assert early.deadline < 1030.0
    assert early.judging_seconds == 1.0


def test_a_budget_that_ends_earlier(clock: list[float]) -> None:
    """Only a deadline is moved, and nothing is said of how long judging took."""
    endless, timed = Budget(5), Budget(None, 1030.0)
    assert endless.ending_earlier(3.0) is endless
    assert timed.ending_earlier(0.0) is timed
    assert timed.ending_earlier(3.0) == Budget(None, 1027.0)
