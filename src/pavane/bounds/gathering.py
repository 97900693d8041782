"""The bound by gathering: growth read backwards, to a receiver of data from many origins.

Under combining a receiver may get data of many origins at once, so the argument of growth holds for it, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from pavane.bounds.growth import audience, growth_of_the_worst, informed
from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "gathering"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the steps until the receiver with the most origins can have received from enough of them."""
    if problem.rules.combining:
        yield growth_of_the_worst(problem, NAME, backwards=True)


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which processor must hear from how many, and from how many it can; the unit is always a step."""
    origin = bound.certificate["origin"]
    wanted = audience(problem, origin, backwards=True)
    counts = ", ".join(f"{count - 1:,}" for count in informed(problem, origin, wanted, backwards=True)[1:])
    return f"processor {origin} must hear from {wanted:,} others; after 1, 2, ... steps it can from at most {counts}"
