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
from pavane.solvers.tables.rows import table_of_hops
from pavane.solvers.tree_growth import grown_trees
from pavane.symmetry.cayley import CayleyNetwork, cayley_of

MOST_TRANSFERS = 2**25
"""Beyond this many transfers a schedule takes more than four gigabytes."""


@lru_cache(maxsize=8)
def _machines(problem: Problem) -> tuple[CayleyNetwork, Machines] | None:
    """Return the network of an allgather and its kinds as machines; None where routers do not look alike."""
    cayley = cayley_of(problem.network)
    machines = None if cayley is None else Machines.of(problem, cayley.kinds.channels)
    return None if cayley is None or machines is None else (cayley, machines)


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
        holds=lambda problem: _machines(forwards(problem)) is not None,
        takes=("capacities",),
        procedure="construction",
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Grow a tree for each piece and write the table out; none if that takes more than `num_steps`."""
        found = None if budget.is_over or not self.supports(problem) else _machines(problem)
        if found is None:
            return None
        cayley, machines = found
        hops, num_turns = grown_trees(cayley.kinds.heads, machines, problem.collective.pieces), machines.num_turns
        if num_steps is not None and num_turns * int(hops.beats[-1] + 1) > num_steps:
            return None
        is_parted = machines.is_parted[hops.kinds]
        turns = np.where(is_parted, 0, hops.lanes * num_turns // machines.room[machines.machine_of[hops.kinds]])
        steps = num_turns * hops.beats + turns
        schedule = table_of_hops(steps, hops.tails, hops.kinds, hops.pieces, cayley.translations).expand(problem)
        return _in_turns(schedule, cayley, machines) if is_parted.any() else schedule

    __call__ = solve_once


def _in_turns(schedule: Schedule, cayley: CayleyNetwork, machines: Machines) -> Schedule:
    """Let the upper end of each link of a kind that is its own opposite send a step after the lower end."""
    is_parted = machines.is_parted[cayley.kinds.places[1][schedule.path_channels]]
    steps = schedule.starts + (is_parted & (schedule.senders > schedule.receivers))
    paths = schedule.path_lengths, schedule.path_channels
    return Schedule.from_columns(None, steps, schedule.senders, schedule.receivers, paths, schedule.messages)
