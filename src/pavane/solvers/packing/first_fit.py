"""First fit for large networks: wormhole scatter, each message in the first step in which some shortest path is free.

What `greedy` does, compiled and on arrays, so that a million messages take seconds; and then better:

1. Free first fit, longest ways first. On networks rich in shortest paths (hypercube, torus) this is the best of all.
2. A plan of paths: each message, shortest ways first, moves to the path whose channels are least loaded, in rounds with
   sharper and sharper prices. Short messages have little choice, the long ones even the loads out. First fit again, in
   which no channel may take more than the plan's largest load. On networks poor in paths (random, dragonfly) the
   largest load is what free first fit wastes.
3. The better of the two is packed again, last step first. A message keeps its path where that is free in the step it
   finds, so what shared a step still fits into one step, and the schedule cannot become longer (iterated greedy, known
   from graph colouring: Culberson 1992).
"""

from __future__ import annotations

from dataclasses import dataclass

from pavane.judge.result import Provenance, Result
from pavane.model.problem import Problem
from pavane.solvers.packing.columns import NO_LIMIT, Columns, Packed
from pavane.workers.budget import Budget

MOST_ROUTERS = 8192
"""Above this the table of distances alone takes more than 128 MB."""

SECONDS_PER_CHANNEL = 7e-7
"""What it takes to build and judge a schedule, for each channel of each path, on a slow machine."""


@dataclass(frozen=True)
class FirstFit:
    """First fit, free and by a plan of paths; the seed decides the order among equals."""

    name: str = "first-fit"
    sharpness: tuple[float, ...] = (0.1, 0.3, 0.5)
    """Rounds of planning: one more message on a channel raises its price by a factor of 2 to this power."""
    repacks: int = 10
    """How often the better schedule is packed again."""
    most_placements: int = 3_000_000
    """No more repacks once so many messages have been placed: a million messages are placed three times."""

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

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the shortest schedule found; none if all are longer than `num_steps` or time has run out before."""
        columns = Columns(problem, seed, budget)
        best = self.search(columns, num_steps)
        if best is None or (num_steps is not None and best.num_steps > num_steps):
            return Result(problem, None, asked=num_steps)
        return Result(problem, columns.schedule(best), provenance=Provenance(self.name, seed), asked=num_steps)

    def search(self, packing: Columns, enough: int | None) -> Packed | None:
        """Pack until so many steps are enough, or nothing is left to try; None where time runs out before."""
        best = packing.pack(packing.longest_first)
        if best is None or _suffices(best, enough):
            return best
        packing.leave(SECONDS_PER_CHANNEL * float(packing.path_offsets[-1]))
        packing.forget()
        for sharpness in self.sharpness:
            if not packing.plan(sharpness):
                return best
        most_load = packing.largest_load
        planned = packing.pack(packing.longest_first, most_load)
        if planned is None:
            return best
        if planned.num_steps <= best.num_steps:
            best = planned
        else:
            most_load = NO_LIMIT
        for repack in range(self.repacks):
            if _suffices(best, enough) or (repack + 3) * packing.num_messages > self.most_placements:
                break
            packing.recall(best)
            again = packing.pack(packing.last_step_first(), most_load)
            if again is None:
                break
            best = again
        return best


def _suffices(packed: Packed, enough: int | None) -> bool:
    return enough is not None and packed.num_steps <= enough
