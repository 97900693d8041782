"""How solvers are called: they see a view of the problem, and what they find becomes a Result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pavane.judge.result import Provenance, Result
from pavane.model.allreduce import phases
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of
from pavane.solvers.problem_view import ProblemView
from pavane.solvers.solver import Decider, Finder, Finding
from pavane.solvers.step_walk import join_runs, walk_steps


def solve_once(solver: Finder, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Call `find` once and make a Result of what it finds."""
    if problem.pattern == "allreduce" and not getattr(solver, "takes_allreduce", False):
        return _solve_in_phases(partial(solve_once, solver), solver.name, problem, num_steps, seed, budget)
    view = ProblemView.of(solver, problem)
    found = solver.find(view.problem, num_steps, np.random.default_rng(seed), view.budget(budget))
    return _result(solver.name, view, Finding.of(found), num_steps, seed)


def solve_by_steps(solver: Decider, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Call `find` for `num_steps`; None: for one number of steps after the other, from the bound upwards."""
    if problem.pattern == "allreduce" and not getattr(solver, "takes_allreduce", False):
        return _solve_in_phases(partial(solve_by_steps, solver), solver.name, problem, num_steps, seed, budget)
    view, rng = ProblemView.of(solver, problem), np.random.default_rng(seed)
    budget = view.budget(budget)
    if num_steps is not None:
        finding = Finding.of(solver.find(view.problem, num_steps, rng, budget))
    else:
        finding = walk_steps(solver, view.problem, rng, budget)
    return _result(solver.name, view, finding, num_steps, seed)


def _solve_in_phases(
    solve: Callable[[Problem, int | None, int, Budget], Result],
    name: str,
    problem: Problem,
    num_steps: int | None,
    seed: int,
    budget: Budget,
) -> Result:
    """Solve the broadcast of an allreduce, and the reduction where that is not the broadcast read backwards."""
    reduction, broadcast = phases(problem)
    symmetric = is_symmetric(problem)
    own_budget = budget.for_subproblem()
    second = solve(broadcast, None, seed, own_budget.part(1.0 if symmetric else 0.5))
    run, schedule = second.run, None
    if second.schedule is not None:
        first: Schedule | None
        if symmetric:
            first = reduction_of(broadcast, second.schedule)
        else:
            result = solve(reduction, None, seed, own_budget)
            first, run = result.schedule, join_runs(part for part in (run, result.run) if part is not None)
        if first is not None:
            schedule = join_schedules(first, second.schedule)
    if schedule is not None and num_steps is not None and schedule.num_steps > num_steps:
        schedule = None
    return Result(problem, schedule, (), Provenance(name, seed), num_steps, run)


def _result(name: str, view: ProblemView, finding: Finding, num_steps: int | None, seed: int) -> Result:
    schedule = finding.schedule
    if schedule is not None and num_steps is not None and schedule.num_steps > num_steps:
        schedule = None
    if schedule is not None and view.problem is not view.original:
        schedule = view.original_schedule(schedule)
    notes = () if finding.needs is None else (_too_short(name, finding.needs),)
    return Result(
        view.original,
        schedule,
        # Solvers that know no trees prove bounds for single transfers only.
        () if view.original.has_trees and not view.problem.has_trees else view.bounds(finding.bounds),
        Provenance(name, seed),
        num_steps,
        finding.run,
        notes,
    )


def _too_short(name: str, seconds: float) -> str:
    """Return a note with the time limit that would suffice: an estimate of two digits, rounded up with some room."""
    enough = int(1.2 * seconds + 1)
    unit = 10 ** max(0, len(str(enough)) - 2)
    about = -(-enough // unit) * unit
    return f"the time limit is too short for a first schedule; {name} takes about {about:,} s (`seconds`)"
