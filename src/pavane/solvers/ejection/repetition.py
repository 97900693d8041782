"""Many pieces as a few at a time: a schedule of few pieces is repeated, and one of those that are left follows.

Where every message is cut into hundreds of pieces, a search for all of them at once is slow, and a schedule of the
right few pieces is as good: what 3 pieces do in 8 steps, 300 do in 800.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.ejection import Ejection
from pavane.solvers.solver import Solver
from pavane.solvers.solving import solve_by_steps

MOST_PIECES = 12
"""The most pieces of a message that are scheduled at a time; denominators of bounds are mostly small."""

MOST_MESSAGES = 5_000
"""The most pieces of all messages that are scheduled at a time, which takes a few seconds at most."""


@dataclass(frozen=True)
class Repetition:
    """A search for a few pieces of every message; what it finds is repeated. It stands in no registry."""

    solver: Solver = field(default_factory=Ejection)
    """Who looks for schedules of the few."""

    @property
    def name(self) -> str:
        """Return the name of the search for the few."""
        return self.solver.name

    def supports(self, problem: Problem) -> bool:
        """Say yes where messages have several pieces, and the search can work on one of each."""
        whole = _of_pieces(problem, 1)
        return problem.collective.pieces > 1 and whole.num_messages <= MOST_MESSAGES and self.solver.supports(whole)

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Look for a few pieces in their share of the steps, and for those that are left in what remains."""
        pieces = problem.collective.pieces
        few = _best_share(problem, num_steps)
        times, left = divmod(pieces, few)
        share = num_steps * few // pieces
        again = self._found(_of_pieces(problem, few), share, rng, budget)
        if again is None:
            return None
        parts = [_of_pieces(problem, few)] * times
        schedules = [again] * times
        if left:
            rest = self._found(_of_pieces(problem, left), num_steps - times * again.num_steps, rng, budget)
            if rest is None:
                return None
            parts.append(_of_pieces(problem, left))
            schedules.append(rest)
        return _one_after_the_other(problem, parts, schedules)

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_by_steps

    def _found(self, part: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Return a schedule of a few pieces; what is found on the way is no schedule of all, and not kept."""
        if budget.is_over:
            return None
        return self.solver(part, num_steps, int(rng.integers(2**31)), budget.for_subproblem()).schedule


def _of_pieces(problem: Problem, pieces: int) -> Problem:
    """Return a problem with another number of pieces."""
    return replace(problem, collective=replace(problem.collective, pieces=pieces))


def _best_share(problem: Problem, num_steps: int) -> int:
    """Return the few pieces that lose least when their share of the steps is rounded down; the fewest of those."""
    pieces = problem.collective.pieces
    most = min(MOST_PIECES, pieces - 1, MOST_MESSAGES * pieces // problem.num_messages)
    return max(range(1, max(1, most) + 1), key=lambda few: ((num_steps * few // pieces) / few, -few))


def _one_after_the_other(problem: Problem, parts: list[Problem], schedules: list[Schedule]) -> Schedule:
    """Join schedules of a few pieces each: every one has the pieces that follow those of the one before."""
    num_steps, first_piece = 0, 0
    steps, messages = [], []
    first_of, numbers_of = _first_numbers(problem), {}
    for part, schedule in zip(parts, schedules, strict=True):
        pieces = part.collective.pieces
        if pieces not in numbers_of:
            numbers_of[pieces] = _numbers(part, schedule, first_of)
        numbers, units = numbers_of[pieces]
        steps.append(schedule.steps + num_steps)
        messages.append(numbers + first_piece * units)
        num_steps += schedule.num_steps
        first_piece += pieces
    return Schedule.from_columns(
        num_steps,
        np.concatenate(steps),
        np.concatenate([schedule.senders for schedule in schedules]),
        np.concatenate([schedule.receivers for schedule in schedules]),
        np.concatenate([schedule.path_lengths for schedule in schedules]),
        np.concatenate([schedule.path_channels for schedule in schedules]),
        np.concatenate([schedule.payloads for schedule in schedules]),
        np.concatenate(messages),
    )


def _first_numbers(problem: Problem) -> Longs:
    """Return the number of the first piece of each message: pieces of one message follow each other."""
    is_first = np.any(np.diff(problem.ends, axis=0), axis=1)
    return np.flatnonzero(np.concatenate(([True], is_first)))


def _numbers(part: Problem, schedule: Schedule, first_of: Longs) -> tuple[Longs, Longs]:
    """Return what a schedule of a few pieces carries, as pieces of all from the first on, and the units of each."""
    first = _first_numbers(part)
    lengths = np.diff(first, append=part.num_messages)
    owners = np.repeat(np.arange(len(first)), lengths)
    carried = schedule.messages
    return (first_of - first)[owners[carried]] + carried, (lengths // part.collective.pieces)[owners[carried]]
