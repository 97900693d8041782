"""Searches for an allreduce: its two phases by any solver of broadcasts, then both together, overlapped.

By `auto` few pieces are exchanged between groups first, in few steps. After the phases the trees along which they go
are given other steps, and other trees are grown: where a network is not the same from everywhere, sums are best
complete at other processors than those which parts are named after.

On a network whose links carry as much both ways the reduction is the broadcast turned round, and searched for once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pavane.bounds.registry import Work
from pavane.errors import in_one_line
from pavane.model.allreduce import phases
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.search.search_run import Attempt, Search
from pavane.search.shortest import Shortest, ShortestSearch, prove
from pavane.solvers.allreduce.exchange import Exchange
from pavane.solvers.allreduce.overlap import overlap_phases
from pavane.solvers.allreduce.tree_steps import Tree, trees_of
from pavane.solvers.allreduce.trees import Trees
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of

SHARE_OF_PHASES = 0.8
"""What part of the time the phases may take where their solver was named; the rest is for letting them overlap."""

SHARE_OF_PHASES_BEFORE_TREES = 0.4
"""What part of the time they may take where trees follow."""

SHARE_OF_EXCHANGE = 0.2
"""What part of the time the exchange of few pieces in few steps may take, which comes first."""

SHARE_OF_FIRST_TREES = 0.4
"""What part of the time left the trees of the phases may take, before others are grown."""

MOST_DELIVERIES_OF_PHASES = 5_000
"""With more arrivals and a time limit trees come before the phases, which may take longer than there is time."""


def try_phases(search: ShortestSearch, go: Callable[[ShortestSearch], None]) -> None:
    """Search for both phases, each as `go` does, join them, and let them overlap; by `auto` also along trees."""
    is_auto = search.best.method == "auto"
    if is_auto:
        _try_whole(search, Exchange(least_steps=search.best.lowest), SHARE_OF_EXCHANGE)
    trees_first = is_auto and search.budget.deadline is not None and _is_large(search.problem)
    if trees_first:
        prove(search, Work.SPLIT)
        _try_whole(search, Trees(least_steps=search.best.lowest))
    first, whole, interrupted = None, None, False
    if not search.is_over:
        first, whole, interrupted = _try_both(search, go, SHARE_OF_PHASES_BEFORE_TREES if is_auto else SHARE_OF_PHASES)
    if interrupted:
        raise KeyboardInterrupt
    prove(search, Work.SEARCH)
    if is_auto:
        if first is not None:
            _try_whole(search, Trees(least_steps=search.best.lowest, first=first), SHARE_OF_FIRST_TREES)
        if not trees_first:
            _try_whole(search, Trees(least_steps=search.best.lowest))
    if whole is not None and not search.is_over:
        _overlap(search, whole)


def join_phases(search: ShortestSearch, go: Callable[[ShortestSearch], None]) -> None:
    """Search for both phases, each as `go` does, and join them; nothing else."""
    _try_both(search, go, 1.0)


class _Joined(NamedTuple):
    """A schedule of both phases, and who found them."""

    solver: str
    schedule: Schedule


def _overlap(search: ShortestSearch, whole: _Joined) -> None:
    """Let both phases overlap; what goes wrong there costs no schedule."""
    rng = np.random.default_rng(search.seed)
    try:
        better = overlap_phases(search.problem, whole.schedule, rng, search.best.lowest, search.budget)
        _offer(search, whole.solver, better)
    except Exception as error:
        search.notes.append(f"letting phases overlap failed: {in_one_line(error)}")


def _try_both(
    search: ShortestSearch, go: Callable[[ShortestSearch], None], share: float
) -> tuple[tuple[Tree, ...] | None, _Joined | None, bool]:
    """Search for both phases; return the trees that they go along, both joined, and whether that was interrupted."""
    gathering, spreading = phases(search.problem)
    symmetric = is_symmetric(spreading)
    spread, interrupted = _searched(search, spreading, go, share if symmetric else share / 2)
    if spread.best.schedule is None:
        search.best.shortfall = spread.best.shortfall
        return None, None, interrupted
    first = None
    if symmetric:
        gathered = reduction_of(spreading, spread.best.schedule)
        if not spreading.rules.combining:
            first = trees_of(search.problem, spread.best.schedule)
    else:
        if interrupted:
            raise KeyboardInterrupt
        other, interrupted = _searched(search, gathering, go, share)
        if other.best.schedule is None:
            search.best.shortfall = other.best.shortfall
            return None, None, interrupted
        gathered = other.best.schedule
    whole = _Joined(spread.best.result.provenance.solver, join_schedules(gathered, spread.best.schedule))
    _offer(search, whole.solver, whole.schedule)
    return first, whole, interrupted


def _is_large(problem: Problem) -> bool:
    return problem.num_deliveries > MOST_DELIVERIES_OF_PHASES


def _try_whole(search: ShortestSearch, solver: Trees | Exchange, share: float = 1.0) -> None:
    """Let a solver try that takes an allreduce as a whole, where it can."""
    if not search.is_over and solver.supports(search.problem):
        search.run([Attempt(solver, search.best.requested_steps, search.seed)], share=share)


def _searched(
    search: ShortestSearch, problem: Problem, go: Callable[[ShortestSearch], None], share: float
) -> tuple[ShortestSearch, bool]:
    """Search for one phase, and say whether an interrupt (Ctrl-C) has ended that."""

    best = Shortest(problem, search.best.method, seed=search.seed)
    phase = Search(problem, best, search.options_of_part(), search.budget.part(share))
    interrupted = False
    try:
        go(phase)
    except KeyboardInterrupt:
        interrupted = True
        if phase.best.schedule is None:
            raise
    search.notes += phase.notes
    return phase, interrupted


def _offer(search: ShortestSearch, solver: str, schedule: Schedule) -> None:
    """Take in a schedule where it is better than the best so far, and has no more steps than were asked for."""
    if search.best.requested_steps is None or schedule.num_steps <= search.best.requested_steps:
        search.offer(f"{solver} in two phases", schedule)
