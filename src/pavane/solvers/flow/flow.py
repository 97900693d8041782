"""Scatter from one origin, exactly and in polynomial time, by maximum flows; gather as scatter read backwards.

Private messages that share their origin are interchangeable on their way: only where each one ends matters. So a set of
paths is a flow, and what a maximum flow cannot do, a minimum cut forbids.

Half duplex costs nothing here: two flows that meet on a link cancel, and what they would have carried past each other
is left where it was. That breaks no capacity, so a schedule for full duplex gives one as long for half duplex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.flow.over_time import stored_scatter
from pavane.solvers.flow.wormhole import wormhole_scatter
from pavane.solvers.reductions.time_reversal import TIME_REVERSAL
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports


@dataclass(frozen=True)
class Flow:
    """Maximum flows, for private messages that all come from one processor or all go to one."""

    name: str = "flow"

    supports = Supports(
        patterns=("private",),
        switching=("wormhole", "store-and-forward"),
        combining=False,
        restricted=False,
        where="one processor that sends all messages or receives all",
        holds=lambda problem: _is_shared(problem, 0) or _is_shared(problem, 1),
        takes=("capacities",),
        procedure="pass",
    )

    def find(self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget) -> Finding | None:
        """Return a schedule of the fewest steps and the proof that there is none shorter; the seed is not needed."""
        if not self.supports(problem):
            return None
        if _is_shared(problem, 0):
            return _scatter(problem, num_steps, budget)
        ahead, data = TIME_REVERSAL.apply(problem)
        found = _scatter(ahead, num_steps, budget)
        schedule = None if found.schedule is None else TIME_REVERSAL.invert(found.schedule, data)
        return Finding(schedule, TIME_REVERSAL.lift(found.bounds, data))

    __call__ = solve_once


def _is_shared(problem: Problem, side: int) -> bool:
    """Whether all messages have the same origin (side 0) or target (side 1)."""
    return bool((problem.ends[:, side] == problem.ends[0, side]).all())


def _scatter(problem: Problem, num_steps: int | None, budget: Budget) -> Finding:
    scatter = wormhole_scatter if problem.rules.switching == "wormhole" else stored_scatter
    return scatter(problem, num_steps, budget)
