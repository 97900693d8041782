"""Exact answers for small problems: "is there a schedule of S steps?" as a constraint program, decided by CP-SAT.

Every admissible path is in the program, listed (`exact_paths`) or as a flow (`exact_flows`). So the answer "no" is a
proof, and a bound. Programs with fewer paths are tried before it: they only ever say yes, but sooner. Reductions are
decided as the broadcasts they are when read backwards.

A run can be repeated: one worker, a fixed seed, and an effort that is counted instead of timed. A deadline ends the
search, too; then the answer is "unknown", never another schedule.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Thread
from typing import Any

from pavane.bounds import lower_bounds
from pavane.bounds.channel_prices import priced_by_load
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.solvers.exact.flows import Flows, num_flows
from pavane.solvers.exact.paths import Paths, num_paths
from pavane.solvers.exact.program import OutOfTime, Program, schedule_of
from pavane.workers.budget import Budget

NARROW_PART = 10
"""A program that is not complete gets this part of the effort."""


@dataclass(frozen=True)
class CpSat:
    """CP-SAT with all paths, capacities and bounds; small problems only."""

    name: str = "cp-sat"
    most_variables: int = 200_000
    """Larger programs than this are refused: they take minutes to write down and hours to decide."""
    effort: float = 100.0
    """The most deterministic time that one step count may take, in units of CP-SAT, about seconds."""

    def supports(self, problem: Problem) -> bool:
        """Say whether the program is small enough; combining is not in it."""
        rules = problem.rules
        if rules.combining or problem.restriction is not None:
            return False
        if problem.pattern == "reduction":
            return self.supports(dual(problem))
        complete = _complete(problem, ())
        # The quick questions first: counting paths and finding bounds take a while on large networks.
        if complete.least_size > self.most_variables or complete.size > self.most_variables:
            return False
        return complete.size * lower_bounds(problem)[0].steps <= self.most_variables

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Decide whether there is a schedule of so many steps; None: of as few as can be, from the bound upwards."""
        if problem.pattern == "reduction":
            mirror = dual(problem)
            found = self(mirror, num_steps, seed, budget)
            schedule = None if found.schedule is None else time_reversed(mirror, found.schedule, problem)
            return Result(problem, schedule, found.bounds, found.provenance, num_steps)
        proven = _proven(problem, budget)
        result = Result(problem, None, (), Provenance(self.name, seed), num_steps)
        if num_steps is not None and num_steps < proven[0].steps:
            return replace(result, bounds=proven[:1])
        attempts = list(_attempts(problem, proven, budget))
        if num_steps is None:
            result = replace(result, bounds=proven[:1])
        for steps in self._walk(proven[0].steps, attempts[-1]) if num_steps is None else (num_steps,):
            for attempt in attempts:
                answer = self._decide(attempt, steps, seed, budget)
                budget = _less(budget, answer.evaluations)
                if answer.schedule is not None:
                    return replace(result, schedule=answer.schedule)
                if answer.is_refuted:
                    refuted = Bound(steps + 1, "exhaustive", {"method": self.name, "steps": steps})
                    result = replace(result, bounds=(*result.bounds, refuted))
                if budget.is_over or budget.evaluations == 0:
                    return result
        return result

    def _walk(self, lowest: int, complete: _Attempt) -> range:
        """Return the step counts to try, from the bound up to where the program gets too large, and at least one."""
        return range(lowest, max(lowest, int(self.most_variables / complete.size)) + 1)

    def _decide(self, attempt: _Attempt, num_steps: int, seed: int, budget: Budget) -> _Answer:
        """Write the program down and have it solved."""
        if attempt.bounds[0].steps > num_steps:
            return _Answer()
        if not attempt.is_complete and attempt.size * num_steps > self.most_variables:
            return _Answer()
        from ortools.sat.python import cp_model

        try:
            program = Program(attempt.problem, num_steps, attempt.bounds, budget)
            ways = Flows(program) if attempt.detour is None else Paths(program, attempt.detour)
            program.close()
            program.check_time()
        except OutOfTime:
            return _Answer()
        solver = cp_model.CpSolver()
        self._limit(solver.parameters, seed, budget, 1 if attempt.is_complete else NARROW_PART)
        status = _interruptible(solver, program.model)
        if status in (cp_model.FEASIBLE, cp_model.OPTIMAL):
            transfers = list(ways.transfers(solver.value))
            return _Answer(schedule_of(program, transfers), evaluations=solver.num_conflicts)
        return _Answer(None, attempt.is_complete and status == cp_model.INFEASIBLE, solver.num_conflicts)

    def _limit(self, parameters: Any, seed: int, budget: Budget, part: int) -> None:
        """Make the run repeatable, and short; an evaluation is a conflict."""
        parameters.num_workers = 1
        parameters.random_seed = seed % 2**31
        # The capacities and bounds are written so that they propagate. Relaxations, probing and the search for
        # symmetries took most of the time and found little more.
        parameters.linearization_level = 0
        parameters.cp_model_probing_level = 0
        parameters.symmetry_level = 0
        parameters.max_deterministic_time = self.effort / part
        if budget.evaluations is not None:
            parameters.max_number_of_conflicts = budget.evaluations // part
        if budget.deadline is not None:
            parameters.max_time_in_seconds = max(0.0, budget.deadline - time.monotonic())


@dataclass(frozen=True)
class _Attempt:
    """A program to try: a problem whose schedules are schedules of the one asked for, and how its paths are given."""

    problem: Problem
    bounds: tuple[Bound, ...]
    detour: int | None = None
    """Paths are listed, so much longer than the shortest at most; None: they are flows."""
    is_complete: bool = False
    """Whether every schedule of the problem asked for is in the program, so that a no is a proof."""

    @property
    def least_size(self) -> float:
        """Return a number that the size is not below: one path from each sender to each receiver."""
        if self.detour is None:
            return self.size
        num_processors = self.problem.network.num_processors
        pairs = 1 if self.problem.pattern == "private" else num_processors * (num_processors - 1)
        return self.problem.num_messages * pairs

    @cached_property
    def size(self) -> float:
        """The number of variables that one step takes, roughly."""
        return num_flows(self.problem) if self.detour is None else num_paths(self.problem, self.detour)


@dataclass(frozen=True)
class _Answer:
    """What CP-SAT said: a schedule, that there is none, or neither."""

    schedule: Schedule | None = None
    is_refuted: bool = False
    evaluations: int = 0


def _proven(problem: Problem, budget: Budget) -> tuple[Bound, ...]:
    """Return the bounds by counting and by the best prices, the highest first."""
    priced = priced_by_load(problem, budget.deadline)
    bounds = lower_bounds(problem) + (() if priced is None else (priced,))
    return tuple(sorted(bounds, key=lambda bound: -bound.steps))


def _attempts(problem: Problem, bounds: tuple[Bound, ...], budget: Budget) -> Iterator[_Attempt]:
    """Yield programs with few ways first and the complete one last.

    The first ones say yes in a second where the whole program is lost in its freedom.
    """
    rules, network = problem.rules, problem.network
    if rules.switching == "wormhole":
        if problem.pattern == "broadcast" and all(network.processors_on):
            # Hop by hop; without pure switches, where a message could rest, it is a wormhole schedule as well.
            hops = replace(problem, rules=replace(rules, switching="store-and-forward"))
            yield _Attempt(hops, _proven(hops, budget))
        if rules.routing == "any":
            shortest = replace(problem, rules=replace(rules, routing="minimal"))
            yield _Attempt(shortest, _proven(shortest, budget), detour=0)
            if problem.pattern == "private" and num_paths(problem, detour=1) > num_paths(problem):
                yield _Attempt(problem, bounds, detour=1)
    yield _complete(problem, bounds)


def _complete(problem: Problem, bounds: tuple[Bound, ...]) -> _Attempt:
    """Return the program that has all paths: listed where only the shortest are admissible, otherwise as flows."""
    lists_paths = problem.rules.switching == "wormhole" and problem.rules.routing == "minimal"
    return _Attempt(problem, bounds, detour=0 if lists_paths else None, is_complete=True)


def _less(budget: Budget, evaluations: int) -> Budget:
    """Return what is left of a budget."""
    if budget.evaluations is None:
        return budget
    return replace(budget, evaluations=max(0, budget.evaluations - evaluations))


def _interruptible(solver: Any, model: Any) -> Any:
    """Run CP-SAT beside the main thread, so that Ctrl-C comes through at once and is nobody else's."""
    solver.parameters.catch_sigint_signal = False
    answers: list[Any] = []

    def run() -> None:
        answers.append(solver.solve(model))

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.05)
    except BaseException:
        solver.stop_search()
        thread.join()
        raise
    return answers[0]
