"""Scatter from one origin, exactly and in polynomial time, by maximum flows; gather as scatter read backwards.

Private messages that share their origin are interchangeable on their way: only where each one ends matters. So a set of
paths is a flow, and what a maximum flow cannot do, a minimum cut forbids.

Half duplex costs nothing here: two flows that meet on a link cancel, and what they would have carried past each other
is left where it was. That breaks no capacity, so a schedule for full duplex gives one as long for half duplex.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import time_reversed
from pavane.parallel.budget import Budget
from pavane.solvers.flow.over_time import stored_scatter
from pavane.solvers.flow.wormhole import wormhole_scatter
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once


@dataclass(frozen=True)
class Flow:
    """Maximum flows, for private messages that all come from one processor or all go to one."""

    takes_capacities: ClassVar[bool] = True

    name: str = "flow"

    def supports(self, problem: Problem) -> bool:
        """Supports messages that are private, travel alone, and share an origin or a target."""
        return (
            problem.pattern == "private"
            and not problem.rules.combining
            and not problem.rules.has_slots
            and problem.restriction is None
            and (_is_shared(problem, 0) or _is_shared(problem, 1))
        )

    def find(self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget) -> Finding | None:
        """Return a schedule of the fewest steps and the proof that there is none shorter; the seed is not needed."""
        if not self.supports(problem):
            return None
        if _is_shared(problem, 0):
            return _scatter(problem, num_steps, budget)
        ahead = dual(problem)
        found = _scatter(ahead, num_steps, budget)
        schedule = None if found.schedule is None else time_reversed(ahead, found.schedule, problem)
        return Finding(schedule, tuple(_read_backwards(bound) for bound in found.bounds))

    __call__ = solve_once


def _is_shared(problem: Problem, side: int) -> bool:
    """Whether all messages have the same origin (side 0) or target (side 1)."""
    return bool((problem.ends[:, side] == problem.ends[0, side]).all())


def _read_backwards(bound: Bound) -> Bound:
    """Return a bound of the dual as one of the problem: channels keep their numbers, the two ends are exchanged."""
    other = {"injection": "ejection", "ejection": "injection", "from": "to", "to": "from"}
    certificate = {other.get(key, key): value for key, value in bound.certificate.items()}
    return Bound(bound.figure, other.get(bound.argument, bound.argument), certificate, bound.exact)


def _scatter(problem: Problem, num_steps: int | None, budget: Budget) -> Finding:
    scatter = wormhole_scatter if problem.rules.switching == "wormhole" else stored_scatter
    return scatter(problem, num_steps, budget)
