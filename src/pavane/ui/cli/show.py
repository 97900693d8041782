"""`pavane show`: a schedule or a network in words, as a picture, or as a page that plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pavane.errors import InputError
from pavane.io.files import is_plan_folder, refuse_unwritable
from pavane.io.request import network_from
from pavane.model.network import Network
from pavane.model.schedule import Schedule
from pavane.networks import switches_of
from pavane.text import counted
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.inputs import chosen_steps, is_schedule
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.outputs import refuse_plot, write_page, write_plot, write_result, write_text
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import (
    headline,
    overlap_lines,
    piece_figures,
    pieces_lines,
    print_json,
    print_report,
    print_table,
    reached_text,
    slot_lines,
    violation_lines,
)
from pavane.ui.cli.run_views import is_run_file, print_runs
from pavane.ui.cli.several import print_several, step_lines_of_several
from pavane.ui.cli.show_table import TableOptions, show_rows
from pavane.ui.cli.show_timed import show_start_times
from pavane.ui.cli.timed_sweep import show_plans
from pavane.ui.notebook.saving import PAGES

if TYPE_CHECKING:
    from pavane.judge.refusal import Refusal
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.model.slot_latencies import SlotFigures

MOST_ROWS = 64
"""The destination table is printed by default up to this many processors."""

FORMS = ("paths", "table", "both", "programs", "latencies")


@dataclass(frozen=True)
class TextOptions:
    """What to print of a schedule."""

    form: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="|".join(FORMS),
            help="Path notation, destination table, both, a program per processor, or (tdm) latency and bandwidth of "
            "each pair. [default: both]",
        ),
    ] = None
    step: Annotated[int | None, option("--step N", "Print or draw one step only, counted from 1.")] = None

    def steps_of(self, result: Result) -> range:
        """Return the selected steps, counted from 0."""
        return chosen_steps(self.step, result.num_steps or 0, unit=result.problem.rules.step_word)

    def refuse(self, why: str, *, step: bool = True) -> None:
        """Refuse these options where they have no effect."""
        for flag, value in (("--as", self.form), ("--step", self.step if step else None)):
            if value is not None:
                raise InputError(f"{flag} {value}: {why}; leave it out")


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
    text: TextOptions,
    of_table: TableOptions,
    picture: PictureOptions,
    file: options.NetworkFileOptions,
    as_json: options.JsonOption = False,
) -> int:
    """Print or draw a schedule or a network, or make a page that plays a schedule."""
    if text.form is not None and text.form not in FORMS:
        raise InputError(f"--as {text.form!r} is not known; choose {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    if as_json and picture.output is not None:
        raise InputError("--json prints figures, and -o draws; leave one of them out")
    if is_run_file(what):
        if picture.output is not None:
            raise InputError(f"{what} is a file of runs, which is not drawn; leave -o out")
        print_runs(what, as_json)
    elif not file.is_given and is_plan_folder(what):
        text.refuse(f"it applies to schedules of steps, and {what} is a folder of plans")
        of_table.refuse()
        if picture.output is not None:
            raise InputError(f"-o {picture.output}: {what} is a folder of plans, which is not drawn; leave -o out")
        show_plans(what, as_json)
    elif file.is_given or not is_schedule(what):
        with waited_for(f"reading {what}"):
            found = network_from(what, file.read_as, file.nodes, file.nic)
        network = found if isinstance(found, Network) else found.network
        text.refuse(f"it applies to schedules, and {what} is a network")
        if picture.output is None:
            _print_network(network, as_json)
        else:
            with waited_for(f"drawing {picture.output}"):
                _draw_network(network, picture.output)
    else:
        return _show_schedule(what, text, of_table, picture, as_json)
    return 0


def _show_schedule(what: str, text: TextOptions, of_table: TableOptions, picture: PictureOptions, as_json: bool) -> int:
    """Print or draw a schedule file, or a table file."""
    from pavane.io import read_schedule
    from pavane.judge.refusal import Refusal

    with waited_for(f"reading and judging {what}"):
        claim = read_schedule(what)
        if claim.problem.has_times:
            text.refuse(f"it applies to schedules of steps, and {what} has start times")
            of_table.refuse_router()
            return show_start_times(claim, of_table.most, picture.output, as_json)
        if claim.problem.has_several:
            text.refuse(f"it applies to schedules of one collective, and {what} has several", step=False)
        if isinstance(claim.content, Schedule):
            refusal = Refusal(claim.problem, claim.content, replace(claim.provenance, is_claimed=True))
            if refusal.violations:
                return _show_refusal(refusal, text, picture, as_json)
        result = claim.result()
    if result.table is not None and text.form is None and picture.output is None:
        show_rows(result, text.step, of_table, as_json)
        return 0
    of_table.refuse()
    if picture.output is None or picture.output.suffix.lower() not in PAGES:  # the player writes out what it plays
        result = result.expanded()
    if picture.output is None:
        if result.problem.has_several:
            print_several(result, text.step, as_json)
        else:
            _print_schedule(result, text, as_json)
    elif text.form == "latencies":
        if text.step is not None or picture.output.suffix.lower() != ".csv":
            raise InputError("--as latencies writes the table of all pairs: give -o latencies.csv alone")
        write_text(picture.output, _slot_figures(result).pairs.csv())
    else:
        text.refuse("it applies to text, and -o draws", step=False)
        with waited_for(f"drawing {picture.output}"):
            _draw(result, text, picture.output)
    return 0


def _show_refusal(refusal: Refusal, text: TextOptions, picture: PictureOptions, as_json: bool) -> int:
    """Print or draw a schedule that breaks rules, in which conflicts are red; return the exit code for it."""
    from pavane.io.notation import path_lines
    from pavane.ui.plot.networks import plot_schedule

    problem, schedule, output = refusal.problem, refusal.schedule, picture.output
    steps = chosen_steps(text.step, schedule.num_steps, unit=problem.rules.step_word)
    if text.form not in (None, "paths"):
        raise InputError("this schedule breaks rules (`pavane verify` names them): show its paths, or draw its steps")
    if output is not None:
        with waited_for(f"drawing {output}"):
            if output.suffix.lower() in PAGES:
                refuse_unwritable(output)
                write_page(output, refusal)
            else:
                refuse_plot(output)
                write_plot(output, lambda: plot_schedule(refusal, steps))
    broken = [{"rule": each.rule, "step": each.step, "text": each.text} for each in refusal.violations]
    if problem.has_several:
        paths, lines = {}, step_lines_of_several(problem, schedule, steps)
    else:
        paths = {str(number): line.split(", ") for number, line in path_lines(problem, schedule, steps)}
        lines = (f"{number:>6}  {line}" for number, line in path_lines(problem, schedule, steps, by_number=True))
    if as_json:
        print_json({"steps": schedule.num_steps, "status": refusal.status, "violations": broken, "paths": paths})
        return 1
    print_report(headline(problem))
    print_report([f"schedule    {counted(schedule.num_steps, problem.rules.step_word)}, {refusal.status_text}"])
    print_report(violation_lines(refusal.violations, problem.network, lists_all=False))
    if output is None:
        print_report(lines)
    return 1


def _print_schedule(result: Result, text: TextOptions, as_json: bool) -> None:
    from pavane.io.notation import path_lines
    from pavane.io.result_texts import bound_figures, phase_figures

    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    steps = text.steps_of(result)
    if text.form == "latencies":
        _print_latencies(result, text, as_json)
        return
    if as_json:
        text.refuse("--json prints paths", step=False)
        paths = {str(number): line.split(", ") for number, line in path_lines(problem, schedule, steps)}
        known = {
            "status": result.status,
            "status_text": result.status_text,
            "optimal": result.optimal,
            "bounds": bound_figures(result),
        }
        about = {**piece_figures(result), **phase_figures(problem, schedule)}
        print_json({"steps": schedule.num_steps, **about, **known, "paths": paths})
        return
    print_report(headline(problem))
    figures = f"{reached_text(schedule, problem)}, {counted(len(schedule), 'transfer')}"
    print_report([f"schedule    {figures}, {result.status_text}", *pieces_lines(result)])
    print_report([*overlap_lines(problem, schedule), *slot_lines(result)])
    if text.form == "programs":
        _print_programs(problem, schedule, steps)
        return
    if text.form != "table":
        print_report(f"{number:>6}  {line}" for number, line in path_lines(problem, schedule, steps, by_number=True))
    if text.form != "paths":
        _tell_destinations(problem, schedule, text)


def _print_latencies(result: Result, text: TextOptions, as_json: bool) -> None:
    """Print latency and bandwidth of each pair, and the figures of the whole table of slots."""
    if text.step is not None:
        raise InputError(f"--step {text.step}: a latency is about the whole table; leave it out")
    figures = _slot_figures(result)
    if as_json:
        print_json({**figures.to_dict(), "pairs": figures.pairs.records()}, indent=None)
        return
    print_report([*headline(result.problem), *slot_lines(result)])
    print_table(figures.pairs)


def _slot_figures(result: Result) -> SlotFigures:
    from pavane.model.slot_latencies import slot_figures

    assert result.schedule is not None
    if not result.problem.rules.has_slots:
        raise InputError("--as latencies is about tables of slots (tdm); this schedule has steps, so leave it out")
    return slot_figures(result.problem, result.schedule)


def _print_programs(problem: Problem, schedule: Schedule, steps: range) -> None:
    from pavane.io.notation import program_lines

    network = problem.network
    for location, program in program_lines(problem, schedule, steps):
        number = int(location[1:])
        router = int(network.router_of[number]) if location.startswith("p") else number
        print_report([f"  {location}" if network.is_numbered else f"  {location} (router {network.routers[router]})"])
        print_report(f"    {line}" for line in program)


def _tell_destinations(problem: Problem, schedule: Schedule, text: TextOptions) -> None:
    """Print the destination table, unless it is large and not selected."""
    from pavane.io.notation import destination_table, processor_text

    if text.form in (None, "both"):
        if problem.network.num_processors > MOST_ROWS:
            print_report([f"(the destination table is left out above {MOST_ROWS} processors; --as table prints it)"])
            return
        print_report([""])
    titles, *rows = destination_table(problem, schedule)
    shown = range(1, len(titles)) if text.step is None else (text.step,)
    table = ([processor_text(problem.network, int(row[0])), *(row[step] for step in shown)] for row in rows)
    print_table(Table.of([titles[0], *(titles[step] for step in shown)], table))
    if problem.pattern == "allreduce":
        print_report(["+p: processor p adds what comes to its sum; p: it takes the place of its sum"])


def _draw(result: Result, text: TextOptions, output: Path) -> None:
    """Write a picture of a schedule, or the page that plays it."""
    steps = text.steps_of(result)
    if output.suffix.lower() in PAGES:
        if text.step is not None:
            raise InputError(f"{output}: a page plays the whole schedule; leave --step out, or draw into step.svg")
        write_result(output, result)
        return
    refuse_plot(output)
    write_result(output, result, steps)


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
