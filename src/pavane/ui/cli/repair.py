"""`pavane repair`: repair a schedule for its network with a fault, or change it for another problem."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.io.request import without_faults
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.outputs import refuse_output, write_result
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import answer, bound_line, figures, headline, pieces_lines, reached_text

if TYPE_CHECKING:
    from pavane.search.repair import Repair


@dataclass(frozen=True)
class Following:
    """The problem that follows, and its steps."""

    to: Annotated[
        Path | None,
        options.option("--to PROBLEM", "A problem file on the same network: what is the same keeps its step and path."),
    ] = None
    steps: Annotated[
        int | None,
        options.option("--steps N", "Steps, or slots, to begin with. [default: as many as before]"),
    ] = None


def command(
    file: options.ScheduleArgument,
    *,
    fault: options.FaultOption = None,
    following: Following,
    seed: options.SeedOption = 0,
    seconds: Annotated[
        float | None, options.seconds_option("--time", "Stop after this many seconds and return the best so far.")
    ] = None,
    output: options.OutputOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Repair a schedule for a network with faults, or for another problem, with as few changes as possible."""
    from pavane.io import read_problem, read_schedule
    from pavane.model.faults import lost_channels
    from pavane.search.repair import repair

    to, steps = following.to, following.steps
    if not fault and to is None:
        raise InputError(
            "no fault was named; give --fault A-B for a link, or --fault 'A>B' for one channel; or --to PROBLEM"
        )
    refuse_output(output, as_json)
    with waited_for(f"reading {file}"):
        claim = read_schedule(file)
    network = claim.problem.network
    lost = lost_channels(network, without_faults(network, fault or ()))
    with waited_for(f"repairing {file}"):
        task = None if to is None else read_problem(to)
        repaired = repair(claim.problem, claim.schedule, lost, to=task, num_steps=steps, seed=seed, seconds=seconds)
    if output is not None:
        write_result(output, repaired.result)
    others = {}
    if to is not None:
        others = {"moved": repaired.num_moved, "new": repaired.num_new, "removed": repaired.num_removed}

    def changes() -> dict[str, Any]:
        return {
            **figures(repaired.result, output),
            "steps_before": repaired.steps_before,
            "transfers_before": repaired.num_before,
            "kept": repaired.num_kept,
            "changed": repaired.num_changed,
            **others,
        }

    answer(as_json, changes, lambda: _lines(repaired, others, output), output)


def _lines(repaired: Repair, others: dict[str, int], output: Path | None) -> list[str]:
    """Return the report: what the repaired schedule keeps of the old one, and what changes."""
    result, bound = repaired.result, repaired.result.bound
    schedule = result.schedule
    assert schedule is not None
    assert bound is not None
    step = result.problem.rules.step_word
    changed = ", ".join(f"{count:,} {word}" for word, count in (others or {"changed": repaired.num_changed}).items())
    return [
        *headline(result.problem),
        bound_line(result.problem, bound),
        f"before      {counted(repaired.steps_before, step)}, {counted(repaired.num_before, 'transfer')}",
        f"reached     {reached_text(schedule, result.problem)}, {counted(len(schedule), 'transfer')}",
        *pieces_lines(result),
        f"kept        {counted(repaired.num_kept, 'transfer')}, {changed}",
        f"status      {result.status_text}",
        f"time        {result.provenance.seconds:.2f} s (seed {result.provenance.seed})",
        *([] if output is None else [f"file        {output}"]),
    ]
