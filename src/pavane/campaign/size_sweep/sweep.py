"""Searches timed schedules for many message sizes, and merges sizes that one schedule serves nearly at best.

Each size is a task of a pool: the search over numbers of pieces, and the baselines. Then every schedule is re-timed for
the sizes around its own as long as it stays within the tolerance, so that good schedules of one size serve others. The
ranges are the fewest that cover all sizes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pavane.bounds.finish_bounds import timed_bounds
from pavane.campaign.sharing import Deadline, in_passes
from pavane.campaign.size_sweep.plans import PlanRange, PlanSize, SizePlans, TimedBaseline
from pavane.errors import InputError, expect, expect_whole, in_one_line, is_interrupt
from pavane.jit import clock
from pavane.judge.result import Provenance
from pavane.judge.timed_result import TimedResult
from pavane.model.bound import FinishBound
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.parallel.budget import Budget
from pavane.parallel.campaign import Campaign
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.options import SearchOptions, check_problem
from pavane.search.pieces import cut_into
from pavane.search.timed_pieces import doubled_counts, in_other_pieces, solve_timed_pieces
from pavane.solvers.timed.baselines import baseline_schedules
from pavane.solvers.timed.retiming import resized
from pavane.text import VERSION
from pavane.timing import rounded_size_text

TOLERANCE = 0.01
"""A schedule serves a size if it ends at most this part later than the best: less makes a range of every size."""

SEARCH_SHARE = 0.7
"""The part of the time of a size that its search may take; the rest is for timing the baselines."""

MOST_BASELINE_TRANSFERS = 100_000
"""Baselines with more are not tried in more pieces: they take longer to time than a search."""


def select_timed(
    problem: Problem,
    links: Links,
    sizes: Iterable[int],
    pieces: Sequence[int] | Literal["auto"] = "auto",
    options: SearchOptions = SearchOptions(),
    *,
    tolerance: float = TOLERANCE,
) -> SizePlans:
    """Find timed schedules for many message sizes, and which of them to use for which range of sizes.

    An interrupt (Ctrl-C) ends it with the sizes that are finished; with none it is raised.

    Args:
        problem: The problem; its number of pieces does not matter.
        links: The latency, overhead and bandwidth of each channel.
        sizes: The bytes of a message, several.
        pieces: The numbers of pieces to try, or `auto`.
        options: How to search; `seconds` limits all sizes together.
        tolerance: The part by which the schedule of a range may end later than the best for a size.

    Returns:
        The ranges with their schedules, and the baselines of each size.

    Example:
        >>> ring = pavane.network("ring:4")
        >>> problem = pavane.Problem(ring, "allgather", pavane.Rules(switching="store-and-forward"))
        >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> [part.pieces for part in pavane.select_timed(problem, links, [1000, 4000], [1]).ranges]
        [1]
    """
    check_problem(problem)
    expect(links, Links, "links", "make some with `pavane.Links.uniform`")
    chosen = sorted({expect_whole(size, "sizes", 4096) for size in sizes})
    if not chosen:
        raise InputError("`sizes` lists no size; give the bytes of a message, several, like [1024, 65536]")
    started = clock.now()
    problems = [TimedProblem(cut_into(problem, 1), links, size) for size in chosen]
    found = _searched(problems, (pieces, tolerance), options)
    rows = [found.results[number] for number in sorted(found.results)]
    ranges = _ranges(rows, tolerance)
    return SizePlans(
        problems[0].problem,
        links,
        tuple(ranges),
        tolerance,
        options.seed,
        round(clock.now() - started, 3),
        found.interrupted,
        tuple(dict.fromkeys(note for row in rows for note in row.notes)),
    )


# -- the searches


@dataclass(frozen=True)
class FoundSize:
    """What the searches for one size have found."""

    results: tuple[TimedResult, ...]
    """All schedules within the tolerance of the best; baselines, too."""
    baselines: tuple[TimedBaseline, ...]
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> TimedResult:
        """Return the schedule that ends first."""
        return min(self.results, key=_finish)

    @property
    def gap(self) -> float:
        """Return the end of the best schedule over the lowest bound on any number of pieces that was tried."""
        bounds = [result.bound.finish for result in self.results if result.bound is not None]
        return _finish(self.best) / min(bounds) if bounds else math.inf


Parts = tuple[int, TimedSchedule, tuple[FinishBound, ...], Provenance]
"""Pieces, schedule, bounds and provenance of a result, as they come from another process."""

SizeParts = tuple[tuple[Parts, ...], tuple[Parts, ...], tuple[TimedBaseline, ...], tuple[str, ...]]
"""Schedules of the search and baselines within the tolerance, the figures of all baselines, and notes."""


def _searched(
    problems: list[TimedProblem], wanted: tuple[Sequence[int] | Literal["auto"], float], options: SearchOptions
) -> Campaign[int, FoundSize]:
    """Search all sizes in a pool; with a time limit in passes, so that sizes far from their bound have more of it."""
    deadline = Deadline.after(options.seconds)
    campaign = Campaign[int, FoundSize](
        len(problems),
        lambda number: rounded_size_text(problems[number].num_bytes),
        options.on_progress,
        seconds_left=None if options.seconds is None else lambda: deadline.seconds_left,
    )
    found: dict[int, FoundSize] = {}

    def gap_of(number: int) -> float:
        return max(0.0, found[number].gap - 1.0)

    with as_workers(options.workers).pool(len(problems), SearchOptions(seed=options.seed)) as pool:

        def arriving() -> Iterator[tuple[int, FoundSize]]:
            for number, answer, _ in in_passes(
                pool,
                _search_size,
                # The largest first: they take longest, and the pool ends with short ones.
                list(reversed(range(len(problems)))),
                lambda number: (problems[number], *wanted, number not in found),
                lambda number, _: gap_of(number) > 0.0,
                deadline,
                gap_of,
            ):
                if isinstance(answer, WorkerLost):
                    if number in found:
                        continue
                    raise InputError(f"{rounded_size_text(problems[number].num_bytes)}: {answer.why}")
                found[number] = _judged(problems[number], answer, found.get(number))
                yield number, found[number]

        campaign.report("searching")
        campaign.collect(arriving())
    return campaign


def _search_size(
    options: SearchOptions,
    context: TaskContext,
    timed: TimedProblem,
    pieces: Sequence[int] | Literal["auto"],
    tolerance: float,
    has_rivals: bool,
    seconds: float | None,
) -> SizeParts | WorkerLost:
    """Search for one size as a task of a pool, and time the baselines; an error ends this task only."""
    budget = Budget.of(seconds)
    try:
        own = budget.part(SEARCH_SHARE if has_rivals else 1.0).seconds_left
        tried = solve_timed_pieces(timed, _allowed(timed, pieces), replace(options, seconds=own))
        if tried.interrupted:
            raise KeyboardInterrupt
        searched = [result for result in tried.results if result.schedule is not None]
        if not searched:
            return WorkerLost("no schedule was found in time; give more with `seconds`")
        rivals = best_baselines(timed, _allowed(timed, pieces), budget=budget) if has_rivals else []
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return WorkerLost(str(error) if isinstance(error, InputError) else in_one_line(error))
    best = min(map(_finish, (*searched, *rivals)))
    near = [[_parts(one) for one in some if _finish(one) <= (1 + tolerance) * best] for some in (searched, rivals)]
    about = [TimedBaseline(one.provenance.solver, _pieces(one), _finish(one)) for one in rivals]
    return tuple(near[0]), tuple(near[1]), tuple(about), tried.notes


def _allowed(timed: TimedProblem, pieces: Sequence[int] | Literal["auto"]) -> Sequence[int] | Literal["auto"]:
    """Return the numbers of pieces that a message of this size can be cut into."""
    if pieces == "auto":
        return pieces
    size = timed.num_bytes
    return [count for count in pieces if (count - 1) * -(-size // count) < size] or [1]


def _parts(result: TimedResult) -> Parts:
    assert result.schedule is not None
    return result.timed.problem.collective.pieces, result.schedule, result.bounds, result.provenance


def _judged(timed: TimedProblem, answer: SizeParts, before: FoundSize | None) -> FoundSize:
    """Return what a task has found, its schedules judged, with what was found in a pass before."""
    searched, rivals, figures, notes = answer
    results = [
        TimedResult(in_other_pieces(timed, count), schedule, bounds, about)
        for count, schedule, bounds, about in (*searched, *rivals)
    ]
    if before is None:
        return FoundSize(tuple(results), figures, notes)
    return FoundSize((*results, *before.results), before.baselines, notes)


def best_baselines(
    timed: TimedProblem,
    pieces: Sequence[int] | Literal["auto"] = "auto",
    most_transfers: int = MOST_BASELINE_TRANSFERS,
    budget: Budget | None = None,
) -> list[TimedResult]:
    """Return each baseline with its best number of pieces; with `auto` numbers are doubled as long as that helps.

    The next number takes about twice as long as the last one, and is left out where that is more than what is left.

    Several rings may share pieces evenly only in a larger number, so that one that does not help is passed over.
    """
    best: dict[str, TimedResult] = {}
    misses: Counter[str] = Counter()
    is_open: dict[str, bool] = {}
    left, taken = budget or Budget.of(None), 0.0
    for count in doubled_counts(timed.num_bytes) if pieces == "auto" else pieces:
        if best and left.seconds_left is not None and left.seconds_left < 2 * taken:
            break
        begun = clock.now()
        cut = in_other_pieces(timed, count)
        for name, schedule in baseline_schedules(cut, [name for name, going in is_open.items() if not going]):
            is_open.setdefault(name, True)
            result = TimedResult(cut, schedule, (), Provenance(name, version=VERSION))
            is_better = name not in best or _finish(result) < _finish(best[name])
            misses[name] += not is_better
            goes_on = misses[name] <= (name == "rings") or pieces != "auto"
            is_open[name] = goes_on and 2 * len(schedule) <= most_transfers
            if is_better:
                best[name] = result
        taken = clock.now() - begun
        if not any(is_open.values()):
            break
    return list(best.values())


def _finish(result: TimedResult) -> int:
    assert result.finish is not None
    return result.finish


# -- ranges


def _ranges(rows: list[FoundSize], tolerance: float) -> list[PlanRange]:
    """Return the fewest ranges of which each has one schedule within the tolerance of the best at all its sizes.

    Of several schedules that serve as many sizes the one with the fewest pieces is taken, then the fastest.
    """
    served = [_served_sizes(rows, home, own, tolerance) for home, row in enumerate(rows) for own in row.results]
    best = [min(_finish(each[at]) for each in served if at in each) for at in range(len(rows))]
    ranges: list[PlanRange] = []
    first = 0
    while first < len(rows):
        lasts = [_last_within(each, first, best, tolerance) for each in served]
        last = max(lasts)
        able = [each for each, end in zip(served, lasts, strict=True) if end == last]
        chosen = min(able, key=lambda each: (_pieces(each[first]), sum(_finish(each[at]) for at in each)))
        ranges.append(
            PlanRange(
                tuple(PlanSize(_bounded(chosen[at]), best[at], rows[at].baselines) for at in range(first, last + 1))
            )
        )
        first = last + 1
    return ranges


def _pieces(result: TimedResult) -> int:
    return result.timed.problem.collective.pieces


def _served_sizes(rows: list[FoundSize], home: int, own: TimedResult, tolerance: float) -> dict[int, TimedResult]:
    """Return the schedule of a size re-timed for the sizes around it, as far as it stays within the tolerance."""
    found = {home: own}
    for direction in (1, -1):
        at = home + direction
        while 0 <= at < len(rows):
            other = rows[at].best
            result = retimed_for(own, other.timed.num_bytes)
            if result is None or _finish(result) > (1 + tolerance) * _finish(other):
                break
            found[at] = result
            at += direction
    return found


def retimed_for(result: TimedResult, num_bytes: int) -> TimedResult | None:
    """Return a schedule with the same routes, order and pieces for another size; None if that cannot be cut so."""
    assert result.schedule is not None
    pieces = result.timed.problem.collective.pieces
    if (pieces - 1) * -(-num_bytes // pieces) >= num_bytes:
        return None
    timed = replace(result.timed, num_bytes=num_bytes)
    return TimedResult(timed, resized(timed, result.schedule), (), result.provenance)


def _bounded(result: TimedResult) -> TimedResult:
    """Return a result with bounds for its size."""
    return result if result.bounds else replace(result, bounds=timed_bounds(result.timed))


def _last_within(served: dict[int, TimedResult], first: int, best: list[int], tolerance: float) -> int:
    """Return the last size of a run from the first on that a schedule serves; the one before the first if none."""
    at = first
    while at in served and _finish(served[at]) <= (1 + tolerance) * best[at]:
        at += 1
    return at - 1
