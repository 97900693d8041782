"""The known construction for all-to-all scatter on hypercubes: complement pairs.

All messages that cross the same set of dimensions go in one step, together with those that cross its complement: each
channel is then used at most once. That is half as many steps as there are routers, the lower bound, in every
dimension.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.shapes import cube_channels, cube_dimension
from pavane.solvers.path_blocks import PathBlocks, exchange_numbers, is_wormhole_exchange
from pavane.solvers.solving import solve_once


@dataclass(frozen=True)
class ComplementPairs:
    """The known construction on hypercubes: a set of dimensions and its complement share a step."""

    name: str = "complement-pairs"

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter on a hypercube, wormhole, all-port, full duplex."""
        # The order of dimensions is the construction's own, so no routing may restrict it.
        return is_wormhole_exchange(problem) and problem.is_plain and cube_dimension(problem.network) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the construction down; no schedule if fewer steps are requested than it has."""
        size = problem.network.num_routers
        if num_steps is not None and num_steps < size // 2:
            return None
        dimension, origins, blocks = size.bit_length() - 1, np.arange(size), PathBlocks()
        channel_of = cube_channels(problem.network, dimension)
        for word in range(1, size):
            here, path = origins, []
            for bit in range(dimension):
                if word >> bit & 1:
                    path.append(channel_of[here, bit])
                    here = here ^ (1 << bit)
            numbers = exchange_numbers(size, origins, here)
            blocks.add(min(word, size - 1 - word), origins, here, numbers, np.stack(path, axis=1))
        return blocks.schedule()

    __call__ = solve_once
