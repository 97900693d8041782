"""Start times of small problems by CP-SAT: is there a schedule that ends by a given time?

A message may take each hop in an interval that is optional, and no unit is held by two intervals at once. Times are the
picoseconds of the judge, so that nothing is rounded. What is beyond the windows of a message, from its origin on and
until the least time before the end, is left out. A run can be repeated: one worker, a fixed seed, and an effort that is
counted instead of timed. That there is no schedule is believed by the search only: it is no bound, since the judge
could not check it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.parallel.budget import Budget
from pavane.solvers.cp_sat_runs import new_solver, run_beside
from pavane.solvers.solver import seed_of
from pavane.solvers.timed.hops import TimedHops, least_times, schedule_of_hops, timed_hops, wants_of

MOST_TIME = 2**60
"""Sums of holds are exact below it."""


@dataclass(frozen=True)
class TimedCpSat:
    """Searches with CP-SAT for schedules that end at the bound or, failing that, half way between it and the best."""

    name: str = "cp-sat"
    most_choices: int = 6_000
    """Messages times hops: larger programs are seldom decided within the effort."""
    effort: float = 0.1
    """The most deterministic time for one end, in units of CP-SAT, here about 30 seconds each."""
    num_ends: int = 4
    """How many ends are tried."""

    def supports(self, timed: TimedProblem) -> bool:
        """Supports broadcasts, and private messages that go hop by hop, with few messages and hops."""
        problem = timed.problem
        is_whole = problem.pattern == "private" and problem.rules.switching == "wormhole"
        if problem.pattern not in ("private", "broadcast") or is_whole:
            return False
        hops = timed_hops(timed) if problem.num_messages <= self.most_choices else None
        return hops is not None and problem.num_messages * len(hops.paths) <= self.most_choices

    def find(
        self, timed: TimedProblem, lowest: int, finish: int, rng: np.random.Generator, budget: Budget
    ) -> TimedSchedule | None:
        """Return a schedule that ends before `finish`, at `lowest` if one is found; None where none is."""
        hops = timed_hops(timed)
        if hops is None or finish * timed.problem.num_messages > MOST_TIME:
            return None
        best, failed, end = None, lowest - 1, lowest
        for _ in range(self.num_ends):
            if not failed < end < finish or budget.is_over:
                break
            taken = self._decided(timed, hops, end, seed_of(rng), budget)
            if taken is None:
                failed = end
            else:
                messages, numbers, starts = np.array(taken, dtype=np.int64).T
                best = schedule_of_hops(timed, hops, numbers, starts, messages)
                usable = starts + hops.arrays.holds[numbers, hops.size_class[messages]] + hops.arrays.delays[numbers]
                finish = int(usable.max())
            end = (failed + finish) // 2
        return best

    def _decided(
        self, timed: TimedProblem, hops: TimedHops, end: int, seed: int, budget: Budget
    ) -> list[tuple[int, int, int]] | None:
        """Return the message, hop and start of each transfer of a schedule that ends in time; None where none is."""
        from ortools.sat.python import cp_model

        program = _Program(timed, hops, end)
        solver = new_solver(self.effort, seed, budget)
        # As for steps: relaxations, probing and the search for symmetries take most of the time.
        solver.parameters.linearization_level = 0
        solver.parameters.cp_model_probing_level = 0
        solver.parameters.symmetry_level = 0
        if run_beside(solver, program.model, budget) not in (cp_model.FEASIBLE, cp_model.OPTIMAL):
            return None
        return [
            (choice.message, choice.hop, solver.value(choice.start))
            for choice in program.choices
            if solver.value(choice.is_taken)
        ]


class _Choice(NamedTuple):
    """A hop that a message may take."""

    message: int
    hop: int
    is_taken: Any
    start: Any


class _Program:
    """The constraint program: which hops each message takes, and when."""

    def __init__(self, timed: TimedProblem, hops: TimedHops, end: int) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        self.timed, self.hops, self.end = timed, hops, end
        self.is_private = timed.problem.pattern == "private"
        self.least = least_times(hops.arrays, timed.problem.network.num_routers).tolist()
        self.choices: list[_Choice] = []
        self.held: dict[int, list[tuple[Any, Any, int]]] = {}
        """For each unit the intervals, whether they are taken, and how long they are."""
        network = timed.problem.network
        wants = np.zeros((timed.problem.num_messages, network.num_routers), dtype=bool)
        if self.is_private:
            wants[np.arange(len(wants)), network.router_of[timed.problem.ends[:, 1]]] = True
        else:
            wants = wants_of(timed.problem)
        for message, origin in enumerate(network.router_of[timed.problem.ends[:, 0]].tolist()):
            self._spread(message, origin, np.flatnonzero(wants[message]).tolist())
        self._share_units()

    def _spread(self, message: int, origin: int, targets: list[int]) -> None:
        """A message enters each target once, no router twice, and leaves a router after it has entered it."""
        model, arrays = self.model, self.hops.arrays
        arrivals = {
            router: model.new_int_var(soonest, self.end - rest, "")
            for router, soonest in enumerate(self.least[origin])
            if router != origin and soonest and (rest := self._rest(router, targets)) <= self.end - soonest
        }
        entering: dict[int, list[Any]] = {router: [] for router in arrivals}
        leaving: dict[int, list[Any]] = {router: [] for router in (origin, *arrivals)}
        ends = zip(arrays.tails.tolist(), arrays.heads.tolist(), strict=True)
        for hop, (tail, head) in enumerate(ends):
            if head not in arrivals or tail not in leaving or (self.is_private and tail in targets):
                continue
            hold = int(arrays.holds[hop, self.hops.size_class[message]])
            needed = hold + int(arrays.delays[hop])
            first, last = self.least[origin][tail], self.end - self._rest(head, targets) - needed
            if first > last:
                continue
            choice = _Choice(message, hop, model.new_bool_var(""), model.new_int_var(first, last, ""))
            self.choices.append(choice)
            entering[head].append(choice.is_taken)
            leaving[tail].append(choice.is_taken)
            model.add(arrivals[head] >= choice.start + needed).only_enforce_if(choice.is_taken)
            if tail != origin:
                model.add(choice.start >= arrivals[tail]).only_enforce_if(choice.is_taken)
            interval = model.new_optional_fixed_size_interval_var(choice.start, hold, choice.is_taken, "")
            for unit in arrays.units[arrays.offsets[hop] : arrays.offsets[hop + 1]].tolist():
                self.held.setdefault(unit, []).append((interval, choice.is_taken, hold))
        for target in targets:
            model.add_exactly_one(entering.get(target, []))
        for router in arrivals:
            model.add_at_most_one(entering[router])
            if router not in targets:
                for taken in leaving[router]:
                    model.add_bool_or([taken.negated(), *entering[router]])
        if self.is_private:
            for taken in leaving.values():
                model.add_at_most_one(taken)

    def _rest(self, router: int, targets: list[int]) -> int:
        """Return the least time that a private message takes from a router to its target; copies may stay."""
        return int(self.least[router][targets[0]]) if self.is_private else 0

    def _share_units(self) -> None:
        """A unit is held by one transfer at a time, and so for no longer than until the end."""
        for held in self.held.values():
            if len(held) > 1:
                self.model.add_no_overlap([interval for interval, _, _ in held])
                self.model.add(sum(hold * taken for _, taken, hold in held) <= self.end)
