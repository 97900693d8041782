"""Effort: counted effort ends, and probes are made as planned, fewer on a slow machine, and none at the end."""

import numpy as np
import pytest

from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import EffortControl, RemainingEffort

SHARES = np.full(100, 1_000)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Stop the clock; its one entry is the time."""
    now = [0.0]
    monkeypatch.setattr("pavane.jit.clock.now", lambda: now[0])
    return now


def probes_made(control: EffortControl, clock: list[float], seconds_of_a_look: float) -> list[int]:
    """Make all looks on a machine of some speed."""
    found = []
    for number in range(len(SHARES)):
        found.append(control.probes(number))
        clock[0] += seconds_of_a_look * found[-1]
    return found


def test_a_machine_that_is_fast_enough_makes_all_looks(clock: list[float]) -> None:
    """What was planned is done, whatever time is left."""
    assert probes_made(EffortControl(SHARES, Budget.of(100.0)), clock, 0.9e-3) == SHARES.tolist()


def test_a_machine_that_is_too_slow_makes_fewer_in_every_step(clock: list[float]) -> None:
    """With half the speed that is needed later steps share what is left; the time is kept, and no step goes without."""
    probes = probes_made(EffortControl(SHARES, Budget.of(50.0)), clock, 1e-3)
    assert sum(probes) <= 50_000
    assert probes[:30] == [1_000] * 30
    assert all(200 <= number <= 400 for number in probes[30:90])


def test_nothing_is_looked_at_when_the_time_is_over(clock: list[float]) -> None:
    """What is left is done in haste."""
    control = EffortControl(SHARES, Budget.of(1.0))
    clock[0] = 1.5
    assert control.probes(3) == 0


def test_without_a_limit_time_does_not_matter(clock: list[float]) -> None:
    """Counted searches make the looks that were planned; steps beyond the plan get as many as the last one."""
    control = EffortControl(np.arange(1, 11), Budget())
    clock[0] = 1e9
    assert [control.probes(number) for number in range(12)] == [*range(1, 11), 10, 10]


def test_counted_effort_ends() -> None:
    """Without a time limit the search is over when placements or cells are spent; with one, cells do not count."""
    effort = RemainingEffort(placements=10, cells=100)
    assert effort.suffices(10)
    effort.spend(4, 100)
    assert not effort.suffices(7)
    assert effort.is_over(Budget())
    assert not effort.is_over(Budget.of(seconds=1000))
    effort.spend(6)
    assert effort.is_over(Budget.of(seconds=1000))
