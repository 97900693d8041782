"""Effort of a search: what is left of it, and how it is shared out among steps.

The unit is the cell: a channel in a step that path ejection examines. `ScatterTuning` says how many cells a probe (a
channel examined while a step is filled along a plan) and a move (ruin and recreate along any shortest paths) are worth.
With a time limit time is the only limit. Evaluations of a budget are messages placed by first fit or path ejection.
"""

from __future__ import annotations

from dataclasses import dataclass

from pavane.jit import clock
from pavane.judge.rules import verify
from pavane.model.arrays import Longs
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING


@dataclass
class RemainingEffort:
    """Counted effort that is left for the whole call of a solver."""

    placements: int | None
    """Messages that may still be placed, the evaluations of a budget; None: any number."""
    cells: int = 0
    """Cells that may still be examined where no time limit is given."""

    def is_over(self, budget: Budget) -> bool:
        """Whether time is over, or the counted effort is spent where no time limit is given."""
        if budget.is_over or self.placements == 0:
            return True
        return budget.deadline is None and self.cells <= 0

    def suffices(self, placements: int) -> bool:
        """Whether a number of messages may be placed."""
        return self.placements is None or self.placements >= placements

    def spend(self, placements: int = 0, cells: int = 0, probes: int = 0) -> None:
        """Subtract what was spent."""
        self.cells -= cells + TUNING.cells_per_probe * probes
        if self.placements is not None:
            self.placements -= placements


class EffortControl:
    """Probes of each step: as planned, and fewer when the machine is slower than assumed."""

    def __init__(self, shares: Longs, budget: Budget) -> None:
        """Plan the probes of each step, to be made within a budget."""
        self.shares, self.budget = shares, budget
        self.seconds_left, self.averaged_probes, self.averaged_seconds = budget.seconds_left, 0.0, 0.0
        self.part, self.last_probes = 1.0, 0
        self.memory = max(0.0, 1.0 - 1.0 / max(1.0, TUNING.speed_memory * len(shares)))

    def probes(self, step: int, steps_at_a_time: int = 1) -> int:
        """Return the probes of a step, or of each of several that are filled at a time."""
        if self.budget.is_over:
            return 0
        seconds_left = self.budget.seconds_left
        if self.seconds_left is not None and seconds_left is not None:
            self.averaged_probes = self.memory * self.averaged_probes + self.last_probes
            self.averaged_seconds = self.memory * self.averaged_seconds + self.seconds_left - seconds_left
            self.seconds_left = seconds_left
            if 2 * TUNING.speed_memory * len(self.shares) <= step:
                speed = self.averaged_probes / max(1e-9, self.averaged_seconds)
                part = speed * seconds_left / max(1, int(self.shares[step:].sum()))
                self.part = min(1.0, part) if part < TUNING.least_speed else 1.0
        probes = int(self.part * self.shares[min(step, len(self.shares) - 1)])
        self.last_probes = steps_at_a_time * probes
        return probes


def reserve_time_to_judge(budget: Budget, arrays: ScatterArrays, packed: PackedSchedule) -> Budget:
    """Reserve the time to build and judge a schedule, measured now unless that has been done before."""
    if budget.deadline is None or budget.judging_seconds is not None or budget.is_over:
        return budget
    begun = clock.now()
    verify(arrays.problem, arrays.schedule(packed), most=1)
    return budget.reserving(clock.now() - begun)
