"""Steps filled along planned paths (kernels/filling_planned.py), for networks that are poor in shortest paths."""

from __future__ import annotations

import numpy as np

from pavane.kernels import compiled
from pavane.kernels.filling_planned import (
    NUM_INSIDE,
    Groups,
    Step,
    Tuning,
    Waiting,
    close_step,
    fill_along,
    weigh_messages,
)
from pavane.model.arrays import Ints, Longs, Reals
from pavane.solvers.packing.columns import Columns
from pavane.solvers.rerouting import Rerouting

HOTTEST = 0.5
"""Worth that is given up lightly at the first move of a step."""

COLDEST = 0.05
"""Worth that is given up lightly at the last move of a step."""

LEAST_ROUTERS_SAMPLED = 400
"""In larger networks a step begins with messages drawn by lot: letting every router send takes too long."""

NUM_SAMPLED = 4
"""How many messages are drawn for each unit."""

MOST_WEIGHED = 50_000_000
"""All messages are weighed anew in every step, or less often: up to this many in all steps together."""


class PlannedSteps:
    """Who waits, and one step after the other."""

    def __init__(self, columns: Columns, moving: Rerouting, num_steps: int) -> None:
        self.columns, self.moving = columns, moving
        size, num_units = len(columns.fabric.distances), columns.num_units
        self.waiting = Waiting(
            *_lists(columns.messages.sources, columns.messages.targets, size),
            np.zeros((size, size), dtype=np.float32),
            np.zeros(columns.num_messages, dtype=np.float32),
            moving.slack,
        )
        order = np.argsort(columns.fabric.unit_of, kind="stable").astype(np.int32)
        offsets = np.searchsorted(columns.fabric.unit_of[order], np.arange(num_units + 1)).astype(np.int32)
        self.groups = Groups(offsets, order)
        # Some numbers stand for no unit: a link goes by one of its two channels.
        idle = np.argsort(np.diff(offsets) == 0, kind="stable").astype(np.int32)
        self.step = Step(
            np.full(num_units, -1, dtype=np.int32),
            np.zeros(columns.num_messages, dtype=bool),
            np.array([int((np.diff(offsets) > 0).sum()), 0, 0, 0]),
            idle,
            np.argsort(idle).astype(np.int32),
        )
        self.who: Longs = np.arange(columns.num_messages)
        """The messages that wait."""
        self.weigh_every = 1 + columns.num_messages * num_steps // MOST_WEIGHED
        self.num_filled = 0
        self.num_sampled = NUM_SAMPLED * num_units if size >= LEAST_ROUTERS_SAMPLED else 0
        self.chosen: Longs = np.zeros(num_units, dtype=np.int64)

    def fill(self, unit_worth: Reals, gain: float, looks: int, rng: np.random.Generator) -> Longs:
        """Fill a step; return its messages, whose paths are the planned ones and no longer count in the loads."""
        fabric, paths = self.columns.fabric, self.moving.paths
        if self.num_filled % self.weigh_every == 0:
            compiled(weigh_messages)(self.waiting, paths, fabric, self.who, unit_worth, gain)
        self.num_filled += 1
        first = self.who[rng.integers(0, len(self.who), self.num_sampled)]
        first = first[np.argsort(-self.waiting.worth[first], kind="stable")]
        tuning = Tuning(unit_worth, HOTTEST, COLDEST, looks, first)
        compiled(fill_along, self.columns.variant)(fabric, self.groups, paths, self.waiting, self.step, tuning, rng)
        num_chosen = int(self.step.counts[NUM_INSIDE])
        num_left = compiled(close_step)(
            fabric, paths, self.waiting, self.step, self.who, self.moving.loads, self.chosen
        )
        self.who = self.who[:num_left]
        return self.chosen[:num_chosen].copy()

    @property
    def paths(self) -> Ints:
        """Return the paths that messages have taken or are to take."""
        arcs: Ints = self.moving.paths.arcs
        return arcs.copy()


def _lists(sources: Ints, targets: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the first message of every pair of routers, and the next one between the same routers of each."""
    first_of = np.full((size, size), -1, dtype=np.int32)
    next_of = np.full(len(sources), -1, dtype=np.int32)
    pairs = sources.astype(np.int64) * size + targets
    order = np.argsort(pairs, kind="stable")
    follows = np.flatnonzero(pairs[order[1:]] == pairs[order[:-1]])
    next_of[order[follows]] = order[follows + 1]
    is_first = np.ones(len(order), dtype=bool)
    is_first[follows + 1] = False
    first_of.reshape(-1)[pairs[order[is_first]]] = order[is_first]
    return first_of, next_of
