"""Lower bounds on the number of steps, each with an argument in words and a certificate that is checked apart."""

from pavane.bounds.best import best_of_each
from pavane.bounds.steps import counted_bounds, explain, lower_bounds

__all__ = ["best_of_each", "counted_bounds", "explain", "lower_bounds"]
