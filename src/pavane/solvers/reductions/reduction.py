"""A reduction takes one feature of a problem away, so that solvers need not know it; a chain does so step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pavane.errors import InputError
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.supports import Feature

Bounds = tuple[Bound, ...]


class Reduction(NamedTuple):
    """A value: `apply` returns an equivalent problem, and data from which `invert` and `lift` lead back."""

    name: Feature
    """The feature that it takes away; a solver that takes it sees the problem as it is."""
    accepts: Callable[[Problem], bool]
    """Whether a problem has the feature."""
    apply: Callable[[Problem], tuple[Problem, Any]]
    invert: Callable[[Schedule, Any], Schedule]
    """Returns a schedule of the equivalent problem as one of the original problem."""
    lift: Callable[[Bounds, Any], Bounds]
    """Returns those bounds of the equivalent problem that hold for the original, with certificates of it."""


class Chain(NamedTuple):
    """The equivalent of a problem by a chain of reductions, and the data that lead back."""

    problem: Problem
    links: tuple[tuple[Reduction, Any], ...]

    @classmethod
    def of(cls, problem: Problem, reductions: Iterable[Reduction], takes: Iterable[Feature] = ()) -> Chain:
        """Return the chain of those reductions whose features a problem has and a solver does not take, in order."""
        if problem.has_several:
            raise InputError(f"{problem}: a solver takes one collective; `pavane.solve` finds a schedule of several")
        reduced, links, taken = problem, [], set(takes)
        for reduction in reductions:
            if reduction.name not in taken and reduction.accepts(reduced):
                reduced, data = reduction.apply(reduced)
                links.append((reduction, data))
        return cls(reduced, tuple(links))

    def invert(self, schedule: Schedule) -> Schedule:
        """Return a schedule of the reduced problem as one of the original."""
        for reduction, data in reversed(self.links):
            schedule = reduction.invert(schedule, data)
        return schedule

    def lift(self, bounds: Bounds) -> Bounds:
        """Return the bounds of the reduced problem that hold for the original."""
        for reduction, data in reversed(self.links):
            bounds = reduction.lift(bounds, data)
        return bounds

    def budget(self, budget: Budget) -> Budget:
        """Return a budget that reports schedules of the original problem."""
        if not self.links:
            return budget
        keep, better = budget.on_schedule, budget.on_improvement
        return replace(
            budget,
            on_schedule=None if keep is None else lambda schedule: keep(self.invert(schedule)),
            on_improvement=lambda build: better(lambda: self.invert(build())),
        )
