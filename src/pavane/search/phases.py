"""Searches for an allreduce: its two phases by any solver of broadcasts, then both together, overlapped.

By `auto` few pieces are exchanged between groups first, in few steps. After the phases the trees along which they go
are given other steps, and other trees are grown: where a network is not the same from everywhere, sums are best
complete at other processors than those which parts are named after.

On a network whose links carry as much both ways the reduction is the broadcast turned round, and searched for once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pavane.errors import in_one_line
from pavane.model.allreduce import phases
from pavane.model.problem import Problem
from pavane.search.portfolio import Walk, run_once, run_stages, share_of
from pavane.search.search_run import Search
from pavane.search.shortest import JoinedPhases, Shortest, ShortestSearch
from pavane.search.stages import ALLREDUCE, PHASES, Stage
from pavane.search.tuning import TUNING
from pavane.solvers.allreduce.overlap import overlap_phases
from pavane.solvers.allreduce.tree_steps import trees_of
from pavane.solvers.allreduce.trees import Trees
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of


def try_phases(search: ShortestSearch, go: Callable[[ShortestSearch], None]) -> None:
    """Run the stages of an allreduce; each phase is searched for as `go` does."""
    walks: dict[str, Walk] = {
        "both phases, joined": lambda search, stage: join_phases(search, go, share_of(search, stage)),
        "both phases, overlapped": _overlap,
        "as few as it can, along the trees of the phases": _follow_trees,
    }
    run_stages(search, ALLREDUCE if search.best.method == "auto" else PHASES, walks)


def _follow_trees(search: ShortestSearch, stage: Stage) -> None:
    assert search.best.phases is not None
    run_once(search, stage, Trees(least_steps=search.best.lowest, first=search.best.phases.trees))


def _overlap(search: ShortestSearch, stage: Stage) -> None:
    """Let both phases overlap; if that fails, they stay one after the other."""
    joined = search.best.phases
    assert joined is not None
    rng = np.random.default_rng(search.seed)
    try:
        _offer(
            search,
            joined._replace(
                schedule=overlap_phases(search.problem, joined.schedule, rng, search.best.lowest, search.budget)
            ),
        )
    except Exception as error:
        search.notes.append(f"letting phases overlap failed: {in_one_line(error)}")


def join_phases(search: ShortestSearch, go: Callable[[ShortestSearch], None], share: float = 1.0) -> None:
    """Search for both phases, each as `go` does, and join them."""
    gathering, spreading = phases(search.problem)
    symmetric = is_symmetric(spreading)
    broadcast, interrupted = _search_phase(search, spreading, go, share if symmetric else share / 2)
    trees, reduction = None, None
    if broadcast.schedule is not None and symmetric:
        reduction = reduction_of(spreading, broadcast.schedule)
        if not spreading.rules.combining and search.problem.num_deliveries <= TUNING.grown:
            trees = trees_of(search.problem, broadcast.schedule)
    elif broadcast.schedule is not None:
        if interrupted:
            raise KeyboardInterrupt
        other, interrupted = _search_phase(search, gathering, go, share)
        reduction = other.schedule
    if broadcast.schedule is not None and reduction is not None:
        schedule = join_schedules(reduction, broadcast.schedule)
        search.best.phases = JoinedPhases(broadcast.result.provenance.solver, schedule, trees)
        _offer(search, search.best.phases)
    if interrupted:
        raise KeyboardInterrupt


def _search_phase(
    search: ShortestSearch, problem: Problem, go: Callable[[ShortestSearch], None], share: float
) -> tuple[Shortest, bool]:
    """Search for one phase; return its best schedule and whether an interrupt (Ctrl-C) has ended the search."""
    best = Shortest(problem, search.best.method, seed=search.seed)
    phase = Search(problem, best, search.options_of_part(), search.in_time.part(share))
    interrupted = False
    try:
        go(phase)
    except KeyboardInterrupt:
        interrupted = True
        if best.schedule is None:
            raise
    search.notes += phase.notes
    if best.schedule is None:
        search.best.shortfall = best.shortfall
    return best, interrupted


def _offer(search: ShortestSearch, joined: JoinedPhases) -> None:
    """Take in both phases as a schedule of the whole, if it has no more steps than requested."""
    requested = search.best.requested_steps
    if requested is None or joined.schedule.num_steps <= requested:
        search.offer(f"{joined.solver} in two phases", joined.schedule)
