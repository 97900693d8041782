"""Lower bounds on the number of steps, by every argument that applies.

A reduction is bounded as the broadcast that it is when read backwards.
"""

from __future__ import annotations

from pavane.bounds.best import best_of_each
from pavane.bounds.channel_prices import priced_by_load
from pavane.bounds.flow_cuts import best_cut
from pavane.bounds.phrases import STEP, Unit
from pavane.bounds.registry import ARGUMENT_OF, ARGUMENTS
from pavane.bounds.tail import best_tail
from pavane.model.bound import Bound
from pavane.model.collectives import dual
from pavane.model.problem import Problem

TOLD_AS = {"channels": "channel-prices", "processor": "ejection", "routers": "cut", "blocks": "tail"}
"""The argument whose words fit a certificate with this key, where the bound's own argument is not known."""


def lower_bounds(problem: Problem) -> tuple[Bound, ...]:
    """Return the best bound of each argument by counting, the highest first."""
    if problem.pattern == "reduction":
        return lower_bounds(dual(problem))
    makers = [argument.make for argument in ARGUMENTS if argument.make is not None]
    return best_of_each(bound for make in makers for bound in make(problem))


def best_bounds(problem: Problem, deadline: float | None = None) -> tuple[Bound, ...]:
    """Return the bounds by counting and those that take longer, the best prices or the best cut, the highest first."""
    if problem.pattern == "reduction":
        return best_bounds(dual(problem), deadline)
    known = lower_bounds(problem)
    if problem.pattern == "private":
        found = [priced_by_load(problem, deadline)]
    else:
        found = [best(problem, known[0].steps, deadline) for best in (best_cut, best_tail)]
    return best_of_each((*known, *(bound for bound in found if bound is not None)))


def explain(problem: Problem, bound: Bound) -> str:
    """Return the argument of a bound in words, with its figures."""
    return explained(problem, bound, STEP)


def explained(problem: Problem, bound: Bound, unit: Unit) -> str:
    """Return the argument of a bound in words that speak of steps, or of another unit."""
    if problem.pattern == "reduction":
        return f"read backwards: {explained(dual(problem), bound, unit)}"
    name = bound.argument
    if name not in ARGUMENT_OF:
        name = next((told for key, told in TOLD_AS.items() if key in bound.certificate), name)
    try:
        return ARGUMENT_OF[name].explain(problem, bound, unit)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # A file may claim what it likes: of an argument nobody knows, or a certificate that says nothing, the name is
        # left. The judge tells what is wrong with it.
        return f"by {bound.argument}"
