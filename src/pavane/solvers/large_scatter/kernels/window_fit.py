"""First fit in haste: a window of steps is filled, then the next one; a message that finds no room waits for that.

Of the shortest paths of a message one is tried in each window: it goes on, hop by hop, by the channel that leaves the
earliest step free. So a message costs little more than the channels of its path, where first fit looks at all paths
and at all steps so far. Loads are counted, and bits set, as in `first_fit`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.large_scatter.kernels.first_fit import enter_path
from pavane.solvers.large_scatter.kernels.shortest_paths import Messages, ScatterFabric

Array = np.ndarray[Any, Any]

WORDS = 8
"""Words of 64 steps in a window, which the compiler turns into wide instructions."""

NO_BIT = np.uint64(0)
FIRST_BIT = np.uint64(1)
ALL_BITS = np.uint64(2**64 - 1)
NEVER = 64 * WORDS
"""Later than any step of a window."""


class FirstFitWindow(NamedTuple):
    """The steps that are being filled, and what is placed."""

    full: Array
    """uint64 [unit, then port; word]: bit b of word w says that it is full in step 64 w + b of the window."""
    port_loads: Array
    """int32 [port, step]: the messages through it."""
    port_capacity: Array
    """int32 [port]: the most messages through it in one step."""
    paths: Array
    """int32 [channel of a path], one message after the other."""
    step_of: Array
    """int32 [message]: its step, counted from the first window."""
    unit_loads: Array | None = None
    """int32 [unit, step]: the messages through it; None where a unit carries one."""


def fit_window(
    order: Array, fabric: ScatterFabric, messages: Messages, window: FirstFitWindow, first_step: int, pending: Array
) -> int:
    """Place messages in an order, an int64 array, into the window that begins with a step.

    Those that find no room are written to `waiting`, an int64 array of the same size; return their number.
    """
    free = np.empty(WORDS, dtype=np.uint64)
    num_pending = 0
    for number in range(len(order)):
        message = order[number]
        step = tried_path(message, fabric, messages, window, free)
        if step == NEVER:
            pending[num_pending] = message
            num_pending += 1
            continue
        word, bit = step // 64, FIRST_BIT << np.uint64(step % 64)
        path = window.paths[messages.path_offsets[message] : messages.path_offsets[message + 1]]
        enter_path(window.full, window.unit_loads, fabric.capacity, fabric.unit_of, path, step)
        first_port = len(window.full) - len(window.port_capacity)
        for side in range(2):
            port = messages.ports[message, side]
            window.port_loads[port, step] += 1
            if window.port_loads[port, step] >= window.port_capacity[port]:
                window.full[first_port + port, word] |= bit
        window.step_of[message] = first_step + step
    return num_pending


@inlined
def tried_path(message: int, fabric: ScatterFabric, messages: Messages, window: FirstFitWindow, free: Array) -> int:
    """Write a path hop by hop; return the first step of the window in which all of it is free, or NEVER."""
    heads, out_offsets, out_channels = fabric.wiring.heads, fabric.wiring.out_offsets, fabric.wiring.out_channels
    full, target = window.full, messages.targets[message]
    first_port = len(full) - len(window.port_capacity)
    inject, eject = first_port + messages.ports[message, 0], first_port + messages.ports[message, 1]
    step = NEVER
    for word in range(WORDS - 1, -1, -1):
        free[word] = ~(full[inject, word] | full[eject, word])
        if free[word] != NO_BIT:
            step = 64 * word + lowest_bit(free[word])
    here = messages.sources[message]
    at, last = messages.path_offsets[message], messages.path_offsets[message + 1]
    while step < NEVER and at < last:
        left, best, step = last - at - 1, -1, NEVER
        for index in range(out_offsets[here], out_offsets[here + 1]):
            channel = out_channels[index]
            if fabric.distances[heads[channel], target] != left:
                continue
            unit = fabric.unit_of[channel]
            word = 0
            while word < WORDS and 64 * word < step:
                both = free[word] & ~full[unit, word]
                if both != NO_BIT:
                    offer = 64 * word + lowest_bit(both)
                    if offer < step:
                        best, step = channel, offer
                    word = WORDS
                word += 1
        if best >= 0:
            window.paths[at] = best
            here = heads[best]
            unit = fabric.unit_of[best]
            for word in range(WORDS):
                free[word] &= ~full[unit, word]
        at += 1
    return step


@inlined
def lowest_bit(word: np.uint64) -> int:
    """Return the number of the lowest bit that is set."""
    low = word & (~word + FIRST_BIT)
    number = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if low >> np.uint64(shift) != NO_BIT:
            low >>= np.uint64(shift)
            number += shift
    return number
