"""`pavane solve --timed --sweep`: which schedule to use for which message size; and judging the folders it writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.text import counted
from pavane.timing import read_sweep
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.outputs import is_stdout
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, headline, table_lines
from pavane.ui.cli.timed import links_of

if TYPE_CHECKING:
    from pavane.campaign.size_sweep.plans import SizePlans
    from pavane.ui.cli.solve_run import SolveRun


def solve_for_sizes(run: SolveRun) -> bool:
    """Search for the schedules of many sizes, write and print which to use where; return whether all sizes have one."""
    from pavane.campaign.size_sweep.plan_folder import write_plans
    from pavane.campaign.size_sweep.sweep import select_timed
    from pavane.campaign.size_sweep.tables import plans_figures

    sizes, output = read_sweep(run.front.sweep or "", "--sweep"), run.files.output
    _refuse_folder(output)
    # Sizes differ in their best number of pieces, so that all are tried unless some are named.
    counts = "auto" if run.request.pieces is None else run.request.piece_counts
    with run.searching(None) as options:
        plans = select_timed(run.problem, links_of(run), sizes, counts, options)
    if output is not None:
        write_plans(output, plans)
    note_end(plans.notes, plans.interrupted)
    answer(run.printing.as_json, lambda: plans_figures(plans), lambda: _lines(plans, run), None)
    return len(plans.sizes) == len(sizes)


def _refuse_folder(output: Path | None) -> None:
    """Refuse what cannot be the folder of plans, before the search."""
    if is_stdout(output):
        raise InputError("-o -: --sweep writes several files; name a folder for them")
    if output is not None and output.exists() and not output.is_dir():
        raise InputError(f"-o {output}: --sweep writes a folder, and this is a file; name another")


def _lines(plans: SizePlans, run: SolveRun) -> Iterator[str]:
    """Yield the report of a search."""
    yield from _table_lines(plans, run.request.collective)
    yield f"time        {plans.seconds:.2f} s, seed {plans.seed}"
    if run.files.output is not None:
        yield f"folder      {run.files.output}"


def _table_lines(plans: SizePlans, typed: str | None = None) -> Iterator[str]:
    """Yield the problem, a row for each size, and how many ranges there are."""
    from pavane.campaign.size_sweep.tables import plans_table
    from pavane.ui.player.timed_contents import speed_text

    yield from headline(plans.problem, typed)
    yield f"links       {speed_text(plans.links)}"
    yield from table_lines(plans_table(plans), indent=2)
    ranges, sizes = counted(len(plans.ranges), "range"), counted(len(plans.sizes), "size")
    yield f"ranges      {ranges} of {sizes}, each within {plans.tolerance:.0%} of the best of its sizes"


def show_plans(path: Path | str, as_json: bool) -> None:
    """Judge a folder of plans, and print which schedule it has for which sizes."""
    from pavane.campaign.size_sweep.plan_folder import read_plans
    from pavane.campaign.size_sweep.tables import plans_figures

    with waited_for(f"reading and judging {path}"):
        plans = read_plans(path)
    answer(as_json, lambda: plans_figures(plans), lambda: [*_table_lines(plans), "verdict     valid"])
