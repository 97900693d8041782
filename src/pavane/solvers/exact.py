"""Exact answers for small problems: "is there a schedule of S steps?" as a constraint program, decided by CP-SAT.

Every admissible path is in the program, listed (`exact_paths`) or as a flow (`exact_flows`). So the answer "no" is a
proof, and a bound. Reductions are decided as the broadcasts they are when read backwards.

A run can be repeated: one worker, a fixed seed, and an effort that is counted instead of timed. A deadline ends the
search, too; then the answer is "unknown", never another schedule.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from threading import Thread
from typing import Any

from pavane.bounds import Bound, lower_bounds
from pavane.collectives import dual
from pavane.problem import Problem
from pavane.result import Provenance, Result
from pavane.schedule import Schedule, time_reversed
from pavane.solvers.budget import Budget
from pavane.solvers.exact_flows import Flows, num_flows
from pavane.solvers.exact_paths import Paths, num_paths
from pavane.solvers.exact_program import OutOfTime, Program, schedule_of

NARROW_PART = 10
"""A narrower problem gets this part of the effort."""


@dataclass(frozen=True)
class Exact:
    """CP-SAT with all paths, capacities and bounds; small problems only."""

    name: str = "cp-sat"
    most_variables: int = 200_000
    """Larger programs than this are refused: they take minutes to write down and hours to decide."""
    effort: float = 100.0
    """The most deterministic time that one step count may take, in units of CP-SAT, about seconds."""

    def supports(self, problem: Problem) -> bool:
        """Say whether the program is small enough; combining is not in it."""
        rules = problem.rules
        if rules.combining or rules.routing not in ("minimal", "any"):
            return False
        if problem.pattern == "reduction":
            return self.supports(dual(problem))
        # Quick refusals first: the number of paths and the bounds take a while on large networks.
        if num_flows(problem) > self.most_variables:
            return False
        per_step = num_paths(problem) if _lists_paths(problem) else num_flows(problem)
        return per_step <= self.most_variables and per_step * lower_bounds(problem)[0].steps <= self.most_variables

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Decide whether there is a schedule of so many steps; None: of as few as can be, from the bound upwards."""
        if problem.pattern == "reduction":
            mirror = dual(problem)
            found = self(mirror, num_steps, seed, budget)
            schedule = found.schedule and time_reversed(mirror, found.schedule, problem)
            return Result(problem, schedule, found.bounds, found.provenance, num_steps)
        counting = lower_bounds(problem)
        result = Result(problem, None, (), Provenance(self.name, seed), num_steps)
        if num_steps is not None and num_steps < counting[0].steps:
            return replace(result, bounds=counting[:1])
        if num_steps is None:
            result = replace(result, bounds=counting[:1])
        asked: Iterable[int] = count(counting[0].steps) if num_steps is None else (num_steps,)
        narrower = [(narrow, lower_bounds(narrow)) for narrow in _narrower(problem)]
        for steps in asked:
            for narrow, bounds in narrower:
                if bounds[0].steps <= steps:
                    answer = self._decide(narrow, steps, bounds, seed, _part(budget), self.effort / NARROW_PART)
                    budget = _less(budget, answer.evaluations)
                    if answer.schedule is not None:
                        return replace(result, schedule=answer.schedule)
            answer = self._decide(problem, steps, counting, seed, budget, self.effort)
            budget = _less(budget, answer.evaluations)
            if answer.schedule is not None:
                return replace(result, schedule=answer.schedule)
            if answer.is_refuted:
                refuted = Bound(steps + 1, "exhaustive", {"method": self.name, "steps": steps})
                result = replace(result, bounds=(*result.bounds, refuted))
            if budget.is_over or budget.evaluations == 0:
                break
        return result

    def _decide(
        self, problem: Problem, num_steps: int, bounds: tuple[Bound, ...], seed: int, budget: Budget, effort: float
    ) -> _Answer:
        """Write the program down and have it solved."""
        from ortools.sat.python import cp_model

        try:
            program = Program(problem, num_steps, bounds, budget)
            ways = Paths(program) if _lists_paths(problem) else Flows(program)
            program.close()
        except OutOfTime:
            return _Answer()
        solver = cp_model.CpSolver()
        _limit(solver.parameters, seed, budget, effort)
        status = _interruptible(solver, program.model)
        if status in (cp_model.FEASIBLE, cp_model.OPTIMAL):
            transfers = list(ways.transfers(solver.value))
            return _Answer(schedule_of(program, transfers), evaluations=solver.num_conflicts)
        return _Answer(is_refuted=status == cp_model.INFEASIBLE, evaluations=solver.num_conflicts)


def _lists_paths(problem: Problem) -> bool:
    """Whether paths are listed; otherwise they are flows."""
    return problem.rules.switching == "wormhole" and problem.rules.routing == "minimal"


def _narrower(problem: Problem) -> Iterator[Problem]:
    """Yield problems with fewer ways whose every schedule is one of this problem, too.

    They say yes in a second where the whole program is lost in its freedom; their no proves nothing.
    """
    rules = problem.rules
    if rules.switching != "wormhole":
        return
    if problem.pattern == "broadcast" and all(problem.network.processors_on):
        yield replace(problem, rules=replace(rules, switching="store-and-forward"))
    if rules.routing == "any":
        yield replace(problem, rules=replace(rules, routing="minimal"))


@dataclass(frozen=True)
class _Answer:
    """What CP-SAT said: a schedule, that there is none, or neither."""

    schedule: Schedule | None = None
    is_refuted: bool = False
    evaluations: int = 0


def _part(budget: Budget) -> Budget:
    """Return the part of a budget that a narrower problem may use."""
    if budget.evaluations is None:
        return budget
    return replace(budget, evaluations=budget.evaluations // NARROW_PART)


def _less(budget: Budget, evaluations: int) -> Budget:
    """Return what is left of a budget."""
    if budget.evaluations is None:
        return budget
    return replace(budget, evaluations=max(0, budget.evaluations - evaluations))


def _limit(parameters: Any, seed: int, budget: Budget, effort: float) -> None:
    """Make the run repeatable, and short; an evaluation is a conflict."""
    parameters.num_workers = 1
    parameters.random_seed = seed % 2**31
    # The capacities and bounds are written so that they propagate. Relaxations, probing and the search for symmetries
    # took most of the time and found little more.
    parameters.linearization_level = 0
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    parameters.max_deterministic_time = effort
    if budget.evaluations is not None:
        parameters.max_number_of_conflicts = budget.evaluations
    if budget.deadline is not None:
        parameters.max_time_in_seconds = max(0.0, budget.deadline - time.monotonic())


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
