"""Route first, then colour: fix a path per message so that no channel carries more than there are steps, then pack.

Where detours are allowed a message has many paths, and few choices of paths leave enough room everywhere. An integer
program picks a path per message such that every channel and port has room for its load in all steps together, with as
few channels in all as possible; ejection search then finds the steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import Candidates, candidate_paths
from pavane.solvers.ejection.assignment import fits, pushed_in
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_by_steps


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
        return fits(problem)

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Pick paths that have room in `num_steps` steps, and push the messages in along them."""
        detour = self.detour if problem.rules.routing == "any" else 0
        candidates = candidate_paths(problem, rng, most_paths=self.most_paths, detour=detour)
        routes = None if budget.is_over else self._routes(candidates, num_steps, budget)
        if routes is None:
            return None
        return pushed_in(_only(candidates, routes), num_steps, self.most_trials, rng, budget)

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_by_steps

    def _routes(self, candidates: Candidates, num_steps: int, budget: Budget) -> Longs | None:
        """Pick a path for every message, or piece of one; None where no choice was found that fits.

        Pieces of one message are alike, so the program counts how many of them take each path.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        firsts, pieces = _messages(candidates)
        size, num_listed = len(firsts), np.diff(candidates.first_path)[firsts]
        paths = _ranges(candidates.first_path[firsts], num_listed)
        num_paths, owner = len(paths), np.repeat(np.arange(size), num_listed)
        all_pieces = csr_array((np.ones(num_paths), (owner, np.arange(num_paths))), shape=(size, num_paths))
        num_units = np.diff(candidates.unit_offsets)[paths]
        units = candidates.units[_ranges(candidates.unit_offsets[paths], num_units)]
        user = np.repeat(np.arange(num_paths), num_units)
        loads = csr_array((np.ones(len(user)), (units, user)), shape=(len(candidates.capacity), num_paths))
        seconds = 1e9 if budget.seconds_left is None else max(0.1, budget.seconds_left)
        answer = milp(
            np.diff(candidates.channel_offsets)[paths].astype(np.float64),
            integrality=np.ones(num_paths, dtype=np.int64),
            bounds=Bounds(0, pieces[owner]),
            constraints=[
                LinearConstraint(all_pieces, pieces, pieces),
                LinearConstraint(loads, -np.inf, candidates.capacity * num_steps),
            ],
            options={"mip_rel_gap": 0.02, "node_limit": self.most_branches, "time_limit": seconds},
        )
        if answer.x is None:
            return None
        # The pieces of a message have the same paths in the same order, and take them one after the other.
        taken = np.repeat(paths - candidates.first_path[firsts][owner], np.rint(answer.x).astype(np.int64))
        if len(taken) != len(candidates.messages):
            return None
        return candidates.first_path[:-1] + taken


def _messages(candidates: Candidates) -> tuple[Longs, Longs]:
    """Return the first piece of every message, and how many pieces it has; they stand one after the other."""
    ends = candidates.problem.ends[candidates.messages]
    is_first = np.concatenate(([True], (ends[1:] != ends[:-1]).any(axis=1)))
    firsts = np.flatnonzero(is_first)
    return firsts, np.diff(np.append(firsts, len(ends)))


def _ranges(starts: Longs, lengths: Longs) -> Longs:
    """Count up from each start, as far as its length says, one range after the other."""
    ends = np.cumsum(lengths)
    counted: Longs = np.arange(int(ends[-1])) + np.repeat(starts - (ends - lengths), lengths)
    return counted


def _only(candidates: Candidates, path_of: Longs) -> Candidates:
    """Keep one path per message."""

    def kept(offsets: Longs) -> tuple[Longs, Longs]:
        lengths = offsets[path_of + 1] - offsets[path_of]
        ends = np.concatenate(([0], np.cumsum(lengths)))
        return ends, np.repeat(offsets[path_of] - ends[:-1], lengths) + np.arange(ends[-1])

    unit_offsets, kept_units = kept(candidates.unit_offsets)
    channel_offsets, kept_channels = kept(candidates.channel_offsets)
    return replace(
        candidates,
        first_path=np.arange(len(path_of) + 1),
        unit_offsets=unit_offsets,
        units=candidates.units[kept_units],
        shifts=candidates.shifts[kept_units],
        tolls=np.zeros(len(path_of)),
        channel_offsets=channel_offsets,
        channels=candidates.channels[kept_channels],
    )
