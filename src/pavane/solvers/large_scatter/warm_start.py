"""Packing with a warm start: from a given schedule, or with a given group of symmetries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports
from pavane.symmetry.involutions import Symmetry


@dataclass(frozen=True, eq=False)
class WarmStart:
    """A solver for one problem whose start, group or bound is given; so it is not in the registry."""

    start: Schedule | None
    """A schedule with one transfer for every message; if it is None, or not on shortest paths, first fit starts."""
    enough: int
    """The search ends with this number of steps."""
    group: Sequence[Symmetry] = ()
    """Symmetries under which one message of each orbit is packed, from first fit on."""
    packing: Packing = field(default_factory=Packing)

    @property
    def name(self) -> str:
        """The name of the packing."""
        return self.packing.name

    @property
    def supports(self) -> Supports:
        """Supports what packing does, if the schedule has a transfer for every message."""
        return replace(
            self.packing.supports,
            where="a schedule with a transfer for every message",
            holds=lambda problem: self.start is None or len(self.start) == problem.num_messages,
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the shortest schedule found, at worst the given one if its paths are shortest ones."""
        start = None if self.start is None else PackedSchedule.of(self.start)
        arrays = ScatterArrays.of(problem, self.group)
        if start is not None and not np.array_equal(start.path_lengths, arrays.path_lengths):
            start = None
        return self.packing.shorten(arrays, start, self.enough, num_steps, rng, budget)

    __call__ = solve_once
