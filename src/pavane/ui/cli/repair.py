"""`pavane repair`: repair a schedule for its network with a fault."""

from __future__ import annotations

from typing import Annotated, Any

from pavane.errors import InputError
from pavane.io.request import without_faults
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.outputs import refuse_output, write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, bound_line, figures, headline, pieces_lines, reached_text


def command(
    file: options.ScheduleArgument,
    fault: options.FaultOption = None,
    seed: options.SeedOption = 0,
    seconds: Annotated[
        float | None, options.seconds_option("--time", "Stop after this many seconds and return the best so far.")
    ] = None,
    output: options.OutputOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Repair a schedule for a network with faults, with as few changes as possible."""
    from pavane.io import read_schedule
    from pavane.search.repair import lost_channels, repair

    if not fault:
        raise InputError("no fault was named; give --fault A-B for a link, or --fault 'A>B' for one channel")
    refuse_output(output, as_json)
    with waited_for(f"reading {file}"):
        claim = read_schedule(file)
    network = claim.problem.network
    lost = lost_channels(network, without_faults(network, fault))
    with waited_for(f"repairing {file}"):
        repaired = repair(claim.problem, claim.schedule, lost, seed=seed, seconds=seconds)
    result = repaired.result
    if output is not None:
        write_result(output, result)

    def changes() -> dict[str, Any]:
        return {
            **figures(result, output),
            "steps_before": repaired.steps_before,
            "transfers_before": repaired.num_before,
            "kept": repaired.num_kept,
            "changed": repaired.num_changed,
        }

    def lines() -> list[str]:
        schedule, bound, step = result.schedule, result.bound, result.problem.rules.step_word
        assert schedule is not None
        assert bound is not None
        return [
            *headline(result.problem),
            bound_line(result.problem, bound),
            f"before      {counted(repaired.steps_before, step)}, {counted(repaired.num_before, 'transfer')}",
            f"reached     {reached_text(schedule, result.problem)}, {counted(len(schedule), 'transfer')}",
            *pieces_lines(result),
            f"kept        {counted(repaired.num_kept, 'transfer')}, {repaired.num_changed:,} changed",
            f"status      {result.status_text}",
            f"time        {result.provenance.seconds:.2f} s (seed {seed})",
            *([] if output is None else [f"file        {output}"]),
        ]

    answer(as_json, changes, lines, output)
