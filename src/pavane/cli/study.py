"""`pavane study`: solvers on one problem with many seeds, side by side."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.cli import options
from pavane.cli.solve import headline
from pavane.errors import InputError
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.studies.trials import Study, StudyProgress


def study(
    network: options.NetworkArgument,
    collective: options.CollectiveArgument = None,
    switching: options.SwitchingOption = None,
    ports: options.PortsOption = None,
    duplex: options.DuplexOption = None,
    routing: options.RoutingOption = None,
    combining: options.CombiningOption = False,
    root: options.RootOption = None,
    senders: options.SendersOption = None,
    receivers: options.ReceiversOption = None,
    pairs: options.PairsOption = None,
    fault: options.FaultOption = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME[:SETTINGS]",
            help="A solver, with settings of its own like umda:polish=4,radius=1. May be repeated.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="[NAME.]SETTING=VALUE",
            help="A setting of all methods that have it, or of the named one. May be repeated.",
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", metavar="S", help="Steps to ask for. [default: the best quick bound]")
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", min=1, help="Runs of each method: seeds 0 to N-1.")
    ] = 20,
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", metavar="N", min=1, help="End a run after so many.")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--time", metavar="SECONDS", help="End a run then.")] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes to run on.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Keep finished runs there, and go on from them."),
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a row per run.")] = None,
    as_json: options.JsonOption = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw a picture: .svg, .png or .pdf.")
    ] = None,
) -> None:
    """Run solvers with many seeds; say how often and how soon they succeed."""
    from pavane.bounds import lower_bounds
    from pavane.formats.files import refuse_unwritable, replacing
    from pavane.studies.trials import chosen_solvers
    from pavane.studies.trials import study as made
    from pavane.studies.trials.tables import as_csv, as_objects

    if collective is not None and collective.strip().lower() == "allreduce":
        raise InputError("a study is of one problem, and an allreduce is two; study reduce-scatter or allgather")
    if not method:
        raise InputError("no method was named; add --method NAME, as `pavane solvers` lists them")
    problem = options.problem_from(
        network,
        collective,
        switching=switching,
        ports=ports,
        duplex=duplex,
        routing=routing,
        combining=combining,
        root=root,
        senders=senders,
        receivers=receivers,
        pairs=pairs,
        fault=fault,
    )
    solvers = chosen_solvers(method, settings or ())
    if plot is not None:
        from pavane.plot.figures import refuse_undrawable

        refuse_undrawable(plot)
    if csv is not None:
        refuse_unwritable(csv)
    bound = lower_bounds(problem)[0].steps
    if steps is not None and 1 <= steps < bound:
        _note(f"no schedule has fewer than {counted(bound, 'step')} here, so every run will fail")
    with _shown_runs() as progress:
        found = made(
            problem,
            solvers,
            num_steps=bound if steps is None else steps,
            seeds=seeds,
            evaluations=evaluations,
            seconds=seconds,
            workers=workers,
            folder=output,
            progress=progress,
            note=_note,
        )
    if csv is not None:
        with replacing(csv) as file:
            file.write(as_csv(found).encode())
    if plot is not None:
        from pavane.plot.figures import write_figure
        from pavane.plot.studies import plot_study

        write_figure(plot, plot_study(found))
    if as_json:
        print(json.dumps(as_objects(found), indent=1))
    else:
        for line in report(found):
            print(line)
    errors = [run for run in found.runs if run.error is not None]
    for run in errors:
        _note(f"{run.method}, seed {run.seed}: {run.error}")
    if not found.is_complete:
        hint = "the same command makes the others" if output is not None else "-o FOLDER would keep them"
        _note(f"interrupted: {len(found.runs)} of {len(solvers) * seeds} runs are finished; {hint}")
    options.stop(1 if errors or not found.is_complete else 0)


def report(study: Study) -> list[str]:
    """Return a study in words: what was asked, and the figures of its methods side by side."""
    from pavane.formats.notation import aligned
    from pavane.studies.trials.tables import rows

    limits = [] if study.evaluations is None else [counted(study.evaluations, "evaluation")]
    limits += [] if study.seconds is None else [f"{study.seconds:g} seconds"]
    return [
        *headline(study.problem),
        f"asked       {counted(study.num_steps, 'step')}, {counted(len(study.seeds), 'seed')}",
        f"budget      {' and '.join(limits) + ' a run' if limits else 'as the solvers are set'}",
        *aligned(rows(study)),
    ]


@contextmanager
def _shown_runs() -> Iterator[Callable[[StudyProgress], None]]:
    """Yield a callable that shows how far a study has come; nothing is shown where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, left="")

        def show(now: StudyProgress) -> None:
            errors = f", {counted(now.errors, 'error')}" if now.errors else ""
            words = "success" if now.successes == 1 else "successes"
            bar.update(
                task,
                description=f"{now.done} of {now.total} runs, {now.successes} {words}{errors}",
                total=now.total,
                completed=now.done,
                left="" if now.seconds_left is None else f"{now.seconds_left:.0f} s left",
            )

        yield show


def _note(text: str) -> None:
    print(f"pavane: note: {text}", file=sys.stderr)
