"""A first schedule at once, where the time is limited: windows of steps are filled in haste, and handed over.

What follows then knows, measured in this run, how long it takes to build and judge a schedule of this problem; and
where not even this can be done in time, about which limit would do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pavane.jit import clock, compiled
from pavane.judge.rules import verify
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.first_fit_driver import LEAST_COMPILED
from pavane.solvers.large_scatter.kernels.window_fit import NEVER, WORDS, FirstFitWindow, fit_window
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays, positions
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once

BETWEEN_LOOKS = 8192
"""Messages tried between two looks at the clock."""

MOST_HOPS_AT_ONCE = 200_000
"""Up to this many channels of all paths the clock is not looked at: small problems are answered in any time."""

LEAST_HOPS_PROBED = 1_000_000
"""With fewer channels of all paths, building and judging takes less than a second."""

MESSAGES_PROBED = 50_000
"""So many messages are built and judged to see how long all will take."""


@dataclass(frozen=True, eq=False)
class FirstAnswer:
    """What came of the haste."""

    packed: PackedSchedule | None
    budget: Budget
    """What is left, with time to build and judge a better schedule."""
    is_handed_over: bool = False
    needs: float | None = None
    """About how many seconds it takes, where the limit was too short."""

    def or_shorter(self, arrays: ScatterArrays, schedule: Schedule | None) -> Schedule | None:
        """Return what was found later if it is shorter, else the first schedule if it is not handed over yet."""
        if self.packed is None or (schedule is not None and schedule.num_steps < self.packed.num_steps):
            return schedule
        return None if self.is_handed_over else arrays.schedule(self.packed)


@dataclass(frozen=True)
class WindowedFirstFit:
    """First fit in haste, for a first schedule; it is part of first fit, so it stands in no registry."""

    name: str = "first-fit"

    def supports(self, problem: Problem) -> bool:
        """Say yes; who asks has asked first fit."""
        return True

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the schedule if it is not handed over, or about how many seconds it takes."""
        arrays = ScatterArrays.of(problem)
        first = first_answer(arrays, num_steps, budget, however_late=True)
        return first.or_shorter(arrays, None) if first.needs is None else Finding(None, needs=first.needs)

    takes_capacities: ClassVar[bool] = True
    __call__ = solve_once


def first_answer(
    arrays: ScatterArrays, num_steps: int | None, budget: Budget, *, however_late: bool = False
) -> FirstAnswer:
    """Fill windows where the time is limited and nothing is at hand yet; hand over what has at most `num_steps`."""
    if budget.deadline is None or budget.to_judge is not None or budget.evaluations is not None:
        return FirstAnswer(None, budget)
    if budget.is_over and not however_late:
        return FirstAnswer(None, budget)
    # Neighbours in this order have their target in common, and so much of what is looked up.
    packed = _filled(arrays, np.lexsort((arrays.messages.targets, -arrays.path_lengths)), budget)
    if isinstance(packed, float):
        return FirstAnswer(None, budget, needs=packed)
    if arrays.num_hops > LEAST_HOPS_PROBED:
        ready = clock.now() + _seconds_to_judge(arrays, packed)
        if ready > budget.deadline:
            return FirstAnswer(None, budget, needs=ready - budget.started)
    if budget.keep is None or (num_steps is not None and packed.num_steps > num_steps):
        return FirstAnswer(packed, budget)
    return FirstAnswer(packed, budget.handed_over(lambda: arrays.schedule(packed)), is_handed_over=True)


def _filled(arrays: ScatterArrays, order: Longs, budget: Budget) -> PackedSchedule | float:
    """Return what is packed; where time runs out, about how many seconds it would take from the start to judgement."""
    num_ports, num_messages = len(arrays.port_capacity), arrays.num_messages
    window = FirstFitWindow(
        np.zeros((arrays.num_units + num_ports, WORDS), dtype=np.uint64),
        np.zeros((num_ports, NEVER), dtype=np.int32),
        arrays.port_capacity,
        np.zeros(arrays.num_hops, dtype=np.int32),
        np.full(num_messages, -1, dtype=np.int32),
        None if arrays.fabric.capacity is None else np.zeros((arrays.num_units, NEVER), dtype=np.int32),
    )
    kernel = fit_window if num_messages < LEAST_COMPILED else compiled(fit_window, arrays.variant)
    first_step, num_placed, begun = 0, 0, clock.now()
    while len(order):
        window.full[:], window.port_loads[:] = 0, 0
        if window.unit_loads is not None:
            window.unit_loads[:] = 0
        pending = np.empty_like(order)
        num_pending = 0
        for at in range(0, len(order), BETWEEN_LOOKS):
            some = order[at : at + BETWEEN_LOOKS]
            stay = kernel(some, arrays.fabric, arrays.messages, window, first_step, pending[num_pending:])
            num_pending, num_placed = num_pending + stay, num_placed + len(some) - stay
            if arrays.num_hops > MOST_HOPS_AT_ONCE and budget.is_over:
                took, share = clock.now() - begun, num_placed / num_messages
                # Judging takes about as long as placing.
                return begun - budget.started + 2 * took / share
        order, first_step = pending[:num_pending], first_step + NEVER
    return PackedSchedule(int(window.step_of.max()) + 1, window.step_of, arrays.path_lengths, window.paths)


def _seconds_to_judge(arrays: ScatterArrays, packed: PackedSchedule) -> float:
    """Estimate how long it takes to build and judge what is packed, by doing so with a part of it."""
    begun = clock.now()
    few = np.linspace(0, arrays.num_messages - 1, min(MESSAGES_PROBED, arrays.num_messages)).astype(np.int64)
    lengths = packed.path_lengths[few]
    hops = np.repeat(arrays.messages.path_offsets[few], lengths) + positions(lengths)
    part = PackedSchedule(packed.num_steps, packed.step_of[few], lengths, packed.paths[hops])
    verify(arrays.problem, arrays.schedule_of(few, part), most=1)
    return (clock.now() - begun) * arrays.num_hops / max(len(hops), 1)
