"""Effort: what is left is what was given less what was spent."""

from __future__ import annotations

from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import RemainingEffort


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
