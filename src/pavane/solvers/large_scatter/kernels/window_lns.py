"""Fills a window of up to 64 steps at once with messages along their planned paths, by sweeps over pending messages.

The steps in which a unit of capacity is idle are the bits of one word. A pass along a path counts, for all steps at
once, how many units of it are in use. The message takes a step in which none is; else the step in which the conflicting
messages, if they are few, are worth least, and these become pending again. Annealing accepts some losses of worth.

A sweep takes some nanoseconds for each message and step, and sees all pending messages: it balances long and short
ones, which ruin and recreate beside idle units (step_lns.py) cannot. That fills the holes that are left.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.rerouting import MessagePaths
from pavane.solvers.large_scatter.kernels.first_fit import lowest_bit

Array = np.ndarray[Any, Any]

MOST_STEPS = 64
"""The steps of a window, one for each bit of a word."""

NO_BIT = np.uint64(0)
FIRST_BIT = np.uint64(1)

PLACED, EXAMINED = range(2)
"""The entries of `StepWindow.counts`: messages placed, steps examined because few messages conflict."""


class SweepCandidates(NamedTuple):
    """Pending messages, the worthiest first or nearly so."""

    offsets: Array
    """int64 [candidate + 1]: units[offsets[c]:offsets[c + 1]] is the planned path of candidate c."""
    units: Array
    """int32 [entry]: the units of the paths."""
    worth: Array
    """float32 [candidate]."""


class StepWindow(NamedTuple):
    """The steps of a window."""

    user: Array
    """int32 [unit, step]: the candidate that uses it, or -1."""
    idle: Array
    """uint64 [unit]: the bits of the steps in which it is idle."""
    step_of: Array
    """int32 [candidate]: its step, or -1: it is pending."""
    counts: Array
    """int64 [2]: see PLACED."""


def gather_paths(unit_of: Array, paths: MessagePaths, pending_messages: Array, candidates: SweepCandidates) -> None:
    """Write the planned paths of messages, an int64 array, one after the other."""
    num_units = 0
    for number in range(len(pending_messages)):
        candidates.offsets[number] = num_units
        begin = paths.offsets[pending_messages[number]]
        for at in range(begin, begin + paths.lengths[pending_messages[number]]):
            candidates.units[num_units] = unit_of[paths.arcs[at]]
            num_units += 1
    candidates.offsets[len(pending_messages)] = num_units


def sweep(candidates: SweepCandidates, window: StepWindow, heat: float, rng: np.random.Generator) -> None:
    """Place each pending candidate in a step if the change of worth is accepted at the temperature `heat`."""
    offsets, units, worth = candidates
    for candidate in range(len(worth)):
        if window.step_of[candidate] >= 0:
            continue
        begin, end = offsets[candidate], offsets[candidate + 1]
        busy, busy_twice, busy_thrice, busy_often = NO_BIT, NO_BIT, NO_BIT, NO_BIT
        for at in range(begin, end):
            taken = ~window.idle[units[at]]
            busy_often |= busy_thrice & taken
            busy_thrice |= busy_twice & taken
            busy_twice |= busy & taken
            busy |= taken
        if busy != ~NO_BIT:
            step = lowest_from(~busy, np.uint64(rng.random() * MOST_STEPS))
        else:
            # Messages that conflict on more than half of a path are hardly worth less than its own.
            half = (end - begin) // 2
            few = ~busy if half == 0 else ~busy_twice if half == 1 else ~busy_thrice if half == 2 else ~busy_often
            step, lost = cheapest(candidates, window, candidate, few)
            change = worth[candidate] - lost
            if step < 0 or (change < 0.0 and rng.random() >= math.exp(change / heat)):
                continue
            for at in range(begin, end):
                if window.user[units[at], step] >= 0:
                    remove(offsets, units, window, window.user[units[at], step], step)
        place(offsets, units, window, candidate, step)


@inlined
def lowest_from(bits: np.uint64, first: np.uint64) -> int:
    """Return the lowest set bit, counted cyclically from a first one."""
    turned = (bits >> first) | (bits << ((np.uint64(MOST_STEPS) - first) & np.uint64(MOST_STEPS - 1)))
    return (lowest_bit(turned) + int(first)) % MOST_STEPS


@inlined
def cheapest(candidates: SweepCandidates, window: StepWindow, candidate: int, steps: np.uint64) -> tuple[int, float]:
    """Return the step, of those given as bits, with the least worth of conflicts, or -1; and that worth."""
    offsets, units, worth = candidates
    best, least = -1, np.inf
    while steps != NO_BIT:
        step = lowest_bit(steps)
        steps &= steps - FIRST_BIT
        window.counts[EXAMINED] += 1
        lost, last = 0.0, -1
        for at in range(offsets[candidate], offsets[candidate + 1]):
            other = window.user[units[at], step]
            if other >= 0 and other != last:
                lost += worth[other]
                last = other
        if lost < least:
            best, least = step, lost
    return best, least


@inlined
def place(offsets: Array, units: Array, window: StepWindow, candidate: int, step: int) -> None:
    """Place a candidate in a step."""
    bit = FIRST_BIT << np.uint64(step)
    for at in range(offsets[candidate], offsets[candidate + 1]):
        window.user[units[at], step] = candidate
        window.idle[units[at]] &= ~bit
    window.step_of[candidate] = step
    window.counts[PLACED] += 1


@inlined
def remove(offsets: Array, units: Array, window: StepWindow, candidate: int, step: int) -> None:
    """Remove a candidate from its step."""
    bit = FIRST_BIT << np.uint64(step)
    for at in range(offsets[candidate], offsets[candidate + 1]):
        window.user[units[at], step] = -1
        window.idle[units[at]] |= bit
    window.step_of[candidate] = -1
