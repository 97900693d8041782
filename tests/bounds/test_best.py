"""The best bound of each argument."""

from __future__ import annotations

from pavane.bounds import best_of_each
from pavane.model.bound import Bound, OccupancyBound


def test_the_best_of_each_argument_highest_first() -> None:
    """Of each argument the highest is kept, of equal ones the first, and equal arguments stay in their order."""
    bounds = [Bound(2, "a", {}), Bound(3, "b", {}), Bound(3, "a", {"first": 1}), Bound(3, "a", {}), Bound(3, "c", {})]
    assert best_of_each(bounds) == (bounds[2], bounds[1], bounds[4])
    assert best_of_each([]) == ()


def test_bounds_on_the_occupancy_too() -> None:
    """Bounds on the occupancy are compared by it."""
    bounds = [OccupancyBound(4, None, "a", {}), OccupancyBound(7, 3, "b", {}), OccupancyBound(5, 3, "a", {})]
    assert best_of_each(bounds) == (bounds[1], bounds[2])
