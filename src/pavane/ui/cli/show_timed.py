"""Start times in `pavane show`: a line for each transfer, a Gantt chart, or a page that plays them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io.files import refuse_unwritable
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import picoseconds_text
from pavane.ui.cli.outputs import write_page, write_plot
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import headline, print_json, print_report, print_rest, print_table, violation_lines
from pavane.ui.cli.timed import timed_figures, timed_lines
from pavane.ui.notebook.saving import PAGES

if TYPE_CHECKING:
    from pavane.io import Claim
    from pavane.judge.refusal import Refusal
    from pavane.judge.result import Result

MOST_TRANSFERS_SHOWN = 40
"""Transfers that are printed unless a number is given."""


def show_start_times(claim: Claim, most: int | None, output: Path | None, as_json: bool) -> int:
    """Print or draw a schedule, or make a page of it, and return the exit code: 1 where it breaks rules."""
    from pavane.judge.refusal import Refusal

    if output is not None and most is not None:
        raise InputError(f"--most {most}: it applies to text, and -o draws; leave it out")
    refusal = Refusal(claim.problem, claim.schedule, replace(claim.provenance, is_claimed=True))
    result = refusal if refusal.violations else claim.result()
    if output is not None:
        with waited_for(f"drawing {output}"):
            _draw(result, output)
    if isinstance(result, Refusal):
        _print_refusal(result, as_json)
        return 1
    if output is None:
        _print(result, most, as_json)
    return 0


def _print_refusal(refusal: Refusal, as_json: bool) -> None:
    """Print which rules are broken; the starts are in the picture, and in the file."""
    if as_json:
        broken = [{"rule": each.rule, "transfer": each.transfer, "text": each.text} for each in refusal.violations]
        print_json({"status": refusal.status, "transfers": len(refusal.schedule), "violations": broken})
        return
    problem = refusal.problem
    print_report(headline(problem))
    print_report([f"schedule    {counted(len(refusal.schedule), 'transfer')}, {refusal.status_text}"])
    print_report(violation_lines(refusal.violations, problem.network, lists_all=False))


def _draw(result: Result | Refusal, output: Path) -> None:
    """Write a Gantt chart, or the page that plays the schedule."""
    if output.suffix.lower() in PAGES:
        refuse_unwritable(output)
        write_page(output, result)
        return
    from pavane.ui.plot.gantt import plot_time_line

    write_plot(output, lambda: plot_time_line(result))


def _print(result: Result, most: int | None, as_json: bool) -> None:
    """Print the figures and the first transfers."""
    assert result.schedule is not None
    records = _records(result, most or MOST_TRANSFERS_SHOWN)
    if as_json:
        print_json({**timed_figures(result), "rows": records}, indent=None)
        return
    print_report([*headline(result.problem), *timed_lines(result)])
    print_table(_table(records))
    print_rest(len(result.schedule) - (most or MOST_TRANSFERS_SHOWN), "transfer")


def _records(result: Result, most: int) -> list[dict[str, Any]]:
    """Return the first transfers for JSON: start, ends, message, the routers on the path, and when they end, in ps."""
    from pavane.judge.timed_case import TimedCase

    assert result.schedule is not None
    problem, network = result.problem, result.problem.network
    case = TimedCase(result.problem, result.schedule, 1)
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
