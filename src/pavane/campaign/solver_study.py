"""A study: solvers on one problem with many seeds, each run within the same limits, and their success rates.

More workers change the time, not the runs. Finished runs are stored in a file, if one is named, and not made again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.campaign.methods import labels, solver_of
from pavane.campaign.runs import RunLine, RunRequest, make_runs, runs_table
from pavane.campaign.summaries import Summary, summary
from pavane.errors import InputError, expect
from pavane.model.problem import Problem
from pavane.search.options import SearchOptions, check_solver
from pavane.solvers import Solver
from pavane.text import counted
from pavane.text.table import Column, Table

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
    runs: tuple[RunLine, ...]
    notes: tuple[str, ...] = ()
    """Problems with the file of runs, a line each."""

    def __repr__(self) -> str:
        about = f"{self.problem.collective.title} on {self.problem.network.name} in {counted(self.num_steps, 'step')}"
        successes = sum(run.is_success for run in self.runs)
        runs, methods = counted(len(self.runs), "run"), ", ".join(self.methods)
        return f"<Study: {about} by {methods}, {successes} of {runs} succeeded>"

    @property
    def num_missing(self) -> int:
        """Return how many runs an interrupt left out."""
        return len(self.methods) * len(self.seeds) - len(self.runs)

    def summaries(self) -> list[Summary]:
        """Return the figures of each method."""
        return [summary(method, [run for run in self.runs if run.method == method]) for method in self.methods]

    def table(self) -> Table:
        """Return a row for each method: success rate, and evaluations and seconds until success."""
        columns = [
            Column("method"),
            *(Column(title, align="right") for title in ("runs", "successes")),
            Column("rate", align="right", text="{:.0%}".format),
            Column("95 %", align="right"),
            Column("evaluations", align="right", text=_number),
            Column("ERT", align="right", text=_number),
            Column("time", "seconds", "right", text="{:.2f} s".format),
            Column("conflicts", align="right", text=_number),
            Column("errors", align="right", text=lambda value: str(value or "-")),
        ]
        rows = [
            [
                *(each.method, each.runs, each.successes, each.rate, _interval(each)),
                *(each.evaluations, each.expected_evaluations, each.seconds, each.conflicts, each.errors or None),
            ]
            for each in self.summaries()
        ]
        return Table(columns, rows).without_empty_columns()

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a table of pandas with a row for each run.

        Returns:
            A data frame with the columns of a run.

        Example:
            >>> problem = pavane.Problem("ring:4", "alltoall")
            >>> pavane.study(problem, ["greedy"], num_steps=3, seeds=2).to_dataframe()["seed"].tolist()
            [0, 1]
        """
        return runs_table(self.runs).dataframe()

    def plot(self) -> Figure:
        """Draw the share of runs that succeeded over their lengths with matplotlib.

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
    file: str | Path | None = None,
) -> Study:
    """Run every solver with every seed, each within the same limits.

    An interrupt (Ctrl-C) ends the study: it has the finished runs; with none the interrupt is raised.

    Args:
        problem: The problem.
        solvers: The solvers with their settings, or their names, like "umda" or "umda:polish=4".
        options: The limits of each run, the workers, and the callback for progress.
        num_steps: The number of steps that a run must reach to succeed.
        seeds: The seeds, or their number: 0, 1, 2 and so on.
        file: A file of runs (JSON lines), to which finished runs are added; they are not made again.

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
    chosen = tuple(solver_of(each) if isinstance(each, str) else each for each in solvers)
    for solver in chosen:
        check_solver(solver)
    seeds = tuple(range(seeds) if isinstance(seeds, int) else seeds)
    if num_steps < 1:
        raise InputError(f"steps {num_steps}: a schedule has at least one step; give 1 or more")
    _refuse_seeds(seeds)
    _refuse_solvers(problem, chosen)
    methods = labels(chosen)
    made = {
        (method, seed): RunRequest(f"{method}, seed {seed}", problem, solver, method, seed, num_steps)
        for seed in seeds
        for method, solver in zip(methods, chosen, strict=True)
    }
    table = make_runs(list(made.values()), options, None if file is None else Path(file))
    runs = {key: table.runs[number] for number, key in enumerate(made) if number in table.runs}
    ordered = tuple(runs[method, seed] for method in methods for seed in seeds if (method, seed) in runs)
    return Study(problem, num_steps, tuple(methods), seeds, ordered, table.notes)


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


def _interval(summary: Summary) -> str | None:
    if summary.interval is None:
        return None
    lower, upper = summary.interval
    return f"{100 * lower:.0f} to {100 * upper:.0f} %"


def _number(value: Any) -> str:
    if math.isinf(value):
        return "infinite"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
