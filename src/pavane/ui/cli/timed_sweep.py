"""`pavane solve --timed --sweep`: which schedule to use for which message size; and judging the folders it writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.model.messages import kind_title
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import picoseconds_text, read_sweep, rounded_size_text
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.outputs import is_stdout
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, headline, table_lines
from pavane.ui.cli.timed import links_of

if TYPE_CHECKING:
    from pavane.campaign.size_sweep.selector import Selector
    from pavane.campaign.size_sweep.selector_file import JudgedRange, SelectorIndex
    from pavane.ui.cli.solve_run import SolveRun


def solve_for_sizes(run: SolveRun) -> bool:
    """Search for the schedules of many sizes, write and print which to use where; return whether all sizes have one."""
    from pavane.campaign.size_sweep.selector_file import write_selector
    from pavane.campaign.size_sweep.sweep import select_timed
    from pavane.campaign.size_sweep.tables import selector_figures

    sizes, output = read_sweep(run.front.sweep or "", "--sweep"), run.files.output
    _refuse_folder(output)
    # Sizes differ in their best number of pieces, so that all are tried unless some are named.
    counts = "auto" if run.request.pieces is None else run.request.piece_counts
    with run.searching(None) as options:
        selector = select_timed(run.problem, links_of(run), sizes, counts, options)
    if output is not None:
        write_selector(output, selector)
    note_end(selector.notes, selector.interrupted)
    answer(run.printing.as_json, lambda: selector_figures(selector), lambda: _lines(selector, run), None)
    return len(selector.sizes) == len(sizes)


def _refuse_folder(output: Path | None) -> None:
    """Refuse what cannot be the folder of a selector, before the search."""
    if is_stdout(output):
        raise InputError("-o -: a selector is several files; name a folder for them")
    if output is not None and output.exists() and not output.is_dir():
        raise InputError(f"-o {output}: a selector is a folder, and this is a file; name another")


def _lines(selector: Selector, run: SolveRun) -> Iterator[str]:
    """Yield the report of a selector."""
    from pavane.campaign.size_sweep.tables import selector_table
    from pavane.ui.player.timed_contents import speed_text

    yield from headline(selector.problem, run.request.collective)
    yield f"links       {speed_text(selector.links)}"
    yield from table_lines(selector_table(selector), indent=2)
    ranges, sizes = counted(len(selector.ranges), "range"), counted(len(selector.sizes), "size")
    yield f"ranges      {ranges} of {sizes}, each within {selector.tolerance:.0%} of the best of its sizes"
    yield f"time        {selector.seconds:.2f} s, seed {selector.seed}"
    if run.files.output is not None:
        yield f"folder      {run.files.output}"


# -- judging


def verify_selector(path: Path, as_json: bool) -> int:
    """Judge a selector folder: every schedule, and its end for every size; return the exit code."""
    from pavane.campaign.size_sweep.selector_file import judge_selector

    with waited_for(f"reading and judging {path}"):
        index, judged = judge_selector(path)
    is_valid = not any(part.objection for part in judged)
    answer(as_json, lambda: _verdict_figures(index, judged, is_valid), lambda: _verdict_lines(index, judged, is_valid))
    return 0 if is_valid else 1


def _verdict_figures(index: SelectorIndex, judged: list[JudgedRange], is_valid: bool) -> dict[str, Any]:
    return {
        "valid": is_valid,
        "network": index.network,
        "collective": index.collective,
        "ranges": [
            {
                "file": part.about.file,
                "pieces": part.about.pieces,
                "sizes": [{"bytes": size.bytes, "finish_ps": size.finish} for size in part.about.sizes],
                **({"objection": part.objection} if part.objection else {}),
            }
            for part in judged
        ],
    }


def _verdict_lines(index: SelectorIndex, judged: list[JudgedRange], is_valid: bool) -> Iterator[str]:
    yield f"network     {index.network}"
    yield f"collective  {kind_title(index.collective)}"
    rows = []
    for part in judged:
        first, last = part.about.sizes[0], part.about.sizes[-1]
        ends = f"{picoseconds_text(first.finish)} to {picoseconds_text(last.finish)}"
        sizes = f"{rounded_size_text(first.bytes)} to {rounded_size_text(last.bytes)}"
        rows.append([sizes, part.about.pieces, part.about.file, ends, "invalid" if part.objection else "valid"])
    yield from table_lines(Table.of(["sizes", "pieces", "file", "ends", "verdict"], rows), indent=2)
    yield from (f"violation   {part.objection}" for part in judged if part.objection)
    yield f"verdict     {'valid' if is_valid else 'invalid'}"
