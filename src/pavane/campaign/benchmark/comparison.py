"""A study: solvers on one problem with many seeds, each run within the same limits.

More workers change the time, not the runs. Finished runs are stored in a folder, if one is named, and not made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.campaign.benchmark.methods import chosen_solvers, labels
from pavane.campaign.benchmark.summaries import Summary, summary
from pavane.campaign.benchmark.trial import (
    FILE,
    RunLimits,
    RunLine,
    RunTask,
    Trial,
    failed,
    line_of,
    run_trial,
)
from pavane.errors import InputError, expect
from pavane.model.problem import Problem
from pavane.parallel.campaign import Campaign
from pavane.parallel.finished_lines import FinishedLines
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import WorkerLost
from pavane.search.options import SearchOptions, check_solver
from pavane.solvers import Solver
from pavane.text import counted

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Study:
    """The runs of some solvers on a problem, in the order of methods and seeds; `study` makes one.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> pavane.study(problem, ["greedy"], num_steps=3, seeds=2).methods
        ('greedy',)
    """

    problem: Problem
    num_steps: int
    methods: tuple[str, ...]
    """The solvers by name, with the settings that differ from the defaults."""
    seeds: tuple[int, ...]
    evaluations: int | None
    """The most evaluations of a run."""
    seconds: float | None
    """The most seconds of a run."""
    runs: tuple[Trial, ...]
    notes: tuple[str, ...] = ()
    """Problems with the folder, a line each."""

    def __repr__(self) -> str:
        about = f"{self.problem.collective.title} on {self.problem.network.name} in {counted(self.num_steps, 'step')}"
        successes = sum(bool(run.is_success) for run in self.runs)
        runs, methods = counted(len(self.runs), "run"), ", ".join(self.methods)
        return f"<Study: {about} by {methods}, {successes} of {runs} succeeded>"

    @property
    def is_complete(self) -> bool:
        """Whether every run was made; after an interrupt some are missing."""
        return len(self.runs) == len(self.methods) * len(self.seeds)

    def of(self, method: str) -> tuple[Trial, ...]:
        """Return the runs of one method."""
        return tuple(run for run in self.runs if run.method == method)

    def summaries(self) -> list[Summary]:
        """Return the figures of each method."""
        return [summary(method, self.of(method)) for method in self.methods]

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a table of pandas with a row for each run.

        Returns:
            A data frame with the columns that `pavane study --csv` writes.

        Example:
            >>> problem = pavane.Problem("ring:4", "alltoall")
            >>> pavane.study(problem, ["greedy"], num_steps=3, seeds=2).to_dataframe()["seed"].tolist()
            [0, 1]
        """
        import pavane

        return pavane.notebook.study_dataframe(self)

    def plot(self) -> Figure:
        """Draw success rates and the effort until success with matplotlib.

        Returns:
            The figure, which a notebook shows.

        Example:
            >>> problem = pavane.Problem("ring:4", "alltoall")
            >>> figure = pavane.study(problem, ["greedy"], num_steps=3, seeds=2).plot()
        """
        import pavane

        return pavane.notebook.plot_study(self)

    def _repr_html_(self) -> str:
        import pavane

        return pavane.notebook.study_view(self)


def study(
    problem: Problem,
    solvers: Iterable[Solver | str],
    options: SearchOptions = SearchOptions(),
    *,
    num_steps: int,
    seeds: int | Iterable[int] = 20,
    folder: str | Path | None = None,
) -> Study:
    """Run every solver with every seed, each within the same limits.

    An interrupt (Ctrl-C) ends the study: it has the finished runs; with none the interrupt is raised.

    Args:
        problem: The problem.
        solvers: The solvers with their settings, or their names, like "umda" or "umda:polish=4".
        options: The limits of each run, the workers, and the callback for progress.
        num_steps: The number of steps that a run must reach to succeed.
        seeds: The seeds, or their number: 0, 1, 2 and so on.
        folder: A folder where finished runs are stored, in runs.jsonl; they are not made again.

    Returns:
        The study with all its runs.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "alltoall")
        >>> len(pavane.study(problem, ["greedy"], num_steps=3, seeds=2).runs)
        2
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    expect(options, SearchOptions, "options", "make them like `pavane.SearchOptions(seconds=60)`")
    if isinstance(solvers, str):
        raise InputError(f"`solvers` is {solvers!r}; list some, like [{solvers!r}]")
    expect(solvers, Iterable, "solvers", "list some, like ['umda', pavane.solvers.HGSA()]")
    chosen = tuple(chosen_solvers([each])[0] if isinstance(each, str) else each for each in solvers)
    for solver in chosen:
        check_solver(solver)
    seeds = tuple(range(seeds) if isinstance(seeds, int) else seeds)
    limits = RunLimits(num_steps, options.evaluations, options.seconds)
    _refuse_seeds(seeds)
    _refuse_solvers(problem, chosen)
    methods, digest = labels(chosen), problem.digest()
    tasks = [
        RunTask(digest, method, solver, seed, limits)
        for seed in seeds
        for method, solver in zip(methods, chosen, strict=True)
    ]
    notes: list[str] = []
    path = None if folder is None else Path(folder) / FILE
    with FinishedLines(path, RunLine, "run", notes.append) as file:
        trials = _collect_trials(problem, tasks, options, file)
    order = [(method, seed) for method in methods for seed in seeds]
    runs = tuple(trials[key] for key in order if key in trials)
    return Study(problem, num_steps, tuple(methods), seeds, options.evaluations, options.seconds, runs, tuple(notes))


def _collect_trials(
    problem: Problem, tasks: Sequence[RunTask], options: SearchOptions, file: FinishedLines[RunLine]
) -> dict[tuple[str, int], Trial]:
    """Make the runs that are not in the file, and add them; return all, by method and seed."""
    stored = {line.key: line for line in file.lines}

    def record(task: RunTask, trial: Trial) -> None:
        if trial.error is None:
            file.add(line_of(problem, task, trial))

    campaign = Campaign[RunTask, Trial](
        len(tasks),
        lambda task: f"{task.method}, seed {task.seed}",
        options.on_progress,
        known={task: stored[task.key].trial(task.method) for task in tasks if task.key in stored},
        outcome=lambda trial: "failed" if trial.error is not None else "succeeded" if trial.is_success else "",
    )
    campaign.report("starting")
    missing = [task for task in tasks if task not in campaign.results]
    campaign.collect(_run_all(problem, missing, as_workers(options.workers)), record)
    return {(task.method, task.seed): trial for task, trial in campaign.results.items()}


def _run_all(problem: Problem, tasks: Sequence[RunTask], workers: Workers) -> Iterator[tuple[RunTask, Trial]]:
    """Yield runs as they finish; with one worker, in the order of the tasks and in this process."""
    with workers.pool(len(tasks), problem) as pool:
        for number, trial in pool.results(run_trial, [(task,) for task in tasks], in_order=False):
            yield tasks[number], failed(tasks[number], trial.why) if isinstance(trial, WorkerLost) else trial


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
        if why := solver.supports.why_not(problem):
            raise InputError(f"method {solver.name} cannot work on {problem}: {why}; leave it out")
