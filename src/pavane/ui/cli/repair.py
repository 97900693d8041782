"""`pavane repair`: mend a schedule for its network with a fault."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pavane.errors import InputError
from pavane.io.request import without_faults
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.notes import heed_quiet
from pavane.ui.cli.options import argument, option, seconds_option
from pavane.ui.cli.outputs import beside, refuse_output, refuse_two_on_stdout, write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import bound_line, figures, headline, pieces_lines, print_json, print_lines


def command(
    file: Annotated[Path, argument("FILE", "A schedule file.")],
    fault: options.FaultOption = None,
    seed: Annotated[int, option("--seed N", "Same seed, same answer.", min=0)] = 0,
    seconds: Annotated[float | None, seconds_option("--time", "End the search then, with what was found.")] = None,
    output: options.OutputOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Repair a schedule for a network with faults, with as few changes as possible."""
    from pavane.io import read_schedule
    from pavane.search.repair import lost_channels
    from pavane.search.repair import repair as mend

    heed_quiet(quiet)
    if not fault:
        raise InputError("no fault was named; give --fault A-B for a link, or --fault 'A>B' for one channel")
    if output is not None:
        refuse_two_on_stdout("-o", output, as_json)
        refuse_output(output)
    with waited_for(f"reading {file}"):
        claim = read_schedule(file)
    network = claim.problem.network
    lost = lost_channels(network, without_faults(network, fault))
    with waited_for(f"mending {file}"):
        mended = mend(claim.problem, claim.schedule, lost, seed=seed, seconds=seconds)
    result = mended.result
    schedule, bound = result.schedule, result.bound
    assert schedule is not None
    assert bound is not None
    if output is not None:
        write_result(output, result)
    if as_json:
        changes = {
            "steps_before": mended.steps_before,
            "transfers_before": mended.num_before,
            "kept": mended.num_kept,
            "changed": mended.num_changed,
        }
        print_json({**figures(result, output), **changes})
        return
    if quiet:
        return
    lines = [
        *headline(result.problem),
        bound_line(result.problem, bound),
        f"before      {counted(mended.steps_before, 'step')}, {counted(mended.num_before, 'transfer')}",
        f"reached     {counted(schedule.num_steps, 'step')}, {counted(len(schedule), 'transfer')}",
        *pieces_lines(result),
        f"kept        {counted(mended.num_kept, 'transfer')}, {mended.num_changed:,} changed",
        f"status      {result.status_text}",
        f"time        {result.provenance.seconds:.2f} s (seed {seed})",
    ]
    if output is not None:
        lines.append(f"file        {output}")
    with beside(output):
        print_lines(lines)
