"""Ejection search for private messages under wormhole switching: the workhorse.

Keeps a conflict-free partial schedule of the asked number of steps and pushes messages in until none is left outside
(kernels/ejection.py). With `symmetric` it schedules one message per orbit of a free symmetry of order two and lifts the
answer: half the messages, and often the only way to a schedule without any slack.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result
from pavane.kernels import compiled
from pavane.kernels.ejection import eject_search
from pavane.model.problem import Problem
from pavane.model.routing import Restriction
from pavane.model.symmetry import free_involutions
from pavane.solvers.candidates import Candidates, Longs, candidate_paths
from pavane.workers.budget import Budget

MOST_MOVES_PER_ENTRY = 2_000
"""After so many moves a run has shown what it can do; starting anew beats going on."""


@dataclass(frozen=True)
class Ejection:
    """Ejection search over candidate paths; as `quotient`, for one message per orbit of a symmetry of order two."""

    name: str = "ejection"
    most_paths: int = 32
    detour: int = 2
    """Under any routing: how many channels more than the shortest a path may have."""
    most_trials: int = 40_000_000
    """How many pairs of a path and a step a run may try; a few seconds' worth."""
    symmetric: bool = False

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
        rng = np.random.default_rng(seed)
        candidates = self._candidates(problem, seed, rng)
        lowest = lower_bounds(problem)[0].steps if num_steps is None else num_steps
        highest = problem.num_messages if num_steps is None else num_steps
        for steps in range(lowest, highest + 1):
            if candidates is None or budget.is_over:
                break
            places = search(candidates, steps, self.most_trials, rng, budget)
            if places is not None:
                schedule = candidates.schedule(*places)
                return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps)
        return Result(problem, None, asked=num_steps)

    def _candidates(self, problem: Problem, seed: int, rng: np.random.Generator) -> Candidates | None:
        """List the paths; None where there is no symmetry to use, or a message has no path that spares its image."""
        symmetry = None
        if self.symmetric:
            found = list(free_involutions(problem))
            if not found:
                return None
            symmetry = found[seed % len(found)]
        detour = self.detour if problem.rules.routing == "any" else 0
        restriction = problem.restriction
        if restriction is not None and restriction.is_whole and seed % 2 == 0 and symmetry is None:
            # Dimension-order keeps every order, and where it is enough it leaves less to search.
            restriction = Restriction.of(problem.network, "dimension-order")
        candidates = candidate_paths(
            problem, rng, most_paths=self.most_paths, detour=detour, symmetry=symmetry, restriction=restriction
        )
        return candidates if candidates.is_complete else None


def search(
    candidates: Candidates, num_steps: int, most_trials: int, rng: np.random.Generator, budget: Budget
) -> tuple[Longs, Longs] | None:
    """Run the kernel until every entry has a step and a path, the trials are spent or the time is over."""
    size = len(candidates.messages)
    first_slot = np.concatenate(([0], np.cumsum(candidates.capacity)[:-1]))
    occupant = np.full((int(candidates.capacity.sum()), num_steps), -1, dtype=np.int32)
    step_of, path_of = np.full(size, -1, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    weights, outside, num_outside = np.ones(size), np.arange(size), size
    # A move costs what its trials cost; the clock is looked at several times a second.
    trials_per_move = max(1, len(candidates.tolls) * num_steps // size)
    moves_left = min(max(10 * size, most_trials // trials_per_move), MOST_MOVES_PER_ENTRY * size)
    if budget.evaluations is not None:
        moves_left = min(moves_left, budget.evaluations)
    chunk = max(100, 2_000_000 // trials_per_move)
    kernel = compiled(eject_search)
    while num_outside and moves_left > 0 and not budget.is_over:
        made, num_outside = kernel(
            candidates.first_path,
            candidates.unit_offsets,
            candidates.units,
            candidates.shifts,
            candidates.tolls,
            first_slot,
            candidates.capacity,
            occupant,
            step_of,
            path_of,
            weights,
            outside,
            num_outside,
            min(chunk, moves_left),
            rng,
        )
        moves_left -= made
    return None if num_outside else (step_of, path_of)
