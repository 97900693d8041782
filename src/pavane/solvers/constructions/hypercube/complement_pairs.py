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
from pavane.solvers.constructions.shapes import cube_dimension
from pavane.solvers.solving import solve_once


@dataclass(frozen=True)
class ComplementPairs:
    """The known construction on hypercubes: a set of dimensions and its complement share a step."""

    name: str = "complement-pairs"

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter on a hypercube, wormhole, all-port, full duplex."""
        rules, size = problem.rules, problem.network.num_routers
        if problem.collective.kind != "AAS" or rules.combining or problem.num_messages != size * (size - 1):
            return False
        if problem.restriction is not None or not problem.is_plain:
            return False  # the order of dimensions is the construction's own
        if rules.switching != "wormhole" or rules.ports != "all" or rules.duplex != "full":
            return False
        return cube_dimension(problem.network) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the construction down; no schedule if fewer steps are requested than it has."""
        size = problem.network.num_routers
        if num_steps is not None and num_steps < size // 2:
            return None
        tails, crossed = problem.network.tails.astype(np.int64), problem.network.tails ^ problem.network.heads
        channel = np.zeros((size, size), dtype=np.int32)
        channel[tails, crossed] = np.arange(len(tails))
        origins = np.arange(size)
        steps, lengths, targets, paths = [], [], [], []
        for word in range(1, size):
            here, path = origins, []
            for dimension in range(size.bit_length() - 1):
                if word >> dimension & 1:
                    path.append(channel[here, 1 << dimension])
                    here = here ^ (1 << dimension)
            steps.append(np.full(size, min(word, size - 1 - word)))
            lengths.append(np.full(size, len(path)))
            targets.append(here)
            paths.append(np.stack(path, axis=1).reshape(-1))
        senders, receivers = np.tile(origins, size - 1), np.concatenate(targets)
        return Schedule.from_columns(
            size // 2,
            np.concatenate(steps),
            senders,
            receivers,
            np.concatenate(lengths),
            np.concatenate(paths),
            np.ones(len(senders), dtype=np.int64),
            problem.message_numbers(np.column_stack((senders, receivers))),
        )

    __call__ = solve_once
