"""Comparisons with start times: what communication takes without barriers between steps.

A transfer of m bytes over h channels takes ts + m t1 + h tr (noc eq. (1)) here as well: a start-up holds the channels
of its path (an overhead), and each hop adds a latency. Where the file of a network says latencies and bandwidths of its
channels, these count instead. Schedules of steps are timed again, and others are searched for; the earliest end counts.
"""

from __future__ import annotations

from dataclasses import replace

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow
from pavane.errors import InputError
from pavane.model.links import PICOSECONDS, Links
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.timed import TimedProblem
from pavane.search.options import SearchOptions
from pavane.search.timed import solve_timed
from pavane.timing import Costs


def links_of_costs(network: Network, costs: Costs) -> Links:
    """Return links of which a transfer takes as long as the linear model says; what a file says comes first."""
    if not costs.per_byte:
        raise InputError("start times need a bandwidth; give a time per byte above 0")
    return Links.of_network(
        network,
        latency_ps=round(costs.per_hop * PICOSECONDS),
        overhead_ps=round(costs.startup * PICOSECONDS),
        bytes_per_second=max(1, round(1 / costs.per_byte)),
    )


def with_timed_cells(found: Comparison, options: SearchOptions = SearchOptions()) -> Comparison:
    """Return a comparison whose times are those of timed schedules, where these end earlier than steps.

    The seconds of the options are shared by all collectives, networks and sizes.

    Args:
        found: The comparison, with costs and sizes.
        options: How to search.

    Returns:
        The comparison; its cells have the end of a timed schedule for each size.
    """
    if found.costs is None:
        raise InputError("start times need `costs` and `message_bytes`; give both")
    count = len(found.rows) * len(found.collectives) * len(found.message_bytes)
    share = replace(options, seconds=None if options.seconds is None else options.seconds / max(1, count))
    return replace(found, rows=tuple(_timed_row(row, found, share) for row in found.rows))


def _timed_row(row: ComparisonRow, found: Comparison, options: SearchOptions) -> ComparisonRow:
    assert found.costs is not None
    links = links_of_costs(row.network, found.costs)
    cells: list[Cell] = []
    for kind, cell in zip(found.collectives, row.cells, strict=True):
        problem = Problem(row.network, kind, row.rules)
        ends = {}
        for size in found.message_bytes:
            result = solve_timed(TimedProblem(problem, links, size), options)
            if result.finish is not None:
                ends[size] = result.finish / PICOSECONDS
        cells.append(replace(cell, timed=ends))
    return replace(row, cells=tuple(cells))
