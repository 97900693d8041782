"""`pavane show`: a schedule or a network in words, as a picture, or as a page that plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.files import is_plan_folder, refuse_unwritable
from pavane.io.request import network_from
from pavane.model.network import Network
from pavane.model.schedule import Schedule
from pavane.networks import switches_of
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.inputs import chosen_steps, is_schedule
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.outputs import refuse_plot, write_page, write_plot, write_result, write_text
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import print_json, print_report, table_lines, violation_lines
from pavane.ui.cli.rows import RowOptions, latencies_of, listing_of
from pavane.ui.cli.run_views import is_run_file, print_runs
from pavane.ui.cli.timed_sweep import show_plans
from pavane.ui.description import figures_of, headline, lines_of, reached_text, table_of_each
from pavane.ui.notebook.saving import PAGES

if TYPE_CHECKING:
    from pavane.judge.refusal import Refusal
    from pavane.judge.result import Result


@dataclass(frozen=True)
class PictureOptions:
    """Where to draw."""

    output: Annotated[
        Path | None,
        option(
            "-o --output FILE",
            "Draw it (.svg, .png, .pdf), make a page that plays it (.html), or write the latencies (.csv).",
        ),
    ] = None


def command(
    *,
    what: Annotated[str, argument("FILE|NETWORK", "A schedule file, a network, or the runs of a study.")],
    rows: RowOptions,
    picture: PictureOptions,
    file: options.NetworkFileOptions,
    as_json: options.JsonOption = False,
) -> int:
    """Print or draw a schedule or a network, or make a page that plays a schedule."""
    flags = ("--as", "--step", "--router", "--most")
    if as_json and picture.output is not None:
        raise InputError("--json prints figures, and -o draws; leave one of them out")
    if is_run_file(what):
        if picture.output is not None:
            raise InputError(f"{what} is a file of runs, which is not drawn; leave -o out")
        print_runs(what, as_json)
    elif not file.is_given and is_plan_folder(what):
        rows.refuse(f"it applies to schedules, and {what} is a folder of plans", *flags)
        if picture.output is not None:
            raise InputError(f"-o {picture.output}: {what} is a folder of plans, which is not drawn; leave -o out")
        show_plans(what, as_json)
    elif file.is_given or not is_schedule(what):
        with waited_for(f"reading {what}"):
            found = network_from(what, file.read_as, file.nodes, file.nic)
        network = found if isinstance(found, Network) else found.network
        rows.refuse(f"it applies to schedules, and {what} is a network", *flags)
        if picture.output is None:
            _print_network(network, as_json)
        else:
            with waited_for(f"drawing {picture.output}"):
                _draw_network(network, picture.output)
    else:
        return _show_schedule(what, rows, picture.output, as_json)
    return 0


def _show_schedule(what: str, rows: RowOptions, output: Path | None, as_json: bool) -> int:
    """Print or draw a schedule file; return the exit code: 1 where it breaks rules."""
    from pavane.io import read_schedule
    from pavane.judge.refusal import Refusal

    with waited_for(f"reading and judging {what}"):
        claim = read_schedule(what)
        rows.refuse_for(claim.problem, not isinstance(claim.content, Schedule) and output is None, what)
        if isinstance(claim.content, Schedule):
            refusal = Refusal(claim.problem, claim.content, replace(claim.provenance, is_claimed=True))
            if refusal.violations:
                return _show_refusal(refusal, rows, output, as_json)
        result = claim.result()
    if output is not None:
        _draw(result, rows, output)
        return 0
    if result.table is not None and rows.form is not None:
        result = result.expanded()
    if as_json:
        print_json({**figures_of(result), **listing_of(result, rows).figures()})
        return 0
    of_each = table_of_each(result)
    listing = listing_of(result, replace(rows, form=rows.form or ("both" if result.table is None else None)))
    print_report(lines_of(result))
    print_report(() if of_each is None else table_lines(of_each, indent=2))
    print_report(listing.lines)
    return 0


def _show_refusal(refusal: Refusal, rows: RowOptions, output: Path | None, as_json: bool) -> int:
    """Print or draw a schedule that breaks rules, in which conflicts are red; return the exit code for it."""
    if rows.form not in (None, "paths"):
        raise InputError("this schedule breaks rules (`pavane verify` names them): show its paths, or draw its steps")
    listing = listing_of(refusal, rows)
    if output is not None:
        _draw(refusal, rows, output)
    if as_json:
        broken = [{key: getattr(v, key) for key in ("rule", "step", "transfer", "text")} for v in refusal.violations]
        figures = {"steps": refusal.num_steps, "transfers": len(refusal.schedule), "status": refusal.status}
        print_json({**figures, "violations": broken, **listing.figures()})
        return 1
    print_report(headline(refusal.problem))
    print_report([f"reached     {reached_text(refusal)}", f"status      {refusal.status_text}"])
    print_report(violation_lines(refusal.violations, refusal.problem.network, lists_all=False))
    print_report(() if output is not None else listing.lines)
    return 1


def _draw(result: Result | Refusal, rows: RowOptions, output: Path) -> None:
    """Write a picture of a schedule, the page that plays it, or the latencies of its pairs."""
    from pavane.judge.refusal import Refusal

    is_page, has_times = output.suffix.lower() in PAGES, result.problem.has_times
    if rows.form == "latencies" and not isinstance(result, Refusal):
        if rows.step is not None or output.suffix.lower() != ".csv":
            raise InputError("--as latencies writes the table of all pairs: give -o latencies.csv alone")
        write_text(output, latencies_of(result.expanded()).pairs.csv())
        return
    rows.refuse("it applies to text, and -o draws", "--as", "--most")
    if is_page and rows.step is not None:
        raise InputError(f"{output}: a page plays the whole schedule; leave --step out, or draw into step.svg")
    with waited_for(f"drawing {output}"):
        if is_page:
            refuse_unwritable(output)
            write_page(output, result)
            return
        refuse_plot(output)
        if has_times:
            from pavane.ui.plot.gantt import plot_time_line

            write_plot(output, lambda: plot_time_line(result))
            return
        drawn = result if isinstance(result, Refusal) else result.expanded()
        steps = chosen_steps(rows.step, drawn.num_steps or 0, unit=drawn.problem.rules.step_word)
        if isinstance(drawn, Refusal):
            from pavane.ui.plot.networks import plot_schedule

            write_plot(output, lambda: plot_schedule(drawn, steps))
        else:
            write_result(output, drawn, steps)


def _draw_network(network: Network, output: Path) -> None:
    if output.suffix.lower() in PAGES:
        raise InputError(
            f"{output}: a page plays a schedule, and {network.name} is a network; draw it (-o network.svg), "
            f"or play what `pavane solve` makes of it: pavane solve NETWORK COLLECTIVE -o {output}"
        )
    refuse_plot(output)
    write_plot(output, network.plot)


def _print_network(network: Network, as_json: bool) -> None:
    names, switches = network.routers, switches_of(network.name)
    if as_json:
        links = [[names[tail], names[head]] for tail, head in network.channels.tolist()]
        figures = {"name": network.name, "processors": network.router_of.tolist(), "channels": links}
        if network.capacities is not None:
            figures["capacities"] = network.capacities.tolist()
        if switches:
            figures["switches"] = switches
        print_json(figures, indent=None)
        return
    counts = f"{counted(network.num_routers, 'router')}, {counted(network.num_channels, 'channel')}"
    print_report([f"{network.name}: {counts}{f', switches {switches}' * bool(switches)}"])
    for router, name in enumerate(names):
        processors = _runs(network.processors_on[router]) or "none"
        heads = " ".join(_head(network, channel) for channel in network.out_channels[router])
        print_report([f"  router {name} (processors {processors}): {heads}"])


def _runs(numbers: Sequence[int]) -> str:
    """Return ascending numbers as `0-3,8,9`: three in a row or more by the first and the last."""
    parts: list[str] = []
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        members = [str(number) for _, number in run]
        parts += members if len(members) <= 2 else [f"{members[0]}-{members[-1]}"]
    return ",".join(parts)


def _head(network: Network, channel: int) -> str:
    """Return the router that a channel enters, with its capacity as a neighbour list writes it."""
    capacity = int(network.capacity[channel])
    return f"{network.routers[network.heads[channel]]}{f'x{capacity}' if capacity > 1 else ''}"
