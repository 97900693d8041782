"""`pavane solve --timed --sweep`: which schedule to use for which message size; and judging the folders it writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.text import counted
from pavane.text.table import Column, Table
from pavane.timing import picoseconds_text, rate_text, read_sweep, rounded_size_text
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.outputs import is_stdout
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, table_lines
from pavane.ui.cli.timed import links_of
from pavane.ui.description import headline

if TYPE_CHECKING:
    from pavane.campaign.size_sweep.sweep import PlanRange, SizePlans
    from pavane.ui.cli.solve_run import SolveRun


def solve_for_sizes(run: SolveRun) -> bool:
    """Search for the schedules of many sizes, write and print which to use where; return whether all sizes have one."""
    from pavane.campaign.size_sweep.plan_folder import write_plans
    from pavane.campaign.size_sweep.sweep import select_timed

    sizes, output = read_sweep(run.front.sweep or "", "--sweep"), run.files.output
    _refuse_folder(output)
    # Sizes differ in their best number of pieces, so that all are tried unless some are named.
    counts = "auto" if run.request.pieces is None else run.request.piece_counts
    with run.searching(None) as options:
        plans = select_timed(run.problem, links_of(run), sizes, counts, options)
    if output is not None:
        write_plans(output, plans)
    note_end(plans.notes, plans.interrupted)
    answer(run.printing.as_json, lambda: _figures(plans), lambda: _lines(plans, run), None)
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
    from pavane.campaign.size_sweep.sweep import TOLERANCE
    from pavane.ui.description import speed_text

    yield from headline(plans.problem, typed)
    yield f"links       {speed_text(plans.links)}"
    yield from table_lines(_table(plans), indent=2)
    ranges, sizes = counted(len(plans.ranges), "range"), counted(len(plans.sizes), "size")
    yield f"ranges      {ranges} of {sizes}, each within {TOLERANCE:.0%} of the best of its sizes"


def _table(plans: SizePlans) -> Table:
    """Return a row for each size: the range that it is in, the schedule, its time and bandwidths, and the baselines."""
    names = list(dict.fromkeys(name for size in plans.sizes for name in size.baselines))
    columns = [
        Column("sizes"),
        Column("bytes", align="numbers", text=rounded_size_text),
        Column("vector", align="numbers", text=rounded_size_text),
        Column("pieces", align="right"),
        Column("schedule"),
        Column("time", align="numbers", text=picoseconds_text),
        Column("bound", align="numbers", text=picoseconds_text),
        Column("above", align="right", text="{:.3f}".format),
        Column("algbw", align="numbers", text=rate_text),
        Column("busbw", align="numbers", text=rate_text),
        *(Column(name, align="numbers", text=picoseconds_text) for name in names),
    ]
    rows = []
    for part in plans.ranges:
        for size in part.sizes:
            result, bound = size.result, size.result.bound
            rows.append(
                [
                    _range_text(part) if size is part.sizes[0] else "",
                    *(size.num_bytes, result.vector_bytes, part.pieces, part.result.provenance.solver, size.finish),
                    *((None, None) if bound is None else (bound.figure, size.finish / bound.figure)),
                    *(result.bandwidths or (None, None)),
                    *(size.baselines.get(name) for name in names),
                ]
            )
    return Table(columns, rows, leading=2).without_empty_columns()


def _range_text(part: PlanRange) -> str:
    first, last = (rounded_size_text(part.sizes[at].num_bytes) for at in (0, -1))
    return first if first == last else f"{first} to {last}"


def _figures(plans: SizePlans) -> dict[str, Any]:
    """Return the figures of plans for JSON; times in picoseconds, bandwidths in bytes per second."""
    ranges = []
    for part in plans.ranges:
        sizes = []
        for size in part.sizes:
            result = size.result
            algorithmic, bus = result.bandwidths or (None, None)
            about = {
                "bytes": size.num_bytes,
                "vector_bytes": result.vector_bytes,
                "finish_ps": size.finish,
                "bound_ps": result.bound and result.bound.figure,
                "status": result.status,
            }
            rates = {"algorithmic_bandwidth": algorithmic, "bus_bandwidth": bus}
            sizes.append({**about, **rates, "baselines_ps": dict(size.baselines)})
        ranges.append({"pieces": part.pieces, "solver": part.result.provenance.solver, "sizes": sizes})
    return {
        "network": plans.problem.network.name,
        "collective": plans.problem.collective.kind,
        "seconds": plans.seconds,
        "interrupted": plans.interrupted,
        "ranges": ranges,
    }


def show_plans(path: Path | str, as_json: bool) -> None:
    """Judge a folder of plans, and print which schedule it has for which sizes."""
    from pavane.campaign.size_sweep.plan_folder import read_plans

    with waited_for(f"reading and judging {path}"):
        plans = read_plans(path)
    answer(as_json, lambda: _figures(plans), lambda: [*_table_lines(plans), "verdict     valid"])
