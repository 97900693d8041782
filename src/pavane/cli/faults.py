"""`pavane faults`: what every fault of a network costs, as gecco08 Table 5 has it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pavane.cli import options
from pavane.errors import InputError
from pavane.model.collectives import kind_of
from pavane.model.problem import Problem
from pavane.words import counted

if TYPE_CHECKING:
    from pavane.studies.fault_study import FaultProgress, FaultStudy

BOTH = "both"


def faults(
    network: options.NetworkArgument,
    collectives: Annotated[
        list[str] | None,
        typer.Argument(metavar="COLLECTIVE...", help="One or several collectives, a column each.", show_default=False),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="channel|link|router|processor",
            help="What fails. [default: link, or channel where the network has one-way channels]",
        ),
    ] = None,
    double: Annotated[bool, typer.Option("--double", help="Two faults at a time.")] = False,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=1, help="Pairs of faults to draw where there are more.")
    ] = 100,
    switching: options.SwitchingOption = None,
    ports: options.PortsOption = None,
    duplex: options.DuplexOption = None,
    routing: Annotated[
        str | None,
        typer.Option(
            "--routing",
            metavar="minimal|any|both|ORDER",
            help="Shortest paths only, or any, or both in columns of their own; or an order, as for solve. "
            "[default: minimal]",
        ),
    ] = None,
    combining: options.CombiningOption = False,
    root: options.RootOption = None,
    senders: options.SendersOption = None,
    receivers: options.ReceiversOption = None,
    pairs: options.PairsOption = None,
    fault: options.FaultOption = None,
    form: options.FromOption = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Same seed, same answer.")] = 0,
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="SECONDS", help="End each re-plan then, with its best so far.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="Processes to plan with.")] = 1,
    whole: Annotated[bool, typer.Option("--all", help="List every fault; long tables group equal ones.")] = False,
    as_json: options.JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table in Markdown.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the degradation, as .svg, .pdf or .png.")
    ] = None,
) -> None:
    """Re-plan collectives for every fault of a network and tell what it costs."""
    from pavane.studies.fault_study import KINDS
    from pavane.studies.fault_study import faults as study_faults
    from pavane.studies.fault_study.table import markdown_table, summary, text_table

    if kind is not None and kind not in KINDS:
        raise InputError(f"--kind {kind!r} is not known; choose {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if as_json and markdown:
        raise InputError("--json and --markdown are two forms of one answer; choose one")
    if plot is not None:
        from pavane.plot.figures import refuse_undrawable

        refuse_undrawable(plot)
    given: dict[str, str | None] = {"root": root, "senders": senders, "receivers": receivers, "pairs": pairs}
    asked: list[str | None] = [*collectives] if collectives else [None]
    taken = _options_taken(collectives or [], given)
    problems = [
        options.problem_from(
            network,
            collective,
            switching=switching,
            ports=ports,
            duplex=duplex,
            routing="minimal" if routing == BOTH else routing,
            combining=combining,
            root=some.get("root"),
            senders=some.get("senders"),
            receivers=some.get("receivers"),
            pairs=some.get("pairs"),
            fault=fault,
            form=form,
        )
        for collective, some in zip(asked, taken, strict=True)
    ]
    first = problems[0]
    rules = [replace(first.rules, routing=way) for way in ("minimal", "any")] if routing == BOTH else [first.rules]
    with _shown_progress() as progress:
        study = study_faults(
            first.network,
            [problem.collective for problem in problems],
            rules,
            kind=kind,
            double=double,
            sample=sample,
            seed=seed,
            seconds=seconds,
            workers=workers,
            progress=progress,
        )
    if plot is not None:
        from pavane.plot.faults import plot_faults
        from pavane.plot.figures import write_figure

        write_figure(plot, plot_faults(study))
    if as_json:
        print(json.dumps(figures(study), indent=1))
    elif markdown:
        print("\n".join(markdown_table(study, whole)))
    else:
        lines = [*headline(study, problems), "", *text_table(study, whole), "", *summary(study)]
        if plot is not None:
            lines.append(f"plot        {plot}")
        print("\n".join(lines))


TAKES = {
    "OAB": ("root", "receivers"),
    "OAS": ("root", "receivers"),
    "AOG": ("root", "senders"),
    "AOR": ("root", "senders"),
    "MNB": ("senders", "receivers"),
    "MNS": ("senders", "receivers"),
    "PAIRS": ("pairs",),
}


def _options_taken(collectives: list[str], given: dict[str, str | None]) -> list[dict[str, str]]:
    """Give each collective the options that it takes; what none takes goes to the first, which refuses it."""
    asked = {option: value for option, value in given.items() if value is not None}
    if len(collectives) < 2:
        return [asked]
    taken = [{o: v for o, v in asked.items() if o in TAKES.get(kind_of(name), ())} for name in collectives]
    idle = {option: value for option, value in asked.items() if not any(option in some for some in taken)}
    taken[0] |= idle
    return taken


def headline(study: FaultStudy, problems: list[Problem]) -> list[str]:
    """Return the lines that say what was studied."""
    network = study.network
    routings = list(dict.fromkeys(column.problem.rules.routing for column in study.columns))
    rules = str(study.columns[0].problem.rules).replace(f"{routings[0]} routing", f"{' and '.join(routings)} routing")
    what = f"pairs of {study.kind}s" if study.double else f"single {study.kind}s"
    drawn = f", drawn from {study.num_possible:,} with seed {study.seed}"
    return [
        f"network     {network.name}: {counted(network.num_routers, 'router')}, "
        f"{counted(network.num_channels, 'channel')}, {counted(network.num_processors, 'processor')}",
        f"collectives {', '.join(str(problem.collective) for problem in problems)}",
        f"rules       {rules}",
        f"faults      {len(study.rows)} {what}{drawn if len(study.rows) < study.num_possible else ''}",
    ]


def figures(study: FaultStudy) -> dict[str, Any]:
    """Return a study for JSON."""

    def row(name: str, replans: Any) -> dict[str, Any]:
        cells = {
            column.title: {
                "steps": replan.steps,
                "bound": replan.bound,
                "outcome": replan.outcome,
                "degraded": study.is_degraded(replan, at),
                "same_as": replan.same_as,
                "seconds": replan.seconds,
                "solver": replan.solver or None,
            }
            for at, (column, replan) in enumerate(zip(study.columns, replans, strict=True))
        }
        return {"fault": name, "replans": cells}

    columns = [
        {
            "title": column.title,
            "collective": column.problem.collective.kind,
            "rules": column.problem.rules.to_dict(),
            "no_fault": study.no_fault.replans[at].steps,
            "worst": study.worst(at),
            "histogram": {str(steps): number for steps, number in study.histogram(at).items()},
            "impossible": study.impossible(at),
        }
        for at, column in enumerate(study.columns)
    ]
    return {
        "network": study.network.name,
        "kind": study.kind,
        "double": study.double,
        "faults": len(study.rows),
        "possible": study.num_possible,
        "seed": study.seed,
        "proven": study.is_proven,
        "columns": columns,
        "no_fault": row("no fault", study.no_fault.replans),
        "rows": [row(line.fault.name, line.replans) for line in study.rows],
    }


@contextmanager
def _shown_progress() -> Iterator[Callable[[FaultProgress], None]]:
    """Yield a callable that shows how many re-plans are done, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(now: FaultProgress) -> None:
            bar.update(task, description=f"{now.title}, {now.fault}", total=now.total, completed=now.done)

        yield show
