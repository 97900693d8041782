"""Time reversal: a reduction is a broadcast read backwards, and a gather a scatter, on the network turned around."""

from __future__ import annotations

from dataclasses import replace

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import time_reversed
from pavane.solvers.reductions.reduction import Bounds, Reduction

OTHER_END = {"injection": "ejection", "ejection": "injection", "from": "to", "to": "from"}


def _lifted(bounds: Bounds, problem: Problem) -> Bounds:
    """Exchange the two ends in certificates; channels keep their numbers. Reductions are bounded as their duals."""
    if problem.pattern == "reduction":
        return bounds
    return tuple(
        replace(
            bound,
            argument=OTHER_END.get(bound.argument, bound.argument),
            certificate={OTHER_END.get(key, key): value for key, value in bound.certificate.items()},
        )
        for bound in bounds
    )


TIME_REVERSAL = Reduction(
    "reductions",
    accepts=lambda problem: problem.pattern == "reduction",
    apply=lambda problem: (dual(problem), problem),
    invert=lambda schedule, problem: time_reversed(dual(problem), schedule, problem),
    lift=_lifted,
)
