"""How solvers are called: they see a reduced problem, and what they find becomes a Result."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pavane.judge.result import Provenance, Result
from pavane.model.allreduce import phases
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of
from pavane.solvers.reductions import REDUCTIONS, Chain
from pavane.solvers.solver import Decider, Described, Finder, Finding
from pavane.solvers.step_walk import join_runs, walk_steps

Find = Callable[[Problem, int | None, np.random.Generator, Budget], Schedule | Finding | None]


def solve_once(solver: Finder, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Call `find` once and make a Result of what it finds."""
    return _solve(solver, solver.find, problem, num_steps, seed, budget)


def solve_by_steps(solver: Decider, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Call `find` for `num_steps`; None: for one number of steps after the other, from the bound upwards."""

    def find(
        problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        if num_steps is None:
            return walk_steps(solver, problem, rng, budget)
        return solver.find(problem, num_steps, rng, budget)

    return _solve(solver, find, problem, num_steps, seed, budget)


def _solve(solver: Described, find: Find, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
    """Call `find` for the reduced problem, or for both phases of an allreduce that the solver does not take whole."""
    if problem.pattern == "allreduce" and "allreduce" not in solver.supports.takes:
        chain, finding = Chain.of(problem, ()), _in_phases(solver, find, problem, seed, budget)
    else:
        chain = Chain.of(problem, REDUCTIONS, solver.supports.takes)
        finding = Finding.of(find(chain.problem, num_steps, np.random.default_rng(seed), chain.budget(budget)))
    schedule = finding.schedule
    if schedule is not None and num_steps is not None and schedule.num_steps > num_steps:
        schedule = None
    schedule = None if schedule is None else chain.invert(schedule)
    notes = () if finding.needs is None else (_too_short(solver.name, finding.needs),)
    provenance = Provenance(solver.name, seed)
    return Result(problem, schedule, chain.lift(finding.bounds), provenance, num_steps, finding.run, notes)


def _in_phases(solver: Described, find: Find, problem: Problem, seed: int, budget: Budget) -> Finding:
    """Solve the broadcast of an allreduce, and the reduction where that is not the broadcast read backwards.

    This is no reduction of a chain: there are two schedules.
    """
    reduction, broadcast = phases(problem)
    symmetric = is_symmetric(problem)
    own_budget = budget.for_subproblem()
    second = _solve(solver, find, broadcast, None, seed, own_budget.part(1.0 if symmetric else 0.5))
    if second.schedule is None:
        return Finding(None, run=second.run)
    if symmetric:
        first, run = reduction_of(broadcast, second.schedule), second.run
    else:
        result = _solve(solver, find, reduction, None, seed, own_budget)
        run = join_runs(part for part in (second.run, result.run) if part is not None)
        if result.schedule is None:
            return Finding(None, run=run)
        first = result.schedule
    return Finding(join_schedules(first, second.schedule), run=run)


def _too_short(name: str, seconds: float) -> str:
    """Return a note with the time limit that would suffice: an estimate of two digits, rounded up with some room."""
    enough = int(1.2 * seconds + 1)
    unit = 10 ** max(0, len(str(enough)) - 2)
    about = -(-enough // unit) * unit
    return f"the time limit is too short for a first schedule; {name} takes about {about:,} s (`seconds`)"
