"""One search: attempts of solvers, made in their order, and the best results so far, which they improve.

The best results are one schedule of few steps (`shortest.py`), or one for each number of start-ups (`best_points.py`).
Answers count in the order of attempts, whatever the number of workers: more processes change the time, not the result.
Time may end a search; it never steers it. A failed attempt is noted and skipped; the search continues.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pavane.errors import InputError, InvalidSchedule, in_one_line, is_interrupt
from pavane.jit import clock
from pavane.judge.result import Provenance, Result, Run
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.parallel.improvements import ImprovementThrottle
from pavane.parallel.pools import SERIAL, Workers
from pavane.parallel.progress import Progress
from pavane.parallel.tasks import PoolLost, TaskContext, WorkerLost
from pavane.search.attempt_record import AttemptRecord
from pavane.search.options import SearchOptions
from pavane.search.size import seconds_reserved
from pavane.solvers import Solver


@dataclass(frozen=True)
class Attempt:
    """One call of a solver."""

    solver: Solver
    num_steps: int | None
    seed: int
    is_chosen: bool = False
    """Whether the user chose this solver: its input errors are then raised, not noted."""

    def __str__(self) -> str:
        steps = "" if self.num_steps is None else f" at {self.num_steps:,}"
        return f"{self.solver.name}{steps} with seed {self.seed}"


Answer: TypeAlias = Result | AttemptRecord
"""The answer of an attempt: judged, or from another process and judged when it is taken."""


class Incumbent(Protocol):
    """The incumbent of a search: its best results so far."""

    bounds: tuple[Bound, ...]
    """The best lower bounds on the steps."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to find."""
        ...

    @property
    def progress(self) -> dict[str, Any]:
        """Return the fields of `Progress` that describe the best results."""
        ...

    def learn(self, answer: Answer) -> None:
        """Take in what an answer proves and counts, whatever its schedule."""
        ...

    def slot(self, schedule: Schedule) -> int:
        """Return the number of the result with which a schedule competes."""
        ...

    def covers(self, schedule: Schedule) -> bool:
        """Return whether a result is as good as a schedule."""
        ...

    def is_improved_by(self, schedule: Schedule) -> bool:
        """Return whether a schedule would be one of the best."""
        ...

    def add(self, result: Result) -> None:
        """Take in a result that improves on the others."""
        ...

    def present(self, result: Result, seconds: float, notes: tuple[str, ...]) -> Result:
        """Return a result with what the search knows about it."""
        ...


Best = TypeVar("Best", bound=Incumbent)


class Search(Generic[Best]):
    """The best results so far, and the attempts that improve them."""

    def __init__(
        self, problem: Problem, best: Best, options: SearchOptions = SearchOptions(), budget: Budget | None = None
    ) -> None:
        self.problem, self.best, self.options = problem, best, options
        self.budget = options.budget() if budget is None else budget
        self.started = clock.now()
        self.notes: list[str] = []
        """Failures of single attempts, a line each."""
        self.latest: Result | None = None
        """The last result that was the best."""
        self.reported: dict[int, Result] = {}
        """What attempts have reported before their answers; counted searches continue as if they had not."""
        self.judging_seconds: float | None = None
        """The seconds that building and judging took, as measured on the first schedule reported."""

    @property
    def seed(self) -> int:
        """Return the random seed."""
        return self.options.seed

    @property
    def workers(self) -> Workers:
        """Return the workers of the search."""
        return self.budget.workers

    @property
    def is_timed(self) -> bool:
        """Whether there is a time limit."""
        return self.budget.deadline is not None

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find, or no time to find it."""
        return self.best.is_settled or self.in_time.is_over

    @property
    def in_time(self) -> Budget:
        """Return the budget of attempts, which leaves time to build and judge what they find."""
        if self.judging_seconds is not None:
            return self.budget.reserving(self.judging_seconds)
        return self.budget.ending_earlier(self._expected_seconds)

    @cached_property
    def _expected_seconds(self) -> float:
        """The seconds that are left for building and judging, by counting, until they are measured."""
        return seconds_reserved(self.problem) if self.is_timed else 0.0

    # -- attempts

    def run(
        self,
        attempts: Iterable[Attempt],
        *,
        until_success: bool = False,
        share: float = 1.0,
        share_of_each: float = 1.0,
        is_met: Callable[[Attempt], bool] | None = None,
        on_answer: Callable[[Attempt, Answer], None] | None = None,
    ) -> bool:
        """Make attempts in their order until the search is over; return whether one was better.

        Args:
            attempts: The attempts.
            until_success: Whether to stop at the first one that is better.
            share: The share of the time left that all of them may take.
            share_of_each: The share of what is then left that each may take; the last one may take all.
            is_met: Whether an attempt has nothing more to find. Several workers make it all the same.
            on_answer: Called with each answer.
        """
        before, is_lost = self.latest, False
        with closing(self._answers(list(attempts), self.in_time.part(share), share_of_each, is_met)) as answers:
            for attempt, answer in answers:
                self.take(attempt, answer)
                self.report_progress(attempt.solver.name, attempt.num_steps)
                if isinstance(answer, WorkerLost):
                    is_lost = True
                elif on_answer is not None:
                    on_answer(attempt, answer)
                if self.is_over or (until_success and self.latest is not before):
                    break
        if is_lost or self.is_timed:
            self.take_reported()
        return self.latest is not before

    def _answers(
        self, attempts: list[Attempt], budget: Budget, share_of_each: float, is_met: Callable[[Attempt], bool] | None
    ) -> Generator[tuple[Attempt, Answer | WorkerLost]]:
        """Yield the attempts with their answers."""
        if len(attempts) > 1 and not self.workers.is_serial:
            share = 1.0 if len(attempts) <= self.workers.size else share_of_each
            yield from self._answers_of_pool(attempts, budget.part(share), is_met)
            return
        for number, attempt in enumerate(attempts):
            if is_met is not None and is_met(attempt):
                continue
            share = 1.0 if number == len(attempts) - 1 else share_of_each
            yield attempt, self._make_here(attempt, budget.part(share))

    def _answers_of_pool(
        self, attempts: list[Attempt], budget: Budget, is_met: Callable[[Attempt], bool] | None
    ) -> Generator[tuple[Attempt, Answer | WorkerLost]]:
        if budget.judging_seconds is not None:
            # What is made elsewhere is judged there, too.
            budget = budget.reserving(budget.judging_seconds)
        self.report_progress(attempts[0].solver.name, attempts[0].num_steps)
        is_heard, num_answers = self.options.on_improvement is not None, 0
        tasks = [(attempt, budget, is_heard) for attempt in attempts]
        try:
            with self.workers.pool(len(attempts), self.problem) as pool:
                hear = lambda number, schedule: self._hear(attempts[number], schedule)  # noqa: E731
                for number, answer in pool.results(_make_elsewhere, tasks, on_update=hear):
                    num_answers = number + 1
                    yield attempts[number], answer
        except PoolLost as error:
            self.notes.append(f"{error}; the search continues in one process")
            self.budget = replace(self.budget, workers=SERIAL)
            yield from self._answers(attempts[num_answers:], self.in_time, 1.0, is_met)

    def _make_here(self, attempt: Attempt, budget: Budget) -> Answer | WorkerLost:
        """Make an attempt in this process, which reports its progress."""
        name = attempt.solver.name
        self.report_progress(name, attempt.num_steps)

        def report_schedule(schedule: Schedule) -> None:
            begun = clock.now()
            self.take(attempt, AttemptRecord(Provenance(name, self.seed), schedule=schedule))
            # Building a schedule takes about half as long as judging it.
            self.judging_seconds = 1.5 * (clock.now() - begun)
            self.report_progress(name, attempt.num_steps)

        budget = replace(
            budget,
            on_conflicts=lambda _, conflicts: self.report_progress(name, attempt.num_steps, conflicts=conflicts),
            on_steps=lambda num_steps, fewest: self.report_progress(name, num_steps, fewest=fewest),
            on_schedule=report_schedule,
        )
        if self.options.on_improvement is not None:
            budget = ImprovementThrottle(budget, partial(self._hear, attempt)).budget
        return _make(self.problem, attempt, budget)

    # -- results

    def take(self, name: object, answer: Answer | WorkerLost) -> None:
        """Take in an answer, if it is one of the best and the judge accepts it; what fails is noted by its name."""
        if isinstance(answer, WorkerLost):
            self.notes.append(f"{name} failed: {answer.why}")
            return
        self.best.learn(answer)
        if answer.schedule is None or not self.best.is_improved_by(answer.schedule):
            return
        try:
            result = answer if isinstance(answer, Result) else answer.result(self.problem)
        except InvalidSchedule as error:
            self.notes.append(f"{name} failed: {error}")
            return
        self.add(result)

    def add(self, result: Result, *, is_reported: bool = False) -> None:
        """Update the incumbent with a result, and report it."""
        self.best.add(result)
        self.latest = result
        if not is_reported:
            self._report(result)

    def offer(
        self, name: str, schedule: Schedule, provenance: Provenance | None = None, run: Run | None = None
    ) -> None:
        """Take in a schedule that was made of the results of other searches."""
        self.take(name, AttemptRecord(provenance or Provenance(name, self.seed), schedule=schedule, run=run))

    def hear(self, solver: str, schedule: Schedule) -> None:
        """Report a schedule before the answer of its attempt, if it is better than all results and reports so far."""
        slot = self.best.slot(schedule)
        known = self.reported[slot].schedule if slot in self.reported else None
        if self.best.covers(schedule) or (known is not None and self._cost(known) <= self._cost(schedule)):
            return
        try:
            result = Result(self.problem, schedule, provenance=Provenance(solver, self.seed))
        except InvalidSchedule:
            return  # it will be noted when it is the answer
        self.reported[slot] = result
        self._report(result)

    def _hear(self, attempt: Attempt, schedule: Schedule) -> None:
        if attempt.num_steps is None or schedule.num_steps <= attempt.num_steps:
            self.hear(attempt.solver.name, schedule)

    def _cost(self, schedule: Schedule) -> tuple[int, int]:
        """Return the figures by which schedules compare: their steps, and under combining also the TCO."""
        return schedule.num_steps, schedule.tco if self.problem.rules.combining else 0

    def take_reported(self) -> None:
        """Take in what was reported of attempts whose answers are missing or worse: a worker may be lost."""
        for result in self.reported.values():
            assert result.schedule is not None
            if self.best.is_improved_by(result.schedule):
                self.add(result, is_reported=True)

    def present(self, result: Result) -> Result:
        """Return a result with what the search knows about it, and the time it took."""
        return self.best.present(result, round(clock.now() - self.started, 3), tuple(self.notes))

    def _report(self, result: Result) -> None:
        if self.options.on_improvement is not None:
            self.options.on_improvement(self.present(result))

    # -- progress

    def report_progress(
        self, solver: str, num_steps: int | None, *, fewest: int | None = None, conflicts: int | None = None
    ) -> None:
        """Report progress; `fewest` steps are those that the running solver has, and has not returned yet."""
        if self.options.on_progress is None:
            return
        seconds, left = clock.now() - self.started, self.budget.seconds_left
        now = Progress(
            solver,
            seconds,
            left,
            num_steps=num_steps,
            step_word=self.problem.rules.step_word,
            conflicts=conflicts,
            **self.best.progress,
        )
        if fewest is not None:
            now = replace(now, best=fewest if now.best is None else min(fewest, now.best))
        self.options.on_progress(now)

    def options_of_part(self) -> SearchOptions:
        """Return the options of a search for a part of the problem: it reports the progress of the whole."""
        on_progress = self.options.on_progress
        if on_progress is None:
            return replace(self.options, on_improvement=None)
        report = lambda now: on_progress(replace(now, **self.best.progress))  # noqa: E731
        return replace(self.options, on_progress=report, on_improvement=None)


def _make(problem: Problem, attempt: Attempt, budget: Budget) -> Result | WorkerLost:
    """Make an attempt; bad input for a solver that the user chose is raised, all other failures are its answer."""
    try:
        return attempt.solver(problem, attempt.num_steps, attempt.seed, budget)
    except InvalidSchedule as error:
        return WorkerLost(str(error))
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        if attempt.is_chosen and isinstance(error, InputError):
            raise
        return WorkerLost(in_one_line(error))


def _make_elsewhere(
    problem: Problem, context: TaskContext, attempt: Attempt, budget: Budget, is_heard: bool
) -> AttemptRecord | WorkerLost:
    """Make an attempt in another process."""
    budget = replace(budget, is_stopped=context.is_stopped)
    answer = _make(problem, attempt, ImprovementThrottle(budget, context.report).budget if is_heard else budget)
    if isinstance(answer, WorkerLost):
        return answer
    if is_heard and answer.schedule is not None:
        context.report(answer.schedule)  # the answer waits for those before it
    return AttemptRecord.of(answer)
