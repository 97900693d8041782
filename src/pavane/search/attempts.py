"""A search: the best schedule so far, the bounds so far, and attempts of solvers that may better them.

Attempts are answered in their order, whatever the number of workers, so that more processes change the time and not the
answer. Time may end a search; it never steers it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.solvers import Solver
from pavane.words import VERSION
from pavane.workers.budget import Budget
from pavane.workers.processes import Processes


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    solver: str
    tried: int | None
    """The number of steps being tried; None: as few as can be."""
    best: int | None
    bound: int
    seconds: float
    seconds_left: float | None
    conflicts: int | None = None
    """What is left of them in the attempt that runs, where its solver counts them."""


@dataclass(frozen=True)
class Attempt:
    """One call of a solver."""

    solver: Solver
    num_steps: int | None
    seed: int


class Search:
    """The best so far, and what it takes to get further."""

    def __init__(
        self,
        problem: Problem,
        method: str,
        asked: int | None,
        seed: int,
        budget: Budget,
        workers: int,
        progress: Callable[[Progress], None],
    ) -> None:
        self.problem, self.seed, self.budget, self.workers = problem, seed, budget, workers
        self.started = time.monotonic()
        self.progress = progress
        self.best = Result(problem, None, (), Provenance(method, seed, version=VERSION), asked)

    @property
    def lowest(self) -> int:
        """Return the best bound."""
        return self.best.bound.steps if self.best.bound else 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find, or no time to find it."""
        return self.best.status in ("optimal", "impossible") or self.budget.is_over

    def learn(self, bounds: Iterable[Bound]) -> None:
        """Take in bounds, keeping the best of each argument."""
        bounds = tuple(bounds)
        if not bounds:
            return  # a result made anew is judged anew, which takes seconds where it is large
        best = {bound.argument: bound for bound in self.best.bounds}
        for bound in bounds:
            if bound.argument not in best or bound.steps > best[bound.argument].steps:
                best[bound.argument] = bound
        ordered = sorted(best.values(), key=lambda bound: -bound.steps)
        self.best = replace(self.best, bounds=tuple(ordered))

    def tell(self, attempt: Attempt, conflicts: int | None = None) -> None:
        """Report progress."""
        self._tell(attempt.solver.name, attempt.num_steps, self.best.num_steps, conflicts)

    def _tell(self, solver: str, tried: int | None, best: int | None, conflicts: int | None = None) -> None:
        now = time.monotonic()
        left = None if self.budget.deadline is None else max(0.0, self.budget.deadline - now)
        self.progress(Progress(solver, tried, best, self.lowest, now - self.started, left, conflicts))

    def run(self, attempts: Iterable[Attempt], *, until_success: bool = False, share: float = 1.0) -> bool:
        """Make attempts in their order until the search is over, or one succeeds; say whether one was better.

        They may take that share of the time that is left.
        """
        better, budget = False, self.budget
        if budget.deadline is not None:
            now = time.monotonic()
            budget = replace(budget, deadline=now + share * (budget.deadline - now))
        for attempt, found in self._answers(list(attempts), budget):
            self.learn(found.bounds)
            if found.schedule is not None and found.schedule.num_steps < (self.best.num_steps or 2**31):
                about = replace(self.best.provenance, solver=found.provenance.solver)
                self.best = replace(self.best, schedule=found.schedule, provenance=about, run=found.run)
                better = True
            elif self.best.schedule is None:
                self.best = replace(self.best, run=found.run)
            self.tell(attempt)
            if self.is_over or (better and until_success):
                break
        return better

    def _answers(self, attempts: list[Attempt], budget: Budget) -> Iterator[tuple[Attempt, Result]]:
        """Yield answers in the order of the attempts, whatever the number of workers."""
        if self.workers == 1 or len(attempts) <= 1:
            for attempt in attempts:
                self.tell(attempt)
                told = replace(
                    budget,
                    workers=self.workers,
                    report=partial(self._tell_conflicts, attempt),
                    shorter=partial(self._tell_shorter, attempt),
                )
                yield attempt, _answer(self.problem, attempt, told)
            return
        self.tell(attempts[0])
        calls = [(self.problem, attempt, budget) for attempt in attempts]
        for number, found in Processes(self.workers).answers(_answer, calls):
            yield attempts[number], found

    def _tell_conflicts(self, attempt: Attempt, _: int, conflicts: int) -> None:
        self.tell(attempt, conflicts)

    def _tell_shorter(self, attempt: Attempt, tried: int, fewest: int) -> None:
        # What the solver has is not handed over yet, but it will be.
        best = fewest if self.best.num_steps is None else min(fewest, self.best.num_steps)
        self._tell(attempt.solver.name, tried, best)

    def result(self) -> Result:
        """Return the best so far, with the time it took."""
        elapsed = round(time.monotonic() - self.started, 3)
        return replace(self.best, provenance=replace(self.best.provenance, seconds=elapsed))


def _answer(problem: Problem, attempt: Attempt, budget: Budget) -> Result:
    return attempt.solver(problem, attempt.num_steps, attempt.seed, budget)
