"""A problem as a solver sees it: forwards, with parallel channels and without copies where it supports no others."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from pavane.errors import InputError
from pavane.model.bound import Bound
from pavane.model.duals import dual, forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.parallel.budget import Budget
from pavane.solvers.solver import Decider, Finder
from pavane.solvers.unit_capacities import ExpandedProblem


class ProblemView(NamedTuple):
    """The problem that `find` works on, and how its schedules become those of the original."""

    original: Problem
    problem: Problem
    expanded: ExpandedProblem | None

    @classmethod
    def of(cls, solver: Finder | Decider, problem: Problem) -> ProblemView:
        """Return a solver's view of a problem."""
        if problem.has_several:
            raise InputError(f"{problem}: a solver takes one collective; `pavane.solve` finds a schedule of several")
        ahead = forwards(problem)
        if not getattr(solver, "takes_trees", False) and ahead.rules != ahead.rules.without_copies():
            ahead = replace(ahead, rules=ahead.rules.without_copies())
        if ahead.network.capacities is None or getattr(solver, "takes_capacities", False):
            return cls(problem, ahead, None)
        expanded = ExpandedProblem.of(ahead)
        return cls(problem, expanded.problem, expanded)

    def original_schedule(self, schedule: Schedule) -> Schedule:
        """Translate a schedule of the solver into one of the original problem."""
        if self.expanded is not None:
            schedule = self.expanded.original_schedule(schedule)
        if self.original.pattern != "reduction":
            return schedule
        return time_reversed(dual(self.original), schedule, self.original)

    def budget(self, budget: Budget) -> Budget:
        """Return a budget that translates the schedules reported to it."""
        if self.problem is self.original:
            return budget
        keep, better = budget.on_schedule, budget.on_improvement
        return replace(
            budget,
            on_schedule=None if keep is None else lambda schedule: keep(self.original_schedule(schedule)),
            on_improvement=lambda build: better(lambda: self.original_schedule(build())),
        )

    def bounds(self, bounds: tuple[Bound, ...]) -> tuple[Bound, ...]:
        """Return those bounds whose certificates do not refer to the parallel channels."""
        if self.expanded is None:
            return bounds
        return tuple(bound for bound in bounds if "channels" not in bound.certificate)
