"""The schedule of the fewest steps so far, with the bounds on the steps: what a search for few steps improves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pavane.bounds import exhaustive
from pavane.bounds.registry import Work
from pavane.bounds.steps import listed, tried_arguments
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound, of_objective
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.search.search_run import Answer, Search
from pavane.text import VERSION

if TYPE_CHECKING:
    from pavane.solvers.allreduce.tree_steps import Tree


class JoinedPhases(NamedTuple):
    """Both phases of an allreduce, one after the other."""

    solver: str
    """The solver that found the broadcast."""
    schedule: Schedule
    trees: tuple[Tree, ...] | None
    """The trees along which both go, where they go along the same."""


class Shortest:
    """The schedule of the fewest steps so far."""

    def __init__(
        self, problem: Problem, method: str = "auto", requested_steps: int | None = None, seed: int = 0
    ) -> None:
        self.problem, self.method, self.requested_steps, self.seed = problem, method, requested_steps, seed
        self.bounds: tuple[Bound, ...] = ()
        self.result = Result(problem, None, provenance=Provenance(method, seed))
        self.start: Result | None = None
        """The result from which the search started, if it had a schedule."""
        self.shortfall: tuple[str, ...] = ()
        """The notes of the last attempt without a schedule; of no use once there is one."""
        self.phases: JoinedPhases | None = None
        """Of an allreduce: its phases, once both are found."""
        self.proven: set[Work] = set()
        """The arguments for bounds that have been tried, by the work they take."""

    @property
    def schedule(self) -> Schedule | None:
        """Return the schedule, if there is one."""
        return self.result.schedule

    @property
    def num_steps(self) -> int | None:
        """Return the number of steps of the schedule, if there is one."""
        return self.result.num_steps

    @property
    def lowest(self) -> int:
        """Return the best bound."""
        bounds = (*self.bounds, self.result.bound)
        return max((bound.figure for bound in bounds if bound is not None), default=0)

    @property
    def is_only_refuted(self) -> bool:
        """Whether nothing but the refutation of fewer steps by an exhaustive search proves the best bound."""
        best = [bound.argument for bound in self.bounds if bound.figure == self.lowest]
        return best == [exhaustive.NAME]

    @property
    def has_fewest_steps(self) -> bool:
        """Whether no schedule has fewer steps."""
        return self.num_steps is not None and self.num_steps <= self.lowest

    @property
    def is_impossible(self) -> bool:
        """Whether no schedule has as few steps as were requested."""
        return self.num_steps is None and self.requested_steps is not None and self.lowest > self.requested_steps

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to find."""
        return self.has_fewest_steps or self.is_impossible

    @property
    def progress(self) -> dict[str, Any]:
        """Return the fewest steps and the best bound."""
        return {"best": self.num_steps, "bound": self.lowest}

    def learn(self, answer: Answer) -> None:
        """Take in bounds; without any schedule yet, also what was counted and noted."""
        if answer.bounds:
            self.add_bounds(answer.bounds)
        if self.schedule is None and answer.schedule is None:
            self.result = self.result.amended(run=answer.run)
            self.shortfall = answer.notes or self.shortfall

    def add_bounds(self, bounds: Iterable[Bound]) -> None:
        """Take in bounds; the best of each argument stays."""
        self.bounds = listed((*self.bounds, *of_objective(bounds, "steps")))

    def slot(self, schedule: Schedule) -> int:
        """Return 0: all schedules compete."""
        return 0

    def covers(self, schedule: Schedule) -> bool:
        """Return whether the schedule so far has as few steps, and under combining as little TCO."""
        best = self.schedule
        if best is None or best.num_steps != schedule.num_steps or not self.problem.rules.combining:
            return best is not None and best.num_steps <= schedule.num_steps
        return best.tco <= schedule.tco

    def is_improved_by(self, schedule: Schedule) -> bool:
        """Return whether a schedule has fewer steps than the incumbent."""
        return self.num_steps is None or schedule.num_steps < self.num_steps

    def add(self, result: Result) -> None:
        """Replace the incumbent by a result of fewer steps."""
        self.result = result

    def present(self, result: Result, seconds: float, notes: tuple[str, ...]) -> Result:
        """Return a result with bounds and notes; one from which the search started has its own provenance."""
        about = Provenance(result.provenance.solver, self.seed, version=VERSION)
        if self.start is not None and result.schedule is self.start.schedule:
            about = self.start.provenance
            if result.table is not None:
                seconds += about.seconds  # made just before, for this search
        if result.num_steps is None:
            notes += self.shortfall
        return result.amended(
            bounds=self.bounds,
            provenance=replace(about, seconds=seconds),
            requested_steps=self.requested_steps,
            notes=notes,
        )


ShortestSearch = Search[Shortest]


def start_from(search: ShortestSearch, start: Result) -> None:
    """Begin with a known result: its bounds, and its schedule if that has no more steps than requested."""
    best, num_steps = search.best, start.num_steps
    best.add_bounds(start.bounds)
    if num_steps is not None and (best.requested_steps is None or num_steps <= best.requested_steps):
        best.start = start
        search.notes += start.notes
        search.add(start)


def prove(search: ShortestSearch, most: Work, *, in_time: bool = True) -> None:
    """Try the arguments for bounds up to some work that have not been tried yet, while there is time and need."""
    best, deadline = search.best, search.budget.deadline if in_time else None

    def is_settled() -> bool:
        # Of the arguments that count, the best is wanted; a smaller bound is enough to refuse a number of steps. And a
        # certificate that is checked at once is worth a search of its own where there is only a refutation.
        if best.has_fewest_steps:
            return not best.is_only_refuted
        return work == Work.SEARCH and best.is_impossible

    for work in Work:
        if work > most or work in best.proven:
            continue
        if is_settled():
            return
        for tried in tried_arguments(search.problem, deadline, work, best.lowest - best.is_only_refuted):
            best.add_bounds(tried.bounds)
            if is_settled():
                return
        best.proven.add(work)
