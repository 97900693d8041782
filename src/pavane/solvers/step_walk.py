"""The walk over step counts, from the bound upwards, for solvers that decide one number of steps at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from pavane.bounds import counted_bounds
from pavane.judge.result import Run
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.solver import Decider, Finding


def walk_steps(solver: Decider, problem: Problem, rng: np.random.Generator, budget: Budget) -> Finding:
    """Try one number of steps after the other until the solver finds a schedule or has nothing more to try.

    A walk shares the evaluations of the budget, and spends at most the solver's own `most_evaluations`, where it has
    such a setting, on each number of steps.
    """
    left, most_each = budget.evaluations, getattr(solver, "most_evaluations", None)
    # A solver with a limit of its own counts its evaluations, even if there are none.
    bounds, runs = [counted_bounds(problem)[0]], [] if most_each is None else [Run(0)]
    # One channel after another is a schedule, if a long one.
    longest = problem.num_deliveries * problem.network.num_routers
    if problem.rules.has_slots:
        longest *= problem.rules.flight(1) + problem.rules.packet_slots
    schedule = None
    first = bounds[0].figure
    for num_steps in range(first, max(longest, first) + 1):
        if budget.is_over or left == 0:
            break
        limits = [most for most in (left, most_each) if most is not None]
        share = replace(budget, evaluations=min(limits, default=None), on_conflicts=_report_after(budget, runs))
        finding = Finding.of(solver.find(problem, num_steps, rng, share))
        bounds += finding.bounds
        if finding.run is not None:
            runs.append(finding.run)
        spent = finding.evaluations if finding.run is None else finding.run.evaluations
        left = None if left is None else max(0, left - spent)
        schedule = finding.schedule
        if schedule is not None or finding.is_final:
            break
    return Finding(schedule, tuple(bounds), join_runs(runs))


def join_runs(runs: Iterable[Run]) -> Run | None:
    """Return several runs, one after the other, as one."""
    joined: Run | None = None
    for run in runs:
        before = 0 if joined is None else joined.evaluations
        trace = () if joined is None else joined.trace
        joined = Run(
            before + run.evaluations, (*trace, *((before + number, conflicts) for number, conflicts in run.trace))
        )
    return joined


def _report_after(budget: Budget, runs: list[Run]) -> Callable[[int, int], None] | None:
    """Return the report of a run that follows others: its evaluations are counted from theirs on."""
    report, before = budget.on_conflicts, sum(run.evaluations for run in runs)
    return None if report is None else lambda evaluations, conflicts: report(before + evaluations, conflicts)
