"""Exact answers for small problems: "is there a schedule of S steps?" as a constraint program, decided by CP-SAT.

Every admissible path is in the program, listed (`paths`) or as a flow (`flows`). Where routers copy, it counts what
trees use (`tree_loads`). So the answer "no" is a proof, and a bound. Programs with fewer paths are tried before it:
they only ever say yes, but sooner.

A run can be repeated: one worker, a fixed seed, and an effort that is counted instead of timed. A deadline ends the
search, too; then the answer is "unknown", never another schedule.

More steps never hurt, so refuting S steps refutes fewer. A tdm table that repeats is different: one of P slots need not
give one of P + 1. There the bound P + 1 is claimed only if every period from the bound up to P is refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from pavane.bounds import counted_bounds
from pavane.bounds.channel_prices import priced_by_load
from pavane.bounds.slots import as_steps
from pavane.model.bound import Bound
from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.cp_sat_runs import new_solver, run_beside
from pavane.solvers.exact.flows import Flows, num_flows
from pavane.solvers.exact.paths import PathVariables, num_paths
from pavane.solvers.exact.program import Literal, OutOfTime, ScheduleProgram, schedule_of
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports

NARROW_PART = 10
"""A program that is not complete gets this part of the effort."""

PER_PATH = 4
"""About as many variables go with a path where transfers form trees."""


@dataclass(frozen=True)
class CpSat:
    """CP-SAT with all paths, capacities and bounds; small problems only."""

    name: str = "cp-sat"
    most_variables: int = 200_000
    """Larger programs than this are refused: they take minutes to write down and hours to decide."""
    effort: float = 100.0
    """The most deterministic time that one step count may take, in units of CP-SAT, about seconds."""

    @property
    def supports(self) -> Supports:
        """Supports problems without combining whose program is small enough."""
        return Supports(
            patterns=("private", "broadcast", "reduction"),
            combining=False,
            where=f"a program of at most {self.most_variables:,} variables",
            holds=lambda problem: (
                self.decides(problem) or (problem.has_trees and self.decides(_without_trees(problem)))
            ),
            takes=("capacities", "copies"),
        )

    def decides(self, problem: Problem) -> bool:
        """Return whether the complete program is small enough: that of the trees where routers copy."""
        return _is_small(forwards(problem), self.most_variables)

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Decide whether there is a schedule of at most `num_steps` steps; with trees where that program is small."""
        if problem.has_trees and not self.decides(problem):
            return self.find(_without_trees(problem), num_steps, rng, budget)._replace(bounds=())
        proven = _proven(problem, budget.deadline)
        if num_steps < proven[0].figure:
            return Finding(None, proven[:1])
        # A program of more steps than fit takes gigabytes; a schedule of fewer steps is as good.
        num_steps = max(proven[0].figure, min(num_steps, int(self.most_variables // _complete(problem, proven).size)))
        periods = [num_steps, *range(proven[0].figure, num_steps)] if problem.rules.repeats else [num_steps]
        left, refuted = budget, 0
        for period in periods:
            answer = self._decide_steps(problem, proven, period, seed_of(rng), left)
            left = _less(left, answer.evaluations)
            if answer.schedule is not None:
                return Finding(answer.schedule)
            if not answer.is_refuted:
                break
            refuted += 1
        bound = Bound(num_steps + 1, "exhaustive", {"method": self.name, "steps": num_steps})
        spent = (budget.evaluations or 0) - (left.evaluations or 0)
        is_final = (num_steps + 1) * _complete(problem, proven).size > self.most_variables
        return Finding(None, (bound,) if refuted == len(periods) else (), evaluations=spent, is_final=is_final)

    __call__ = solve_by_steps

    def _decide_steps(
        self, problem: Problem, proven: tuple[Bound, ...], num_steps: int, seed: int, budget: Budget
    ) -> _Answer:
        """Decide one number of steps, by programs with few ways first."""
        left, is_refuted = budget, False
        for attempt in _attempts(problem, proven, budget.deadline):
            answer = self._decide(attempt, num_steps, seed, left)
            left = _less(left, answer.evaluations)
            is_refuted |= attempt.is_complete and answer.is_refuted
            if answer.schedule is not None or left.is_over or left.evaluations == 0:
                break
        return replace(answer, is_refuted=is_refuted, evaluations=(budget.evaluations or 0) - (left.evaluations or 0))

    def _decide(self, attempt: _Attempt, num_steps: int, seed: int, budget: Budget) -> _Answer:
        """Write the program down and solve it; an evaluation is a conflict."""
        if attempt.bounds[0].figure > num_steps:
            return _Answer(is_refuted=True)
        if not attempt.is_complete and attempt.size * num_steps > self.most_variables:
            return _Answer()
        from ortools.sat.python import cp_model

        try:
            program = _written(attempt, num_steps, budget)
        except OutOfTime:
            return _Answer()
        part = 1 if attempt.is_complete else NARROW_PART
        solver = new_solver(self.effort / part, seed, budget)
        # The capacities and bounds are written so that they propagate. Relaxations, probing and the search for
        # symmetries took most of the time and found little more.
        solver.parameters.linearization_level = 0
        solver.parameters.cp_model_probing_level = 0
        solver.parameters.symmetry_level = 0
        if budget.evaluations is not None:
            solver.parameters.max_number_of_conflicts = budget.evaluations // part
        status = run_beside(solver, program.model, budget)
        if status in (cp_model.FEASIBLE, cp_model.OPTIMAL):
            return _Answer(program.schedule(solver.value), evaluations=solver.num_conflicts)
        return _Answer(None, status == cp_model.INFEASIBLE, solver.num_conflicts)


@dataclass(frozen=True)
class _Attempt:
    """A program to try: a problem whose schedules are schedules of the given one, and how its paths are represented."""

    problem: Problem
    bounds: tuple[Bound, ...]
    detour: int | None = None
    """By how many channels the listed paths may be longer than the shortest; None: paths are flows."""
    is_complete: bool = False
    """Whether every schedule of the given problem is in the program, so that a refutation is a proof."""

    @property
    def least_size(self) -> float:
        """Return a number that the size is not below: one path from each sender to each receiver."""
        if self.detour is None:
            return self.size
        num_processors = self.problem.network.num_processors
        pairs: int = 1 if self.problem.pattern == "private" else num_processors * (num_processors - 1)
        return self.problem.num_messages * pairs

    @cached_property
    def size(self) -> float:
        """The number of variables that one step takes, roughly."""
        if self.problem.has_trees:
            return num_paths(self.problem, self.detour or 0) * PER_PATH
        return num_flows(self.problem) if self.detour is None else num_paths(self.problem, self.detour)


class _WrittenProgram(NamedTuple):
    """A program that is written down, and how the schedule is read from the values of its variables."""

    model: Any
    schedule: Callable[[Callable[[Literal], int]], Schedule]


def _written(attempt: _Attempt, num_steps: int, budget: Budget) -> _WrittenProgram:
    """Write down the program of an attempt; OutOfTime: the deadline has passed."""
    program = ScheduleProgram(attempt.problem, num_steps, attempt.bounds, budget)
    ways = Flows(program) if attempt.detour is None else PathVariables(program, attempt.detour)
    program.close()
    program.check_time()

    def schedule(value: Callable[[Literal], int]) -> Schedule:
        return schedule_of(program, list(ways.transfers(value)))

    return _WrittenProgram(program.model, schedule)


@dataclass(frozen=True)
class _Answer:
    """The answer of CP-SAT: a schedule, a refutation, or neither."""

    schedule: Schedule | None = None
    is_refuted: bool = False
    evaluations: int = 0


@lru_cache(maxsize=32)
def _is_small(problem: Problem, most_variables: int) -> bool:
    """Return whether the complete program has at most that many variables, as far as the number of steps is known."""
    if problem.rules.combining or problem.pattern == "allreduce":
        return False
    complete = _complete(problem, ())
    # Quick tests first: counting paths and finding bounds take a while on large networks.
    if complete.least_size > most_variables or complete.size > most_variables:
        return False
    return complete.size * counted_bounds(problem)[0].figure <= most_variables


@lru_cache(maxsize=32)
def _proven(problem: Problem, deadline: float | None) -> tuple[Bound, ...]:
    """Return the bounds by counting and by the best prices, the highest first."""
    priced = priced_by_load(as_steps(problem) if problem.rules.has_slots else problem, deadline)
    bounds = counted_bounds(problem) + (() if priced is None else (priced,))
    return tuple(sorted(bounds, key=lambda bound: -bound.figure))


def _attempts(problem: Problem, bounds: tuple[Bound, ...], deadline: float | None) -> Iterator[_Attempt]:
    """Yield programs with few ways first and the complete one last.

    The first ones say yes in a second where the whole program is lost in its freedom.
    """
    rules, network = problem.rules, problem.network
    if rules.runs_whole_paths:
        if problem.pattern == "broadcast" and all(network.processors_on) and not rules.has_slots:
            # Hop by hop; without pure switches, where a message could rest, it is a wormhole schedule as well.
            hops = replace(problem, rules=replace(rules.without_copies(), switching="store-and-forward"))
            yield _Attempt(hops, _proven(hops, deadline))
        if rules.routing == "any":
            shortest = replace(problem, rules=replace(rules, routing="minimal"))
            yield _Attempt(shortest, _proven(shortest, deadline), detour=0)
            if problem.pattern == "private" and num_paths(problem, detour=1) > num_paths(problem):
                yield _Attempt(problem, bounds, detour=1)
    yield _complete(problem, bounds)


def _complete(problem: Problem, bounds: tuple[Bound, ...]) -> _Attempt:
    """Return the program that has all paths: as flows where every simple path is admissible, else listed.

    Slots need a list: a flow does not say when a channel of a path is used; and trees do, as ways of single transfers.
    """
    rules = problem.rules
    detour = 0 if problem.has_trees else None
    if rules.runs_whole_paths and (rules.has_slots or problem.has_trees or rules.routing != "any"):
        detour = problem.network.num_routers if rules.routing == "any" else 0
    return _Attempt(problem, bounds, detour, is_complete=True)


def _without_trees(problem: Problem) -> Problem:
    return replace(problem, rules=problem.rules.without_copies())


def _less(budget: Budget, evaluations: int) -> Budget:
    """Return what is left of a budget."""
    if budget.evaluations is None:
        return budget
    return replace(budget, evaluations=max(0, budget.evaluations - evaluations))
