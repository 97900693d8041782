"""Many pieces as a few at a time: a schedule of few pieces is repeated, followed by one of the remaining pieces.

If every message is cut into hundreds of pieces, a search for all at once is slow, and a schedule of a suitable few is
as good: if 3 pieces take 8 steps, 300 take 800.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pavane.bounds.flow_over_time import best_flow
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.ejection import Ejection
from pavane.solvers.solver import Solver
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports

MOST_PIECES = 12
"""The most pieces of a message that are scheduled at a time; denominators of bounds are mostly small."""

MOST_MESSAGES = 5_000
"""The most pieces of all messages that are scheduled at a time, which takes a few seconds at most."""


@dataclass(frozen=True)
class Repetition:
    """A search for a few pieces of every message, whose schedule is repeated; not in the registry."""

    solver: Solver = field(default_factory=Ejection)
    """The solver for a few pieces."""

    @property
    def name(self) -> str:
        """Return the name of the solver for a few pieces."""
        return self.solver.name

    @property
    def supports(self) -> Supports:
        """Supports messages of several pieces in steps, if the solver supports one piece of each."""
        return Supports(
            switching=("wormhole", "store-and-forward"),
            pieces=True,
            where=f"at most {MOST_MESSAGES:,} messages, whose single pieces {self.name} supports",
            holds=lambda problem: (
                (whole := _of_pieces(problem, 1)).num_messages <= MOST_MESSAGES and self.solver.supports(whole)
            ),
            takes=("capacities",),
        )

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Schedule a few pieces in their share of the steps, and the remaining pieces in the remaining steps."""
        pieces = problem.collective.pieces
        few = _best_share(problem, num_steps)
        times, left = divmod(pieces, few)
        share = num_steps * few // pieces
        again = self._search(_of_pieces(problem, few), share, rng, budget)
        if again is None:
            return None
        parts = [_of_pieces(problem, few)] * times
        schedules = [again] * times
        if left:
            rest = self._search(_of_pieces(problem, left), num_steps - times * again.num_steps, rng, budget)
            if rest is None:
                return None
            parts.append(_of_pieces(problem, left))
            schedules.append(rest)
        return _concatenate(problem, parts, schedules)

    __call__ = solve_by_steps

    def _search(self, part: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Return a schedule of a few pieces; it does not cover all pieces, so it is not reported as an incumbent.

        Where capacities are large, a few pieces take about as many steps as all of them: a flow over time shows that
        in a fraction of the time of a search.
        """
        if budget.is_over or best_flow(part, num_steps, budget.deadline) is not None:
            return None
        return self.solver(part, num_steps, int(rng.integers(2**31)), budget.for_subproblem()).schedule


def _of_pieces(problem: Problem, pieces: int) -> Problem:
    """Return a problem with another number of pieces."""
    return replace(problem, collectives=(replace(problem.collective, pieces=pieces),))


def _best_share(problem: Problem, num_steps: int) -> int:
    """Return the smallest number of pieces that loses least when its share of the steps is rounded down."""
    pieces = problem.collective.pieces
    most = min(MOST_PIECES, pieces - 1, MOST_MESSAGES * pieces // problem.num_messages)
    return max(range(1, max(1, most) + 1), key=lambda few: ((num_steps * few // pieces) / few, -few))


def _concatenate(problem: Problem, parts: list[Problem], schedules: list[Schedule]) -> Schedule:
    """Join schedules of a few pieces each; each has the pieces that follow those of the previous one."""
    num_steps, first_piece = 0, 0
    steps, messages = [], []
    first_of, numbers_of = _first_numbers(problem), {}
    for part, schedule in zip(parts, schedules, strict=True):
        pieces = part.collective.pieces
        if pieces not in numbers_of:
            numbers_of[pieces] = _numbers(part, schedule, first_of)
        numbers, units = numbers_of[pieces]
        steps.append(schedule.starts + num_steps)
        messages.append(numbers + first_piece * units)
        num_steps += schedule.num_steps
        first_piece += pieces
    return Schedule.join(schedules, num_steps, steps, messages)


def _first_numbers(problem: Problem) -> Longs:
    """Return the number of the first piece of each message: pieces of one message follow each other."""
    is_first = np.any(np.diff(problem.ends, axis=0), axis=1)
    return np.flatnonzero(np.concatenate(([True], is_first)))


def _numbers(part: Problem, schedule: Schedule, first_of: Longs) -> tuple[Longs, Longs]:
    """Return the messages of a schedule of a few pieces as numbers among all pieces, and the units of each."""
    first = _first_numbers(part)
    lengths = np.diff(first, append=part.num_messages)
    owners = np.repeat(np.arange(len(first)), lengths)
    carried = schedule.messages
    return (first_of - first)[owners[carried]] + carried, (lengths // part.collective.pieces)[owners[carried]]
