"""Transfers listed again: their paths and inputs stay, and their order on channels is free.

Forward-backward list scheduling: all transfers are moved as late as they can be, those that end last first, and then as
early as they can be, those that start first first. What is late on the way to an end so comes first. Chance blurs the
order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.kernels.random_numbers import draw_real
from pavane.solvers.timed.kernels.event_greedy import HopArrays
from pavane.solvers.timed.kernels.insertion import Calendar, book, first_gap

Array = np.ndarray[Any, Any]


class Dependences(NamedTuple):
    """What transfers wait for; each comes after its inputs."""

    offsets: Array
    """int64 [transfer + 1]: inputs[offsets[t]:offsets[t + 1]] must have arrived when transfer t starts."""
    inputs: Array
    """int64 [entry]: transfers."""


class Lists(NamedTuple):
    """Room for the schedules of a search."""

    best: Array
    """int64 [transfer]: the starts of the best schedule so far."""
    starts: Array
    """int64 [transfer]: the starts of the last one."""
    rests: Array
    """int64 [transfer]: the time from the end of a transfer's hold to the end of all."""
    keys: Array
    """float64 [transfer]: what comes first has the least."""


def relist(
    transfers: HopArrays, needs: Dependences, calendar: Calendar, lists: Lists, blurs: Array, lowest: int, random: Array
) -> int:
    """Try one more order for each blur of the order, in picoseconds; return the end of the best schedule so far."""
    record = end_of(transfers, lists.best)
    for number in range(len(blurs)):
        if record <= lowest:
            break
        base = lists.best if number % 4 < 2 else lists.starts
        for transfer in range(len(base)):
            chance = blurs[number] * draw_real(random)
            lists.keys[transfer] = chance - (base[transfer] + transfers.holds[transfer, 0])
        move_late(transfers, needs, calendar, lists)
        for transfer in range(len(base)):
            lists.keys[transfer] = -(lists.rests[transfer] + transfers.holds[transfer, 0])
        move_early(transfers, needs, calendar, lists)
        end = end_of(transfers, lists.starts)
        if end <= record:
            record = end
            lists.best[:] = lists.starts
    return record


def end_of(transfers: HopArrays, starts: Array) -> int:
    """Return when the last data arrive."""
    end = 0
    for transfer in range(len(starts)):
        end = max(end, starts[transfer] + transfers.holds[transfer, 0] + transfers.delays[transfer])
    return end


def move_late(transfers: HopArrays, needs: Dependences, calendar: Calendar, lists: Lists) -> None:
    """Place all transfers as late as they can be, by their keys, but none before those that need it."""
    count, keys, rests = len(lists.keys), lists.keys, lists.rests
    for transfer in range(count - 1, -1, -1):
        for entry in range(needs.offsets[transfer], needs.offsets[transfer + 1]):
            source = needs.inputs[entry]
            keys[source] = max(keys[source], keys[transfer])
        rests[transfer] = transfers.delays[transfer]
    calendar.counts[:] = 0
    # Of equal keys the later transfer comes first, because it may need the other.
    backwards = np.argsort(keys[::-1], kind="mergesort")
    for place in range(count):
        transfer = count - 1 - backwards[place]
        hold = transfers.holds[transfer, 0]
        rests[transfer] = first_gap(transfers, calendar, transfer, rests[transfer], hold)
        book(transfers, calendar, transfer, rests[transfer], hold, transfer)
        for entry in range(needs.offsets[transfer], needs.offsets[transfer + 1]):
            source = needs.inputs[entry]
            rests[source] = max(rests[source], rests[transfer] + hold + transfers.delays[source])


def move_early(transfers: HopArrays, needs: Dependences, calendar: Calendar, lists: Lists) -> None:
    """Place all transfers as early as they can be, by their keys, but none before what it needs."""
    count, starts = len(lists.keys), lists.starts
    calendar.counts[:] = 0
    order = np.argsort(lists.keys, kind="mergesort")
    for place in range(count):
        transfer = order[place]
        ready = 0
        for entry in range(needs.offsets[transfer], needs.offsets[transfer + 1]):
            source = needs.inputs[entry]
            ready = max(ready, starts[source] + transfers.holds[source, 0] + transfers.delays[source])
        hold = transfers.holds[transfer, 0]
        starts[transfer] = first_gap(transfers, calendar, transfer, ready, hold)
        book(transfers, calendar, transfer, starts[transfer], hold, transfer)
