"""Lower bounds on the number of steps, each with an argument in words and a certificate that is checked apart."""

from collections.abc import Iterable

from pavane.bounds.counting import ARGUMENTS
from pavane.bounds.explanations import explain
from pavane.model.bound import Bound
from pavane.model.collectives import dual
from pavane.model.problem import Problem

__all__ = ["best_bounds", "best_of_each", "explain", "lower_bounds"]


def best_of_each(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """Return the best bound of each argument, the highest first."""
    best: dict[str, Bound] = {}
    for bound in bounds:
        if bound.argument not in best or bound.steps > best[bound.argument].steps:
            best[bound.argument] = bound
    return tuple(sorted(best.values(), key=lambda bound: -bound.steps))


def lower_bounds(problem: Problem) -> tuple[Bound, ...]:
    """Return the best bound of each argument, the highest first."""
    if problem.pattern == "reduction":
        return lower_bounds(dual(problem))
    return best_of_each(bound for argument in ARGUMENTS for bound in argument(problem))


def best_bounds(problem: Problem, deadline: float | None = None) -> tuple[Bound, ...]:
    """Return the bounds by counting and those that take longer, the best prices or the best cut, the highest first."""
    # Imported late: small problems are settled by counting, without waiting for flows and machine code.
    from pavane.bounds.congestion import congestion
    from pavane.bounds.flow_cuts import best_cut

    counted = lower_bounds(problem)
    forwards = dual(problem) if problem.pattern == "reduction" else problem
    found = (
        congestion(problem, deadline)
        if problem.pattern == "private"
        else best_cut(forwards, counted[0].steps, deadline)
    )
    return counted if found is None else tuple(sorted((*counted, found), key=lambda bound: -bound.steps))
