"""What the bounds of a problem say, for tests of single arguments."""

from __future__ import annotations

from pavane.bounds import counted_bounds, explain
from pavane.model.bound import Bound
from pavane.model.problem import Problem


def steps_of(problem: Problem) -> dict[str, int]:
    """Return the steps of each argument by counting."""
    return {bound.argument: bound.figure for bound in counted_bounds(problem)}


def bound_of(problem: Problem, argument: str) -> Bound:
    """Return the bound of one argument."""
    return next(bound for bound in counted_bounds(problem) if bound.argument == argument)


def words(problem: Problem, argument: str) -> str:
    """Return what is said of one argument."""
    return explain(problem, bound_of(problem, argument))
