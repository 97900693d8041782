"""Ejection search on the network unrolled in time: private messages under store-and-forward.

A message goes hop by hop and may rest in between, so where it is matters in every step. Unrolled in time this is one
choice for each message: a path with a step for every hop. Messages push each other out of channels in steps until all
have their way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.ejection.assignment import assigned
from pavane.solvers.ejection.timed_paths import paths_in_time
from pavane.solvers.solver import Finding, answer_step_by_step
from pavane.workers.budget import Budget

MOST_WAYS = 1_000_000
"""The most paths with steps of all messages; about 100 MB where they have five hops."""

MOST_PATHS = 40_000
"""The most paths between routers of all pairs of ends: listing more takes seconds."""

MOST_MESSAGES = 20_000
"""With more messages each has too few ways."""

MOST_JOINED = 300
"""With more routers that have processors, hops over switches between any two of them are too many to list."""


@dataclass(frozen=True)
class Unrolled:
    """Ejection search on the network unrolled in time, for store-and-forward scatter."""

    name: str = "unrolled"
    most_paths: int = 32
    """How many paths between two routers are taken; more are sampled."""
    most_ways: int = 300
    """How many choices of a path and of steps for its hops a message has, about; more are sampled."""
    detour: int = 1
    """How many hops more than the shortest a path may have."""
    most_trials: int = 20_000_000
    """How many of those choices a run may try; a few seconds' worth."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to private messages under store-and-forward without combining, as far as their paths fit."""
        return not problem.rules.combining and fits(problem)

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Push the messages into `num_steps` steps."""
        return self.in_widths(problem, np.ones(num_steps, dtype=np.int64), rng, budget)

    takes_capacities: ClassVar[bool] = True
    __call__ = answer_step_by_step

    def in_widths(self, problem: Problem, widths: Longs, rng: np.random.Generator, budget: Budget) -> Finding:
        """Push the messages into steps in which a channel carries widths[t] times its capacity.

        Those on one unit of capacity in one step share a transfer.
        """
        most_ways = max(1, min(self.most_ways, MOST_WAYS // problem.num_messages))
        most_paths = max(1, min(self.most_paths, MOST_PATHS // len(problem.distinct_ends)))
        paths = paths_in_time(
            problem, widths, rng, budget, most_paths=most_paths, most_ways=most_ways, detour=self.detour
        )
        if paths is None or not paths.candidates.is_complete:
            return Finding(None)
        found = assigned(paths.candidates, 1, self.most_trials, rng, budget)
        return Finding(paths.schedule(found.path_of) if found.is_full else None, evaluations=found.moves)


def fits(problem: Problem) -> bool:
    """Say whether paths in time are for a problem: private messages under store-and-forward, not too many."""
    is_stored = problem.rules.switching == "store-and-forward"
    if problem.passes_switches and int((~problem.is_switch).sum()) > MOST_JOINED:
        return False
    return problem.pattern == "private" and is_stored and problem.num_messages <= MOST_MESSAGES
