"""Lower bounds on the number of steps, each with an argument in words and a checkable certificate."""

from pavane.bounds.fractional import FractionalBound, fractional_bound
from pavane.bounds.steps import best_of_each, counted_bounds, explain, lower_bounds

__all__ = ["FractionalBound", "best_of_each", "counted_bounds", "explain", "fractional_bound", "lower_bounds"]
