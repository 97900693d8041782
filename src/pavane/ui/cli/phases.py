"""The words of `pavane time --phases`: how long an application takes on a network, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from pavane.campaign.phases import TimedPhase, network_and_rules, read_phases, timed_phases
from pavane.search.options import SearchOptions
from pavane.text.table import Table
from pavane.timing import Costs, short_time_text, size_text, time_text
from pavane.ui.cli import options
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import print_json, print_report, print_table
from pavane.ui.description import network_line


def print_phases(network: str, file: Path, costs: Costs, seconds: float, as_json: bool) -> None:
    """Time a file of phases on a network and print them; without a schedule for one of them the exit code is 1."""
    on, rules = network_and_rules(network)
    phases = read_phases(file, on, rules)
    with show_progress() as on_progress:
        timed = timed_phases(phases, costs, SearchOptions(seconds=seconds, on_progress=on_progress))
    computing = sum(each.phase.computing for each in timed)
    taken = [None if each.seconds is None else each.phase.count * each.seconds for each in timed]
    total = None if None in taken else sum(each for each in taken if each is not None)
    if as_json:
        rows = [_figures(each) for each in timed]
        sums = {"computing": computing, "seconds": total}
        print_json({"network": on.name, "rules": rules.to_dict(), "costs": asdict(costs), "phases": rows, **sums})
    else:
        print_report([network_line(on), f"rules       {rules}"])
        print_table(_table(timed, taken))
        parts = f"computing {time_text(computing)}"
        parts += "" if total is None else f", {short_time_text(total - computing)} communication"
        print_report([f"total       {short_time_text(total)}: {parts}"])
    options.stop(1 if total is None else 0)


def _table(timed: Sequence[TimedPhase], taken: Sequence[float | None]) -> Table:
    rows = []
    for each, seconds in zip(timed, taken, strict=True):
        phase, result = each.phase, each.result
        searched = ["", "", "", ""]
        if result is not None:
            searched = [size_text(phase.size), f"{phase.count:,}", str(result.num_steps or "-"), result.status]
        rows.append([phase.name, *searched, short_time_text(each.seconds), short_time_text(seconds)])
    return Table.of(["phase", "bytes", "count", "steps", "status", "each", "in all"], rows, align="numbers")


def _figures(each: TimedPhase) -> dict[str, object]:
    phase, result = each.phase, each.result
    searched = {} if result is None else {"steps": result.num_steps, "status": result.status}
    return {"phase": phase.name, "bytes": phase.size, "count": phase.count, **searched, "seconds": each.seconds}
