"""Steps for sums that run along trees: each sending, in a given order, takes the first step in which there is room.

Of a piece, what a location sends to a neighbour in the tree waits for what comes from all its other neighbours. That is
all there is to wait for, whichever way sums go first (messages of a tree meet as in belief propagation, Pearl 1982).

Loops here end by their conditions: a break or return from within one makes numba count references to every array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class Sendings(NamedTuple):
    """What is sent, one row each."""

    senders: Array
    """int32: the location of one piece that sends; those of different pieces have different numbers."""
    receivers: Array
    """int32: the location of the piece that receives."""
    units: Array
    """int32 [sending, number]: the channels and ports that it takes; -1 after the last."""


class TreeArrivals(NamedTuple):
    """What has come to each location of each piece so far."""

    last: Array
    """int32 [location]: the step after the latest arrival."""
    sender: Array
    """int32 [location]: its sender."""
    other: Array
    """int32 [location]: the step after the latest arrival from another sender."""


def place_sums(
    order: Array, sendings: Sendings, arrivals: TreeArrivals, capacity: Array, loads: Array, steps: Array
) -> bool:
    """Write down the step of each sending; return whether all fit into the rows of `loads`, the steps there are.

    The order puts what a sending waits for before it. `arrivals` and `loads` are zero at first, `sender` is -1.
    """
    fits = True
    at = 0
    num_steps = loads.shape[0]
    while fits and at < len(order):
        one = order[at]
        here, there = sendings.senders[one], sendings.receivers[one]
        step = arrivals.other[here] if arrivals.sender[here] == there else arrivals.last[here]
        searching = True
        while searching and step < num_steps:
            free = True
            i = 0
            while free and i < sendings.units.shape[1]:
                unit = sendings.units[one, i]
                free = unit < 0 or loads[step, unit] < capacity[unit]
                i += 1
            searching = not free
            if searching:
                step += 1
        fits = not searching
        if fits:
            for i in range(sendings.units.shape[1]):
                unit = sendings.units[one, i]
                if unit >= 0:
                    loads[step, unit] += 1
            steps[one] = step
            came = step + 1
            if came > arrivals.last[there]:
                arrivals.other[there] = arrivals.last[there]
                arrivals.last[there] = came
                arrivals.sender[there] = here
            elif came > arrivals.other[there]:
                arrivals.other[there] = came
        at += 1
    return fits
