"""Steps filled along planned paths (kernels/filling_planned.py), for networks that are poor in shortest paths.

In a large network a window of steps is filled at once before (kernels/filling_windows.py), and each step of it begins
with what is in the window for it.
"""

from __future__ import annotations

import numpy as np

from pavane.kernels import compiled
from pavane.kernels.filling_planned import (
    Groups,
    Step,
    Tuning,
    Waiting,
    close_step,
    fill_along,
    weigh_messages,
)
from pavane.kernels.filling_windows import MOST_STEPS, Candidates, Window, gather_paths, sweep
from pavane.model.arrays import Flags, Ints, Longs, Reals
from pavane.solvers.packing.columns import Columns
from pavane.solvers.rerouting import Rerouting

GAIN = 0.5
"""What each channel of a path adds to the factor of its worth: the long ones first."""

LATE = 80
"""With fewer steps left than this the gain falls, as everything has to go now."""

HOTTEST = 0.5
"""Worth that is given up lightly at the first move of a step."""

COLDEST = 0.05
"""Worth that is given up lightly at the last move of a step."""

LEAST_ROUTERS_OF_WINDOWS = 400
"""In larger networks windows of steps are filled first: letting every router of an empty step send takes too long."""

GAIN_IN_WINDOWS = 0.2
"""The gain where windows are filled: sweeps over all messages find the long ones by themselves."""

HOTTEST_IN_WINDOWS = 0.1
"""Worth that is given up lightly at the first move of a step that is nearly full already."""

WINDOW = 4
"""A window has this part of the steps that are left, and no more than a word has bits."""

LEAST_WINDOW = 8
"""The fewest steps of a window."""

SHARE_OF_SWEEPS = 0.4
"""The part of the looks that goes into sweeps."""

LOOKS_OF_A_VISIT = 3
"""A visit of a sweep to a message takes about as long as this number of looks at channels."""

LEAST_SWEEPS, MOST_SWEEPS = 2, 60
"""The fewest and the most sweeps over a window."""

DISORDER = 0.3
"""By up to this part the worth of messages seems to be more, by lot, when they are put into the order of sweeps."""

COLD = 1e-9
"""The heat of the last sweep: nothing is given up any more."""

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
        self.is_waiting: Flags = np.ones(columns.num_messages, dtype=bool)
        self.num_waiting = columns.num_messages
        self._who: Longs = np.arange(columns.num_messages)
        self.has_windows = size >= LEAST_ROUTERS_OF_WINDOWS
        self.window: list[Longs] = []
        """What the next steps have to begin with, the last of them first."""
        self.weigh_every = 1 + columns.num_messages * num_steps // MOST_WEIGHED
        self.num_filled = 0
        self.chosen: Longs = np.zeros(num_units, dtype=np.int64)

    @property
    def who(self) -> Longs:
        """Return the messages that wait."""
        if len(self._who) > self.num_waiting:
            self._who = self._who[self.is_waiting[self._who]]
        return self._who

    @property
    def is_firm(self) -> bool:
        """Say whether messages are kept for the next steps along their paths as they are now."""
        return bool(self.window)

    def fill(self, unit_worth: Reals, left: int, looks: int, rng: np.random.Generator) -> Longs:
        """Fill a step, one of those left; return its messages, which no longer count in the loads.

        Their paths are the planned ones.
        """
        fabric, paths = self.columns.fabric, self.moving.paths
        if self.has_windows and not self.window:
            self._fill_window(unit_worth, left, looks, rng)
        elif not self.has_windows and self.num_filled % self.weigh_every == 0:
            self._weigh(unit_worth, GAIN, left)
        self.num_filled += 1
        first = self._kept_for_now() if self.has_windows else self.who[:0]
        hottest = HOTTEST_IN_WINDOWS if self.has_windows else HOTTEST
        most_looks = int((1.0 - SHARE_OF_SWEEPS) * looks) if self.has_windows else looks
        tuning = Tuning(unit_worth, hottest, COLDEST, most_looks, first)
        compiled(fill_along, self.columns.variant)(fabric, self.groups, paths, self.waiting, self.step, tuning, rng)
        num_chosen = compiled(close_step)(
            fabric, paths, self.waiting, self.step, self.is_waiting, self.moving.loads, self.chosen
        )
        self.num_waiting -= num_chosen
        return self.chosen[:num_chosen].copy()

    def _kept_for_now(self) -> Longs:
        """Return what is kept for the next step; where that is nothing, all that is kept for later ones."""
        first = self.window.pop()
        if not len(first) and self.window:
            first, self.window = np.concatenate(self.window), []
        self.step.is_inside[first] = False
        return first

    def _weigh(self, unit_worth: Reals, gain: float, left: int) -> None:
        """Weigh the messages that wait."""
        gain *= 0.1 + 0.9 * min(1.0, left / LATE)
        fabric, paths = self.columns.fabric, self.moving.paths
        compiled(weigh_messages)(self.waiting, paths, fabric, self.who, unit_worth, gain)

    def _fill_window(self, unit_worth: Reals, left: int, looks: int, rng: np.random.Generator) -> None:
        """Fill the next steps by sweeps over all who wait, and keep what is in them for their turn."""
        self._weigh(unit_worth, GAIN_IN_WINDOWS, left)
        who = self.who
        worth = self.waiting.worth[who]
        order = np.argsort(-worth * (1.0 + DISORDER * rng.random(len(worth), dtype=np.float32)), kind="stable")
        who, worth = who[order], worth[order]
        num_units, num_steps = self.columns.num_units, max(LEAST_WINDOW, min(MOST_STEPS, left // WINDOW))
        candidates = Candidates(
            np.zeros(len(who) + 1, dtype=np.int64),
            np.empty(int(self.moving.paths.lengths[who].sum()), dtype=np.int32),
            worth,
        )
        compiled(gather_paths)(self.columns.fabric.unit_of, self.moving.paths, who, candidates)
        window = Window(
            np.full((num_units, MOST_STEPS), -1, dtype=np.int32),
            np.full(num_units, 2**num_steps - 1, dtype=np.uint64),
            np.full(len(who), -1, dtype=np.int32),
            np.zeros(2, dtype=np.int64),
        )
        visits = SHARE_OF_SWEEPS * looks * num_steps / LOOKS_OF_A_VISIT
        num_sweeps = max(LEAST_SWEEPS, min(MOST_SWEEPS, round(visits / len(who))))
        for heat in (*np.geomspace(HOTTEST, COLDEST, num_sweeps - 1).tolist(), COLD):
            compiled(sweep)(candidates, window, heat, rng)
        inside = np.flatnonzero(window.step_of >= 0)
        inside = inside[np.argsort(-window.step_of[inside], kind="stable")]
        ends = np.searchsorted(-window.step_of[inside], -np.arange(num_steps - 1, 0, -1), side="right")
        self.window = np.split(who[inside], ends)
        self.step.is_inside[who[inside]] = True

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
