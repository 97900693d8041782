"""Effort: what is left is what was given less what was spent."""

from __future__ import annotations

from pavane.solvers.packing.effort import Effort, ending_earlier
from pavane.workers.budget import Budget


def test_counted_effort_ends() -> None:
    """Without a time limit the search is over when placements or cells are spent; with one, cells do not count."""
    effort = Effort(placements=10, cells=100)
    assert effort.suffices(10)
    effort.spend(4, 100)
    assert not effort.suffices(7)
    assert effort.is_over(Budget())
    assert not effort.is_over(Budget.of(seconds=1000))
    effort.spend(6)
    assert effort.is_over(Budget.of(seconds=1000))


def test_time_left_to_others() -> None:
    """A deadline moves forward by the seconds that are left to others; without one nothing changes."""
    budget = Budget(deadline=1000.0)
    assert ending_earlier(budget, 2.5).deadline == 997.5
    assert ending_earlier(Budget(), 2.5) == Budget()
