"""Several collectives at once: a schedule of each, or of several as one problem, dispatched together.

Each collective is searched for on the channels between its members, or on the whole network; collectives that can be
one problem are searched for as that, too. The transfers of all are then dispatched together by priority, and a local
search changes priorities and the schedules of single collectives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from pavane.bounds.joint import joint_bounds, of_some
from pavane.errors import InputError, expect, shortened
from pavane.jit import clock
from pavane.judge.joint_result import JointResult
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.bound import Bound
from pavane.model.joint import JointProblem, some_transfers
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.search.member_networks import own_network
from pavane.search.options import SearchOptions
from pavane.search.rip_up import rerouted
from pavane.search.synthesis import solve
from pavane.solvers.joint_packing import TransferJobs
from pavane.text import VERSION

Goal = Literal["makespan", "sum"]

MOST_MOVES = 200
"""Moves of the local search; most improvements come in the first half of them."""

MOST_JOBS_MOVED = 400_000
"""TransferJobs that all moves dispatch together, at some 100,000 a second; a large problem gets fewer moves."""

MOST_ON_THE_WHOLE = 8
"""Up to this many collectives each is searched for on the whole network, too, which takes far longer than between its
members."""

LEAST_SECONDS = 0.01
"""Time limit of a collective where the others have taken all the time."""


@dataclass(frozen=True)
class Plan:
    """A schedule of some collectives, with messages of the joint problem."""

    collectives: tuple[int, ...]
    schedule: Schedule
    solver: str


def solve_joint(
    problem: JointProblem, options: SearchOptions = SearchOptions(), *, goal: Goal = "makespan"
) -> JointResult:
    """Find a schedule of several collectives at once in as few steps as possible, and prove how good it is.

    An interrupt (Ctrl-C) ends the search: the result is the best so far and `interrupted`.

    Args:
        problem: The collectives, with their network and rules.
        options: How to search: seed, limits and workers.
        goal: `"makespan"`: as few steps of the whole as possible; `"sum"`: as small a sum as possible of the steps
            after which each collective is complete.

    Returns:
        The result: a verified schedule of all, or none, with bounds of the whole and of each collective.

    Example:
        >>> ring = pavane.network("ring:6")
        >>> result = pavane.solve_joint(pavane.JointProblem(ring, [pavane.alltoall(ring), pavane.alltoall(ring)]))
        >>> result.num_steps, result.status
        (9, 'optimal')
    """
    expect(problem, JointProblem, "problem", "make a `pavane.JointProblem` of a network and collectives")
    expect(options, SearchOptions, "options", "say them like `pavane.SearchOptions(seconds=10)`")
    if goal not in get_args(Goal):
        raise InputError(f"`goal` {shortened(goal)} is not known; choose makespan or sum")
    return JointSearch(problem, options, goal).result()


class JointSearch:
    """One search for a schedule of several collectives."""

    def __init__(self, problem: JointProblem, options: SearchOptions, goal: Goal) -> None:
        self.problem, self.options, self.goal = problem, options, goal
        self.budget = options.budget()
        self.solved: dict[str, Result] = {}
        self.bounds: list[Bound] = list(joint_bounds(problem))
        self.best: Schedule | None = None
        self.solvers = ["joint"]
        self.steps_alone = [0] * len(problem.parts)

    def result(self) -> JointResult:
        """Search, and return the best schedule with its bounds."""
        interrupted = False
        try:
            self._search()
        except KeyboardInterrupt:
            if self.best is None:
                raise
            interrupted = True
        solver = "+".join(dict.fromkeys(self.solvers))
        seconds = round(clock.now() - self.budget.started, 3)
        bounds = tuple(sorted(self.bounds, key=lambda bound: -bound.steps))
        alone = tuple(self.steps_alone) if all(self.steps_alone) else ()
        about = Provenance(solver, self.options.seed, seconds, VERSION)
        return JointResult(self.problem, self.best, bounds, about, alone, interrupted=interrupted)

    def _search(self) -> None:
        """Try schedules of each kind until one reaches the bound; then change the best one."""
        apart: list[tuple[int, ...]] = [(number,) for number in range(len(self.problem.parts))]
        alternatives: list[list[Plan]] = [[] for _ in apart]
        ways = [(apart, True)]
        ways += [(list(self.problem.united()), False)] if len(self.problem.united()) < len(apart) else []
        ways += [(apart, False)] if len(apart) <= MOST_ON_THE_WHOLE else []
        for groups, is_own in ways:
            plans = list(self._plans(groups, is_own))
            for plan in plans:
                if len(plan.collectives) == 1:
                    alternatives[plan.collectives[0]].append(plan)
            if sum(len(plan.collectives) for plan in plans) == len(apart):
                self._try(plans)
            if self._is_done():
                return
        self._improve(alternatives)

    # -- schedules of single collectives

    def _plans(self, groups: Sequence[tuple[int, ...]], is_own: bool) -> Iterator[Plan]:
        """Yield a schedule of each group of collectives, between its members or on the whole network."""
        ones = [(numbers, *self.problem.as_one(numbers)) for numbers in groups]
        owns = [own_network(problem) if is_own else None for _, problem, _ in ones]
        searched = [problem if own is None else own.problem for (_, problem, _), own in zip(ones, owns, strict=True)]
        different = {problem.digest() for problem in searched}
        for (numbers, problem, in_joint), own in zip(ones, owns, strict=True):
            # One more share is left for what comes after the last of them.
            seconds = self.budget.part(1 / (1 + len(different - self.solved.keys()))).seconds_left
            schedule, solver = None, ""
            if own is not None:
                result = self._solved(own.problem, seconds)
                schedule, solver = result.schedule, result.provenance.solver
                schedule = None if schedule is None else own.on_the_whole(schedule)
                # What is a shortest path there may be none on the whole network.
                schedule = None if schedule is None or verify(problem, schedule, 1) else schedule
            if schedule is None:
                result = self._solved(problem, seconds)
                schedule, solver = result.schedule, result.provenance.solver
                self.bounds += [of_some(numbers, result.bound)] if result.bound is not None else []
            if schedule is None:
                continue
            if len(numbers) == 1:
                alone = self.steps_alone[numbers[0]]
                self.steps_alone[numbers[0]] = min(alone or schedule.num_steps, schedule.num_steps)
            yield Plan(numbers, schedule.with_columns(messages=in_joint[schedule.messages]), solver)

    def _solved(self, problem: Problem, seconds: float | None) -> Result:
        """Return the result of a problem; of equal problems, that of the first."""
        key = problem.digest()
        if key not in self.solved:
            limit = None if seconds is None else max(LEAST_SECONDS, seconds)
            options = replace(self.options, seconds=limit, on_improvement=None, on_progress=None, checkpoint=None)
            self.solved[key] = solve(problem, options).expanded()
        return self.solved[key]

    # -- schedules of all

    def _cost(self, schedule: Schedule) -> tuple[int, int]:
        """Return the order of schedules: by the goal, then by the other figure."""
        figures = schedule.num_steps, sum(self.problem.steps_of(schedule))
        return figures if self.goal == "makespan" else figures[::-1]

    def _is_done(self) -> bool:
        """Return whether the best schedule is known to be the best, or there is no time left."""
        if self.best is None:
            return False
        result = JointResult(self.problem, self.best, tuple(self.bounds))
        return self.budget.is_over or (result.is_optimal if self.goal == "makespan" else result.has_least_sum)

    def _try(self, plans: Sequence[Plan]) -> None:
        """Dispatch the transfers of some plans in several orders, and keep the best schedule."""
        self.solvers += [plan.solver for plan in plans]
        schedules = [plan.schedule for plan in plans]
        num_steps = max(schedule.num_steps for schedule in schedules)
        jobs = TransferJobs.of(self.problem, Schedule.join(schedules, num_steps, [each.steps for each in schedules]))
        for priorities in jobs.orders():
            self._offer(jobs.packed(priorities.tolist()))

    def _offer(self, schedule: Schedule) -> None:
        """Keep a schedule that is no worse than the best one."""
        if self.best is None or self._cost(schedule) <= self._cost(self.best):
            self.best = schedule

    def _improve(self, alternatives: Sequence[Sequence[Plan]]) -> None:
        """Change the schedule at random, and keep what is no worse: rip-up and reroute, other orders, other plans."""
        if self.best is None:
            return
        rng = np.random.default_rng(self.options.seed)
        num_moves = min(MOST_MOVES, MOST_JOBS_MOVED // max(1, len(self.best)))
        plans = [plan for each in alternatives if len(each) > 1 for plan in each]
        for move in range(num_moves):
            if self._is_done():
                return
            schedule = self.best
            if move % 4 < 2:
                self._offer(rerouted(self.problem, schedule, rng))
                continue
            if plans and move % 4 == 3:
                plan = plans[rng.integers(len(plans))]
                others = self.problem.members(schedule) != plan.collectives[0]
                kept = some_transfers(schedule, others)
                longest = max(kept.num_steps, plan.schedule.num_steps)
                schedule = Schedule.join([kept, plan.schedule], longest, [kept.steps, plan.schedule.steps])
            jobs = TransferJobs.of(self.problem, schedule)
            steps = np.zeros(len(jobs.uses))
            steps[jobs.job_of] = schedule.steps
            offsets = rng.normal(0, 1, len(self.problem.parts))[jobs.collectives]
            noise = offsets + rng.normal(0, 0.5, len(steps)) * rng.integers(0, 4)
            self._offer(jobs.packed((steps + noise).tolist()))
