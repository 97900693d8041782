"""Predictions and comparisons with start times: what communication takes without barriers between steps.

A transfer of m bytes over h channels takes ts + m t1 + h tr (noc eq. (1)) here as well: a start-up holds the channels
of its path (an overhead), and each hop adds a latency. Where the file of a network says latencies and bandwidths of its
channels, these count instead. Schedules of steps are timed again, and others are searched for; the earliest end counts.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow
from pavane.campaign.workload_model.prediction import PhaseTime, Prediction
from pavane.errors import InputError
from pavane.judge.timed_result import TimedResult
from pavane.model.links import PICOSECONDS, Links
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.timed import TimedProblem
from pavane.search.options import SearchOptions
from pavane.search.timed import solve_timed
from pavane.solvers.timed.retiming import without_barriers
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


def with_timed_phases(made: Prediction, options: SearchOptions = SearchOptions()) -> Prediction:
    """Return a prediction in which phases have timed schedules where these end earlier than their steps.

    The seconds of the options are shared by all phases. Phases of several groups side by side keep their steps.

    Args:
        made: The prediction.
        options: How to search.

    Returns:
        The prediction; phases with a timed schedule have its end and its bound.
    """
    links = links_of_costs(made.network, made.costs)
    places = [phase for phase in made.phases if phase.choice is not None]
    seconds = None if options.seconds is None else options.seconds / max(1, len(places))
    known: dict[tuple[str, int], TimedResult | None] = {}
    limits = replace(options, seconds=seconds)
    return replace(made, phases=tuple(_timed_phase(phase, links, limits, known) for phase in made.phases))


def _timed_phase(
    phase: PhaseTime, links: Links, options: SearchOptions, known: dict[tuple[str, int], TimedResult | None]
) -> PhaseTime:
    """Return a phase with a timed schedule, if one ends earlier than its steps."""
    choice = phase.choice
    if choice is None or choice.num_groups > 1 or phase.communication is None:
        return phase
    problem = choice.problem
    if problem.rules.combining:
        problem = replace(problem, rules=replace(problem.rules, combining=False))
    timed = TimedProblem(problem, links, max(1, ceil(choice.size)))
    key = problem.digest(), timed.num_bytes
    if key not in known:
        known[key] = solve_timed(timed, options)
        if choice.about.tco == choice.about.num_steps:
            known[key] = _earlier(known[key], TimedResult(timed, without_barriers(timed, choice.schedule)))
    found = known[key]
    if found is None or found.finish is None or found.finish / PICOSECONDS >= phase.communication:
        return phase
    bound = 0.0 if found.bound is None else found.bound.finish / PICOSECONDS
    return replace(phase, communication=found.finish / PICOSECONDS, bound=bound, timed=found)


def _earlier(found: TimedResult | None, other: TimedResult) -> TimedResult:
    """Return the result that ends first, with the bounds of the search."""
    if found is None or found.finish is None or other.finish is None:
        return other if found is None or found.finish is None else found
    return found if found.finish <= other.finish else replace(other, bounds=found.bounds)


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
