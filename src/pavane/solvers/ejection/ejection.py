"""Ejection search for private messages under wormhole switching: the workhorse.

Keeps a conflict-free partial schedule of the asked number of steps and pushes messages in until none is left outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pavane.model.problem import Problem
from pavane.model.routing import Restriction
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import candidate_paths
from pavane.solvers.ejection.assignment import fits, pushed_in
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_by_steps


@dataclass(frozen=True)
class Ejection:
    """Ejection search over candidate paths: messages push each other out until all have a step."""

    name: str = "ejection"
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_trials: int = 40_000_000
    """How many pairs of a path and a step a run may try; a few seconds' worth."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to private messages under wormhole switching without combining, as far as their paths fit."""
        return fits(problem)

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Push the messages into `num_steps` steps."""
        detour = self.detour if problem.rules.routing == "any" else 0
        restriction = problem.restriction
        if restriction is not None and restriction.is_whole and seed_of(rng) % 2 == 0:
            # Dimension-order keeps every order, and where it is enough it leaves less to search.
            restriction = Restriction.of(problem.network, "dimension-order")
        candidates = candidate_paths(problem, rng, most_paths=self.most_paths, detour=detour, restriction=restriction)
        return pushed_in(candidates, num_steps, self.most_trials, rng, budget)

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_by_steps
