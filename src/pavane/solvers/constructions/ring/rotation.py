"""Rotation: allgather along a cycle of processors, on nearly every network.

The processors form a cycle, and in every step each passes to the next the message that it got last (its own in the
first step). Every processor sends and receives one message a step, a new one each time, so after P - 1 steps all have
all; with one port that is the fewest steps.

Where the cycle goes both ways, each passes on to the next what it got last from the one before, and the other way round
as well. Every processor receives two new messages a step, so half of P - 1 steps are enough. With two ports, or where a
router has two links only, as the corners of a mesh do, that is the fewest steps.

The paths of a cycle share no channel (`member_cycles`). Reductions are solved backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.ring.member_cycles import MOST_MEMBERS, one_way_cycle, two_way_cycle
from pavane.solvers.constructions.ring.processor_cycles import joint_rotation
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports


@dataclass(frozen=True)
class Rotation:
    """Rotation along a cycle of processors, one way or both; deterministic, so all seeds give the same."""

    name: str = "rotation"
    ways: Literal[1, 2] | None = None
    """One way along the cycle, or both ways at once; none: both where a cycle for that is found."""

    @property
    def supports(self) -> Supports:
        """Supports all members sending to all members, where a cycle for them is found; it is cached for `find`."""
        return Supports(
            patterns=("broadcast", "reduction"),
            switching=("wormhole", "store-and-forward"),
            combining=False,
            pieces=False,
            sizes=False,
            capacities=False,
            most_messages=MOST_MEMBERS,
            where="members that all send to all, and a cycle of them",
            holds=lambda problem: self._has_cycle(forwards(problem)),
            procedure="construction",
        )

    def _has_cycle(self, problem: Problem) -> bool:
        if set(problem.collective.senders) != set(problem.collective.receivers):
            return False
        is_found = self.ways != 2 and one_way_cycle(problem) is not None
        return is_found or (self.ways != 1 and two_way_cycle(problem) is not None)

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the rotation, unless it takes more than `num_steps` or there is no time."""
        if budget.is_over or not self.supports(problem):
            return None
        limit = problem.num_messages if num_steps is None else num_steps
        half, whole = problem.num_messages // 2, problem.num_messages - 1
        cycle = two_way_cycle(problem) if self.ways != 1 and limit >= half else None
        if cycle is not None:
            return joint_rotation((cycle, half), (cycle.backwards(problem.network), whole - half))
        cycle = one_way_cycle(problem) if self.ways != 2 and limit >= whole else None
        return None if cycle is None else joint_rotation((cycle, whole))

    __call__ = solve_once
