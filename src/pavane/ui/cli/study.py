"""`pavane study`: solvers on one problem with many seeds, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.notes import heed_quiet, note
from pavane.ui.cli.outputs import beside, is_stdout, refuse_packed, refuse_two_on_stdout, write_bytes
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
        typer.Option(
            "--method",
            metavar="NAME[:SETTINGS]",
            help="A solver, with settings of its own like umda:polish=4,radius=1. May be repeated.",
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="[NAME.]SETTING=VALUE",
            help="A setting of all methods that have it, or of the named one. May be repeated.",
        ),
    ] = None
    device: options.DeviceOption = "cpu"
    steps: Annotated[
        int | None, typer.Option("--steps", metavar="S", help="Steps to ask for. [default: the best quick bound]")
    ] = None
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Runs of each method: seeds 0 to N-1.")] = 20
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", metavar="N", min=1, help="End a run after so many.")
    ] = None
    seconds: Annotated[float | None, options.seconds_option("--time", "End a run then.")] = None


@dataclass(frozen=True)
class FileOptions:
    """What to write."""

    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Keep finished runs there, and go on from them."),
    ] = None
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a row per run; -: to stdout.")] = None
    as_json: options.JsonOption = False
    quiet: options.QuietOption = False
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw a picture: .svg, .png or .pdf.")] = (
        None
    )

    def refuse_unwritable(self) -> None:
        """Refuse files that cannot be written before the runs that fill them."""
        if self.plot is not None:
            from pavane.ui.plot.figures import refuse_undrawable

            refuse_undrawable(self.plot)
        refuse_two_on_stdout("--csv", self.csv, self.as_json)
        if is_stdout(self.output):
            raise InputError("-o -: runs are kept in a folder, to go on from them; name one, or --csv - for a table")
        if self.csv is not None and not is_stdout(self.csv):
            from pavane.io.files import refuse_unwritable

            refuse_packed(self.csv)
            refuse_unwritable(self.csv)

    def write(self, study: Study) -> None:
        """Write the table of runs and the picture, where they are asked for."""
        if self.csv is not None:
            from pavane.campaign.benchmark.tables import run_table

            table = run_table(study).csv().encode()
            if is_stdout(self.csv):
                write_bytes(table)
            else:
                from pavane.io.files import replacing

                with replacing(self.csv) as file:
                    file.write(table)
        if self.plot is not None:
            from pavane.ui.plot.figures import write_figure
            from pavane.ui.plot.studies import plot_study

            write_figure(self.plot, plot_study(study))


def command(request: Request, asked: StudyOptions, pool: PoolOptions, files: FileOptions) -> None:
    """Run solvers with many seeds; report how often and how soon they succeed."""
    from pavane.campaign.benchmark.tables import as_objects

    heed_quiet(files.quiet)
    if not asked.method:
        raise InputError("no method was named; add --method NAME, as `pavane solvers` lists them")
    made = _run(request.problem(), asked, pool, files)
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
        hint = "the same command makes the others" if files.output is not None else "-o FOLDER would keep them"
        runs = len(made.methods) * len(made.seeds)
        note(f"{ended_by()}: {len(made.runs)} of {runs} runs are finished; {hint}")
    options.stop(1 if errors or not made.is_complete else 0)


def _run(problem: Problem, asked: StudyOptions, pool: PoolOptions, files: FileOptions) -> Study:
    from pavane.bounds import counted_bounds
    from pavane.campaign.benchmark import chosen_solvers, study
    from pavane.search.options import SearchOptions
    from pavane.solvers import UNCOUNTED
    from pavane.ui.cli.solvers import on_device

    solvers = [on_device(solver, asked.device) for solver in chosen_solvers(asked.method or (), asked.settings or ())]
    if asked.evaluations is not None and all(solver.name in UNCOUNTED for solver in solvers):
        raise InputError(
            f"--evaluations limits what a solver counts, and {solvers[0].name} counts nothing; leave it out"
        )
    files.refuse_unwritable()
    bound = counted_bounds(problem)[0].steps
    if asked.steps is not None and 1 <= asked.steps < bound:
        note(f"no schedule has fewer than {counted(bound, 'step')} here, so every run will fail")
    with pool.open(problem, len(solvers) * asked.seeds) as workers, show_progress() as on_progress:
        return study(
            problem,
            solvers,
            SearchOptions(
                seconds=asked.seconds, evaluations=asked.evaluations, workers=workers, on_progress=on_progress
            ),
            num_steps=bound if asked.steps is None else asked.steps,
            seeds=asked.seeds,
            folder=files.output,
        )


def report(study: Study, typed: str | None = None) -> list[str]:
    """Return a study in words: the request, and the figures of its methods side by side."""
    from pavane.campaign.benchmark.tables import summary_table

    limits = [] if study.evaluations is None else [counted(study.evaluations, "evaluation")]
    limits += [] if study.seconds is None else [f"{study.seconds:g} seconds"]
    return [
        *headline(study.problem, typed),
        f"asked       {counted(study.num_steps, 'step')}, {counted(len(study.seeds), 'seed')}",
        f"budget      {' and '.join(limits) + ' a run' if limits else 'as the solvers are set'}",
        *table_lines(summary_table(study)),
    ]
