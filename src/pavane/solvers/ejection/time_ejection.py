"""Ejection search through time, for private messages under store-and-forward.

A message goes hop by hop and may rest in between, so where it is matters in every step. A message without hops finds,
by one sweep back over the steps, the cheapest of all its ways and waits; whoever is in that way is pushed out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.ejection.forwarding import carried_out
from pavane.solvers.ejection.hop_assignment import HopAssignment, planned_ways, ways_between
from pavane.solvers.ejection.hop_network import HopNetwork, counted, num_hops
from pavane.solvers.rerouting import Effort
from pavane.solvers.solver import Finding, answer_step_by_step
from pavane.workers.budget import Budget

MOST_MESSAGES = 300_000
"""With more messages a search takes minutes and gigabytes."""

MOST_WAYS = 8_000_000
"""The most hops of all messages that are listed; about 160 MB."""

MOST_HOPS = 1_000_000
"""The most hops of one step that are listed; routers of many processors have many."""

MOST_JOINED = 300
"""With more routers that have processors, hops over switches between any two of them are too many to list."""

PLANNING = Effort(most_passes=300, patience=50, most_sharpness=3.0, noise=0.95)
"""How long paths are planned: a second where there are a few thousand messages."""

MOST_MOVES_PER_MESSAGE = 2_000
"""Moves for each message after which a run has shown what it can do; starting anew beats going on."""


@dataclass(frozen=True)
class TimeEjection:
    """Ejection search through time, for store-and-forward scatter: messages push each other out of steps."""

    name: str = "time-ejection"
    detour: int = 0
    """How many hops more than the shortest a path may have."""
    plan: bool = False
    """Whether each message first gets one path, so that no channel or port has more to carry than there are steps."""
    most_cells: int = 1_000_000_000
    """How many pairs of a hop and a step a run may look at; a few seconds' worth."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to private messages under store-and-forward without combining, as far as their hops fit."""
        return not problem.rules.combining and fits(problem)

    def find(
        self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Push the messages into `num_steps` steps."""
        return self.in_widths(problem, np.ones(num_steps, dtype=np.int64), rng, budget)

    takes_capacities: ClassVar[bool] = True
    __call__ = answer_step_by_step

    def in_widths(self, problem: Problem, widths: Longs, rng: np.random.Generator, budget: Budget) -> Finding:
        """Push the messages into steps in which a channel carries widths[t] times its capacity.

        Those on one unit of capacity in one step share a transfer.
        """
        network = HopNetwork.of(problem)
        if self.plan:
            return self._planned(network, widths, rng, budget)
        ways = ways_between(network, self.detour, MOST_WAYS)
        if ways is None:
            return Finding(None, is_final=True)
        return self._pushed(HopAssignment(network, ways, widths), rng, budget)

    def _planned(self, network: HopNetwork, widths: Longs, rng: np.random.Generator, budget: Budget) -> Finding:
        """Plan a path for every message, let them go along step by step, and push in those that come too late."""
        num_steps, rerouting = len(widths), network.rerouting(self.detour)
        plan = rerouting.plan(num_steps, PLANNING, rng, budget) if rerouting.is_ready else None
        if plan is None or plan.most_load > num_steps:
            return Finding(None)
        journeys = carried_out(network, plan, num_steps, rng, budget)
        if (journeys.steps >= 0).all():
            message, _ = counted(plan.lengths.astype(np.int64))
            return Finding(network.schedule(plan.arcs, journeys.steps.astype(np.int64), message, widths))
        assignment = HopAssignment(network, planned_ways(plan), widths)
        assignment.begin_with(journeys)
        return self._pushed(assignment, rng, budget)

    def _pushed(self, assignment: HopAssignment, rng: np.random.Generator, budget: Budget) -> Finding:
        """Push in who is outside, as long as the effort allows."""
        size = assignment.network.problem.num_messages
        moves = max(10 * size, self.most_cells // assignment.cells_per_move)
        moves = min(moves, MOST_MOVES_PER_MESSAGE * size)
        if budget.evaluations is not None:
            moves = min(moves, budget.evaluations)
        is_full = assignment.fill(moves, rng, budget)
        return Finding(assignment.schedule() if is_full else None, evaluations=assignment.moves)


def fits(problem: Problem) -> bool:
    """Say whether time-ejection is for a problem: private messages under store-and-forward, not too many."""
    if problem.pattern != "private" or problem.rules.switching != "store-and-forward":
        return False
    if problem.passes_switches:
        is_small = int((~problem.is_switch).sum()) <= MOST_JOINED
    else:
        is_small = num_hops(problem) <= MOST_HOPS
    return is_small and problem.num_messages <= MOST_MESSAGES
