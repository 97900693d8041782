"""Timed schedules in `pavane show`: a line for each transfer, a Gantt chart, or a page that plays them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError, InvalidSchedule
from pavane.io.files import refuse_unwritable
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import headline, print_json, print_report, print_rest, print_table
from pavane.ui.cli.table_files import refuse_plot, write_page, write_plot
from pavane.ui.cli.timed import timed_figures, timed_lines
from pavane.ui.notebook.saving import PAGES

if TYPE_CHECKING:
    from pavane.judge.timed_result import TimedResult

MOST_TRANSFERS_SHOWN = 40
"""Transfers that are printed unless a number is given."""


def show_start_times(file: str, most: int | None, plot: str | None, output: Path | None, as_json: bool) -> None:
    """Print the transfers of a timed schedule in the order of their starts, draw them, or make a page of them."""
    from pavane.io.timed_file import read_timed

    if plot not in (None, "gantt"):
        raise InputError(f"--plot {plot} draws steps, and {file} has start times; choose gantt")
    with waited_for(f"reading and judging {file}"):
        result = read_timed(file).result()
    if output is None:
        _print(result, most, as_json)
    elif most is not None:
        raise InputError(f"--most {most}: it applies to text, and -o draws; leave it out")
    else:
        with waited_for(f"drawing {output}"):
            _draw(result, plot, output)


def draw_curves(folder: str, plot: str | None, output: Path | None) -> None:
    """Draw when the schedules of a selector end over message sizes, once they are judged."""
    from pavane.campaign.size_sweep.selector_file import judge_selector
    from pavane.ui.plot.size_curves import plot_size_curves

    if output is None or plot is not None or output.suffix.lower() in PAGES:
        raise InputError(f"{folder} is a selector: `show` draws its curves (-o curves.svg), and `verify` judges it")
    refuse_plot(output)
    with waited_for(f"reading and judging {folder}"):
        index, judged = judge_selector(folder)
    for part in judged:
        if part.objection:
            raise InvalidSchedule(part.objection)
    write_plot(output, lambda: plot_size_curves(index))


def _draw(result: TimedResult, plot: str | None, output: Path) -> None:
    """Write a Gantt chart, or the page that plays the schedule."""
    if output.suffix.lower() in PAGES:
        if plot is not None:
            raise InputError(f"{output}: a page plays the whole schedule; leave --plot out, or draw into {plot}.svg")
        refuse_unwritable(output)
        write_page(output, result)
        return
    from pavane.ui.plot.gantt import plot_time_line

    write_plot(output, lambda: plot_time_line(result))


def _print(result: TimedResult, most: int | None, as_json: bool) -> None:
    """Print the figures and the first transfers."""
    from pavane.ui.player.timed_texts import transfer_records, transfer_table

    assert result.schedule is not None
    records = transfer_records(result.timed, result.schedule, most or MOST_TRANSFERS_SHOWN)
    if as_json:
        print_json({**timed_figures(result), "rows": records}, indent=None)
        return
    print_report([*headline(result.timed.problem), *timed_lines(result)])
    print_table(transfer_table(records))
    print_rest(len(result.schedule) - (most or MOST_TRANSFERS_SHOWN), "transfer")
