"""The figures of plans as a table and for JSON."""

from __future__ import annotations

from typing import Any

from pavane.campaign.size_sweep.plans import PlanRange, PlanSize, SizePlans
from pavane.text.table import Column, Table
from pavane.timing import picoseconds_text, rate_text, rounded_size_text


def plans_table(plans: SizePlans) -> Table:
    """Return a row for each size: the range that it is in, the schedule, its time and bandwidths, and the baselines."""
    names = list(dict.fromkeys(rival.name for size in plans.sizes for rival in size.baselines))
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
            rivals = {rival.name: rival.finish for rival in size.baselines}
            first = range_text(part) if size is part.sizes[0] else ""
            rows.append([first, *_cells(part, size), *(rivals.get(name) for name in names)])
    return Table(columns, rows, leading=2).without_empty_columns()


def _cells(part: PlanRange, size: PlanSize) -> list[Any]:
    bound, rates = size.result.bound, size.result.bandwidths
    lowest = None if bound is None else bound.finish
    return [
        size.num_bytes,
        size.result.vector_bytes,
        part.pieces,
        part.result.provenance.solver,
        size.finish,
        lowest,
        size.finish / lowest if lowest else None,
        *((None, None) if rates is None else rates),
    ]


def plans_figures(plans: SizePlans) -> dict[str, Any]:
    """Return the figures of plans for JSON; times in picoseconds, bandwidths in bytes per second."""
    ranges = []
    for part in plans.ranges:
        sizes = []
        for size in part.sizes:
            _, vector, _, _, finish, bound, _, algorithmic, bus = _cells(part, size)
            rivals = {rival.name: {"pieces": rival.pieces, "finish_ps": rival.finish} for rival in size.baselines}
            about = {
                "bytes": size.num_bytes,
                "vector_bytes": vector,
                "finish_ps": finish,
                "bound_ps": bound,
                "best_ps": size.best,
            }
            rates = {"algorithmic_bandwidth": algorithmic, "bus_bandwidth": bus}
            sizes.append({**about, "status": size.result.status, **rates, "baselines": rivals})
        ranges.append({"pieces": part.pieces, "solver": part.result.provenance.solver, "sizes": sizes})
    return {
        "network": plans.problem.network.name,
        "collective": plans.problem.collective.kind,
        "tolerance": plans.tolerance,
        "seconds": plans.seconds,
        "interrupted": plans.interrupted,
        "ranges": ranges,
    }


def range_text(part: PlanRange) -> str:
    """Return the sizes of a range: from the first to the last."""
    first, last = (rounded_size_text(part.sizes[at].num_bytes) for at in (0, -1))
    return first if first == last else f"{first} to {last}"
