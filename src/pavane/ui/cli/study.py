"""`pavane study`: solvers on one problem with many seeds, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.files import refuse_unwritable
from pavane.io.request import Request, refuse_times
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option, seconds_option
from pavane.ui.cli.outputs import beside, is_stdout, refuse_packed, refuse_two_on_stdout, write_text
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import headline, print_json, print_lines, table_lines
from pavane.ui.cli.signals import ended_by

if TYPE_CHECKING:
    from pavane.campaign.benchmark import Study
    from pavane.model.problem import Problem


@dataclass(frozen=True)
class StudyOptions:
    """Which solvers run, how often and for how long."""

    method: Annotated[
        list[str] | None,
        option(
            "--method NAME[:SETTINGS]",
            "A solver, with settings of its own like umda:polish=4,radius=1. May be repeated.",
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        option(
            "--set [NAME.]SETTING=VALUE", "A setting of all methods that have it, or of the named one. May be repeated."
        ),
    ] = None
    steps: Annotated[int | None, option("--steps S", "Steps to reach. [default: the best quick bound]")] = None
    seeds: Annotated[int, option("--seeds N", "Runs of each method: seeds 0 to N-1.", min=1)] = 20
    evaluations: Annotated[int | None, option("--evaluations N", "Maximum evaluations of a run.", min=1)] = None
    seconds: Annotated[float | None, seconds_option("--time", "Stop each run after this time.")] = None


@dataclass(frozen=True)
class FileOptions:
    """What to write."""

    output: Annotated[Path | None, option("-o --output FOLDER", "Store finished runs there, and resume from them.")] = (
        None
    )
    csv: Annotated[Path | None, option("--csv FILE", "Write a row per run; -: to stdout.")] = None
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False

    def refuse_unwritable(self) -> None:
        """Refuse files that cannot be written before the runs that fill them."""
        refuse_two_on_stdout("--csv", self.csv, self.as_json)
        if is_stdout(self.output):
            raise InputError("-o -: runs are stored in a folder, to resume from them; name one, or --csv - for a table")
        if self.csv is not None and not is_stdout(self.csv):
            refuse_packed(self.csv)
            refuse_unwritable(self.csv)

    def write(self, study: Study) -> None:
        """Write the table of runs, if it is requested."""
        if self.csv is not None:
            from pavane.campaign.benchmark.tables import run_table

            write_text(self.csv, run_table(study).csv())


def command(request: Request, runs: StudyOptions, pool: PoolOptions, files: FileOptions) -> None:
    """Run solvers with many seeds; report how often and how soon they succeed."""
    from pavane.campaign.benchmark.tables import as_objects

    if not runs.method:
        raise InputError("no method was named; add --method NAME, as `pavane solvers` lists them")
    made = _run(refuse_times(request.problem(), "a study"), runs, pool, files)
    for text in made.notes:
        note(text)
    files.write(made)
    if files.as_json:
        print_json(as_objects(made))
    elif not files.quiet:
        with beside(files.csv):
            print_lines(report(made, request.collective))
    errors = [run for run in made.runs if run.error is not None]
    for run in errors:
        note(f"{run.method}, seed {run.seed}: {run.error}")
    if not made.is_complete:
        hint = "the same command makes the others" if files.output is not None else "-o FOLDER would store them"
        num_runs = len(made.methods) * len(made.seeds)
        note(f"{ended_by()}: {len(made.runs)} of {num_runs} runs are finished; {hint}")
    options.stop(1 if errors or not made.is_complete else 0)


def _run(problem: Problem, runs: StudyOptions, pool: PoolOptions, files: FileOptions) -> Study:
    from pavane.bounds import counted_bounds
    from pavane.campaign.benchmark import chosen_solvers, study
    from pavane.search.options import SearchOptions

    solvers = chosen_solvers(runs.method or (), runs.settings or ())
    if runs.evaluations is not None and all(solver.supports.procedure != "search" for solver in solvers):
        raise InputError(
            f"--evaluations limits what a solver counts, and {solvers[0].name} counts nothing; leave it out"
        )
    files.refuse_unwritable()
    bound = counted_bounds(problem)[0].figure
    if runs.steps is not None and 1 <= runs.steps < bound:
        note(f"no schedule has fewer than {counted(bound, problem.rules.step_word)} here, so every run will fail")
    with pool.open(problem, len(solvers) * runs.seeds) as workers, show_progress() as on_progress:
        return study(
            problem,
            solvers,
            SearchOptions(seconds=runs.seconds, evaluations=runs.evaluations, workers=workers, on_progress=on_progress),
            num_steps=bound if runs.steps is None else runs.steps,
            seeds=runs.seeds,
            folder=files.output,
        )


def report(study: Study, typed: str | None = None) -> list[str]:
    """Return a study in words: the request, and the figures of its methods side by side."""
    from pavane.campaign.benchmark.tables import summary_table

    limits = [] if study.evaluations is None else [counted(study.evaluations, "evaluation")]
    limits += [] if study.seconds is None else [f"{study.seconds:g} seconds"]
    return [
        *headline(study.problem, typed),
        f"target      {counted(study.num_steps, study.problem.rules.step_word)}, {counted(len(study.seeds), 'seed')}",
        f"budget      {' and '.join(limits) + ' a run' if limits else 'as the solvers are set'}",
        *table_lines(summary_table(study)),
    ]
