"""Lower bounds on the start-ups of combining schedules."""

from __future__ import annotations

from pavane.bounds import growth
from pavane.bounds.crossing import cuts_of_start_ups
from pavane.bounds.growth import growth_of_everyone
from pavane.bounds.steps import best_of_each, counted_bounds
from pavane.errors import InputError
from pavane.model.allreduce import contributions
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem


def start_up_bounds(problem: Problem) -> tuple[Bound, ...]:
    """Return lower bounds on the start-ups under combining, the highest first: growth, distance, and crossing."""
    if not problem.rules.combining:
        raise InputError("start-ups are bounded under combining; without it, bound the steps")
    if problem.pattern == "reduction":
        return start_up_bounds(dual(problem))
    if problem.pattern == "allreduce":
        return start_up_bounds(contributions(problem))
    return best_of_each(
        (
            *counted_bounds(problem),
            *growth_of_everyone(problem, growth.NAME),
            *growth_of_everyone(problem, growth.GATHERING, backwards=True),
            *cuts_of_start_ups(problem),
        )
    )
