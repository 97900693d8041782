"""Plan, then times: one path for every private message under store-and-forward, then a step for every hop.

The paths alone decide how busy channels and ports are. Once no unit has more to carry than there are steps, finding
the steps is the smaller part: messages go along their paths step by step, and late ones are inserted by ejection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.bounds import counted_bounds
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget, as_builder
from pavane.solvers.ejection.forwarding import forward
from pavane.solvers.ejection.hop_assignment import HopAssignment, planned_hops
from pavane.solvers.ejection.hop_network import HopNetwork, counted
from pavane.solvers.ejection.kernels.forwarding import Journeys
from pavane.solvers.ejection.time_ejection import TimeEjection, insert_messages
from pavane.solvers.rerouting import ReroutingEffort, RoutePlan
from pavane.solvers.solver import Finding, argument
from pavane.solvers.solving import solve_once

NOISE = 0.95
"""Nearly a whole message: units with equal loads seem to differ, so that an excess message moves about."""

SHARE_OF_PLAN = 0.6
"""The part of the time that planning may take; the rest is for steps, and for building the schedule."""


@dataclass(frozen=True)
class Planned:
    """One planned path for every message, then steps by matchings and ejection; for store-and-forward scatter."""

    name: str = "planned"
    goal: int = argument(0)
    """A number of steps that is known to be needed; a plan with lower loads is no better."""
    detour: int = 0
    """How many hops more than the shortest a path may have."""
    most_passes: int = 300
    """How often messages may move to cheaper paths, each once."""
    patience: int = 50
    """Passes without a better plan after which planning ends."""
    most_cells: int = 50_000_000
    """How many pairs of a hop and a step ejection search may examine for one number of steps."""

    supports = TimeEjection.supports

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Plan for a number of steps, or for as few as are known to be needed, and find the steps of the plan."""
        network = HopNetwork.of(problem)
        lowest = max(self.goal, counted_bounds(problem)[0].figure, 1) if num_steps is None else num_steps
        rerouting = network.rerouting(self.detour)
        effort = ReroutingEffort(self.most_passes, self.patience, most_sharpness=3.0, noise=NOISE)
        if rerouting.choices is None:
            return None
        plan = rerouting.plan(lowest, effort, rng, budget.part(SHARE_OF_PLAN))
        if plan is None:
            return None
        fewest = max(lowest, plan.most_load, int(plan.lengths.max(initial=0)))
        if num_steps is None:
            return self._fewest_steps(network, plan, fewest, rng, budget)
        return None if fewest > num_steps else self._in_steps(network, plan, num_steps, rng, budget)

    __call__ = solve_once

    def _fewest_steps(
        self, network: HopNetwork, plan: RoutePlan, lowest: int, rng: np.random.Generator, budget: Budget
    ) -> Finding:
        """Bisect between numbers of steps that failed and that succeeded for the plan."""
        journeys = forward(network, plan, lowest, rng, budget)
        if (journeys.steps < 0).any():
            return Finding(None)
        best, moves = _schedule(network, plan, journeys), 0
        budget = budget.report_first(lambda: best)
        failed, num_steps = lowest - 1, lowest
        while num_steps < best.num_steps and not budget.is_over:
            found = self._in_steps(network, plan, num_steps, rng, budget)
            moves += found.evaluations
            if found.schedule is not None:
                best = found.schedule
                budget.on_improvement(as_builder(best))
            else:
                failed = num_steps
            if budget.evaluations is not None and moves >= budget.evaluations:
                break
            num_steps = max(failed + 1, (failed + best.num_steps) // 2)
        return Finding(best, evaluations=moves)

    def _in_steps(
        self, network: HopNetwork, plan: RoutePlan, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> Finding:
        """Send the messages along their paths, and insert late ones by ejection."""
        journeys = forward(network, plan, num_steps, rng, budget)
        if (journeys.steps >= 0).all() and int(journeys.steps.max(initial=0)) < num_steps:
            return Finding(_schedule(network, plan, journeys))
        assignment = HopAssignment(network, planned_hops(plan), num_steps)
        assignment.begin_with(journeys)
        return insert_messages(assignment, self.most_cells, rng, budget)


def _schedule(network: HopNetwork, plan: RoutePlan, journeys: Journeys) -> Schedule:
    """Return the schedule of complete journeys."""
    messages, _ = counted(plan.lengths.astype(np.int64))
    return network.schedule(plan.arcs, journeys.steps.astype(np.int64), messages)
