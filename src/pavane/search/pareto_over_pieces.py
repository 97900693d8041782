"""One front over several numbers of pieces: start-ups, and TCO in message times.

With k pieces a message time = start-ups * ts + TCO / k * m * t1. More pieces spread a message over more channels, and
need more start-ups to do it. So which number is the best depends on the size of messages, and a schedule is worth
having unless another, of whatever number of pieces, has as few start-ups and as few message times. SCCL (Cai et al.
2021) calls these points chunks, steps and rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from pavane.bounds.fractional import FractionalBound
from pavane.errors import InputError
from pavane.jit import clock
from pavane.model.problem import Problem
from pavane.search.options import SearchOptions
from pavane.search.pareto_fronts import ParetoFront, Point
from pavane.search.pareto_search import pareto_front
from pavane.search.pieces import check_pieces, cut_into, out_of_time, problems_in_pieces, seconds_of_share
from pavane.text import counted


def pareto_front_over_pieces(
    problem: Problem,
    pieces: Sequence[int] | Literal["auto"] = "auto",
    options: SearchOptions = SearchOptions(),
) -> ParetoFront:
    """Find the Pareto front of start-ups and message times over several numbers of pieces a message.

    With `auto` the numbers are those that the fractional bound suggests. The time is shared: each number has an equal
    part of what is left. An interrupt (Ctrl-C) ends the search: the front is what was found so far; with nothing found
    the interrupt is raised.

    Args:
        problem: The problem; its rules have `combining=True`.
        pieces: The numbers of pieces to try, or `"auto"`.
        options: How to search, as for `pareto_front`.

    Returns:
        One front over all numbers of pieces.

    Example:
        >>> problem = pavane.Problem(pavane.network("ring:4"), "broadcast", pavane.Rules(combining=True))
        >>> [(point.pieces, point.start_ups) for point in pavane.pareto_front_over_pieces(problem, [1, 2]).points]
        [(2, 2)]
    """
    check_pieces(problem, pieces)
    if not problem.rules.combining:
        raise InputError("a front is about message combining; add `combining=True` to the rules")
    started, budget = clock.now(), options.budget()
    problems, fractional = problems_in_pieces(problem, pieces, budget)
    fronts: list[ParetoFront] = []
    interrupted, notes = False, []
    for number, each in enumerate(problems):
        points = best_of(point for found in fronts for point in found.points)
        if pieces == "auto" and _is_final(points, fractional):
            break
        if budget.is_over and points:
            notes.append(out_of_time(problems[number:]))
            break
        share = seconds_of_share(budget, len(problems) - number)
        try:
            found = pareto_front(each, replace(options, seconds=share))
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
    whole = cut_into(problem, 1)
    return ParetoFront(whole, points, elapsed, interrupted, tuple(notes), fractional=fractional, fronts=tuple(fronts))


def _is_final(points: Sequence[Point], fractional: FractionalBound | None) -> bool:
    """Return whether one point has the fewest start-ups and the fewest message times, whatever the number of pieces.

    What bounds start-ups is true of each single piece, and so of any number of them.
    """
    if len(points) != 1 or fractional is None:
        return False
    return points[0].optimal_start_ups and points[0].message_times <= fractional.per_message


def best_of(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the non-dominated points in start-ups and message times; of equals those of fewer pieces."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.start_ups, p.message_times, p.pieces)):
        if not kept or point.message_times < kept[-1].message_times:
            kept.append(point)
    return tuple(kept)
