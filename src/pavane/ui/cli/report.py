"""Reports: the problem, the figures and the schedule of a result, as lines of text and as values for JSON."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.model.messages import PATTERN_OF
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted
from pavane.text.table import Table
from pavane.text.wrapping import wrap
from pavane.ui.cli.notes import is_quiet, notes_said
from pavane.ui.cli.outputs import beside

if TYPE_CHECKING:
    from fractions import Fraction

    from pavane.bounds.fractional import FractionalBound
    from pavane.io.router_rows import RouterRow
    from pavane.judge.result import Result
    from pavane.judge.violation import Violation
    from pavane.model.bound import Bound
    from pavane.model.mesh_table import AnyTable
    from pavane.model.messages import Collective
    from pavane.model.schedule import Schedule

MOST_TRANSFERS_PRINTED = 200
"""Schedules of at most this many transfers are printed without --print."""

MOST_SHOWN = 5
"""Violations that `verify` lists unless --all is given."""

MOST_LISTED = 1_000_000
"""Violations of one rule that --all lists."""

LEAST_WIDTH = 20
"""A terminal that reports a smaller width is taken to have this one."""


def terminal_width() -> int | None:
    """Return the width of the terminal to which data are printed; None where they go elsewhere."""
    if not sys.stdout.isatty():
        return None
    with suppress(OSError, ValueError):  # an object in place of stdout may have no file number
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
        if columns:
            return max(LEAST_WIDTH, columns)
    return max(LEAST_WIDTH, shutil.get_terminal_size().columns)


def print_lines(lines: Iterable[str]) -> None:
    """Print data to stdout, line by line; only a terminal gets long lines wrapped."""
    width = terminal_width()
    for line in lines:
        for part in (line,) if width is None else wrap(line, width):
            print(part)


def print_report(lines: Iterable[str]) -> None:
    """Print a report, as `print_lines` does, unless -q is given."""
    if not is_quiet():
        print_lines(lines)


def table_lines(table: Table, indent: int = 0) -> Iterator[str]:
    """Return the lines of a table that fits the terminal."""
    return table.lines(terminal_width(), indent=indent)


def print_table(table: Table) -> None:
    """Print a table as a report, or a part of one."""
    print_report(table_lines(table))


def print_rest(number: int, noun: str, hint: str = "--most prints more") -> None:
    """Print how many more there are than a report lists, if any."""
    if number > 0:
        print_report([f"  and {counted(number, f'more {noun}')}; {hint}"])


def print_json(figures: Any, indent: int | None = 1) -> None:
    """Print data to stdout as JSON; an object has the notes of files, if any, as `notes`."""
    notes = {"notes": notes_said()} if isinstance(figures, dict) and notes_said() else {}
    print(json.dumps({**figures, **notes} if notes else figures, indent=indent))


def answer(
    as_json: bool,
    figures: Callable[[], dict[str, Any]],
    lines: Callable[[], Iterable[str]],
    output: Path | None = None,
) -> None:
    """Print figures as JSON, or the lines of a report; to stderr if stdout has the output file."""
    with beside(output):
        if as_json:
            print_json(figures())
        else:
            print_report(lines())


def headline(problem: Problem, typed: str | None = None) -> list[str]:
    """Return the lines that describe the problem, with the collective as the user has typed it."""
    what = f"collectives {problem.title}"
    if not problem.has_several:
        what = f"collective  {collective_text(problem.collective, typed)}"
    return [
        network_line(problem.network),
        f"{what}: {messages_text(problem)}",
        f"rules       {problem.rules}",
    ]


def collective_text(collective: Collective, typed: str | None = None) -> str:
    """Return a collective in words, with the name that was typed, as bcast, and that of the papers."""
    text, kind = str(collective), collective.kind
    if typed is None or typed.strip().upper() in PATTERN_OF:
        return text
    return f"{typed.strip().lower().replace('_', '-')} ({kind}){text.removeprefix(collective.title)}"


def messages_text(problem: Problem) -> str:
    """Return the number of messages and, if any has several pieces, of pieces."""
    if not problem.has_pieces:
        return counted(problem.num_messages, "message")
    return f"{counted(problem.num_whole_messages, 'message')} in {counted(problem.num_messages, 'piece')}"


def network_line(network: Network) -> str:
    """Return the line that describes the network."""
    return (
        f"network     {network.name}: {counted(network.num_routers, 'router')}, "
        f"{counted(network.num_channels, 'channel')}, {counted(network.num_processors, 'processor')}"
    )


def bound_line(problem: Problem, bound: Bound) -> str:
    """Return the line with a lower bound on the steps, or on the TCO, and its argument."""
    from pavane.io.result_texts import explain_bound
    from pavane.judge.verdict import figure_text

    why = with_router_names(problem.network, explain_bound(problem, bound))
    return f"bound       {figure_text(bound, problem)} ({bound.argument}): {why}"


def most_of_a_rule(lists_all: bool) -> int:
    """Return how many violations of a rule the judge lists: each rule has its first ones first."""
    return MOST_LISTED if lists_all else MOST_SHOWN + 1


def violation_lines(violations: Sequence[Violation], network: Network, *, lists_all: bool) -> Iterator[str]:
    """Yield a line for each of the first violations, whose consequences most others are, or for all."""
    for violation in violations if lists_all else violations[:MOST_SHOWN]:
        yield f"violation   {violation.rule}: {with_router_names(network, violation.text)}"
    if len(violations) > MOST_SHOWN and not lists_all:
        yield "            more follow; `pavane verify --all` lists them"


def with_router_names(network: Network, text: str) -> str:
    """Return a text with the name of its router beside the number of each processor, where routers have names."""
    if network.is_numbered:
        return text

    def both(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= network.num_processors:  # a schedule file may name any
            return match[0]
        return f"{match[0]} (router {network.routers[network.router_of[number]]})"

    return re.sub(r"\bprocessor (\d+)\b", both, text)


def pieces_lines(result: Result) -> list[str]:
    """Return the line with the message times of a result with pieces; no line if messages are whole."""
    from pavane.io.result_texts import pieces_text

    problem = result.problem
    return [] if problem.has_several or problem.collective.is_plain else [f"pieces      {pieces_text(result)}"]


def phases_lines(result: Result) -> list[str]:
    """Return the line with the steps of the phases of an allreduce; no line for other collectives."""
    from pavane.io.result_texts import phases_text

    has_phases = result.problem.pattern == "allreduce" and result.schedule is not None
    return [f"phases      {phases_text(result)}"] if has_phases else []


def overlap_lines(problem: Problem, schedule: Schedule) -> list[str]:
    """Return the line with the lengths of the phases of an allreduce; no line for other collectives."""
    from pavane.io.result_texts import overlap_text

    return [f"phases      {overlap_text(problem, schedule)}"] if problem.pattern == "allreduce" else []


def table_lines_of(result: Result) -> list[str]:
    """Return the lines with the size of a table and with what it proves; no line for schedules written out."""
    from pavane.io.result_texts import symmetry_text, table_text

    if result.table is None:
        return []
    return [f"table       {table_text(result)}", f"proof       {symmetry_text(result)}"]


def slot_lines(result: Result) -> list[str]:
    """Return the line with latency, use and table size of a tdm schedule; no line under other switching."""
    if result.schedule is None or not result.problem.rules.has_slots:
        return []
    from pavane.model.slot_latencies import slot_figures

    return [f"slots       {slot_figures(result.problem, result.schedule)}"]


def fractional_line(problem: Problem, fractional: FractionalBound | None) -> str:
    """Return the line with the bound for every number of pieces, and its argument."""
    from pavane.io.result_texts import explain_bound, times_text

    if fractional is None:
        return "fractional  no bound is known that holds for every number of pieces"
    times, bound = times_text(problem, fractional.per_message), fractional.bound
    whole = replace(problem, collectives=(replace(problem.collective, pieces=1),))
    if not problem.rules.combining:
        why = with_router_names(problem.network, explain_bound(whole, bound))
        return f"fractional  {times} with any number of pieces ({bound.argument}): {why}"
    # Under combining occupancy takes the time of a byte, and start-ups are counted separately.
    return f"fractional  a TCO of {times} with any number of pieces ({bound.argument})"


def reached_text(schedule: Schedule | AnyTable, problem: Problem) -> str:
    """Return the figures of a schedule: its steps, under combining its TCO, and under tdm whether it repeats."""
    rules = problem.rules
    steps = counted(schedule.num_steps, rules.step_word)
    period = " (the period)" if rules.repeats else ""
    if not rules.combining or not hasattr(schedule, "tco"):
        return f"{steps}{period}"
    return f"{steps}, TCO {schedule.tco:,}"


def result_lines(
    result: Result,
    output: Path | None,
    typed: str | None = None,
    *,
    is_printed: bool = False,
    start: dict[str, int] | None = None,
) -> list[str]:
    """Return the report of a result, with the schedule if it is requested, or short and in no file."""
    return [*report_lines(result, output, typed, start), *_schedule_part(result, output, is_printed=is_printed)]


def answer_with_result(
    result: Result,
    output: Path | None,
    typed: str | None,
    *,
    as_json: bool,
    is_printed: bool,
    start: dict[str, int] | None = None,
) -> None:
    """Print the report of a result, or its figures as JSON; --print shows the schedule under -q as well.

    `start` counts what is kept of the schedule from which it was made.
    """
    lines = partial(result_lines, result, output, typed, is_printed=is_printed, start=start)
    more = {} if start is None else {"start": start}
    answer(as_json, lambda: {**figures(result, output), **more}, lines, output)
    if is_quiet() and is_printed and result.num_steps is not None:
        with beside(output):
            print_lines(schedule_lines(result) if result.table is None else table_rows(result))


def report_lines(
    result: Result, output: Path | None, typed: str | None = None, start: dict[str, int] | None = None
) -> list[str]:
    """Return the report of a result without its schedule, and the file of that."""
    schedule = result.table if result.schedule is None else result.schedule
    about, step = result.provenance, result.problem.rules.step_word
    lines = headline(result.problem, typed)
    lines += [
        bound_line(result.problem, bound) for bound in (result.bound, result.occupancy_bound) if bound is not None
    ]
    limit = "" if result.requested_steps is None else f" in {counted(result.requested_steps, step)}"
    reached = f"no schedule{limit}" if schedule is None else reached_text(schedule, result.problem)
    if start is not None:
        kept = ", ".join(f"{start[name]:,} {name}" for name in ("kept", "moved", "new", "removed"))
        lines.append(f"start       {counted(start['steps'], step)}, {counted(start['transfers'], 'transfer')}: {kept}")
    lines += [
        f"reached     {reached}",
        *pieces_lines(result),
        *phases_lines(result),
        *slot_lines(result),
        *table_lines_of(result),
        f"status      {result.status_text}",
        f"time        {about.seconds:.2f} s (solver {about.solver}, seed {about.seed})",
    ]
    return lines if schedule is None or output is None else [*lines, f"file        {output}"]


def _schedule_part(result: Result, output: Path | None, *, is_printed: bool) -> Iterator[str]:
    """Yield the schedule under its title, or how to see it."""
    schedule = result.schedule
    if result.table is not None:
        yield from _table_part(result, output, is_printed=is_printed)
    if schedule is None:
        return
    if is_printed or (output is None and len(schedule) <= MOST_TRANSFERS_PRINTED):
        yield "schedule"
        yield from schedule_lines(result)
    else:
        writing = "" if output is not None else ", -o FILE writes them"
        yield f"schedule    {counted(len(schedule), 'transfer')}: --print shows them{writing}"


def _table_part(result: Result, output: Path | None, *, is_printed: bool) -> Iterator[str]:
    """Yield the rows of router 0 under their title, or how to see them."""
    assert result.table is not None
    if is_printed or (output is None and result.table.num_processors <= MOST_TRANSFERS_PRINTED):
        yield "rows        of router 0"
        yield from table_rows(result)
    else:
        writing = "" if output is not None else "-o FILE writes them, and "
        yield f"rows        {writing}`pavane show` prints those of any router"


def table_rows(result: Result) -> list[str]:
    """Return the rows of router 0 by its table."""
    from pavane.io.router_rows import rows_of_router

    assert result.table is not None
    return row_lines(result, rows_of_router(result.problem, result.table, 0))


def row_lines(result: Result, rows: Sequence[RouterRow]) -> list[str]:
    """Return rows of a router: step, ends, message and path."""
    network = result.problem.network
    cells = [
        [
            row.step + 1,
            *(network.routers[network.router_of[end]] for end in (row.sender, row.receiver)),
            row.message,
            row.path,
        ]
        for row in rows
    ]
    titles = [result.problem.rules.step_word, "from", "to", "message", "path"]
    return list(table_lines(Table.of(titles, cells), indent=2))


def schedule_lines(result: Result) -> Iterator[str]:
    """Yield the steps of a schedule in the papers' notation."""
    from pavane.io.notation import path_lines

    assert result.schedule is not None
    width = len(str(result.schedule.num_steps))
    for step, text in path_lines(result.problem, result.schedule, by_number=True):
        yield f"{step:>{width + 2}}  {text}"


def piece_figures(result: Result) -> dict[str, Any]:
    """Return the figures that only pieces, sizes and capacities have, for JSON; fractions as text."""
    from pavane.io.result_texts import fractional_times

    problem = result.problem
    if problem.is_plain or problem.has_several:
        return {}
    return {
        "pieces": problem.collective.pieces,
        "pieces_in_all": problem.num_messages,
        "message_times": fraction_text(result.per_message),
        "fractional": fraction_text(fractional_times(result)),
    }


def fraction_text(value: Fraction | None) -> str | None:
    """Return a fraction as JSON has it: 7/6, or 2."""
    return None if value is None else str(value)


def figures(result: Result, output: Path | None = None) -> dict[str, Any]:
    """Return the figures of a result, for JSON."""
    from pavane.io.result_texts import bound_apart, bound_figures, phase_figures, table_figures

    problem, schedule = result.problem, result.schedule
    is_sum = problem.pattern == "allreduce"
    return {
        "network": problem.network.name,
        "collective": problem.collective.kind,
        "rules": problem.rules.to_dict(),
        "messages": problem.num_whole_messages if problem.has_pieces else problem.num_messages,
        **piece_figures(result),
        **phase_figures(problem, schedule),
        **({"bound_of_phases": bound_apart(problem)} if is_sum and result.table is None else {}),
        "bounds": bound_figures(result),
        "bound": result.bound.figure if result.bound else None,
        "steps": result.num_steps,
        "asked": result.requested_steps,
        "status": result.status,
        "status_text": result.status_text,
        "optimal": list(result.optimal),
        **({} if result.table is None else table_figures(result)),
        "transfers": None if schedule is None else len(schedule),
        "tco": None if schedule is None else schedule.tco,
        "solver": result.provenance.solver,
        "seed": result.provenance.seed,
        "seconds": result.provenance.seconds,
        "file": None if output is None or result.num_steps is None else str(output),
    }
