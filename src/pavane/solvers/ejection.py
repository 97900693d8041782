"""Ejection search for private messages under wormhole switching: the workhorse.

Keeps a conflict-free partial schedule of the asked number of steps and pushes messages in until none is left outside
(kernels/ejection.py). With `symmetric` it schedules one message per orbit of a free symmetry of order two and lifts the
answer: half the messages, and often the only way to a schedule without any slack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.bounds import lower_bounds
from pavane.kernels import compiled
from pavane.kernels.ejection import eject_search
from pavane.problem import Problem
from pavane.result import Provenance, Result
from pavane.schedule import Schedule
from pavane.solvers.budget import Budget
from pavane.solvers.candidates import Candidates, candidate_paths
from pavane.symmetry import Symmetry, free_involutions


@dataclass(frozen=True)
class Ejection:
    """Ejection search; a message tries up to `most_paths` paths, a run makes `moves_per_message` moves per message."""

    name: str = "ejection"
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    moves_per_message: int = 4_000
    symmetric: bool = False
    most_symmetries: int = 4

    def supports(self, problem: Problem) -> bool:
        """Say yes to private messages under wormhole switching without combining, as far as their paths fit."""
        rules = problem.rules
        return (
            problem.pattern == "private"
            and rules.switching == "wormhole"
            and not rules.combining
            and problem.num_messages <= 20_000
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of exactly `num_steps` steps; None: of the fewest, walking up from the bound."""
        if num_steps is None:
            fewest = lower_bounds(problem)[0].steps
            while not budget.is_over:
                result = self(problem, fewest, seed, budget)
                if result.schedule is not None:
                    return result
                fewest += 1
            return Result(problem, None)
        rng = np.random.default_rng(seed)
        detour = self.detour if problem.rules.routing == "any" else 0
        moves = self.moves_per_message * problem.num_messages
        if budget.evaluations is not None:
            moves = min(moves, budget.evaluations)
        for symmetry in self._symmetries(problem):
            candidates = candidate_paths(problem, rng, most_paths=self.most_paths, detour=detour, symmetry=symmetry)
            schedule = search(candidates, num_steps, moves, rng, budget) if candidates.is_complete else None
            if schedule is not None:
                return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps)
            if budget.is_over:
                break
        return Result(problem, None, asked=num_steps)

    def _symmetries(self, problem: Problem) -> Iterator[Symmetry | None]:
        if not self.symmetric:
            yield None
            return
        for _, symmetry in zip(range(self.most_symmetries), free_involutions(problem), strict=False):
            yield symmetry


def search(
    candidates: Candidates, num_steps: int, most_moves: int, rng: np.random.Generator, budget: Budget
) -> Schedule | None:
    """Run the kernel until every message has its place, the moves are made or the time is over."""
    size = len(candidates.messages)
    first_slot = np.concatenate(([0], np.cumsum(candidates.capacity)[:-1]))
    occupant = np.full((int(candidates.capacity.sum()), num_steps), -1, dtype=np.int32)
    step_of, path_of = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    weights, outside, num_outside = np.ones(size), np.arange(size), size
    # The clock is looked at several times a second; a move costs what its trials cost.
    trials = max(1, len(candidates.tolls) * num_steps // size)
    chunk = max(100, 5_000_000 // trials)
    kernel = compiled(eject_search)
    while num_outside and most_moves > 0 and not budget.is_over:
        made, num_outside = kernel(
            candidates.first_path,
            candidates.unit_offsets,
            candidates.units,
            candidates.tolls,
            first_slot,
            candidates.capacity,
            occupant,
            step_of,
            path_of,
            weights,
            outside,
            num_outside,
            min(chunk, most_moves),
            rng,
        )
        most_moves -= made
    return None if num_outside else candidates.schedule(num_steps, step_of, path_of)
