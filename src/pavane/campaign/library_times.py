"""Times of schedules beside those of the algorithms that NCCL runs, by one clock and without barriers.

A schedule of steps is timed again, each transfer as soon as its data and channels allow, and so are a ring, a tree or
direct messages, each in its best number of pieces. A start-up holds the channels of a transfer, as in start_times.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Literal

from pavane.campaign.network_comparison.compared import Cell, Comparison, ComparisonRow, LibraryTime
from pavane.campaign.start_times import links_of_costs
from pavane.errors import InputError
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.search.pieces import cut_into, doubled_counts
from pavane.solvers.timed.baselines import baseline_schedules
from pavane.solvers.timed.retiming import without_barriers
from pavane.text import VERSION

MOST_WORK = 128
"""Processors times sizes up to which NCCL's algorithms are timed without a request: about ten seconds."""

MOST_TRANSFERS = 10_000
"""Algorithms with more transfers are not tried in more pieces: what these gain is small, and they take seconds."""

MOST_BASELINE_TRANSFERS = 100_000
"""Beside a search for one size, which takes longer than they do, algorithms may have so many transfers."""


def compares_with_libraries(problem: Problem) -> bool:
    """Return whether schedules of a problem are timed beside NCCL's algorithms: on machines of GPUs, if they can be."""
    rules = problem.rules
    return problem.network.has_gpus and not (rules.has_slots or rules.combining or problem.collective.sizes)


def is_quick(problem: Problem, num_sizes: int) -> bool:
    """Return whether NCCL's algorithms are timed in seconds, so that no request is needed."""
    return problem.network.num_processors * num_sizes <= MOST_WORK


def asynchronous_time(problem: Problem, schedule: Schedule, links: Links, size: float) -> LibraryTime | None:
    """Return the time of a schedule of steps without barriers; None where a message is too short for its pieces."""
    try:
        problem = in_time(problem, links, size)
    except InputError:
        in_time(cut_into(problem, 1), links, size)
        return None
    return LibraryTime.of(Result(problem, without_barriers(problem, schedule)))


def in_time(problem: Problem, links: Links, size: float) -> Problem:
    """Return a problem with start times, for messages of some bytes, rounded up."""
    return replace(problem, links=links, num_bytes=max(1, ceil(size)))


def nccl_times(problem: Problem, links: Links, size: float) -> tuple[LibraryTime, ...]:
    """Return the times of NCCL's algorithms for a problem, whose pieces do not matter.

    An allreduce in fewer parts than members is compared with one in as many: libraries divide every vector.
    """
    collective = problem.collective
    if problem.pattern == "allreduce" and len(collective.receivers) < len(collective.senders):
        size = size * len(collective.receivers) / len(collective.senders)
        problem = replace(problem, collectives=(replace(collective, receivers=collective.senders),))
    problem = in_time(cut_into(problem, 1), links, size)
    return tuple(
        LibraryTime.of(result, result.provenance.solver)
        for result in best_baselines(problem, most_transfers=MOST_TRANSFERS)
    )


def best_baselines(
    problem: Problem,
    pieces: Sequence[int] | Literal["auto"] = "auto",
    most_transfers: int = MOST_BASELINE_TRANSFERS,
    budget: Budget | None = None,
) -> list[Result]:
    """Return each baseline with its best number of pieces; with `auto` numbers are doubled as long as that helps.

    The next number takes about twice as long as the last one, and is left out where that is more than what is left.

    Several rings may share pieces evenly only in a larger number, so that one that does not help is passed over.
    """
    best: dict[str, Result] = {}
    misses: Counter[str] = Counter()
    is_open: dict[str, bool] = {}
    left, taken = budget or Budget.of(None), 0.0
    for count in doubled_counts(problem.timing.num_bytes) if pieces == "auto" else pieces:
        if best and left.seconds_left is not None and left.seconds_left < 2 * taken:
            break
        begun = clock.now()
        cut = cut_into(problem, count)
        for name, schedule in baseline_schedules(cut, [name for name, going in is_open.items() if not going]):
            is_open.setdefault(name, True)
            result = Result(cut, schedule, (), Provenance(name, version=VERSION))
            is_better = name not in best or (result.finish or 0) < (best[name].finish or 0)
            misses[name] += not is_better
            goes_on = misses[name] <= (name == "rings") or pieces != "auto"
            is_open[name] = goes_on and 2 * len(schedule) <= most_transfers
            if is_better:
                best[name] = result
        taken = clock.now() - begun
        if not any(is_open.values()):
            break
    return list(best.values())


def times_as_fast(own: LibraryTime, others: Sequence[LibraryTime]) -> float | None:
    """Return how many times as fast a schedule is as the fastest of others; None without any."""
    best = min((other.seconds for other in others), default=None)
    return None if best is None or not own.seconds else best / own.seconds


def with_library_times(found: Comparison, *, on_request: bool = False) -> Comparison:
    """Return a comparison with the times of NCCL's algorithms beside its own, without barriers.

    Args:
        found: The comparison, with costs and sizes.
        on_request: Whether other networks than machines of GPUs have them, too, and however long it takes.

    Returns:
        The comparison; its cells have these times for each size, and a note names the networks without them.
    """
    rows = tuple(_row_with_times(row, found, on_request) for row in found.rows)
    slow = [row.name for row in rows if not on_request and _takes_longer(row, found)]
    notes = (f"--nccl also times NCCL's algorithms on {', '.join(slow)}, which takes longer",) if slow else ()
    return replace(found, rows=rows, notes=(*found.notes, *notes))


def _takes_longer(row: ComparisonRow, found: Comparison) -> bool:
    """Whether some schedule of a machine of GPUs was not compared, because that takes longer."""
    problems = [Problem(row.network, kind, row.rules) for kind in found.collectives]
    return any(
        cell.schedule is not None
        and compares_with_libraries(problem)
        and not is_quick(problem, len(found.message_bytes))
        for problem, cell in zip(problems, row.cells, strict=True)
    )


def _row_with_times(row: ComparisonRow, found: Comparison, on_request: bool) -> ComparisonRow:
    if found.costs is None:
        return row
    links = links_of_costs(row.network, found.costs)
    cells: list[Cell] = []
    for kind, cell in zip(found.collectives, row.cells, strict=True):
        problem = Problem(row.network, kind, row.rules)
        is_wanted = compares_with_libraries(problem) and is_quick(problem, len(found.message_bytes))
        times = {}
        if cell.schedule is not None and (on_request or is_wanted):
            for size in found.message_bytes:
                own = asynchronous_time(problem, cell.schedule, links, size)
                assert own is not None
                times[size] = (own, *nccl_times(problem, links, size))
        cells.append(replace(cell, library_times=times))
    return replace(row, cells=tuple(cells))
