"""Ejection search for one message per orbit of a symmetry of order two, lifted to all messages.

Half the messages, and often the only way to a schedule without any slack: where every channel is busy in every step a
search that treats a message and its image apart has to find the same thing twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import candidate_paths
from pavane.solvers.ejection.assignment import fits, pushed_in
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_by_steps
from pavane.symmetry.involutions import Symmetry, free_involutions


@dataclass(frozen=True)
class Quotient:
    """Ejection search for one message of every two that a symmetry exchanges; the other takes the mirrored path."""

    name: str = "quotient"
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_trials: int = 40_000_000
    """How many pairs of a path and a step a run may try; a few seconds' worth."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to what ejection search is for; whether there is a symmetry is found out by looking for one."""
        return fits(problem)

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Push one message per orbit into `num_steps` steps; the seed picks the symmetry."""
        symmetries = _symmetries(problem)
        if not symmetries:
            return Finding(None, is_final=True)
        detour = self.detour if problem.rules.routing == "any" else 0
        candidates = candidate_paths(
            problem,
            rng,
            most_paths=self.most_paths,
            detour=detour,
            symmetry=symmetries[seed_of(rng) % len(symmetries)],
        )
        return pushed_in(candidates, num_steps, self.most_trials, rng, budget)

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_by_steps


@lru_cache(maxsize=8)
def _symmetries(problem: Problem) -> tuple[Symmetry, ...]:
    """Return the symmetries of order two; a walk over numbers of steps asks for them again and again."""
    return tuple(free_involutions(problem))
