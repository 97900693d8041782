"""What is left of the channels and ports of one step, for solvers that pack trees into it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from pavane.model.problem import Problem
from pavane.solvers.supports import Supports

Branch: TypeAlias = tuple[int, int, tuple[int, ...]]
"""A sender, a receiver and the channels between them."""


MOST_CELLS = 2**24
"""The most pairs of a message and a processor: lists of holders then take a few hundred MB, and sums minutes."""

PACKED = Supports(
    patterns=("broadcast", "reduction", "allreduce"),
    switching=("wormhole", "store-and-forward"),
    combining=False,
    copying=True,
    where=f"minimal or any routing, and messages times processors of at most {MOST_CELLS:,}",
    holds=lambda problem: (
        problem.rules.routing in ("minimal", "any")
        and problem.num_messages * problem.network.num_processors <= MOST_CELLS
    ),
    takes=("capacities", "copies"),
)
"""The problems whose trees are packed step by step."""


class TreeRoom:
    """What is left of the channels and ports of one step."""

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self.problem, self.number, self.effort = problem, 0, 0
        self.unit: list[int] = problem.units.tolist()
        self.tails, self.heads = network.tails.tolist(), network.heads.tolist()
        self.home: list[int] = network.router_of.tolist()
        self.back: list[int] = network.opposite.tolist()
        self.copies: list[bool] = problem.is_copying.tolist()
        self.is_minimal = problem.rules.routing == "minimal"
        runs_on = problem.rules.runs_whole_paths
        self.passes = [runs_on or is_switch for is_switch in problem.is_switch.tolist()]
        """Whether a transfer may run on over each router."""
        self.ways_out = list(map(list, network.out_channels))
        self.processors = network.processors_on
        self.clear()

    def clear(self) -> None:
        """Free all channels and ports for the next step."""
        self.left: list[int] = self.problem.network.capacity.tolist()
        self.sending: list[int] = self.problem.injection.tolist()
        self.receiving: list[int] = self.problem.ejection.tolist()

    def shuffle(self, rng: np.random.Generator) -> None:
        """Put the channels out of each router into a random order."""
        for channels in self.ways_out:
            rng.shuffle(channels)

    def is_shorter(self, root: int, channel: int) -> bool:
        """Return whether a channel may follow on a path from a router: under minimal routing it leads farther away."""
        if not self.is_minimal:
            return True
        away = self.problem.network.distances[root]
        return bool(away[self.heads[channel]] == away[self.tails[channel]] + 1)
