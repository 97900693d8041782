"""Timed problems with messages in several numbers of pieces: which number ends first.

More pieces follow each other more closely, and each of them costs the overhead of a transfer. With `auto` numbers are
doubled; those whose bound is not below the best end are skipped, and the first that ends later is the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pavane.bounds import lower_bounds
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.pieces import cut_into, seconds_of_share
from pavane.search.synthesis import solve
from pavane.text import counted

MOST_PIECES_DOUBLED = 64
"""With `auto` numbers of pieces are doubled up to this one: more gain less than a hundredth, and take twice as long."""


@dataclass(frozen=True)
class TimedPieces:
    """The timed results of one problem for several numbers of pieces, in the order in which they were tried."""

    results: tuple[Result, ...]
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the search."""
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Result | None:
        """Return the result that ends first, of equals the one with fewer pieces; None without a schedule."""
        solved = [result for result in self.results if result.finish is not None]
        return min(solved, key=lambda result: (result.finish, result.problem.collective.pieces), default=None)


def doubled_counts(num_bytes: int) -> Iterator[int]:
    """Yield the numbers of pieces that `auto` tries: those that a message of some bytes can be cut into."""
    count = 1
    while count <= MOST_PIECES_DOUBLED and (count - 1) * -(-num_bytes // count) < num_bytes:
        yield count
        count *= 2


def solve_timed_pieces(
    problem: Problem,
    pieces: Sequence[int] | Literal["auto"],
    options: SearchOptions = SearchOptions(),
    on_better: Callable[[Result], None] = lambda _: None,
) -> TimedPieces:
    """Search for timed schedules with several numbers of pieces; an interrupt ends it with those found before.

    Args:
        timed: The problem, in any number of pieces.
        pieces: The numbers of pieces, or `auto`.
        options: How to search. The time is shared: each number has an equal part of what is left, and with `auto`
            half of it.
        on_better: Called with each result that ends before all others so far.

    Returns:
        The results, one for each number that was tried.
    """
    budget = Budget.of(options.seconds)
    counts = list(doubled_counts(problem.timing.num_bytes)) if pieces == "auto" else list(dict.fromkeys(pieces))
    found = TimedPieces(())
    for at, count in enumerate(counts):
        if budget.is_over and found.best is not None:
            return _cut(found, counts[at:])
        each, best = cut_into(problem, count), found.best
        try:
            if pieces == "auto" and not _may_be_better(each, best):
                continue
            left = seconds_of_share(budget, min(len(counts) - at, 2 if pieces == "auto" else len(counts)))
            _report(options, budget, count, best)
            result = solve(each, replace(options, seconds=left))
        except KeyboardInterrupt:
            if best is None:
                raise
            return replace(found, interrupted=True)
        found = replace(found, results=(*found.results, result), interrupted=result.interrupted)
        if found.best is result:
            on_better(result)
        elif pieces == "auto" and result.finish is not None:
            break  # more pieces have begun to cost more than they gain
        if result.interrupted:
            break
    return found


def _may_be_better(problem: Problem, best: Result | None) -> bool:
    """Return whether the bound of a number of pieces leaves room for an earlier end."""
    if best is None or best.finish is None:
        return True
    return max((bound.figure for bound in lower_bounds(problem)), default=0) < best.finish


def _cut(found: TimedPieces, left: Sequence[int]) -> TimedPieces:
    """Return what was found, with a note on the numbers that no time was left for."""
    numbers = ", ".join(map(str, left))
    return replace(found, notes=(f"no time was left to try {numbers} pieces; a longer `seconds` may find more",))


def _report(options: SearchOptions, budget: Budget, count: int, best: Result | None) -> None:
    if options.on_progress is not None:
        so_far = "" if best is None or best.finish is None else f", best {best.finish / 10**6:,.3f} us"
        activity = f"{counted(count, 'piece')}{so_far}"
        options.on_progress(Progress(activity, clock.now() - budget.started, budget.seconds_left))
