"""Solves timed problems: by events, by insertion into gaps, and by re-timing a schedule of steps; the best is returned.

Reductions are broadcasts read backwards, and an allreduce is a reduction and a broadcast. The search ends when a
schedule meets the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pavane.bounds.timed_cuts import timed_bounds
from pavane.errors import expect
from pavane.jit import clock
from pavane.judge.result import Provenance
from pavane.judge.timed_result import TimedResult
from pavane.model.allreduce import phases
from pavane.model.duals import dual
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers.timed.event_greedy import EventGreedy
from pavane.solvers.timed.insertion import Insertion
from pavane.solvers.timed.retiming import retime
from pavane.solvers.timed.reversal import backwards, in_two_phases
from pavane.text import VERSION

TIMED_SOLVERS = (EventGreedy(), Insertion())
"""Solvers that need no schedule of steps, in the order in which they are tried."""

SHARE_OF_STEPS = 0.5
"""The part of the time that is left which the search for a schedule of steps may take."""


def solve_timed(timed: TimedProblem, options: SearchOptions = SearchOptions()) -> TimedResult:
    """Find a timed schedule that ends early, and prove how good it is.

    Args:
        timed: The problem with its links and sizes.
        options: Seed and time limit of the search.

    Returns:
        The result: a verified schedule with the bounds on its end.

    Example:
        >>> ring = pavane.network("ring:4")
        >>> problem = pavane.Problem(ring, "allgather", pavane.Rules(switching="store-and-forward"))
        >>> links = pavane.Links.uniform(ring, latency_ps=700_000, bytes_per_second=25 * 10**9)
        >>> pavane.solve_timed(pavane.TimedProblem(problem, links, 1_000_000))
        <TimedResult: AAB on ring:4 in 81.400 us, optimal>
    """
    expect(timed, TimedProblem, "timed", "make a `pavane.TimedProblem`")
    budget = Budget.of(options.seconds)
    bounds = timed_bounds(timed)
    lowest = max((bound.finish for bound in bounds), default=0)
    best = TimedResult(timed, None, bounds)
    for name, schedule in _schedules(timed, lowest, options, budget):
        about = Provenance(name, options.seed, clock.now() - budget.started, VERSION)
        result = TimedResult(timed, schedule, bounds, about)
        if best.finish is None or (result.finish is not None and result.finish < best.finish):
            best = result
        if best.status == "optimal":
            break
    return best


def _schedules(
    timed: TimedProblem, lowest: int, options: SearchOptions, budget: Budget
) -> Iterator[tuple[str, TimedSchedule]]:
    """Yield schedules with the name of what found them, the quickest first."""
    found = _by_solvers(timed, lowest, options, budget)
    if found is not None:
        yield found
    seconds = None
    if budget.deadline is not None:
        seconds = max(0.1, SHARE_OF_STEPS * (budget.deadline - clock.now()))
    steps = solve(timed.problem, replace(options, seconds=seconds, on_improvement=None, checkpoint=None))
    if steps.schedule is not None:
        yield f"{steps.provenance.solver}, re-timed", retime(timed, steps.schedule)


def _by_solvers(
    timed: TimedProblem, lowest: int, options: SearchOptions, budget: Budget
) -> tuple[str, TimedSchedule] | None:
    """Return the schedule of the solver that supports the problem; None where none does."""
    problem = timed.problem
    if problem.pattern == "reduction":
        turned = replace(timed, problem=dual(problem))
        found = _by_solvers(turned, lowest, options, budget)
        return None if found is None else (found[0], backwards(timed, found[1]))
    if problem.pattern == "allreduce":
        parts = [replace(timed, problem=part) for part in phases(problem)]
        both = [_by_solvers(part, 0, options, budget) for part in parts]
        if both[0] is None or both[1] is None:
            return None
        return both[0][0], in_two_phases(timed, both[0][1], both[1][1])
    for solver in TIMED_SOLVERS:
        if solver.supports(timed):
            schedule = solver.find(timed, lowest, np.random.default_rng(options.seed), budget)
            if schedule is not None:
                return solver.name, schedule
    return None
