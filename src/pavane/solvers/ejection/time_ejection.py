"""Ejection search through time, for private messages under store-and-forward.

A message goes hop by hop and may rest in between, so where it is matters in every step. A message without hops finds,
by one sweep back over the steps, the cheapest of all its ways and waits; the messages in that way are ejected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.assignment import MOST_MOVES_PER_ENTRY
from pavane.solvers.ejection.hop_assignment import HopAssignment, hops_on_paths
from pavane.solvers.ejection.hop_network import HopNetwork, num_hops
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import Supports

MOST_MESSAGES = 1_200_000
"""With more messages a plan takes minutes and gigabytes."""

MOST_WAYS = 8_000_000
"""The most hops of all messages that are listed; about 160 MB."""

MOST_HOPS = 1_000_000
"""The most hops of one step that are listed; routers of many processors have many."""

MOST_JOINED = 300
"""With more routers that have processors, hops over switches between any two of them are too many to list."""


@dataclass(frozen=True)
class TimeEjection:
    """Ejection search through time, for store-and-forward scatter: messages eject each other from steps."""

    name: str = "time-ejection"
    detour: int = 0
    """How many hops more than the shortest a path may have."""
    most_cells: int = 1_000_000_000
    """How many pairs of a hop and a step a run may examine; a few seconds' worth."""

    supports = Supports(
        patterns=("private",),
        switching=("store-and-forward",),
        combining=False,
        most_messages=MOST_MESSAGES,
        where=f"at most {MOST_HOPS:,} hops, or {MOST_JOINED} routers joined over switches that pass",
        holds=lambda problem: _fits(problem),
        takes=("capacities",),
    )

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Insert the messages into `num_steps` steps."""
        network = HopNetwork.of(problem)
        ways = hops_on_paths(network, self.detour, MOST_WAYS)
        if ways is None:
            return Finding(None, is_final=True)
        return insert_messages(HopAssignment(network, ways, num_steps), self.most_cells, rng, budget)

    __call__ = solve_by_steps


def insert_messages(assignment: HopAssignment, most_cells: int, rng: np.random.Generator, budget: Budget) -> Finding:
    """Insert the messages that are outside while the effort lasts: a few moves for every message at least."""
    is_full = assignment.fill(most_cells, MOST_MOVES_PER_ENTRY, rng, budget)
    return Finding(assignment.schedule() if is_full else None, evaluations=assignment.moves)


def _fits(problem: Problem) -> bool:
    """Return whether the hops of a problem fit into memory."""
    if problem.passes_switches:
        return int((~problem.is_switch).sum()) <= MOST_JOINED
    return num_hops(problem) <= MOST_HOPS
