"""The report of a result: its description, its file, and its transfers where they are few or wanted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.text import counted
from pavane.ui.cli.notes import is_quiet
from pavane.ui.cli.outputs import beside
from pavane.ui.cli.report import answer, print_lines, table_lines
from pavane.ui.cli.rows import all_rows
from pavane.ui.description import figures_of, lines_of, table_of_each

if TYPE_CHECKING:
    from pavane.judge.result import Result

MOST_TRANSFERS_PRINTED = 200
"""Schedules of at most this many transfers are printed without --print."""


def result_lines(
    result: Result,
    output: Path | None,
    typed: str | None = None,
    *,
    is_printed: bool = False,
    start: dict[str, int] | None = None,
) -> Iterator[str]:
    """Yield the report of a result: what is kept of the schedule it starts from, its file, and short ones in full."""
    schedule, step = result.table or result.schedule, result.problem.rules.step_word
    yield from lines_of(result, typed)
    if start is not None:
        kept = ", ".join(f"{start[name]:,} {name}" for name in ("kept", "moved", "new", "removed"))
        yield f"start       {counted(start['steps'], step)}, {counted(start['transfers'], 'transfer')}: {kept}"
    if schedule is None:
        return
    if output is not None:
        yield f"file        {output}"
    of_each = table_of_each(result)
    if of_each is not None:
        yield from table_lines(of_each, indent=2)
    yield from _transfer_lines(result, output, is_printed)


def _transfer_lines(result: Result, output: Path | None, is_printed: bool) -> Iterator[str]:
    """Yield the transfers, or the rows of router 0 of a table, or how to see them."""
    count = result.table.num_processors if result.table is not None else len(result.schedule or ())
    has_long_steps = result.problem.has_times or result.problem.has_several
    if is_printed or (output is None and count <= MOST_TRANSFERS_PRINTED and not has_long_steps):
        if result.table is None:
            yield "schedule"
        yield from all_rows(result)
    elif result.table is not None:
        yield f"rows        {'-o FILE writes them, and ' * (output is None)}`pavane show` prints those of any router"
    else:
        writing = "" if output is not None else ", -o FILE writes them"
        yield f"schedule    {counted(count, 'transfer')}: --print shows them{writing}"


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
    more = {} if start is None else {"start": start}
    lines = partial(result_lines, result, output, typed, is_printed=is_printed, start=start)
    answer(as_json, lambda: {**figures_of(result, output), **more}, lines, output)
    if is_quiet() and is_printed and result.figure is not None:
        with beside(output):
            print_lines(all_rows(result))
