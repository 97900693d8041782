"""What an attempt has so far is handed over when it is due, and only if it has got better."""

import pytest

from pavane.model.schedule import Schedule, Transfer
from pavane.parallel import improvements
from pavane.parallel.budget import Budget, as_builder
from pavane.parallel.improvements import BETWEEN, FIRST_AFTER, ImprovementThrottle

SCHEDULES = [Schedule.from_transfers([Transfer(step, 0, 1, (0,), (0,)) for step in range(n)]) for n in (3, 2, 1)]


class Clock:
    """A clock that is put forward by hand, for budgets and relays."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the clock that relays and budgets go by."""
    made = Clock()
    monkeypatch.setattr(improvements, "time", made)
    monkeypatch.setattr("pavane.jit.clock.now", made.monotonic)
    return made


def test_it_hands_over_when_it_is_due(clock: Clock) -> None:
    """Not in the first second, then at the next look at the budget, and the latest only after a pause."""
    handed: list[Schedule] = []
    budget = ImprovementThrottle(Budget(), handed.append).budget
    budget.on_improvement(as_builder(SCHEDULES[0]))
    assert not budget.is_over
    assert handed == []
    clock.now += FIRST_AFTER
    assert not budget.is_over
    assert not budget.is_over
    assert handed == SCHEDULES[:1]
    budget.on_improvement(as_builder(SCHEDULES[1]))
    budget.on_improvement(as_builder(SCHEDULES[2]))
    assert not budget.is_over
    assert handed == SCHEDULES[:1]
    clock.now += BETWEEN
    assert not budget.part(0.5).is_over
    assert handed == [SCHEDULES[0], SCHEDULES[2]]


def test_it_leaves_the_end_to_the_answer(clock: Clock) -> None:
    """Where the time is nearly over, or somebody says stop, the answer comes as soon."""
    handed: list[Schedule] = []
    for asked in (Budget(deadline=clock.now + FIRST_AFTER + BETWEEN / 2), Budget(is_stopped=lambda: True)):
        budget = ImprovementThrottle(asked, handed.append).budget
        budget.on_improvement(as_builder(SCHEDULES[0]))
        clock.now += FIRST_AFTER
        assert budget.is_stopped() == asked.is_stopped()
    assert handed == []
