"""Timed schedules in `pavane show`: a line for each transfer, a Gantt chart, or a page that plays them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io.files import refuse_unwritable
from pavane.text.table import Table
from pavane.timing import picoseconds_text
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import headline, print_json, print_report, print_rest, print_table
from pavane.ui.cli.table_files import write_page, write_plot
from pavane.ui.cli.timed import timed_figures, timed_lines
from pavane.ui.notebook.saving import PAGES

if TYPE_CHECKING:
    from pavane.judge.timed_result import TimedResult

MOST_TRANSFERS_SHOWN = 40
"""Transfers that are printed unless a number is given."""


def show_start_times(file: str, most: int | None, output: Path | None, as_json: bool) -> None:
    """Print the transfers of a timed schedule in the order of their starts, draw them, or make a page of them."""
    from pavane.io.timed_file import read_timed

    with waited_for(f"reading and judging {file}"):
        result = read_timed(file).result()
    if output is None:
        _print(result, most, as_json)
    elif most is not None:
        raise InputError(f"--most {most}: it applies to text, and -o draws; leave it out")
    else:
        with waited_for(f"drawing {output}"):
            _draw(result, output)


def _draw(result: TimedResult, output: Path) -> None:
    """Write a Gantt chart, or the page that plays the schedule."""
    if output.suffix.lower() in PAGES:
        refuse_unwritable(output)
        write_page(output, result)
        return
    from pavane.ui.plot.gantt import plot_time_line

    write_plot(output, lambda: plot_time_line(result))


def _print(result: TimedResult, most: int | None, as_json: bool) -> None:
    """Print the figures and the first transfers."""
    assert result.schedule is not None
    records = _records(result, most or MOST_TRANSFERS_SHOWN)
    if as_json:
        print_json({**timed_figures(result), "rows": records}, indent=None)
        return
    print_report([*headline(result.timed.problem), *timed_lines(result)])
    print_table(_table(records))
    print_rest(len(result.schedule) - (most or MOST_TRANSFERS_SHOWN), "transfer")


def _records(result: TimedResult, most: int) -> list[dict[str, Any]]:
    """Return the first transfers for JSON: start, ends, message, the routers on the path, and when they end, in ps."""
    from pavane.judge.timed_case import TimedCase

    assert result.schedule is not None
    problem, network = result.timed.problem, result.timed.problem.network
    case = TimedCase(result.timed, result.schedule, 1)
    records = []
    for number in range(min(most, len(result.schedule))):
        one = result.schedule.transfer(number)
        start = int(network.router_of[one.sender]) if one.sender >= 0 else ~one.sender
        path = [network.routers[place] for place in (start, *network.heads[list(one.path)].tolist())]
        ends = {"from": path[0], "to": path[-1], "message": problem.message_name(one.messages[0]), "path": path}
        times = {"free_ps": one.start + int(case.holds[number]), "usable_ps": int(case.usable[number])}
        records.append({"start_ps": one.start, **ends, **times})
    return records


def _table(records: Sequence[dict[str, Any]]) -> Table:
    """Return transfers as a table for people."""
    rows = (
        [
            picoseconds_text(each["start_ps"]),
            *(each[key] for key in ("from", "to", "message")),
            "-".join(each["path"]),
            *(picoseconds_text(each[key]) for key in ("free_ps", "usable_ps")),
        ]
        for each in records
    )
    return Table.of(["start", "from", "to", "message", "path", "channels free", "usable"], rows)
