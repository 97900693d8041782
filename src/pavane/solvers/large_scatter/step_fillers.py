"""Step fillers: fill one step after the other with pending messages (kernels/step_lns.py).

`FreeSteps` is for networks rich in shortest paths: a message takes any shortest path over idle channels. The plan only
says how busy channels are, and so their worth. Where loads are uneven, a message is worth no more than its planned
path, which leaves the busiest channels to the messages that need them.

`PlannedSteps` is for other networks: messages take their planned paths. In a large network a window of steps is swept
before (see `window_sweeps`), and each of its steps begins with what the window has for it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ClassVar, Protocol

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Flags, Ints, Longs, Reals, ranges
from pavane.parallel.threads import run_in_threads
from pavane.solvers.large_scatter.free_filling import PendingPairs, assign_paths, empty_step
from pavane.solvers.large_scatter.kernels.step_lns import (
    NO_LIMIT,
    FreeStepOptions,
    PendingMessages,
    PlannedStep,
    PlannedStepOptions,
    UnitChannels,
    close_step,
    drop_scheduled,
    empty_planned_step,
    fill_free_step,
    fill_planned_step,
    weigh_messages,
    weigh_pairs,
)
from pavane.solvers.large_scatter.kernels.window_lns import MOST_STEPS
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.large_scatter.window_sweeps import sweep_window
from pavane.solvers.rerouting import Rerouting

WINDOWS_AT_A_TIME = 2
"""Windows swept, and steps filled, at a time, one per thread."""


class StepFiller(Protocol):
    """Fills one step after the other until no message is pending."""

    steps_at_a_time: int

    @property
    def pending_messages(self) -> Longs:
        """The pending messages."""

    @property
    def is_firm(self) -> bool:
        """Whether messages are reserved for the next steps along their present paths."""

    @property
    def paths(self) -> Ints:
        """The paths that messages have taken or are planned to take."""

    def prepare(self) -> None:
        """Compile or load all machine code; the filler is useless afterwards."""

    def fill(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill a step or a few of those left, each with a number of probes.

        Return their messages, which no longer count in the loads.
        """


class FreeSteps:
    """Steps filled along any shortest paths."""

    is_firm: ClassVar[bool] = False
    steps_at_a_time: int = 1

    def __init__(self, arrays: ScatterArrays, rerouting: Rerouting, *, is_even: bool) -> None:
        self.arrays, self.rerouting = arrays, rerouting
        self.pending, self.step = PendingPairs.of(arrays), empty_step(arrays)
        self.pending_messages: Longs = np.arange(arrays.num_messages)
        self.is_pending = np.ones(arrays.num_messages, dtype=bool)
        self.taken: Ints = np.zeros(arrays.num_hops, dtype=np.int32)
        self.planned_worth = NO_LIMIT if is_even else np.zeros(self.pending.counts.shape, dtype=np.float32)

    def prepare(self) -> None:
        """Fill a step without any moves."""
        self.fill(np.ones(self.arrays.num_units), 1, 0, np.random.default_rng(0))

    def fill(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill one step."""
        del left
        arrays, worth = self.arrays, unit_worth / unit_worth.max()
        num_moves = probes // TUNING.probes_per_free_move
        if len(self.planned_worth):
            num_moves = probes // TUNING.probes_per_uneven_move
            compiled(weigh_pairs)(arrays.fabric, self.rerouting.paths, self.pending_messages, worth, self.planned_worth)
        options = FreeStepOptions(TUNING.free_hottest, TUNING.free_hottest / 10, num_moves, worth, self.planned_worth)
        fill_step = compiled(fill_free_step)
        num_paths = fill_step(arrays.fabric, None, self.pending.counts, self.step, options, rng)
        messages = assign_paths(arrays, self.step, num_paths, self.pending, self.taken)
        self.rerouting.leave(messages)
        self.is_pending[messages] = False
        self.pending_messages = self.pending_messages[self.is_pending[self.pending_messages]]
        return [messages]

    @property
    def paths(self) -> Ints:
        """The paths that messages have taken or are planned to take."""
        pending, paths = self.pending_messages, self.taken.copy()
        entries = ranges(self.arrays.messages.path_offsets[pending], self.arrays.path_lengths[pending])
        paths[entries] = self.rerouting.paths.arcs[entries]
        return paths


class PlannedSteps:
    """Steps filled along planned paths, in large networks window by window."""

    def __init__(
        self, arrays: ScatterArrays, rerouting: Rerouting, num_steps: int, pool: ThreadPoolExecutor | None = None
    ) -> None:
        """Expect about `num_steps`; the pool has threads for steps that are filled at a time."""
        self.arrays, self.rerouting, self.pool = arrays, rerouting, pool
        size, num_units = len(arrays.fabric.distances), arrays.num_units
        self.pending = PendingMessages(
            *_lists(arrays.messages.sources, arrays.messages.targets, size),
            np.zeros((size, size), dtype=np.float32),
            np.zeros(arrays.num_messages, dtype=np.float32),
            rerouting.slack,
        )
        order = np.argsort(arrays.fabric.unit_of, kind="stable").astype(np.int32)
        offsets = np.searchsorted(arrays.fabric.unit_of[order], np.arange(num_units + 1)).astype(np.int32)
        # Units without channels stand for the second channel of a link under half duplex.
        self.unit_channels = UnitChannels(offsets, order)
        self.has_windows = size >= TUNING.least_window_routers
        self.steps_at_a_time = WINDOWS_AT_A_TIME if self.has_windows else 1
        self.steps = [
            empty_planned_step(size, self.unit_channels, arrays.num_messages) for _ in range(self.steps_at_a_time)
        ]
        self.is_pending: Flags = np.ones(arrays.num_messages, dtype=bool)
        self.num_pending = arrays.num_messages
        self._pending_messages: Longs = np.arange(arrays.num_messages)
        self.window: list[Longs] = []
        """The messages reserved for the next steps, those of the last one first."""
        self.weighing_period = 1 + arrays.num_messages * num_steps // (10 * TUNING.most_replanned)
        self.num_filled = 0
        self.chosen: Longs = np.zeros(num_units, dtype=np.int64)

    def prepare(self) -> None:
        """Fill a step as if one message were pending."""
        self._pending_messages, self.num_pending = self._pending_messages[:1], 1
        self.fill(np.ones(self.arrays.num_units), TUNING.late, 0, np.random.default_rng(0))

    @property
    def pending_messages(self) -> Longs:
        """The pending messages."""
        if len(self._pending_messages) > self.num_pending:
            self._pending_messages = self._pending_messages[self.is_pending[self._pending_messages]]
        return self._pending_messages

    @property
    def is_firm(self) -> bool:
        """Whether messages are reserved for the next steps along their present paths."""
        return bool(self.window)

    @property
    def paths(self) -> Ints:
        """The planned paths."""
        arcs: Ints = self.rerouting.paths.arcs
        return arcs.copy()

    def fill(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill a step, or a few of a window."""
        if self.has_windows:
            return self._fill_window_steps(unit_worth, left, probes, rng)
        if self.num_filled % self.weighing_period == 0:
            self._weigh(unit_worth, TUNING.bonus, left)
        self.num_filled += 1
        none = self.pending_messages[:0]
        self._fill(
            self.steps[0], PlannedStepOptions(unit_worth, TUNING.hottest, TUNING.hottest / 10, probes, none), rng
        )
        return [self._close(self.steps[0])]

    def _fill_window_steps(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> list[Longs]:
        """Fill the next steps of windows at a time; a step that loses messages to another one is filled again."""
        if not self.window:
            self._sweep_windows(unit_worth, left, probes, rng)
        most_probes = int((1.0 - TUNING.share_of_preparation) * probes)
        firsts = [self._pop_reserved() for _ in range(min(self.steps_at_a_time, len(self.window)))]
        calls = []
        for step, first, own_rng in zip(self.steps, firsts, rng.spawn(len(firsts)), strict=False):
            step.is_inside[first] = False
            options = PlannedStepOptions(unit_worth, TUNING.hottest / 5, TUNING.hottest / 10, most_probes, first)
            calls.append(partial(self._fill, step, options, own_rng))
        run_in_threads(calls, self.pool)
        more_probes, none = most_probes // 10, self.pending_messages[:0]
        again = PlannedStepOptions(unit_worth, TUNING.hottest / 10, TUNING.hottest / 10, more_probes, none)
        filled = []
        for number, step in enumerate(self.steps[: len(firsts)]):
            if number and compiled(drop_scheduled)(self.arrays.fabric, self.rerouting.paths, step, self.is_pending):
                self._fill(step, again, rng)
            filled.append(self._close(step))
        for step in self.steps:
            for first in firsts:
                step.is_inside[first] = False
        return [messages for messages in filled if len(messages)]

    def _fill(self, step: PlannedStep, options: PlannedStepOptions, rng: np.random.Generator) -> None:
        fabric, paths = self.arrays.fabric, self.rerouting.paths
        compiled(fill_planned_step)(fabric, self.unit_channels, paths, self.pending, step, options, rng)

    def _close(self, step: PlannedStep) -> Longs:
        """Close a step; return its messages."""
        fabric, paths, loads = self.arrays.fabric, self.rerouting.paths, self.rerouting.loads
        num_chosen = compiled(close_step)(fabric, paths, self.pending, step, self.is_pending, loads, self.chosen)
        self.num_pending -= num_chosen
        return self.chosen[:num_chosen].copy()

    def _pop_reserved(self) -> Longs:
        """Return the messages reserved for the next step; if there are none, those of all later steps."""
        first = self.window.pop()
        if not len(first) and self.window:
            none = self.pending_messages[:0]
            first, self.window = np.concatenate(self.window), [none] * (self.steps_at_a_time - 1)
        return first

    def _weigh(self, unit_worth: Reals, bonus: float, left: int) -> None:
        """Set the worth of pending messages."""
        bonus *= 0.1 + 0.9 * min(1.0, left / TUNING.late)
        fabric, paths = self.arrays.fabric, self.rerouting.paths
        compiled(weigh_messages)(self.pending, paths, fabric, self.pending_messages, unit_worth, bonus)

    def _sweep_windows(self, unit_worth: Reals, left: int, probes: int, rng: np.random.Generator) -> None:
        """Sweep windows of the next steps over pending messages, and reserve their messages for these steps."""
        self._weigh(unit_worth, TUNING.window_bonus, left)
        pending = self.pending_messages
        num_steps = max(TUNING.least_window, min(MOST_STEPS, left // TUNING.window_part))
        has_several = left >= TUNING.window_part * MOST_STEPS * self.steps_at_a_time
        num_windows = self.steps_at_a_time if has_several else 1
        share = min(1.0, num_windows * TUNING.spread * num_steps / left)
        draws = rng.random(len(pending), dtype=np.float32) * num_windows
        calls = []
        for number, own_rng in enumerate(rng.spawn(num_windows)):
            messages = pending[(draws >= number) & (draws < number + share)]
            visits = TUNING.share_of_preparation * probes * num_steps / 3  # a visit takes as long as three probes
            num_sweeps = max(2, min(60, round(visits / max(1, len(messages)))))
            worth = self.pending.worth[messages]
            calls.append(
                partial(sweep_window, self.arrays, self.rerouting, messages, worth, num_steps, num_sweeps, own_rng)
            )
        self.window = [reserved for window in run_in_threads(calls, self.pool) for reserved in window]
        for step in self.steps:
            for reserved in self.window:
                step.is_inside[reserved] = True


def _lists(sources: Ints, targets: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the first message of every pair of routers, and for each message the next one of its pair."""
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
