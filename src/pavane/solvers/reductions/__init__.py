"""Reductions: equivalent problems, and the way back from their schedules and bounds to those of the original."""

from dataclasses import replace

from pavane.solvers.reductions.reduction import Chain, Reduction
from pavane.solvers.reductions.time_reversal import TIME_REVERSAL
from pavane.solvers.reductions.unit_capacities import UNIT_CAPACITIES

__all__ = ["REDUCTIONS", "TIME_REVERSAL", "UNIT_CAPACITIES", "WITHOUT_COPIES", "Chain", "Reduction"]

WITHOUT_COPIES = Reduction(
    "copies",
    accepts=lambda problem: problem.rules != problem.rules.without_copies(),
    apply=lambda problem: (replace(problem, rules=problem.rules.without_copies()), problem.has_trees),
    invert=lambda schedule, _: schedule,
    # Single transfers may need more steps than trees.
    lift=lambda bounds, has_trees: () if has_trees else bounds,
)
"""Routers that copy and add pass messages on as well."""

REDUCTIONS = (TIME_REVERSAL, WITHOUT_COPIES, UNIT_CAPACITIES)
"""The reductions in the order in which they are applied."""
