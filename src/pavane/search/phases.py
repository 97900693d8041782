"""Searches for an allreduce: its two phases by any solver of broadcasts, then both together, overlapped.

On a network whose links carry as much both ways the reduction is the broadcast turned round, and searched for once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pavane.bounds.registry import Work
from pavane.model.allreduce import phases
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.search.attempts import Progress, Search
from pavane.solvers.allreduce.overlap import overlapped
from pavane.solvers.joining import is_symmetric, joined, turned_round

SHARE_OF_PHASES = 0.8
"""What part of the time the phases may take; the rest is for letting them overlap."""


def try_phases(search: Search, go: Callable[[Search], None]) -> None:
    """Search for both phases, each as `go` does, join them, and let them overlap."""
    gathering, spreading = phases(search.problem)
    symmetric = is_symmetric(spreading)
    spread, interrupted = _searched(search, spreading, go, SHARE_OF_PHASES if symmetric else SHARE_OF_PHASES / 2)
    if spread.best.schedule is None:
        search.shortfall = spread.shortfall
        return
    if symmetric:
        gathered = turned_round(spreading, spread.best.schedule)
    else:
        if interrupted:
            raise KeyboardInterrupt
        other, interrupted = _searched(search, gathering, go, SHARE_OF_PHASES)
        if other.best.schedule is None:
            search.shortfall = other.shortfall
            return
        gathered = other.best.schedule
    whole = joined(gathered, spread.best.schedule)
    name = spread.best.provenance.solver
    _offer(search, name, whole)
    if interrupted:
        raise KeyboardInterrupt
    search.prove(Work.SEARCH)
    if not search.is_over:
        rng = np.random.default_rng(search.seed)
        _offer(search, name, overlapped(search.problem, whole, rng, search.lowest, search.budget))


def _searched(search: Search, problem: Problem, go: Callable[[Search], None], share: float) -> tuple[Search, bool]:
    """Search for one phase, and say whether an interrupt (Ctrl-C) has ended that."""

    def tell(now: Progress) -> None:
        search.progress(replace(now, best=search.best.num_steps, bound=search.lowest))

    method = search.best.provenance.solver
    phase = Search(problem, method, None, search.seed, search.budget.part(share), tell)
    interrupted = False
    try:
        go(phase)
    except KeyboardInterrupt:
        interrupted = True
        if phase.best.schedule is None:
            raise
    search.note(phase.best.notes)
    return phase, interrupted


def _offer(search: Search, solver: str, schedule: Schedule) -> None:
    """Take in a schedule where it is better than the best so far, and has no more steps than were asked for."""
    if search.best.asked is None or schedule.num_steps <= search.best.asked:
        search.offer(f"{solver} in two phases", schedule)
