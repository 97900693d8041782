"""All-to-all scatter in slots where a turn moves the kinds of channels in one cycle, as on tori of equal sides.

All routers have the same table, which `tables.turned` makes and proves; this solver writes it out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.solving import solve_once
from pavane.solvers.tables.turned import has_turned_slots, turned_orbits
from pavane.symmetry.cayley import cayley_of

MOST_ROUTERS = 1024
"""Paths in larger networks take too much memory."""


@dataclass(frozen=True)
class TurnedOrbits:
    """Packets and their turned images in blocks, one after the other; for all-port tori of equal sides in slots."""

    name: str = "turned-orbits"

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter in slots of one hop, all-port, on tori of equal sides and others with a turn."""
        if problem.network.num_routers > MOST_ROUTERS or not problem.is_plain or not has_turned_slots(problem):
            return False
        cayley = cayley_of(problem.network)
        return cayley is not None and cayley.turn is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the table out; no schedule if fewer slots are requested than it has."""
        cayley = cayley_of(problem.network)
        table = None if cayley is None or budget.is_over else turned_orbits(problem, cayley)
        is_short = table is not None and (num_steps is None or table.num_steps <= num_steps)
        return table.expand(problem) if table is not None and is_short and not budget.is_over else None

    __call__ = solve_once
