"""The walk over step counts, from the bound upwards, for solvers that decide one number of steps at a time.

A walk records its position for checkpoints: the number of steps, the evaluations left, what was counted so far, and the
state of the generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pavane.bounds import counted_bounds
from pavane.judge.result import Run
from pavane.model.bound import OccupancyBound
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.parallel.loop_state import LoopState, generator_state, set_generator, whole
from pavane.solvers.solver import Decider, Finding

WALK = "walk"
"""The kind of marks of a walk over numbers of steps."""


def walk_steps(solver: Decider, problem: Problem, rng: np.random.Generator, budget: Budget) -> Finding:
    """Try one number of steps after the other until the solver finds a schedule or has nothing more to try.

    A walk shares the evaluations of the budget, and spends at most the solver's own `most_evaluations`, where it has
    such a setting, on each number of steps.
    """
    left, most_each = budget.evaluations, getattr(solver, "most_evaluations", None)
    # A solver with a limit of its own counts its evaluations, even if there are none.
    bounds, runs = [counted_bounds(problem)[0]], [] if most_each is None else [Run(0)]
    occupancy_bounds: tuple[OccupancyBound, ...] = ()
    # One channel after another is a schedule, if a long one.
    longest = problem.num_deliveries * problem.network.num_routers
    if problem.rules.has_slots:
        longest *= problem.rules.flight(1) + problem.rules.packet_slots
    schedule = None
    first, bookmark = bounds[0].steps, budget.loop_checkpoint
    mark = None if bookmark is None else bookmark.load(WALK)
    if bookmark is not None and mark is not None:
        with bookmark.validating():
            first = whole(mark.figures["num_steps"], max(longest, first) + 1, first)
            left = None if left is None else whole(mark.figures["left"], left + 1)
            runs += [_read_run(record) for record in mark.figures["runs"][len(runs) :]]
            set_generator(rng, mark.figures["rng"])
    for num_steps in range(first, max(longest, first) + 1):
        if budget.is_over or left == 0:
            break
        limits = [most for most in (left, most_each) if most is not None]
        share = replace(budget, evaluations=min(limits, default=None), on_conflicts=_report_after(budget, runs))
        if bookmark is not None:
            # Bounds proven on the way would have to be trusted when read: then there is no bookmark.
            within = None if len(bounds) > 1 else bookmark.nested(_mark(num_steps, left, runs, rng))
            share = replace(share, loop_checkpoint=within)
        finding = Finding.of(solver.find(problem, num_steps, rng, share))
        bounds += finding.bounds
        occupancy_bounds += finding.occupancy_bounds
        if finding.run is not None:
            runs.append(finding.run)
        spent = finding.evaluations if finding.run is None else finding.run.evaluations
        left = None if left is None else max(0, left - spent)
        schedule = finding.schedule
        if schedule is not None or finding.is_final:
            break
    return Finding(schedule, tuple(bounds), join_runs(runs), occupancy_bounds=occupancy_bounds)


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


def _mark(num_steps: int, left: int | None, runs: list[Run], rng: np.random.Generator) -> LoopState:
    """Record the position of a walk before it tries a number of steps."""
    records = [[run.evaluations, run.trace] for run in runs]
    return LoopState(
        WALK, {"num_steps": num_steps, "left": left or 0, "runs": records, "rng": generator_state(rng)}, {}
    )


def _read_run(record: Any) -> Run:
    """Validate the record of a run."""
    evaluations, trace = record
    return Run(whole(evaluations), tuple((whole(number), whole(conflicts)) for number, conflicts in trace))


def _report_after(budget: Budget, runs: list[Run]) -> Callable[[int, int], None] | None:
    """Return the report of a run that follows others: its evaluations are counted from theirs on."""
    report, before = budget.on_conflicts, sum(run.evaluations for run in runs)
    return None if report is None else lambda evaluations, conflicts: report(before + evaluations, conflicts)
