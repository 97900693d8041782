"""Schedules written out from tables: what one router does, which all routers do translated (`tables.registry`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.symmetric_schedule import SymmetricSchedule
from pavane.parallel.budget import Budget
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import EXCHANGE
from pavane.symmetry.cayley import cayley_of

MAKERS = ("complement-pairs", "antipodal-trails", "turned-orbits")
"""The tables at the bound that are known at once; `translated` and `translated-trees` find the other ones."""


@lru_cache(maxsize=8)
def _table(problem: Problem) -> SymmetricSchedule | None:
    cayley = cayley_of(problem.network)
    if cayley is None:
        return None
    from pavane.solvers.tables.registry import TABLE_MAKERS  # all makers, which most problems do without

    made = (TABLE_MAKERS[name](problem, cayley) for name in MAKERS)
    return next((table for table in made if table is not None), None)


@dataclass(frozen=True)
class FromTable:
    """Known tables, paths of one router that all follow, written out: hypercubes, even tori, turned slots."""

    name: str = "table"

    supports = replace(
        EXCHANGE,
        where="a network that has a known table",
        holds=lambda problem: _table(problem) is not None,
        procedure="construction",
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the table out; no schedule if fewer steps are requested than it has."""
        table = _table(problem)
        is_short = table is not None and (num_steps is None or table.num_steps <= num_steps)
        return table.expand(problem) if table is not None and is_short else None

    __call__ = solve_once
