"""A construction for all-to-all scatter on square tori of odd size: n (n^2 - 1) / 8 steps, the bound.

The words of displacements, and why they fill all stages, are in `tables.odd_squares`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.torus.tori import (
    Departure,
    Torus,
    schedule_departures,
    torus_of,
)
from pavane.solvers.path_blocks import is_wormhole_exchange
from pavane.solvers.solving import solve_once
from pavane.solvers.tables.odd_squares import LEAST_SIZE, X, Y, word_stages


@dataclass(frozen=True)
class TransposedPairs:
    """A construction for square tori of odd size: a displacement and its transpose fill both axes."""

    name: str = "transposed-pairs"

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter on a torus of n x n routers numbered row by row, n odd from 7 up, all-port."""
        return is_wormhole_exchange(problem) and _odd_square(problem) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the construction down; no schedule if fewer steps are requested than it has."""
        torus = _odd_square(problem)
        if torus is None:
            return None
        size = torus.sizes[0]
        needed = size * (size * size - 1) // 8
        if num_steps is not None and num_steps < needed * problem.collective.pieces:
            return None
        return schedule_departures(problem, torus, needed, _departures(torus))

    __call__ = solve_once


def _odd_square(problem: Problem) -> Torus | None:
    torus = torus_of(problem.network)
    if torus is None or len(torus.sizes) != 2 or torus.sizes[0] != torus.sizes[1]:
        return None
    size = torus.sizes[0]
    return torus if size % 2 and size >= LEAST_SIZE else None


def _departures(torus: Torus) -> Iterator[Departure]:
    """Yield all messages, stage after stage of either kind."""
    size, first = torus.sizes[0], 0
    x, y = torus.coordinates
    every = np.arange(torus.num_routers)
    for kind in (0, 1):
        for stage in word_stages(size, kind):
            for up in (1, -1):
                ways = (up, up if kind == 0 else -up)
                for start, letters in stage:
                    steps = first + (start - ways[X] * x - ways[Y] * y) % size
                    yield Departure(every, steps, tuple((axis, ways[axis] * count) for axis, count in letters))
            first += size
