"""Several collectives at once: a schedule of each, or of several as one problem, dispatched together.

Each collective is searched for on the channels between its members, or on the whole network; collectives that can be
one problem are searched for as that, too. The transfers of all are then dispatched together by priority, and a local
search changes priorities and the schedules of single collectives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from pavane.bounds import lower_bounds
from pavane.bounds.several import of_some
from pavane.errors import InputError, in_one_line, is_interrupt
from pavane.jit import clock
from pavane.judge.result import Provenance, Result
from pavane.judge.rules import verify
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, some_transfers
from pavane.model.several import as_one, owners_of, steps_of, united
from pavane.search.member_networks import OwnNetwork, own_network
from pavane.search.options import LEAST_SECONDS, SearchOptions
from pavane.search.rip_up import rerouted
from pavane.solvers.joint_packing import TransferJobs
from pavane.text import VERSION

Made = TypeVar("Made")

MOST_MOVES = 200
"""Moves of the local search; most improvements come in the first half of them."""

MOST_JOBS_MOVED = 400_000
"""TransferJobs that all moves dispatch together, at some 100,000 a second; a large problem gets fewer moves."""

MOST_ON_THE_WHOLE = 8
"""Up to this many collectives each is searched for on the whole network, too, which takes far longer than between its
members."""


@dataclass(frozen=True)
class Group:
    """Some collectives as one problem, on the whole network and, where that is wanted, between their members."""

    collectives: tuple[int, ...]
    problem: Problem
    in_whole: Longs
    """The number in the whole problem of each of its messages."""
    own: OwnNetwork | None

    @property
    def searched(self) -> Problem:
        """Return the problem that is searched for first."""
        return self.problem if self.own is None else self.own.problem


@dataclass(frozen=True)
class Plan:
    """A schedule of some collectives, with messages of the whole problem."""

    collectives: tuple[int, ...]
    schedule: Schedule
    solver: str


Solve = Callable[..., Result]
"""The search for one collective, as `pavane.solve` is."""


def solve_several(problem: Problem, options: SearchOptions, num_steps: int | None, solve: Solve) -> Result:
    """Find a schedule of several collectives at once in as few steps as possible, and prove how good it is."""
    if num_steps is not None and num_steps < 1:
        raise InputError(f"steps {num_steps}: a schedule has at least one step; give 1 or more")
    return SeveralSearch(problem, options, num_steps, solve).result()


class SeveralSearch:
    """One search for a schedule of several collectives."""

    def __init__(self, problem: Problem, options: SearchOptions, num_steps: int | None, solve: Solve) -> None:
        self.problem, self.options, self.num_steps, self.solve = problem, options, num_steps, solve
        self.budget = options.budget()
        self.solved: dict[str, Result] = {}
        self.best = Result(problem, None, lower_bounds(problem), requested_steps=num_steps)
        """The best result so far; with a number of steps, its schedule may have more of them."""
        self.notes: list[str] = []
        """Failures of single attempts, a line each."""
        self.interrupted = False
        self.solvers = ["several"]
        self.steps_alone = [0] * len(problem.parts)

    def result(self) -> Result:
        """Search, and return the best result with its bounds."""
        try:
            if not self.best.is_impossible:
                self._search()
        except KeyboardInterrupt:
            if not self._fits:
                raise
            self.interrupted = True
        best = self.best
        if not self._fits:
            best = Result(self.problem, None, requested_steps=self.num_steps)
        seconds = round(clock.now() - self.budget.started, 3)
        return best.amended(
            bounds=_best_of_each(self.best.bounds),
            provenance=Provenance("+".join(dict.fromkeys(self.solvers)), self.options.seed, seconds, VERSION),
            steps_alone=tuple(self.steps_alone) if all(self.steps_alone) else (),
            notes=tuple(dict.fromkeys(self.notes)),
            interrupted=self.interrupted,
        )

    def _search(self) -> None:
        """Try schedules of each kind until one reaches the bound; then change the best one."""
        apart: list[tuple[int, ...]] = [(number,) for number in range(len(self.problem.parts))]
        alternatives: list[list[Plan]] = [[] for _ in apart]
        ways = [(apart, True)]
        ways += [(list(united(self.problem)), False)] if len(united(self.problem)) < len(apart) else []
        ways += [(apart, False)] if len(apart) <= MOST_ON_THE_WHOLE else []
        for groups, is_own in ways:
            plans = list(self._plans(groups, is_own))
            for plan in plans:
                if len(plan.collectives) == 1:
                    alternatives[plan.collectives[0]].append(plan)
            if sum(len(plan.collectives) for plan in plans) == len(apart):
                self._try(plans)
            if self._is_done:
                return
        if self.best.schedule is not None:
            self._improve(alternatives)

    def _attempt(self, name: str, make: Callable[[], Made]) -> Made | None:
        """Return what is made; a failure is noted, and the search continues."""
        try:
            return make()
        except Exception as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            self.notes.append(f"{name} failed: {in_one_line(error)}")
            return None

    # -- schedules of single collectives

    def _plans(self, groups: Sequence[tuple[int, ...]], is_own: bool) -> Iterator[Plan]:
        """Yield a schedule of each group of collectives, between its members or on the whole network."""
        made = (self._attempt(_text(numbers), partial(self._group, numbers, is_own)) for numbers in groups)
        found = [group for group in made if group is not None]
        different = {group.searched.digest() for group in found}
        for group in found:
            # One more share is left for what comes after the last of them.
            seconds = self.budget.part(1 / (1 + len(different - self.solved.keys()))).seconds_left
            plan = self._attempt(_text(group.collectives), partial(self._plan, group, seconds))
            if plan is not None:
                yield plan

    def _group(self, numbers: tuple[int, ...], is_own: bool) -> Group:
        """Return some collectives as one problem."""
        problem, in_whole = as_one(self.problem, numbers)
        return Group(numbers, problem, in_whole, own_network(problem) if is_own else None)

    def _plan(self, group: Group, seconds: float | None) -> Plan | None:
        """Search for a schedule of a group of collectives: between its members, or else on the whole network."""
        schedule, solver, problem = None, "", group.problem
        if group.own is not None:
            result = self._solved(group, group.own.problem, seconds)
            schedule, solver = result.schedule, result.provenance.solver
            schedule = None if schedule is None else group.own.on_the_whole(schedule)
            # What is a shortest path there may be none on the whole network.
            schedule = None if schedule is None or verify(problem, schedule, 1) else schedule
        if schedule is None:
            result = self._solved(group, problem, seconds)
            schedule, solver = result.schedule, result.provenance.solver
            if result.bound is not None:
                bound = of_some(group.collectives, result.bound)
                self.best = self.best.amended(bounds=(*self.best.bounds, bound))
        if schedule is None:
            return None
        if len(group.collectives) == 1:
            alone = self.steps_alone[group.collectives[0]]
            self.steps_alone[group.collectives[0]] = min(alone or schedule.num_steps, schedule.num_steps)
        messages = group.in_whole[schedule.messages]
        return Plan(group.collectives, schedule.with_columns(messages=messages), solver)

    def _solved(self, group: Group, problem: Problem, seconds: float | None) -> Result:
        """Return the result of a problem; of equal problems, that of the first."""
        key = problem.digest()
        if key not in self.solved:
            limit = None if seconds is None else max(LEAST_SECONDS, seconds)
            options = replace(self.options, seconds=limit, goal="makespan", on_improvement=None, on_progress=None)
            self.solved[key] = result = self._found(problem, options).expanded()
            self.notes += [f"{_text(group.collectives)}: {text}" for text in result.notes]
        return self.solved[key]

    def _found(self, problem: Problem, options: SearchOptions) -> Result:
        """Search for a schedule; after an interrupt, by first fit only, so that there is one of all collectives."""
        if not self.interrupted:
            try:
                result = self.solve(problem, options)
                self.interrupted = result.interrupted
            except KeyboardInterrupt:
                self.interrupted = True
            else:
                if not self.interrupted or self.best.schedule is None:
                    return result
        if self.best.schedule is not None:
            raise KeyboardInterrupt
        return self.solve(problem, options, method="greedy")

    # -- schedules of all

    def _cost(self, schedule: Schedule) -> tuple[int, int, int]:
        """Return the order of schedules: by steps too many, by the goal, then by the other figure."""
        whole, each = schedule.num_steps, sum(steps_of(self.problem, schedule))
        excess = 0 if self.num_steps is None else max(0, whole - self.num_steps)
        return (excess, whole, each) if self.options.goal == "makespan" else (excess, each, whole)

    @property
    def _fits(self) -> bool:
        """Whether there is a schedule, and it has no more steps than requested."""
        steps = self.best.num_steps
        return steps is not None and (self.num_steps is None or steps <= self.num_steps)

    @property
    def _is_settled(self) -> bool:
        """Whether nothing is left to find."""
        if self.best.is_impossible:
            return True
        if self.options.goal == "sum":
            return self._fits and self.best.has_least_sum
        return self._fits and (self.best.has_least_figure or self.num_steps is not None)

    @property
    def _is_done(self) -> bool:
        """Whether nothing is left to find, or there is a schedule and no time."""
        is_cut = self.best.schedule is not None and (self.interrupted or self.budget.is_over)
        return is_cut or self._is_settled

    def _try(self, plans: Sequence[Plan]) -> None:
        """Dispatch the transfers of some plans in several orders, and keep the best schedule."""
        self.solvers += [plan.solver for plan in plans]
        schedules = [plan.schedule for plan in plans]
        num_steps = max(schedule.num_steps for schedule in schedules)
        joined = Schedule.join(schedules, num_steps, [each.starts for each in schedules])
        jobs = self._attempt("list scheduling", partial(TransferJobs.of, self.problem, joined))
        if jobs is not None:
            for priorities in jobs.orders():
                self._offer("list scheduling", partial(jobs.packed, priorities.tolist()))

    def _offer(self, name: str, make: Callable[[], Schedule]) -> None:
        """Make a schedule, and keep it if it is no worse than the best one and the judge accepts it."""

        def make_judged() -> None:
            schedule, best = make(), self.best
            if best.schedule is None or self._cost(schedule) <= self._cost(best.schedule):
                self.best = Result(self.problem, schedule, best.bounds, requested_steps=self.num_steps)

        self._attempt(name, make_judged)

    def _improve(self, alternatives: Sequence[Sequence[Plan]]) -> None:
        """Change the schedule at random, and keep what is no worse: rip-up and reroute, other orders, other plans."""
        rng = np.random.default_rng(self.options.seed)
        num_moves = min(MOST_MOVES, MOST_JOBS_MOVED // max(1, len(self._schedule)))
        plans = [plan for each in alternatives if len(each) > 1 for plan in each]
        for move in range(num_moves):
            if self._is_done:
                return
            if move % 4 < 2:
                self._offer("rip-up and reroute", lambda: rerouted(self.problem, self._schedule, rng))
                continue
            plan = plans[rng.integers(len(plans))] if plans and move % 4 == 3 else None
            self._offer("list scheduling", partial(self._reordered, plan, rng))

    @property
    def _schedule(self) -> Schedule:
        """Return the schedule of the best result."""
        assert self.best.schedule is not None
        return self.best.schedule

    def _reordered(self, plan: Plan | None, rng: np.random.Generator) -> Schedule:
        """Return the schedule with other priorities, and with another plan for one collective if it is given."""
        schedule = self._schedule
        if plan is not None:
            others = owners_of(self.problem, schedule) != plan.collectives[0]
            kept = some_transfers(schedule, others)
            longest = max(kept.num_steps, plan.schedule.num_steps)
            schedule = Schedule.join([kept, plan.schedule], longest, [kept.starts, plan.schedule.starts])
        jobs = TransferJobs.of(self.problem, schedule)
        steps = np.zeros(len(jobs.uses))
        steps[jobs.job_of] = schedule.starts
        offsets = rng.normal(0, 1, len(self.problem.parts))[jobs.collectives]
        noise = offsets + rng.normal(0, 0.5, len(steps)) * rng.integers(0, 4)
        return jobs.packed((steps + noise).tolist())


def _best_of_each(bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """Return the best bound of each argument and each collective alone, the highest first."""
    best: dict[tuple[str, str], Bound] = {}
    for bound in sorted(bounds, key=lambda bound: -bound.figure):
        which = bound.certificate.get("collective", bound.certificate.get("collectives"))
        best.setdefault((bound.argument, str(which)), bound)
    return tuple(best.values())


def _text(numbers: tuple[int, ...]) -> str:
    """Return the numbers of some collectives, for notes."""
    return f"collective{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
