"""Reports on stdout: lines, tables and JSON, wrapped to the terminal; the report of a result; broken rules."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text.table import Table
from pavane.text.wrapping import wrap
from pavane.ui.cli.notes import is_quiet, notes_said
from pavane.ui.cli.outputs import beside
from pavane.ui.description import with_router_names

if TYPE_CHECKING:
    from pavane.bounds.fractional import FractionalBound
    from pavane.judge.violation import Violation

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


def most_of_a_rule(lists_all: bool) -> int:
    """Return how many violations of a rule the judge lists: each rule has its first ones first."""
    return MOST_LISTED if lists_all else MOST_SHOWN + 1


def violation_lines(violations: Sequence[Violation], network: Network, *, lists_all: bool) -> Iterator[str]:
    """Yield a line for each of the first violations, whose consequences most others are, or for all."""
    for violation in violations if lists_all else violations[:MOST_SHOWN]:
        yield f"violation   {violation.rule}: {with_router_names(network, violation.text)}"
    if len(violations) > MOST_SHOWN and not lists_all:
        yield "            more follow; `pavane verify --all` lists them"


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
