"""One front over several numbers of pieces: start-ups, and TCO in message times.

With k pieces a message time = start-ups * ts + TCO / k * m * t1. More pieces spread a message over more channels, and
need more start-ups to do it. So which number is the best depends on the size of messages, and a schedule is worth
having unless another, of whatever number of pieces, has as few start-ups and as few message times. SCCL (Cai et al.
2021) calls these points chunks, steps and rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pavane.bounds.fractional import FractionalBound, fractional_bound
from pavane.errors import InputError
from pavane.jit import clock
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.journal import Journal
from pavane.parallel.pools import Workers
from pavane.search.effort import Effort
from pavane.search.limits import check_pieces, check_search, one_of
from pavane.search.pareto_fronts import Front, FrontProgress, Point
from pavane.search.pareto_search import front
from pavane.search.pieces import SHARE_OF_BOUND, cut_into, hinted
from pavane.text import counted


def joint_front(
    problem: Problem,
    pieces: Sequence[int] | Literal["auto"] = "auto",
    *,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    workers: int | Workers = 1,
    progress: Callable[[FrontProgress], None] = lambda _: None,
    better: Callable[[Result], None] | None = None,
    effort: Effort | None = None,
    journal: Journal | None = None,
    time: float | None = None,
) -> Front:
    """Find the front of start-ups and message times over several numbers of pieces a message.

    With `auto` the numbers are those that the fractional bound hints at. The time is shared: each number has an equal
    part of what is left. Other settings are as for `front`. An interrupt (Ctrl-C) ends the search: the front is what
    was found so far; with nothing found the interrupt goes on.

    Args:
        problem: The problem; its rules have `combining=True`.
        pieces: The numbers of pieces to try, or `"auto"`.
        seed: Where chance begins; the same seed gives the same answer.
        seconds: End the search then, with the best so far.
        evaluations: A limit for each call of a solver.
        workers: The number of processes, which change the time and not the answer.
        progress: Called with how far the search has come.
        better: Called with every result that is the best so far.
        effort: How much is tried where no time is given.
        journal: With a journal (`pavane.search.checkpoints`) the search can go on after it was killed.
        time: The command line's word for `seconds`.

    Returns:
        One front over all numbers of pieces.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "broadcast", pavane.Rules(combining=True))
        >>> [(point.pieces, point.start_ups) for point in pavane.joint_front(problem, [1, 2]).points]
        [(2, 2)]
    """
    seconds = one_of(seconds, time, ("seconds", "time"))
    check_search(problem, seed, seconds, evaluations)
    check_pieces(pieces)
    if not problem.rules.combining:
        raise InputError("a front is about message combining; add `combining=True` to the rules")
    if not pieces:
        raise InputError("`pieces` lists no number; give some, like [1, 2, 3], or auto")
    started, budget = clock.now(), Budget.of(seconds, evaluations, workers)
    whole = cut_into(problem, 1)
    named = [] if pieces == "auto" else [cut_into(whole, number) for number in sorted(set(pieces))]
    fractional = fractional_bound(whole, budget.part(SHARE_OF_BOUND).deadline)
    problems = named or [cut_into(whole, number) for number in hinted(whole, fractional)]
    fronts: list[Front] = []
    interrupted, notes = False, []
    for number, each in enumerate(problems):
        left, points = budget.seconds_left, best_of(point for found in fronts for point in found.points)
        if pieces == "auto" and _is_final(points, fractional):
            break
        if left == 0 and points:
            untried = ", ".join(str(one.collective.pieces) for one in problems[number:])
            notes.append(f"no time was left to try {untried} pieces; a longer `seconds` may find more")
            if journal is not None:
                journal.is_cut = True
            break
        share = seconds if left is None else max(0.01, left / (len(problems) - number))
        try:
            found = front(
                each,
                seed=seed,
                seconds=share,
                evaluations=evaluations,
                workers=workers,
                progress=progress,
                better=better,
                effort=effort,
                journal=journal,
            )
        except KeyboardInterrupt:
            if not points:
                raise
            interrupted = True
            break
        fronts.append(found)
        notes += [f"{counted(each.collective.pieces, 'piece')}: {text}" for text in found.notes]
        if found.interrupted:
            interrupted = True
            break
    points = best_of(point for found in fronts for point in found.points)
    elapsed = round(clock.now() - started, 3)
    return Front(whole, points, elapsed, interrupted, tuple(notes), fractional=fractional, fronts=tuple(fronts))


def _is_final(points: Sequence[Point], fractional: FractionalBound | None) -> bool:
    """Say whether one point has the fewest start-ups and the fewest message times, whatever the number of pieces.

    What bounds start-ups is true of each single piece, and so of any number of them.
    """
    if len(points) != 1 or fractional is None:
        return False
    return points[0].optimal_start_ups and points[0].message_times <= fractional.per_message


def best_of(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return those points of which none other has as few start-ups and as few message times; of equals fewer pieces."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.start_ups, p.message_times, p.pieces)):
        if not kept or point.message_times < kept[-1].message_times:
            kept.append(point)
    return tuple(kept)
