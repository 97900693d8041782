"""Predictions as tables for people and as figures for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pavane.text import counted
from pavane.text.table import Column, Table
from pavane.timing import short_time_text as short
from pavane.timing import size_text
from pavane.ui.cli.report import network_line, print_report, print_table

if TYPE_CHECKING:
    from pavane.campaign.workload_model.prediction import PhaseTime, Prediction
    from pavane.campaign.workload_model.workload import Workload
    from pavane.timing import Costs

Simulated = tuple[float | None, ...] | None
"""The simulated seconds of each phase; None where nothing was simulated."""


def print_predictions(made: Sequence[Prediction], simulated: Sequence[Simulated], *, overlap: bool) -> None:
    """Print what each network takes, phase by phase, and all of them side by side."""
    first = made[0]
    about = f": {first.workload.about}" if first.workload.about else ""
    print_report(
        [
            f"workload    {first.workload.name}{about}",
            f"costs       start-up {short(first.costs.startup)}, {short(first.costs.per_byte)} a byte"
            + (f", {short(first.costs.per_hop)} a hop" if first.costs.per_hop else ""),
        ]
    )
    for each, replayed in zip(made, simulated, strict=True):
        print_report([""])
        print_report([network_line(each.network), f"rules       {_rules(each)}"])
        print_table(_phase_table(each, replayed))
        print_report(_totals(each, replayed, overlap=overlap))
    if len(made) > 1:
        print_report([""])
        print_table(_summary(made, simulated, overlap=overlap))


def _rules(made: Prediction) -> str:
    return str(made.rules).replace(", no combining", ", with and without combining")


def _phase_table(made: Prediction, simulated: Simulated) -> Table:
    titles = ["phase", "times", "takes", "at least", "what", "bytes", "schedule"]
    rows = []
    for index, phase in enumerate(made.phases):
        computes = not phase.collective
        least = phase.seconds if computes else phase.bound
        row = [phase.name, f"{phase.times:,}", short(phase.seconds), short(least)]
        if simulated is not None:
            row += [short(simulated[index]), _difference(phase.seconds, simulated[index])]
        row += [phase.collective or "computing", "" if computes else size_text(_rounded(phase.size)), _schedule(phase)]
        rows.append(row)
    return Table.of(titles if simulated is None else [*titles[:4], "simulated", "difference", *titles[4:]], rows)


def _rounded(size: float) -> float:
    """Round the bytes of a formula: messages have whole bytes."""
    return round(size) if size >= 1 else size


def _schedule(phase: PhaseTime) -> str:
    if not phase.collective:
        return ""
    if phase.choice is None:
        return "not found" if phase.communication is None else "nothing to send"
    if phase.timed is not None:
        pieces = phase.timed.timed.problem.collective.pieces
        return "start times" + (f", {counted(pieces, 'piece')}" if pieces > 1 else "")
    return str(phase.choice)


def _difference(predicted: float | None, simulated: float | None) -> str:
    if not predicted or simulated is None:
        return "-"
    return f"{100 * (simulated / predicted - 1):+.2f} %".replace("-0.00", "+0.00")


def _totals(made: Prediction, simulated: Simulated, *, overlap: bool) -> list[str]:
    from pavane.campaign.workload_model.prediction import bound_text

    if made.seconds is None:
        return ["total       not known: some phases have no schedule yet"]
    share = f" ({100 * made.share:.1f} % communication)" if made.share is not None else ""
    lines = [
        f"total       {short(made.seconds)}: computing {short(made.computing)}, "
        f"communication {short(made.communication)}{share}",
        f"at least    {short(made.bound)}, whatever the schedules: {bound_text(made)}",
    ]
    if made.speedup is not None:
        processors = counted(made.network.num_processors, "processor")
        lines.append(f"speed-up    {made.speedup:.4g} on {processors}: one computes for {short(made.alone)}")
    if overlap:
        lines.append(
            f"overlapped  {short(made.overlapped)} at best, if all computing ran beside all communication; a bound only"
        )
    if simulated is not None:
        total = _simulated_total(made, simulated)
        lines.append(f"simulated   {short(total)} in SimGrid, {_difference(made.seconds, total)} from the prediction")
    return lines


def _simulated_total(made: Prediction, simulated: Simulated) -> float | None:
    from pavane.execution.simulated_phases import simulated_total

    return None if simulated is None else simulated_total(made, simulated)


def _summary(made: Sequence[Prediction], simulated: Sequence[Simulated], *, overlap: bool) -> Table:
    from pavane.campaign.workload_model.prediction import bound_text

    is_simulated = simulated[0] is not None
    columns = [
        Column("network"),
        Column("processors", text="{:,}".format),
        Column("total", text=short),
        Column("communication", text=short),
        Column("share", unit="%", text=lambda share: f"{100 * share:.1f}"),
        Column("at least", text=short),
        Column("compared"),
        Column("speed-up", text="{:.4g}".format),
        *[Column("overlapped", text=short)] * overlap,
        *[Column("simulated", text=short)] * is_simulated,
    ]
    rows = [
        [
            each.network.name,
            each.network.num_processors,
            each.seconds,
            each.communication,
            each.share,
            each.bound,
            bound_text(each),
            each.speedup,
            *[each.overlapped] * overlap,
            *([_simulated_total(each, replayed)] if is_simulated else []),
        ]
        for each, replayed in zip(made, simulated, strict=True)
    ]
    return Table(columns, rows)


# -- JSON


def figures(
    about: Workload, costs: Costs, made: Sequence[Prediction], simulated: Sequence[Simulated]
) -> dict[str, Any]:
    """Return predictions for JSON; times are in seconds."""
    return {
        "workload": about.name,
        "costs": asdict(costs),
        "predictions": [_figures(each, replayed) for each, replayed in zip(made, simulated, strict=True)],
    }


def _figures(made: Prediction, simulated: Simulated) -> dict[str, Any]:
    total = {} if simulated is None else {"simulated": _simulated_total(made, simulated)}
    return {
        "network": made.network.name,
        "processors": made.network.num_processors,
        "shape": list(made.shape),
        "rules": {key: value for key, value in made.rules.to_dict().items() if key != "combining"},
        "seconds": made.seconds,
        "computing": made.computing,
        "communication": made.communication,
        "share": made.share,
        "bound": made.bound,
        "overlapped": made.overlapped,
        "one_processor": made.alone,
        "speedup": made.speedup,
        **total,
        "seed": made.seed,
        "spent": made.spent,
        "interrupted": made.interrupted,
        "remarks": list(made.notes),
        "phases": [
            _phase_figures(phase, {} if simulated is None else {"simulated": simulated[index]})
            for index, phase in enumerate(made.phases)
        ],
    }


def _phase_figures(phase: PhaseTime, simulated: dict[str, Any]) -> dict[str, Any]:
    choice = phase.choice
    about: dict[str, Any] = {
        "name": phase.name,
        "phase": phase.where,
        "times": phase.times,
        "seconds": phase.seconds,
        "computing": phase.computing,
        "communication": phase.communication,
        "bound": phase.bound,
        **simulated,
    }
    if phase.collective:
        about |= {"collective": phase.collective, "bytes": phase.size}
    if choice is not None:
        about["schedule"] = {
            "steps": choice.about.num_steps,
            "tco": choice.about.tco,
            "pieces": choice.about.pieces,
            "message_bytes": choice.size,
            "groups_side_by_side": choice.num_groups,
            "way": choice.how,
            "solver": choice.solver if phase.timed is None else phase.timed.provenance.solver,
            **({} if phase.timed is None else {"finish_ps": phase.timed.finish}),
        }
    return about
