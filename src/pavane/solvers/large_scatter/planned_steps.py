"""Steps filled along planned paths (kernels/filling_planned.py), for networks that are poor in shortest paths.

In a large network a window of steps is filled at once before (kernels/filling_windows.py), and each step of it begins
with what is in the window for it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Flags, Ints, Longs, Reals
from pavane.parallel.threads import side_by_side
from pavane.solvers.large_scatter.kernels.planned_step_lns import (
    PendingMessages,
    PlannedStep,
    PlannedStepOptions,
    UnitChannels,
    close_step,
    drop_scheduled,
    fill_planned_step,
    weigh_messages,
)
from pavane.solvers.large_scatter.kernels.window_lns import MOST_STEPS, StepWindow, SweepCandidates, gather_paths, sweep
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
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

SPREAD = 6
"""Sweeps see this number of times the messages that a window has room for, drawn by lot, or fewer if fewer wait."""

AT_A_TIME = 2
"""Windows are swept, and steps of them filled, this many at a time, each in a thread where there are some."""

MANY_WINDOWS = 4
"""While the steps left make this many windows for each that is swept at a time, some of those who wait fill each."""

LEAST_LOOKS_AFTER = 0.1
"""The part of its looks that a step gets again when others have taken messages that it had found, too."""

COLD = 1e-9
"""The heat of the last sweep: nothing is given up any more."""

MOST_WEIGHED = 50_000_000
"""All messages are weighed anew in every step, or less often: up to this many in all steps together."""


class PlannedSteps:
    """Who waits, and one step after the other."""

    def __init__(
        self, arrays: ScatterArrays, rerouting: Rerouting, num_steps: int, pool: ThreadPoolExecutor | None = None
    ) -> None:
        """Let all messages wait for about as many steps; a pool has threads for what is done at a time."""
        self.arrays, self.rerouting = arrays, rerouting
        size, num_units = len(arrays.fabric.distances), arrays.num_units
        self.pending = PendingMessages(
            *_lists(arrays.messages.sources, arrays.messages.targets, size),
            np.zeros((size, size), dtype=np.float32),
            np.zeros(arrays.num_messages, dtype=np.float32),
            rerouting.slack,
        )
        order = np.argsort(arrays.fabric.unit_of, kind="stable").astype(np.int32)
        offsets = np.searchsorted(arrays.fabric.unit_of[order], np.arange(num_units + 1)).astype(np.int32)
        self.groups = UnitChannels(offsets, order)
        # Some numbers stand for no unit: a link goes by one of its two channels.
        idle = np.argsort(np.diff(offsets) == 0, kind="stable").astype(np.int32)
        self.has_windows = size >= LEAST_ROUTERS_OF_WINDOWS
        self.at_a_time, self.pool = AT_A_TIME if self.has_windows else 1, pool
        self.steps = [
            PlannedStep(
                np.full(num_units, -1, dtype=np.int32),
                np.zeros(arrays.num_messages, dtype=bool),
                np.array([int((np.diff(offsets) > 0).sum()), 0, 0, 0]),
                idle.copy(),
                np.argsort(idle).astype(np.int32),
            )
            for _ in range(self.at_a_time)
        ]
        self.is_pending: Flags = np.ones(arrays.num_messages, dtype=bool)
        self.num_pending = arrays.num_messages
        self._who: Longs = np.arange(arrays.num_messages)
        self.window: list[Longs] = []
        """What the next steps have to begin with, the last of them first."""
        self.weigh_every = 1 + arrays.num_messages * num_steps // MOST_WEIGHED
        self.num_filled = 0
        self.chosen: Longs = np.zeros(num_units, dtype=np.int64)

    def prepare(self) -> None:
        """Fill a step as if one message waited, so that machine code is at hand; nothing can be filled any more."""
        self._who, self.num_pending = self._who[:1], 1
        self.fill(np.ones(self.arrays.num_units), LATE, 0, np.random.default_rng(0))

    @property
    def pending_messages(self) -> Longs:
        """Return the messages that wait."""
        if len(self._who) > self.num_pending:
            self._who = self._who[self.is_pending[self._who]]
        return self._who

    @property
    def is_firm(self) -> bool:
        """Say whether messages are kept for the next steps along their paths as they are now."""
        return bool(self.window)

    def fill(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill a step or a few, of those left, each with a number of looks.

        Return their messages, which no longer count in the loads. Their paths are the planned ones.
        """
        if self.has_windows:
            return self._fill_some(unit_worth, left, probes, rng)
        if self.num_filled % self.weigh_every == 0:
            self._weigh(unit_worth, GAIN, left)
        self.num_filled += 1
        self._fill(
            self.steps[0], PlannedStepOptions(unit_worth, HOTTEST, COLDEST, probes, self.pending_messages[:0]), rng
        )
        return [self._closed(self.steps[0])]

    def _fill_some(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill the next steps of windows at a time; each is to find other messages than the others, or tries again."""
        if not self.window:
            self._fill_windows(unit_worth, left, probes, rng)
        most_probes = int((1.0 - SHARE_OF_SWEEPS) * probes)
        firsts = [self._kept_for_now() for _ in range(min(self.at_a_time, len(self.window)))]
        calls = []
        for step, first, own in zip(self.steps, firsts, rng.spawn(len(firsts)), strict=False):
            step.is_inside[first] = False
            tuning = PlannedStepOptions(unit_worth, HOTTEST_IN_WINDOWS, COLDEST, most_probes, first)
            calls.append(partial(self._fill, step, tuning, own))
        side_by_side(calls, self.pool)
        again = PlannedStepOptions(
            unit_worth, COLDEST, COLDEST, int(LEAST_LOOKS_AFTER * most_probes), self.pending_messages[:0]
        )
        filled = []
        for number, step in enumerate(self.steps[: len(firsts)]):
            if number and compiled(drop_scheduled)(self.arrays.fabric, self.rerouting.paths, step, self.is_pending):
                self._fill(step, again, rng)
            filled.append(self._closed(step))
        for step in self.steps:
            for first in firsts:
                step.is_inside[first] = False
        return [step for step in filled if len(step)]

    def _fill(self, step: PlannedStep, tuning: PlannedStepOptions, rng: np.random.Generator) -> None:
        """Fill a step."""
        fabric, paths = self.arrays.fabric, self.rerouting.paths
        compiled(fill_planned_step, self.arrays.variant)(fabric, self.groups, paths, self.pending, step, tuning, rng)

    def _closed(self, step: PlannedStep) -> Longs:
        """Close a step; return its messages."""
        fabric, paths = self.arrays.fabric, self.rerouting.paths
        num_chosen = compiled(close_step)(
            fabric, paths, self.pending, step, self.is_pending, self.rerouting.loads, self.chosen
        )
        self.num_pending -= num_chosen
        return self.chosen[:num_chosen].copy()

    def _kept_for_now(self) -> Longs:
        """Return what is kept for the next step; where that is nothing, all that is kept for later ones."""
        first = self.window.pop()
        if not len(first) and self.window:
            first, self.window = np.concatenate(self.window), [self.pending_messages[:0]] * (self.at_a_time - 1)
        return first

    def _weigh(self, unit_worth: Reals, gain: float, left: int) -> None:
        """Weigh the messages that wait."""
        gain *= 0.1 + 0.9 * min(1.0, left / LATE)
        fabric, paths = self.arrays.fabric, self.rerouting.paths
        compiled(weigh_messages)(self.pending, paths, fabric, self.pending_messages, unit_worth, gain)

    def _fill_windows(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> None:
        """Fill the next steps by sweeps over those who wait, and keep what is in them for their turn."""
        self._weigh(unit_worth, GAIN_IN_WINDOWS, left)
        num_steps = max(LEAST_WINDOW, min(MOST_STEPS, left // WINDOW))
        num_windows = self.at_a_time if left >= MANY_WINDOWS * MOST_STEPS * self.at_a_time else 1
        lot = rng.random(len(self.pending_messages), dtype=np.float32) * num_windows
        calls = []
        for number, own in enumerate(rng.spawn(num_windows)):
            pending_messages = self.pending_messages[
                (lot >= number) & (lot < number + min(1.0, num_windows * SPREAD * num_steps / left))
            ]
            calls.append(partial(self._swept, pending_messages, num_steps, probes, own))
        self.window = [kept for window in side_by_side(calls, self.pool) for kept in window]
        for step in self.steps:
            for kept in self.window:
                step.is_inside[kept] = True

    def _swept(self, pending_messages: Longs, num_steps: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill a window by sweeps over some who wait; return what is in its steps."""
        worth = self.pending.worth[pending_messages]
        order = np.argsort(-worth * (1.0 + DISORDER * rng.random(len(worth), dtype=np.float32)), kind="stable")
        pending_messages, worth = pending_messages[order], worth[order]
        num_units = self.arrays.num_units
        candidates = SweepCandidates(
            np.zeros(len(pending_messages) + 1, dtype=np.int64),
            np.empty(int(self.rerouting.paths.lengths[pending_messages].sum()), dtype=np.int32),
            worth,
        )
        compiled(gather_paths)(self.arrays.fabric.unit_of, self.rerouting.paths, pending_messages, candidates)
        window = StepWindow(
            np.full((num_units, MOST_STEPS), -1, dtype=np.int32),
            np.full(num_units, 2**num_steps - 1, dtype=np.uint64),
            np.full(len(pending_messages), -1, dtype=np.int32),
            np.zeros(2, dtype=np.int64),
        )
        visits = SHARE_OF_SWEEPS * probes * num_steps / LOOKS_OF_A_VISIT
        num_sweeps = max(LEAST_SWEEPS, min(MOST_SWEEPS, round(visits / max(1, len(pending_messages)))))
        for heat in (*np.geomspace(HOTTEST, COLDEST, num_sweeps - 1).tolist(), COLD):
            compiled(sweep)(candidates, window, heat, rng)
        inside = np.flatnonzero(window.step_of >= 0)
        inside = inside[np.argsort(-window.step_of[inside], kind="stable")]
        ends = np.searchsorted(-window.step_of[inside], -np.arange(num_steps - 1, 0, -1), side="right")
        return np.split(pending_messages[inside], ends)

    @property
    def paths(self) -> Ints:
        """Return the paths that messages have taken or are to take."""
        arcs: Ints = self.rerouting.paths.arcs
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
