"""First fit for large networks: wormhole scatter, each message in the first step in which some shortest path is free.

What `greedy` does, compiled and on arrays, so that a million messages take seconds; and then better:

1. Free first fit, longest ways first. On networks rich in shortest paths (hypercube, torus) this is the best of all.
2. A plan of paths: each message, shortest ways first, moves to the path whose channels are least loaded, again and
   again with sharper prices. Short messages have little choice, the long ones even the loads out. First fit again, in
   which no channel may take more than the plan's largest load. On networks poor in paths (random, dragonfly) the
   largest load is what free first fit wastes.
3. The better of the two is packed again, last step first. A message keeps its path where that is free in the step it
   finds, so what shared a step still fits into one step, and the schedule cannot become longer (iterated greedy, known
   from graph colouring: Culberson 1992).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.effort import RemainingEffort, leaving_time_to_judge
from pavane.solvers.large_scatter.first_fit_driver import FirstFitDriver, most_loaded, no_routes, routes_of
from pavane.solvers.large_scatter.scatter_arrays import NO_LIMIT, PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.windowed_first_fit import first_answer
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once

MOST_ROUTERS = 8192
"""Above this the table of distances alone takes more than 128 MB."""


@dataclass(frozen=True)
class FirstFit:
    """First fit, free and by a plan of paths; the seed decides the order among equals."""

    name: str = "first-fit"
    sharpness: tuple[float, ...] = (0.1, 0.3, 0.5)
    """One plan after the other: one more message on a channel raises its price by a factor of 2 to this power."""
    repacks: int = 10
    """How often the better schedule is packed again."""
    most_placements: int = 3_000_000
    """No more repacks beyond this number of messages placed: a million messages are placed three times."""

    def supports(self, problem: Problem) -> bool:
        """Say whether every message goes in one transfer on any shortest path, in a network that is not too large."""
        rules = problem.rules
        return (
            problem.pattern == "private"
            and rules.switching == "wormhole"
            and problem.restriction is None
            and not rules.combining
            and problem.network.num_routers <= MOST_ROUTERS
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the shortest schedule found; none if time has run out before, or a shorter one is handed over."""
        arrays = ScatterArrays.of(problem)
        first = first_answer(arrays, num_steps, budget)
        if first.needs is not None:
            return Finding(None, needs=first.needs)
        if first.packed is not None and _suffices(first.packed, num_steps):
            return first.or_shorter(arrays, None)
        best = self.search(arrays, num_steps, rng, RemainingEffort(budget.evaluations), first.budget)
        return first.or_shorter(arrays, None if best is None else arrays.schedule(best))

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_once

    def search(
        self,
        arrays: ScatterArrays,
        enough: int | None,
        rng: np.random.Generator,
        effort: RemainingEffort,
        budget: Budget,
    ) -> PackedSchedule | None:
        """Pack until `enough` steps are reached, or nothing is left to try; None where time runs out before."""
        lengths = arrays.path_lengths
        longest_first = np.lexsort((rng.permutation(arrays.num_messages), -lengths))
        placing = FirstFitDriver(arrays, effort, budget)
        best = placing.pack(no_routes(arrays), longest_first)
        if best is None or _suffices(best, enough):
            return best
        placing = replace(placing, budget=leaving_time_to_judge(budget, arrays, best))
        routes = no_routes(arrays)
        for sharpness in self.sharpness:
            if not placing.plan(routes, longest_first[::-1].copy(), sharpness):
                return best
        most_load = most_loaded(arrays, routes)
        planned = placing.pack(routes, longest_first, most_load, best.num_steps)
        if planned is None:
            return best
        if planned.num_steps <= best.num_steps:
            best = planned
        else:
            most_load = NO_LIMIT
        for repack in range(self.repacks):
            if _suffices(best, enough) or (repack + 3) * arrays.num_messages > self.most_placements:
                break
            # The messages of a step stay together, the longest first.
            last_step_first = np.lexsort((rng.permutation(arrays.num_messages), -lengths, -best.step_of))
            again = placing.pack(routes_of(arrays, best), last_step_first, most_load, best.num_steps)
            if again is None:
                break
            best = again
        return best


def _suffices(packed: PackedSchedule, enough: int | None) -> bool:
    return enough is not None and packed.num_steps <= enough
