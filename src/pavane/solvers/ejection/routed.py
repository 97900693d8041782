"""Route first, then colour: fix a path per message so that no channel carries more than there are steps, then pack.

Where detours are allowed a message has many paths, and few choices of paths leave enough room everywhere. An integer
program picks a path per message such that every channel and port has room for its load in all steps together, with as
few channels in all as can be; ejection search then finds the steps.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result
from pavane.model.problem import Problem
from pavane.solvers.candidates import Candidates, Longs, candidate_paths
from pavane.solvers.ejection.ejection import Ejection, search
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class Routed:
    """An integer program picks the paths, ejection search the steps; for any routing."""

    name: str = "routed"
    most_paths: int = 16
    detour: int = 1
    """Under any routing: how many channels more than the shortest a path may have."""
    most_branches: int = 1_000
    """How far the integer program may branch; counted, so that the answer does not depend on the machine."""
    most_trials: int = 10_000_000

    def supports(self, problem: Problem) -> bool:
        """Say yes where ejection search does."""
        return Ejection().supports(problem)

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of exactly `num_steps` steps; None: of as many as the best bound says."""
        asked = lower_bounds(problem)[0].steps if num_steps is None else num_steps
        rng = np.random.default_rng(seed)
        detour = self.detour if problem.rules.routing == "any" else 0
        candidates = candidate_paths(problem, rng, most_paths=self.most_paths, detour=detour)
        routes = None if budget.is_over else self._routes(candidates, asked, budget)
        if routes is None:
            return Result(problem, None, asked=num_steps)
        chosen = _only(candidates, routes)
        places = search(chosen, asked, self.most_trials, rng, budget)
        schedule = None if places is None else chosen.schedule(*places)
        return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps)

    def _routes(self, candidates: Candidates, num_steps: int, budget: Budget) -> Longs | None:
        """Pick a path for every message; None where no choice was found that fits."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        num_paths, size = len(candidates.tolls), len(candidates.messages)
        owner = np.repeat(np.arange(size), np.diff(candidates.first_path))
        one_each = csr_array((np.ones(num_paths), (owner, np.arange(num_paths))), shape=(size, num_paths))
        user = np.repeat(np.arange(num_paths), np.diff(candidates.unit_offsets))
        shape = (len(candidates.capacity), num_paths)
        loads = csr_array((np.ones(len(user)), (candidates.units, user)), shape=shape)
        left = 1e9 if budget.deadline is None else max(0.1, budget.deadline - time.monotonic())
        answer = milp(
            np.diff(candidates.channel_offsets).astype(np.float64),
            integrality=np.ones(num_paths, dtype=np.int64),
            bounds=Bounds(0, 1),
            constraints=[
                LinearConstraint(one_each, 1, 1),
                LinearConstraint(loads, -np.inf, candidates.capacity * num_steps),
            ],
            options={"mip_rel_gap": 0.02, "node_limit": self.most_branches, "time_limit": left},
        )
        return None if answer.x is None else np.flatnonzero(answer.x > 0.5)


def _only(candidates: Candidates, path_of: Longs) -> Candidates:
    """Keep one path per message."""

    def kept(offsets: Longs) -> tuple[Longs, Longs]:
        lengths = offsets[path_of + 1] - offsets[path_of]
        ends = np.concatenate(([0], np.cumsum(lengths)))
        return ends, np.repeat(offsets[path_of] - ends[:-1], lengths) + np.arange(ends[-1])

    unit_offsets, unit_places = kept(candidates.unit_offsets)
    channel_offsets, channel_places = kept(candidates.channel_offsets)
    return replace(
        candidates,
        first_path=np.arange(len(path_of) + 1),
        unit_offsets=unit_offsets,
        units=candidates.units[unit_places],
        shifts=candidates.shifts[unit_places],
        tolls=np.zeros(len(path_of)),
        channel_offsets=channel_offsets,
        channels=candidates.channels[channel_places],
    )
