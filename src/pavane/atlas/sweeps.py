"""A sweep: many problems, each searched for a while from what an atlas knows, and kept when it is there.

What is proven, or was given as much time or as many evaluations already, is not searched again: a sweep that was
interrupted goes on where it was. Only this process writes to the file, whoever searches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pavane.atlas.atlas_file import AtlasFile, Figures
from pavane.atlas.forms import Form, form_of
from pavane.atlas.known import known_of, row_of
from pavane.errors import InputError, InvalidSchedule, in_one_line, is_interrupt
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.pool import Pool
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions


@dataclass(frozen=True)
class SweepLimits:
    """What the search for one problem may take."""

    seconds: float | None = None
    evaluations: int | None = None
    seed: int = 0

    def refuse_nonsense(self) -> None:
        """Refuse limits that limit nothing, or leave nothing."""
        if self.seconds is None and self.evaluations is None:
            raise InputError("a sweep needs `seconds` or `evaluations`: what the search for one problem may take")
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"time {self.seconds}: a search needs some; give more than 0 seconds")
        if self.evaluations is not None and self.evaluations < 1:
            raise InputError(f"evaluations {self.evaluations}: a search needs at least one; give 1 or more")


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep has come."""

    done: int
    total: int
    """Problems that are searched for; those with enough effort are not among them."""
    last: str
    """The problem that was done last."""
    seconds_left: float | None
    """An estimate from the problems so far; None before the first."""


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep."""

    problems: int
    """Different problems that were asked for."""
    proven: int
    """Those of them whose steps are proven the fewest, now."""
    searched: int
    """Those that were searched for this time."""
    bettered: int
    """Those of which more is known than before."""
    failures: tuple[str, ...] = ()
    """What went wrong, a line each."""
    interrupted: bool = False


@dataclass(frozen=True)
class _Task:
    problem: Problem
    form: Form
    known: Result | None


@dataclass(frozen=True)
class _Found:
    """What a search found, perhaps elsewhere; it is judged where it arrives."""

    schedule: Schedule | None
    bounds: tuple[Bound, ...]
    provenance: Provenance


def sweep(
    atlas: AtlasFile,
    problems: Iterable[Problem],
    limits: SweepLimits,
    *,
    again: bool = False,
    workers: int | Workers = 1,
    progress: Callable[[SweepProgress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> Sweep:
    """Search for many problems, and keep in an atlas what is better than what it has.

    With `again` all that is not proven is searched for, whatever was tried before. An interrupt (Ctrl-C) ends the
    sweep; the rows that are finished are in the file.
    """
    limits.refuse_nonsense()
    hired = as_workers(workers)
    tasks: list[_Task] = []
    keys: set[str] = set()
    proven = 0
    for problem in problems:
        form = form_of(problem)
        if form.key in keys:
            continue
        keys.add(form.key)
        known = known_of(atlas, problem, note, form)
        if known.is_settled:
            proven += 1
        elif again or not known.has_effort(limits.seconds, limits.evaluations):
            tasks.append(_Task(problem, form, known.result))
    report = _Report(len(tasks), progress)
    interrupted = False
    try:
        with hired.pool(len(tasks), limits) as pool:
            _work(pool, atlas, tasks, limits, report)
    except KeyboardInterrupt:
        interrupted = True
    return Sweep(len(keys), proven + report.proven, report.done, report.bettered, tuple(report.failures), interrupted)


def _work(pool: Pool, atlas: AtlasFile, tasks: Sequence[_Task], limits: SweepLimits, report: _Report) -> None:
    calls = [(task.problem, task.known) for task in tasks]
    for number, found in pool.results(_searched, calls, in_order=False):
        task = tasks[number]
        try:
            result = _result(task, found)
        except (InputError, InvalidSchedule) as error:
            report.fail(task.problem, str(error))
            continue
        row = row_of(result, seconds=limits.seconds, evaluations=limits.evaluations, form=task.form)
        atlas.keep([row])
        report.tell(task, row.figures)


def _searched(limits: SweepLimits, _: TaskContext, problem: Problem, known: Result | None) -> _Found | WorkerLost:
    """Search for one problem, here or elsewhere; what goes wrong costs this problem alone."""
    try:
        found = find_or_interrupt(
            problem,
            SearchOptions(seed=limits.seed, seconds=limits.seconds, evaluations=limits.evaluations),
            start=known,
        )
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return WorkerLost(str(error) if isinstance(error, InputError) else in_one_line(error))
    return _Found(found.schedule, found.bounds, found.provenance)


def _result(task: _Task, found: _Found | WorkerLost) -> Result:
    if isinstance(found, WorkerLost):
        raise InputError(found.why)
    return Result(task.problem, found.schedule, found.bounds, found.provenance)


class _Report:
    """Counts what comes, and tells it."""

    def __init__(self, total: int, progress: Callable[[SweepProgress], None]) -> None:
        self.total, self.progress = total, progress
        self.done = self.proven = self.bettered = 0
        self.failures: list[str] = []
        self.started = time.monotonic()

    def tell(self, task: _Task, now: Figures) -> None:
        """Count a problem that is done."""
        self.proven += now.is_proven
        before = task.known or Result(task.problem, None)
        is_fewer = now.steps is not None and now.steps < (before.num_steps or 2**31)
        is_higher = now.bound is not None and now.bound > (before.bound.steps if before.bound else 0)
        self.bettered += is_fewer or is_higher
        self._tell(task.problem)

    def fail(self, problem: Problem, why: str) -> None:
        """Count a problem of which the search broke."""
        self.failures.append(f"{problem}: {why}")
        self._tell(problem)

    def _tell(self, problem: Problem) -> None:
        self.done += 1
        elapsed = time.monotonic() - self.started
        left = elapsed / self.done * (self.total - self.done)
        about = f"{problem.collective.kind} on {problem.network.name}"
        self.progress(SweepProgress(self.done, self.total, about, left))
