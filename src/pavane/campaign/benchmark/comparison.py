"""A study: solvers on one problem with many seeds, each run within the same limits.

More workers change the time, not the runs. Finished runs are kept in a folder, if one is named, and never made twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from pavane.campaign.benchmark.methods import labels
from pavane.campaign.benchmark.run_file import RunLine, kept_runs, line_of, trials_of
from pavane.campaign.benchmark.summaries import Summary, summary
from pavane.campaign.benchmark.trial import RunLimits, RunTask, Trial, failed, is_on_a_gpu, tried, tried_together
from pavane.campaign.kept_lines import KeptLines
from pavane.errors import InputError, expect
from pavane.model.problem import Problem
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import WorkerLost
from pavane.search.options import check_solver
from pavane.solvers import Solver
from pavane.text import counted


@dataclass(frozen=True)
class StudyProgress:
    """How far a study has come."""

    done: int
    total: int
    successes: int
    errors: int
    seconds: float
    seconds_left: float | None
    """An estimate from the runs so far; None before the first."""


@dataclass(frozen=True)
class Study:
    """What was asked, and the runs that were made, in the order of methods and seeds; `study` makes one.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> pavane.study(problem, [pavane.solvers.SOLVERS["greedy"]], num_steps=3, seeds=2).methods
        ('greedy',)
    """

    problem: Problem
    num_steps: int
    methods: tuple[str, ...]
    """How the solvers are called: by name, with the settings that are not the usual ones."""
    seeds: tuple[int, ...]
    evaluations: int | None
    """The most evaluations of a run."""
    seconds: float | None
    """The most seconds of a run."""
    runs: tuple[Trial, ...]

    def __repr__(self) -> str:
        about = f"{self.problem.collective.kind} on {self.problem.network.name} in {counted(self.num_steps, 'step')}"
        successes = sum(bool(run.is_success) for run in self.runs)
        runs, methods = counted(len(self.runs), "run"), ", ".join(self.methods)
        return f"<Study: {about} by {methods}, {successes} of {runs} succeeded>"

    @property
    def is_complete(self) -> bool:
        """Whether every run was made; an interrupt leaves some out."""
        return len(self.runs) == len(self.methods) * len(self.seeds)

    def of(self, method: str) -> tuple[Trial, ...]:
        """Return the runs of one method."""
        return tuple(run for run in self.runs if run.method == method)

    def summaries(self) -> list[Summary]:
        """Return the figures of each method."""
        return [summary(method, self.of(method)) for method in self.methods]


def study(
    problem: Problem,
    solvers: Iterable[Solver],
    *,
    num_steps: int,
    seeds: int | Iterable[int] = 20,
    evaluations: int | None = None,
    seconds: float | None = None,
    workers: int | Workers = 1,
    folder: str | Path | None = None,
    progress: Callable[[StudyProgress], None] = lambda _: None,
    note: Callable[[str], None] = lambda _: None,
) -> Study:
    """Run every solver with every seed and a budget each.

    An interrupt (Ctrl-C) ends the study and keeps what is finished; with nothing finished it is raised.

    Args:
        problem: The problem.
        solvers: The solvers, with their settings.
        num_steps: The number of steps that a run must reach to succeed.
        seeds: The seeds, or their number: 0, 1, 2 and so on.
        evaluations: A limit for each run.
        seconds: A limit for each run.
        workers: The number of processes.
        folder: Where finished runs are kept, in runs.jsonl, and not made again.
        progress: Called with how far the study has come.
        note: Called with what is worth knowing about the folder.

    Returns:
        The study with all its runs.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> found = pavane.study(problem, [pavane.solvers.SOLVERS["greedy"]], num_steps=3, seeds=2)
        >>> len(found.runs)
        2
    """
    expect(problem, Problem, "problem", "make a `pavane.Problem` of a network and a collective")
    expect(solvers, Iterable, "solvers", "list some, like [pavane.UMDA()]")
    solvers = tuple(solvers)
    for solver in solvers:
        check_solver(solver)
    chosen, listed = tuple(solvers), tuple(range(seeds) if isinstance(seeds, int) else seeds)
    limits = RunLimits(num_steps, evaluations, seconds)
    limits.refuse_nonsense()
    hired = as_workers(workers)
    _refuse_seeds(listed)
    _refuse_solvers(problem, chosen)
    methods, digest = labels(chosen), problem.digest()
    tasks = [
        RunTask(digest, method, solver, seed, limits)
        for seed in listed
        for method, solver in zip(methods, chosen, strict=True)
    ]
    with nullcontext() if folder is None else kept_runs(folder, note) as kept:
        done = _made(problem, tasks, hired, kept, progress)
    runs = {(trial.method, trial.seed): trial for trial in done.values()}
    order = [(method, seed) for method in methods for seed in listed]
    made = tuple(runs[which] for which in order if which in runs)
    return Study(problem, num_steps, tuple(methods), listed, evaluations, seconds, made)


def _made(
    problem: Problem,
    tasks: Sequence[RunTask],
    workers: Workers,
    kept: KeptLines[RunLine] | None,
    progress: Callable[[StudyProgress], None],
) -> dict[RunTask, Trial]:
    """Make the runs that are not there, and keep them; at an interrupt return those that are."""
    done = {} if kept is None else trials_of(tasks, kept.lines)
    missing = [task for task in tasks if task not in done]
    report = _Report(len(tasks), list(done.values()), progress)
    try:
        for task, trial in _trials(problem, missing, workers):
            if kept is not None and trial.error is None:
                kept.add(line_of(problem, task, trial))
            done[task] = trial
            report.tell(trial)
    except KeyboardInterrupt:
        # It may have come between a run's line in the file and our own note of it.
        done |= {} if kept is None else trials_of(tasks, kept.lines)
        if not done:
            raise
    return done


def _trials(problem: Problem, tasks: Sequence[RunTask], workers: Workers) -> Iterator[tuple[RunTask, Trial]]:
    """Yield runs as they finish; with one worker, in the order of the tasks and in this process.

    Those for a GPU come first, all seeds of a method at once; an allreduce is two problems, and makes its runs singly.
    """
    together: dict[str, list[RunTask]] = {}
    for task in tasks:
        if is_on_a_gpu(task.solver) and problem.pattern != "allreduce":
            together.setdefault(task.method, []).append(task)
    for some in together.values():
        yield from tried_together(problem, some)
    single = [task for task in tasks if task.method not in together]
    with workers.pool(len(single), problem) as pool:
        for number, trial in pool.results(tried, [(task,) for task in single], in_order=False):
            yield single[number], failed(single[number], trial.why) if isinstance(trial, WorkerLost) else trial


class _Report:
    """Tells how far a study has come, at its start and after each run."""

    def __init__(self, total: int, before: list[Trial], progress: Callable[[StudyProgress], None]) -> None:
        self.total, self.progress = total, progress
        self.done, self.fresh = len(before), 0
        self.successes, self.errors = sum(trial.is_success for trial in before), 0
        self.started = time.monotonic()
        self.tell()

    def tell(self, trial: Trial | None = None) -> None:
        """Report progress, after a run or before the first."""
        if trial is not None:
            self.done, self.fresh = self.done + 1, self.fresh + 1
            self.successes += trial.is_success
            self.errors += trial.error is not None
        elapsed = time.monotonic() - self.started
        left = elapsed / self.fresh * (self.total - self.done) if self.fresh else None
        self.progress(StudyProgress(self.done, self.total, self.successes, self.errors, elapsed, left))


def _refuse_seeds(seeds: Sequence[int]) -> None:
    if not seeds:
        raise InputError("seeds: a study needs at least one; give 1 or more")
    if len(set(seeds)) < len(seeds):
        raise InputError("seeds: one is listed twice; list each once")


def _refuse_solvers(problem: Problem, solvers: Sequence[Solver]) -> None:
    if not solvers:
        raise InputError("a study needs at least one solver; `pavane.solvers.SOLVERS` lists them")
    for number, solver in enumerate(solvers):
        if solver in solvers[:number]:
            raise InputError(f"method {solver.name} is given twice with the same settings; give it once")
        if not solver.supports(problem):
            raise InputError(f"method {solver.name} cannot work on {problem}; `pavane.solvers.SOLVERS` says which can")
