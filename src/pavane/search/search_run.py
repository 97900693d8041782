"""A search: the best schedule so far, the bounds so far, and attempts of solvers that may better them.

Attempts are answered in their order, whatever the number of workers, so that more processes change the time and not the
answer. Time may end a search; it never steers it. An attempt that breaks costs itself and a note, never the search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pavane.bounds.registry import Work
from pavane.bounds.steps import listed, tried_arguments
from pavane.errors import CheckpointError, InputError, InvalidSchedule, in_one_line, is_interrupt
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
from pavane.search.options import SearchOptions
from pavane.solvers import Solver
from pavane.text import VERSION


@dataclass(frozen=True)
class Attempt:
    """One call of a solver."""

    solver: Solver
    num_steps: int | None
    seed: int
    is_asked_for: bool = False
    """Whether somebody named this solver; what it refuses is then his to mend."""

    def __str__(self) -> str:
        asked = "" if self.num_steps is None else f" at {self.num_steps:,}"
        return f"{self.solver.name}{asked} with seed {self.seed}"


@dataclass(frozen=True)
class Answer:
    """What a solver answered in another process; it is judged where it arrives."""

    schedule: Schedule | None
    bounds: tuple[Bound, ...]
    provenance: Provenance
    run: Run | None
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    """Whether it was asked to end with what it had."""


class Search:
    """The best so far, and what it takes to get further."""

    def __init__(
        self,
        problem: Problem,
        method: str,
        num_steps: int | None = None,
        options: SearchOptions = SearchOptions(),
        budget: Budget | None = None,
    ) -> None:
        self.problem, self.options = problem, options
        self.budget = options.budget() if budget is None else budget
        self.started = clock.now()
        self.best = Result(problem, None, (), Provenance(method, options.seed, version=VERSION), num_steps)
        self.told: Result | None = None
        """The best that an attempt has told of before it had its answer; counted searches go on as if it had not."""
        self.known: Result | None = None
        """What the search has started from, where it had a schedule."""
        self.judging_seconds: float | None = None
        """The seconds that building and judging took, as measured on the schedule that was handed over first."""
        self.proven: set[Work] = set()
        """Arguments of which efforts have been tried."""
        self.shortfall: tuple[str, ...] = ()
        """What the last attempt that came to nothing has to say; of no use once there is a schedule."""

    @property
    def seed(self) -> int:
        """Return the random seed."""
        return self.options.seed

    @property
    def workers(self) -> Workers:
        """Return who may work on it."""
        return self.budget.workers

    @property
    def lowest(self) -> int:
        """Return the best bound."""
        return self.best.bound.steps if self.best.bound else 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find, or no time to find it."""
        return self.is_settled or self._in_time.is_over

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to find."""
        return self.best.has_fewest_steps or self.best.status == "impossible"

    @property
    def _in_time(self) -> Budget:
        """Return the budget of attempts, which leaves time to build and judge what they find."""
        return self.budget if self.judging_seconds is None else self.budget.reserving(self.judging_seconds)

    def learn(self, bounds: Iterable[Bound]) -> None:
        """Take in bounds, keeping the best of each argument."""
        self.best = self.best.amended(bounds=listed((*self.best.bounds, *bounds)))

    def prove(self, most: Work) -> None:
        """Try the arguments for bounds up to some work that have not been tried yet, while there is time and need."""
        for work in Work:
            if work > most or work in self.proven:
                continue
            if self._is_settled(work):
                return
            for tried in tried_arguments(self.problem, self.budget.deadline, work, self.lowest):
                self.learn(tried.bounds)
                if self._is_settled(work):
                    return
            self.proven.add(work)

    def _is_settled(self, work: Work) -> bool:
        """Whether no bound is wanted any more; of what is counted the best is told, though less is enough to refuse."""
        return self.best.has_fewest_steps or (work == Work.SEARCH and self.best.status == "impossible")

    def run(self, attempts: Iterable[Attempt], *, until_success: bool = False, share: float = 1.0) -> bool:
        """Make attempts in their order until the search is over, or one succeeds; say whether one was better.

        They may take that share of the time that is left.
        """
        fewest, budget = self.best.num_steps, self._in_time.part(share)
        asked = self._unanswered(attempts, until_success)
        is_alone = self.workers.is_serial or len(asked) <= 1
        if not is_alone and budget.judging_seconds is not None:
            # What is made elsewhere is judged there, too.
            budget = budget.reserving(budget.judging_seconds)
        workers = SERIAL if is_alone else self.workers
        make = self._made_here if is_alone else _made_elsewhere
        if asked and not is_alone:
            self.tell(asked[0])
        taken, is_lost, before = 0, False, self.best.schedule
        calls = [(attempt, budget, self.options.on_improvement is not None) for attempt in asked]
        try:
            with workers.pool(len(asked), self.problem) as pool:
                for number, found in pool.results(make, calls, on_update=lambda at, told: self._hear(asked[at], told)):
                    self._take(asked[number], found)
                    self._record(asked[number], found, before)
                    before = self.best.schedule
                    self.tell(asked[number])
                    taken, is_lost = number + 1, is_lost or isinstance(found, WorkerLost)
                    if self.is_over or (until_success and self.best.num_steps != fewest):
                        break
        except PoolLost as error:
            self.note([f"{error}; the search goes on in one process"])
            self.budget = replace(self.budget, workers=SERIAL)
            return self.run(asked[taken:], until_success=until_success) or self.best.num_steps != fewest
        if is_lost or self.budget.deadline is not None:
            self._take_told()
        return self.best.num_steps != fewest

    def _unanswered(self, attempts: Iterable[Attempt], until_success: bool) -> list[Attempt]:
        """Take what the journal knows of the first attempts, and return those that are to be made."""
        asked, journal, fewest = list(attempts), self.budget.checkpoint, self.best.num_steps
        if journal is None:
            return asked
        for number, attempt in enumerate(asked):
            begun = clock.now()
            found = journal.recorded_result(self._key(attempt), self.problem, self._is_timed)
            if found is None:
                return asked[number:]
            if found.schedule is not None and self._is_timed:
                self.judging_seconds = 1.5 * (clock.now() - begun)
            self._take(attempt, found)
            if self.is_over or (until_success and self.best.num_steps != fewest):
                break
        return []

    def _record(self, attempt: Attempt, found: Result | Answer | WorkerLost, before: Schedule | None) -> None:
        """Write an answer into the journal: a schedule only where it is the best so far.

        What an interrupt or the end of the time has cut short is left out: it is to be gone on with.
        """
        journal = self.budget.checkpoint
        if journal is None or isinstance(found, WorkerLost) or found.interrupted:
            return
        if not self.is_settled and self._in_time.is_over:
            journal.is_cut = True
            return
        is_better = self.best.schedule is not before
        about = replace(found.provenance, solver=self.best.provenance.solver) if is_better else found.provenance
        noted = self.best if is_better else Result(self.problem, None)
        noted = noted.amended(
            bounds=found.bounds,
            provenance=about,
            asked=attempt.num_steps,
            run=self.best.run if is_better else found.run,
            notes=found.notes,
            occupancy_bounds=(),
        )
        journal.record(self._key(attempt), noted, self._is_timed)

    def _key(self, attempt: Attempt) -> str:
        from pavane.parallel.checkpoint import key_of

        return key_of(self.problem, attempt.solver, attempt.num_steps, attempt.seed, self.budget.evaluations)

    @property
    def _is_timed(self) -> bool:
        return self.budget.deadline is not None

    def tell(self, attempt: Attempt, conflicts: int | None = None) -> None:
        """Report progress."""
        self._tell(attempt.solver.name, attempt.num_steps, self.best.num_steps, conflicts)

    def result(self, *, interrupted: bool = False) -> Result:
        """Return the best so far, with the time it took."""
        if interrupted:
            self._take_told()
        if self.best.schedule is None:
            self.best = self.best.amended(notes=(*self.best.notes, *self.shortfall))
        return self._timed(self.best).amended(interrupted=interrupted)

    def _timed(self, result: Result) -> Result:
        elapsed = round(clock.now() - self.started, 3)
        start = self.known
        about = result.provenance if start is None or result.schedule is not start.schedule else start.provenance
        return result.amended(provenance=replace(about, seconds=elapsed))

    def offer(self, solver: str, schedule: Schedule) -> None:
        """Take in a schedule that was made of what other searches found, if it is the best so far; it is judged."""
        fewest = self.best.num_steps
        if fewest is None or schedule.num_steps < fewest:
            judged = Result(self.problem, schedule)
            about = replace(self.best.provenance, solver=solver)
            self.best = judged.amended(
                bounds=self.best.bounds, provenance=about, asked=self.best.asked, notes=self.best.notes
            )
            self._tell_better(self.best)

    def start_from(self, known: Result) -> None:
        """Begin with what is known: bounds, and a schedule where it has no more steps than are asked for.

        As long as nothing better is found, the result says who found that schedule, and when.
        """
        self.learn(known.bounds)
        asked, fewest = self.best.asked, known.num_steps
        if fewest is not None and (asked is None or fewest <= asked):
            about = replace(self.best.provenance, solver=known.provenance.solver)
            self.known = known
            self.best = known.amended(bounds=self.best.bounds, provenance=about, asked=asked)
            self._tell_better(self.best)

    def note(self, texts: Iterable[str]) -> None:
        """Take in what went wrong on the way."""
        self.best = self.best.amended(notes=(*self.best.notes, *texts))

    def _take(self, attempt: Attempt, found: Result | Answer | WorkerLost) -> None:
        """Take in what came of an attempt, where it is the best so far and the judge agrees."""
        if isinstance(found, WorkerLost):
            self.note([f"{attempt} failed: {found.why}"])
            return
        if found.bounds:
            self.learn(found.bounds)
        best = self.best
        if found.schedule is None or found.schedule.num_steps >= (best.num_steps or 2**31):
            if best.schedule is None:
                self.best = best.amended(run=found.run)
                self.shortfall = found.notes or self.shortfall
            return
        try:
            judged = found if isinstance(found, Result) else Result(self.problem, found.schedule)
        except InvalidSchedule as error:
            self.note([f"{attempt} failed: {error}"])
            return
        about = replace(best.provenance, solver=found.provenance.solver)
        self.best = judged.amended(
            bounds=best.bounds, provenance=about, asked=best.asked, run=found.run, notes=best.notes
        )
        self._tell_better(self.best)

    def _hear(self, attempt: Attempt, schedule: Schedule) -> None:
        """Tell of what an attempt has found so far, where it is the best and the judge agrees."""
        too_many = attempt.num_steps is not None and schedule.num_steps > attempt.num_steps
        known = [result.schedule for result in (self.best, self.told) if result is not None]
        if too_many or any(one is not None and self._cost(one) <= self._cost(schedule) for one in known):
            return
        try:
            judged = Result(self.problem, schedule)
        except InvalidSchedule:
            return  # it will be noted when it is the answer
        about, best = replace(self.best.provenance, solver=attempt.solver.name), self.best
        self.told = judged.amended(bounds=best.bounds, provenance=about, asked=best.asked, notes=best.notes)
        self._tell_better(self.told)

    def _cost(self, schedule: Schedule) -> tuple[int, int]:
        """Return by what schedules compare: their steps, and under combining also the TCO."""
        return schedule.num_steps, schedule.tco if self.problem.rules.combining else 0

    def _take_told(self) -> None:
        """Take in what was told of an attempt whose answer has not come, or is worse: its process may be lost."""
        told = self.told
        if told is not None and told.num_steps is not None and told.num_steps < (self.best.num_steps or 2**31):
            self.best = told.amended(bounds=self.best.bounds, notes=self.best.notes)

    def _tell_better(self, result: Result) -> None:
        if self.options.on_improvement is not None:
            self.options.on_improvement(self._timed(result))

    def _made_here(
        self, problem: Problem, contact: TaskContext, attempt: Attempt, budget: Budget, is_heard: bool
    ) -> Result | Answer | WorkerLost:
        """Make an attempt in this process, which can tell how far it has come."""
        self.tell(attempt)
        heard = self._heard(attempt, budget)
        return _made(problem, attempt, ImprovementThrottle(heard, contact.report).budget if is_heard else heard)

    def _heard(self, attempt: Attempt, budget: Budget) -> Budget:
        """Return a budget through which an attempt in this process tells how far it has come."""

        def conflicts(_: int, left: int) -> None:
            self.tell(attempt, left)

        def shorter(tried: int, fewest: int) -> None:
            # What the solver has is not handed over yet, but it will be.
            best = fewest if self.best.num_steps is None else min(fewest, self.best.num_steps)
            self._tell(attempt.solver.name, tried, best)

        def keep(schedule: Schedule) -> None:
            begun = clock.now()
            self._take(attempt, Answer(schedule, (), Provenance(attempt.solver.name), None))
            # Building a schedule takes about half as long as judging it.
            self.judging_seconds = 1.5 * (clock.now() - begun)
            self.tell(attempt)

        journal = budget.checkpoint
        bookmark = None if journal is None else journal.loop_checkpoint(self._key(attempt), self._is_timed)
        return replace(budget, on_conflicts=conflicts, on_steps=shorter, on_schedule=keep, loop_checkpoint=bookmark)

    def _tell(self, solver: str, tried: int | None, best: int | None, conflicts: int | None = None) -> None:
        if self.options.on_progress is None:
            return
        now = Progress(
            solver,
            clock.now() - self.started,
            self.budget.seconds_left,
            num_steps=tried,
            best=best,
            bound=self.lowest,
            conflicts=conflicts,
        )
        self.options.on_progress(now)


def _made(problem: Problem, attempt: Attempt, budget: Budget) -> Result | WorkerLost:
    """Make an attempt: what was asked wrongly is raised, whatever else breaks costs this attempt alone."""
    try:
        return attempt.solver(problem, attempt.num_steps, attempt.seed, budget)
    except InvalidSchedule as error:
        return WorkerLost(str(error))
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        if isinstance(error, CheckpointError) or (attempt.is_asked_for and isinstance(error, InputError)):
            raise
        return WorkerLost(in_one_line(error))


def _made_elsewhere(
    problem: Problem, contact: TaskContext, attempt: Attempt, budget: Budget, is_heard: bool
) -> Result | Answer | WorkerLost:
    """Make an attempt in another process."""
    stoppable = replace(budget, is_stopped=contact.is_stopped)
    found = _made(problem, attempt, ImprovementThrottle(stoppable, contact.report).budget if is_heard else stoppable)
    if isinstance(found, WorkerLost):
        return found
    if is_heard and found.schedule is not None:
        contact.report(found.schedule)  # the answer waits for those before it
    is_stopped = contact.is_stopped()
    return Answer(found.schedule, found.bounds, found.provenance, found.run, found.notes, is_stopped)
