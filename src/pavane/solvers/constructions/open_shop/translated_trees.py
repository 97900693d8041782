"""Allgather on networks that look alike from every router: one tree, which all routers translate (`tree_growth`).

Under half duplex a kind that is its own opposite takes both steps of a beat. Every transfer runs over one channel,
which is a valid path under both switchings and every routing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.machines import Machines
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports
from pavane.solvers.tree_growth import TreeHops, grown_trees
from pavane.symmetry.cayley import CayleyNetwork, cayley_of

MOST_TRANSFERS = 2**25
"""Beyond this many transfers a schedule takes more than four gigabytes."""


@dataclass(frozen=True, eq=False)
class TranslatedForest:
    """A network on which all routers do the same, and the pieces to spread."""

    problem: Problem
    cayley: CayleyNetwork
    machines: Machines
    num_pieces: int

    def schedule(self, hops: TreeHops) -> Schedule:
        """Let all routers make the hops, each translated to itself."""
        network, num_turns, room = self.problem.network, self.machines.num_turns, self.machines.room
        # Rows are hops, and columns the routers that messages come from.
        senders = self.cayley.kinds.sums[hops.tails]
        channels = self.cayley.kinds.channels[senders, hops.kinds[:, None]]
        receivers = network.heads[channels]
        machine = self.machines.machine_of[hops.kinds]
        is_parted = self.machines.is_parted[hops.kinds]
        turns = np.where(is_parted, 0, hops.lanes * num_turns // room[machine])
        begins = (num_turns * hops.beats + turns).astype(np.int32)
        steps = np.repeat(begins, network.num_routers)
        if is_parted.any():
            steps += (is_parted[:, None] & (senders > receivers)).reshape(-1)
        firsts = self.num_pieces * np.arange(network.num_routers, dtype=np.int32)
        messages = firsts + hops.pieces[:, None].astype(np.int32)
        return Schedule.from_columns(
            None,
            steps,
            senders.reshape(-1),
            receivers.reshape(-1),
            (np.ones(len(steps), dtype=np.int8), channels.reshape(-1)),
            messages.reshape(-1),
        )


@lru_cache(maxsize=8)
def _forest(problem: Problem) -> TranslatedForest | None:
    """Return the forest of an allgather; None where routers do not look alike."""
    cayley = cayley_of(problem.network)
    machines = None if cayley is None else Machines.of(problem, cayley.kinds.channels)
    if cayley is None or machines is None:
        return None
    return TranslatedForest(problem, cayley, machines, problem.collective.pieces)


@dataclass(frozen=True)
class TranslatedTrees:
    """Allgather where all routers look alike: one router's tree, translated to all; all seeds give the same."""

    name: str = "translated-trees"

    supports = Supports(
        patterns=("broadcast", "reduction"),
        switching=("wormhole", "store-and-forward"),
        combining=False,
        total=True,
        sizes=False,
        most_arrivals=MOST_TRANSFERS,
        where="one processor on each router, and routers that look alike",
        holds=lambda problem: _forest(forwards(problem)) is not None,
        takes=("capacities",),
        procedure="construction",
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Grow a tree for each piece and translate it to all routers; none if that takes more than `num_steps`."""
        forest = None if budget.is_over or not self.supports(problem) else _forest(problem)
        if forest is None:
            return None
        hops = grown_trees(forest.cayley.kinds.heads, forest.machines, forest.num_pieces)
        if num_steps is not None and forest.machines.num_turns * int(hops.beats[-1] + 1) > num_steps:
            return None
        return forest.schedule(hops)

    __call__ = solve_once
