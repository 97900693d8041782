"""What a search may still spend, and the time that it leaves for what comes after it."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.jit import clock
from pavane.judge.rules import verify
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays


@dataclass
class RemainingEffort:
    """Counted effort that is left, for the whole call of a solver."""

    placements: int | None
    """Messages that may still be placed or pushed in, the evaluations of a budget; None: any number."""
    cells: int = 0
    """Cells (a channel in a step) that pushing may still look at, where no time is given."""

    def is_over(self, budget: Budget) -> bool:
        """Say whether time is over, or the counted effort is spent where no time is given."""
        if budget.is_over or self.placements == 0:
            return True
        return budget.deadline is None and self.cells <= 0

    def suffices(self, placements: int) -> bool:
        """Say whether a number of messages may be placed."""
        return self.placements is None or self.placements >= placements

    def spend(self, placements: int, cells: int = 0) -> None:
        """Count what was spent."""
        self.cells -= cells
        if self.placements is not None:
            self.placements -= placements


def leaving_time_to_judge(budget: Budget, arrays: ScatterArrays, packed: PackedSchedule) -> Budget:
    """Leave time to build and judge what is found, measured in this run: now, where that has not been done before."""
    if budget.deadline is None or budget.to_judge is not None or budget.is_over:
        return budget
    begun = clock.now()
    verify(arrays.problem, arrays.schedule(packed), most=1)
    return budget.leaving(clock.now() - begun)
