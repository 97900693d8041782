"""Timed schedules for many message sizes, and the ranges of sizes that one schedule serves.

Each size is a task of a pool: the search over numbers of pieces, and the baselines. Then every schedule is timed again
for the sizes around its own, and serves them as long as it ends near the best of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pavane.bounds import lower_bounds
from pavane.campaign.baselines import best_baselines
from pavane.campaign.sharing import Deadline, in_passes
from pavane.errors import InputError, expect, expect_whole, in_one_line, is_interrupt
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.parallel.campaign import Campaign
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.options import SearchOptions, check_problem
from pavane.search.pieces import cut_into, sweep_pieces
from pavane.solvers.timed.retiming import resized
from pavane.timing import rounded_size_text

TOLERANCE = 0.01
"""A schedule serves a size if it ends at most this part later than the best: less makes a range of every size."""

SEARCH_SHARE = 0.7
"""The part of the time of a size that its search may take; the rest is for timing the baselines."""

SEARCHES_SHARE = 0.8
"""The part of all time that the searches may take; the rest is for timing their schedules for other sizes."""


@dataclass(frozen=True)
class PlanSize:
    """One size: the best schedule for it, or the one of its range, and when the baselines end, in picoseconds."""

    result: Result
    baselines: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def num_bytes(self) -> int:
        """Return the bytes of a message."""
        return self.result.problem.timing.num_bytes

    @property
    def finish(self) -> int:
        """Return when the schedule ends, in picoseconds."""
        assert self.result.finish is not None
        return self.result.finish

    @property
    def gap(self) -> float:
        """Return the part by which the schedule ends after its bound: more time may find an earlier end."""
        bound = self.result.bound
        return math.inf if bound is None else self.finish / bound.figure - 1.0


@dataclass(frozen=True)
class PlanRange:
    """Sizes next to each other that one schedule serves: the same routes, order and pieces."""

    sizes: tuple[PlanSize, ...]

    @property
    def result(self) -> Result:
        """Return the schedule, timed for the largest size."""
        return self.sizes[-1].result

    @property
    def pieces(self) -> int:
        """Return the number of pieces of a message."""
        return self.result.problem.collective.pieces


@dataclass(frozen=True, repr=False)
class SizePlans:
    """For each range of message sizes a timed schedule; `select_timed` makes one."""

    problem: Problem
    """The problem with messages in one piece."""
    links: Links
    ranges: tuple[PlanRange, ...]
    """By size, the smallest first."""
    seed: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the searches; sizes that were not searched are missing."""
    notes: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[PlanSize, ...]:
        """Return all sizes, the smallest first."""
        return tuple(size for part in self.ranges for size in part.sizes)

    def __repr__(self) -> str:
        where = f"{self.problem.collective.title} on {self.problem.network.name}"
        sizes, ranges = len(self.sizes), len(self.ranges)
        return f"<SizePlans: {where}, {sizes} size{'s' * (sizes != 1)} in {ranges} range{'s' * (ranges != 1)}>"


def select_timed(
    problem: Problem,
    links: Links,
    sizes: Iterable[int],
    pieces: Sequence[int] | Literal["auto"] = "auto",
    options: SearchOptions = SearchOptions(),
) -> SizePlans:
    """Find timed schedules for many message sizes, and which of them to use for which range of sizes.

    An interrupt (Ctrl-C) ends it with the sizes that are finished; with none it is raised.

    Args:
        problem: The problem; its number of pieces does not matter.
        links: The latency, overhead and bandwidth of each channel.
        sizes: The bytes of a message, several.
        pieces: The numbers of pieces to try, or `auto`.
        options: How to search; `seconds` limits all sizes together.

    Returns:
        The ranges with their schedules, and the baselines of each size.
    """
    check_problem(problem)
    expect(links, Links, "links", "make some with `pavane.Links.uniform`")
    chosen = sorted({expect_whole(size, "sizes", 4096) for size in sizes})
    if not chosen:
        raise InputError("`sizes` lists no size; give the bytes of a message, several, like [1024, 65536]")
    budget, whole = Budget.of(options.seconds), cut_into(problem, 1)
    some = replace(options, seconds=budget.part(SEARCHES_SHARE).seconds_left)
    found = _searched([replace(whole, links=links, num_bytes=size) for size in chosen], pieces, some)
    rows = [found.results[number] for number in sorted(found.results)]
    notes = tuple(dict.fromkeys(note for row in rows for note in row.notes))
    ranges = tuple(_ranges(rows, budget))
    seconds = round(clock.now() - budget.started, 3)
    return SizePlans(whole, links, ranges, options.seed, seconds, found.interrupted, notes)


# -- the searches

Pieces = Sequence[int] | Literal["auto"]

Answer = tuple[int, Schedule, tuple[Bound, ...], Provenance, dict[str, int], tuple[str, ...]]
"""Pieces, schedule, bounds and provenance of a result from another process; the ends of the baselines, and notes."""


def _searched(problems: list[Problem], pieces: Pieces, options: SearchOptions) -> Campaign[int, PlanSize]:
    """Search all sizes in a pool; with a time limit in passes, so that sizes far from their bound have more of it."""
    deadline = Deadline.after(options.seconds)
    campaign = Campaign[int, PlanSize](
        len(problems),
        lambda number: rounded_size_text(problems[number].timing.num_bytes),
        options.on_progress,
        seconds_left=None if options.seconds is None else lambda: deadline.seconds_left,
    )
    found: dict[int, PlanSize] = {}

    with as_workers(options.workers).pool(len(problems), SearchOptions(seed=options.seed)) as pool:

        def arriving() -> Iterator[tuple[int, PlanSize]]:
            for number, answer, _ in in_passes(
                pool,
                _search_size,
                # The largest first: they take longest, and the pool ends with short ones.
                list(reversed(range(len(problems)))),
                lambda number: (problems[number], pieces, number not in found),
                lambda number, _: found[number].gap > 0.0,
                deadline,
                lambda number: found[number].gap,
            ):
                before = found.get(number)
                if not isinstance(answer, WorkerLost):
                    found[number] = _better(before, _judged(problems[number], answer))
                    yield number, found[number]
                elif before is None:
                    raise InputError(f"{rounded_size_text(problems[number].timing.num_bytes)}: {answer.why}")

        campaign.report("searching")
        campaign.collect(arriving())
    return campaign


def _search_size(
    options: SearchOptions,
    context: TaskContext,
    problem: Problem,
    pieces: Pieces,
    has_rivals: bool,
    seconds: float | None,
) -> Answer | WorkerLost:
    """Search for one size as a task of a pool, and time the baselines; an error ends this task only."""
    budget, size = Budget.of(seconds), problem.timing.num_bytes
    if pieces != "auto":
        # Only numbers of pieces that a message of this size can be cut into.
        pieces = [count for count in pieces if (count - 1) * -(-size // count) < size] or [1]
    try:
        own = budget.part(SEARCH_SHARE if has_rivals else 1.0).seconds_left
        tried = sweep_pieces(problem, pieces, replace(options, seconds=own))
        if tried.interrupted:
            raise KeyboardInterrupt
        if not tried.solved:
            return WorkerLost("no schedule was found in time; give more with `seconds`")
        rivals = best_baselines(problem, pieces, budget=budget) if has_rivals else []
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        return WorkerLost(str(error) if isinstance(error, InputError) else in_one_line(error))
    best = min((tried.best(), *rivals), key=_finish)
    assert best.schedule is not None
    ends = {rival.provenance.solver: _finish(rival) for rival in rivals}
    count = best.problem.collective.pieces
    return count, best.schedule, best.bounds, best.provenance, ends, tried.notes


def _judged(problem: Problem, answer: Answer) -> PlanSize:
    """Return what a task has found, its schedule judged, with bounds."""
    pieces, schedule, bounds, provenance, ends, notes = answer
    result = Result(cut_into(problem, pieces), schedule, bounds, provenance)
    return PlanSize(_bounded(result), ends, notes)


def _better(before: PlanSize | None, now: PlanSize) -> PlanSize:
    """Return the size with the result that ends first; the first pass has the baselines."""
    if before is None:
        return now
    return replace(now, result=min(before.result, now.result, key=_finish), baselines=before.baselines)


def _finish(result: Result) -> int:
    assert result.finish is not None
    return result.finish


def _bounded(result: Result) -> Result:
    return result if result.bounds else result.amended(bounds=lower_bounds(result.problem))


# -- ranges


def _ranges(rows: Sequence[PlanSize], budget: Budget) -> Iterator[PlanRange]:
    """Yield ranges, from the smallest size on: each has the schedule that serves most of the sizes that are left."""
    served = [_served(rows, home, budget) for home in range(len(rows))]
    best = [min(_finish(each[at]) for each in served if at in each) for at in range(len(rows))]
    first = 0
    while first < len(rows):
        runs = [_run(each, first, best) for each in served]
        longest = max(runs, key=lambda run: (len(run), -sum(map(_finish, run))))
        sizes = (replace(row, result=_bounded(own)) for row, own in zip(rows[first:], longest, strict=False))
        yield PlanRange(tuple(sizes))
        first += len(longest)


def _served(rows: Sequence[PlanSize], home: int, budget: Budget) -> dict[int, Result]:
    """Return the schedule of a size timed again for the sizes around it, as long as that ends near the best.

    When the time is over, a schedule serves its own size only.
    """
    own = rows[home].result
    served = {home: own}
    for others in (range(home + 1, len(rows)), reversed(range(home))):
        for at in others:
            result = None if budget.is_over else retimed_for(own, rows[at].num_bytes)
            if result is None or _finish(result) > (1 + TOLERANCE) * rows[at].finish:
                break
            is_same = result.problem == rows[at].result.problem
            served[at] = result.amended(bounds=rows[at].result.bounds) if is_same else result
    return served


def _run(served: Mapping[int, Result], first: int, best: Sequence[int]) -> list[Result]:
    """Return the schedules from the first size on, as long as each ends near the best."""
    run: list[Result] = []
    for at in range(first, len(best)):
        if at not in served or _finish(served[at]) > (1 + TOLERANCE) * best[at]:
            break
        run.append(served[at])
    return run


def retimed_for(result: Result, num_bytes: int) -> Result | None:
    """Return a schedule with the same routes, order and pieces for another size; None if that cannot be cut so."""
    assert result.schedule is not None
    pieces = result.problem.collective.pieces
    if (pieces - 1) * -(-num_bytes // pieces) >= num_bytes:
        return None
    problem = replace(result.problem, num_bytes=num_bytes)
    return Result(problem, resized(problem, result.schedule), (), result.provenance)
