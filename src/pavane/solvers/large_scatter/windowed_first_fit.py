"""Windowed first fit: a first schedule within milliseconds to seconds, where the time is limited.

Windows of steps are filled one after the other, each message along one path only. The schedule is reported at once. The
strategies that follow know, measured in this run, how long it takes to build and judge a schedule of this problem. If
not even this fits into the limit, the time it would take is returned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.jit import clock, compiled
from pavane.judge.rules import verify
from pavane.model.arrays import Longs, ranges
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.kernels.first_fit import NEVER, WORDS, FirstFitTable, fit_window
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING

PLACEMENTS_BETWEEN_CLOCK_READS = 1_000
"""Messages that are placed between two reads of the clock."""


@dataclass(frozen=True, eq=False)
class FirstAnswer:
    """The outcome of windowed first fit."""

    packed: PackedSchedule | None
    budget: Budget
    """The remaining budget, with time reserved to build and judge a better schedule."""
    is_reported: bool = False
    """Whether the schedule has been reported through `budget.on_schedule`."""
    needs: float | None = None
    """About how many seconds it takes, where the limit was too short."""

    def or_shorter(self, arrays: ScatterArrays, schedule: Schedule | None) -> Schedule | None:
        """Return a later schedule if it is shorter, else the first one if it has not been reported."""
        if self.packed is None or (schedule is not None and schedule.num_steps < self.packed.num_steps):
            return schedule
        return None if self.is_reported else arrays.schedule(self.packed)


def first_answer(
    arrays: ScatterArrays, num_steps: int | None, budget: Budget, *, however_late: bool = False
) -> FirstAnswer:
    """Fill windows if the time is limited and there is no schedule yet; report one of at most `num_steps`."""
    if budget.deadline is None or budget.judging_seconds is not None or budget.evaluations is not None:
        return FirstAnswer(None, budget)
    if budget.is_over and not however_late:
        return FirstAnswer(None, budget)
    # Neighbours in this order share their target, and so most of the distances that are read.
    packed = _fill_windows(arrays, np.lexsort((arrays.messages.targets, -arrays.path_lengths)), budget)
    if isinstance(packed, float):
        return FirstAnswer(None, budget, needs=packed)
    if arrays.num_hops > TUNING.least_hops_probed:
        ready = clock.now() + _seconds_to_judge(arrays, packed)
        if ready > budget.deadline:
            return FirstAnswer(None, budget, needs=ready - budget.started)
    if budget.on_schedule is None or (num_steps is not None and packed.num_steps > num_steps):
        return FirstAnswer(packed, budget)
    return FirstAnswer(packed, budget.report_first(lambda: arrays.schedule(packed)), is_reported=True)


def empty_table(arrays: ScatterArrays, num_words: int) -> FirstFitTable:
    """Return a table of 64 steps per word in which all units and ports are free; without any words it has no steps."""
    num_ports, num_steps = len(arrays.port_capacity), 64 * num_words
    return FirstFitTable(
        np.zeros((arrays.num_units + num_ports, num_words), dtype=np.uint64),
        np.zeros((num_ports, num_steps), dtype=np.int32),
        arrays.port_capacity,
        np.full(arrays.num_messages, -1, dtype=np.int32),
        None if arrays.fabric.capacity is None else np.zeros((arrays.num_units, num_steps), dtype=np.int32),
        arrays.delays,
    )


def _fill_windows(arrays: ScatterArrays, order: Longs, budget: Budget) -> PackedSchedule | float:
    """Return a schedule; if time runs out, about how many seconds it takes from the start until it is judged."""
    num_messages, paths = arrays.num_messages, np.zeros(arrays.num_hops, dtype=np.int32)
    window = empty_table(arrays, WORDS)
    kernel = fit_window if num_messages < TUNING.least_compiled else compiled(fit_window, arrays.variant)
    first_step, num_placed, begun = 0, 0, clock.now()
    while len(order):
        window.full[:], window.port_loads[:] = 0, 0
        if window.unit_loads is not None:
            window.unit_loads[:] = 0
        pending, num_pending = np.empty_like(order), 0
        for index in range(0, len(order), PLACEMENTS_BETWEEN_CLOCK_READS):
            batch = order[index : index + PLACEMENTS_BETWEEN_CLOCK_READS]
            left = kernel(batch, arrays.fabric, arrays.messages, window, paths, first_step, pending[num_pending:])
            num_pending, num_placed = num_pending + left, num_placed + len(batch) - left
            if arrays.num_hops > TUNING.least_hops_probed and budget.is_over:
                took, share = clock.now() - begun, num_placed / num_messages
                # Judging takes about as long as placing.
                return begun - budget.started + 2 * took / share
        order, first_step = pending[:num_pending], first_step + NEVER
    return PackedSchedule(int(window.step_of.max()) + 1, window.step_of, arrays.path_lengths, paths)


def _seconds_to_judge(arrays: ScatterArrays, packed: PackedSchedule) -> float:
    """Estimate how long it takes to build and judge a schedule, by doing so with a part of it."""
    begun = clock.now()
    num_probed = min(50_000, arrays.num_messages)
    probed = np.linspace(0, arrays.num_messages - 1, num_probed).astype(np.int64)
    lengths = packed.path_lengths[probed]
    hops = ranges(arrays.messages.path_offsets[probed], lengths)
    part = PackedSchedule(packed.num_steps, packed.step_of[probed], lengths, packed.paths[hops])
    verify(arrays.problem, arrays.schedule_of(probed, part), most=1)
    return (clock.now() - begun) * arrays.num_hops / max(len(hops), 1)
