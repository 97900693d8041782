"""Ways of messages from location to location, hop by hop: all hops on shortest paths, or on paths a little longer.

A search from the target gives what is left from everywhere, one from the origin what has been covered; it goes no
further than paths of the allowed length lead. So listing the ways of a message takes as long as they are many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.kernels.wiring import Wiring

Array = np.ndarray[Any, Any]

ORIGIN, TARGET = 0, 1
"""The numbers of a message's ends among the locations that it may come to; the others follow."""


class HopGraph(NamedTuple):
    """Locations, where messages rest, and hops between them, a step each. Nothing in it changes."""

    wiring: Wiring
    """Which hops leave and enter each location: its channels are hops, its routers locations."""
    turn: Array
    """int32 [location]: its number among those of its router."""
    company: Array
    """int32 [location]: how many locations its router has."""


class HopChoices(NamedTuple):
    """The hops that messages may take, those with the same ends together."""

    offsets: Array
    """int64 [ends + 1]: where the ways between each two ends begin in the others."""
    hops: Array
    """int32 [way]."""
    tails: Array
    """int32 [way]: the location that the hop leaves, by its number among those between the ends."""
    heads: Array
    """int32 [way]: the same for the location that it leads to."""
    away: Array
    """int32 [way]: the fewest hops from the origin to its tail."""
    left: Array
    """int32 [way]: the fewest hops from its head to the target."""


class MessageHops(NamedTuple):
    """The hops that messages may take."""

    ways: HopChoices
    ends_of: Array
    """int32 [message]: the number of its ends among the ways."""


class Extent(NamedTuple):
    """How far ways may lead."""

    detour: int
    """How many hops more than the shortest a path may have."""
    keepers: int
    """How many locations of one router may keep a message on its way; they are different ones for different ends."""
    ways: int
    """How many ways are listed at most."""


def list_hops(graph: HopGraph, ends: Array, order: Array, extent: Extent) -> tuple[Array, Array]:
    """List the ways between each two ends (int32 [ends, 2]) in that order; the order puts those of a target together.

    Returned are the offsets of Ways, and int32 [5, at least ways] with its other columns. Ends between which there is
    no path have no ways, and where there are too many ways in all, those that are left have none.
    """
    num_locations = len(graph.turn)
    offsets = np.zeros(len(ends) + 1, dtype=np.int64)
    columns = np.empty((5, 1024), dtype=np.int32)
    away = np.full(num_locations, -1, dtype=np.int32)
    number = np.full(num_locations, -1, dtype=np.int32)
    queue = np.empty(num_locations, dtype=np.int32)
    left = np.empty(num_locations, dtype=np.int32)
    last_target, size = -1, 0
    for at in range(len(ends)):
        origin, target = ends[order[at], 0], ends[order[at], 1]
        if target != last_target:
            measure_left(graph, target, left, queue)
            last_target = target
        if left[origin] >= 0 and size <= extent.ways:
            columns, size = follow(graph, origin, target, order[at], extent, left, away, number, queue, columns, size)
        offsets[at + 1] = size
    return offsets, columns


def measure_left(graph: HopGraph, target: int, left: Array, queue: Array) -> None:
    """Measure the hops from every location to a target; -1 where no path leads there."""
    for location in range(len(left)):
        left[location] = -1
    left[target] = 0
    queue[0] = target
    wiring, first, last = graph.wiring, 0, 1
    while first < last:
        here = queue[first]
        first += 1
        for at in range(wiring.in_offsets[here], wiring.in_offsets[here + 1]):
            there = wiring.tails[wiring.in_channels[at]]
            if left[there] < 0:
                left[there] = left[here] + 1
                queue[last] = there
                last += 1


def follow(
    graph: HopGraph,
    origin: int,
    target: int,
    salt: int,
    extent: Extent,
    left: Array,
    away: Array,
    number: Array,
    queue: Array,
    columns: Array,
    size: int,
) -> tuple[Array, int]:
    """Add the ways between two ends to columns, from a size on; return the columns and the new size."""
    wiring, most = graph.wiring, left[origin] + extent.detour
    away[origin], number[origin] = 0, ORIGIN
    number[target] = TARGET
    queue[0] = origin
    first, last, num_met = 0, 1, 2
    while first < last:
        here = queue[first]
        first += 1
        for at in range(wiring.out_offsets[here], wiring.out_offsets[here + 1]):
            hop = wiring.out_channels[at]
            there = wiring.heads[hop]
            if left[there] < 0 or away[here] + 1 + left[there] > most or there == origin:
                continue
            if there != target and (graph.turn[there] + salt) % graph.company[there] >= extent.keepers:
                continue
            if away[there] < 0:
                away[there] = away[here] + 1
                if there != target:
                    number[there] = num_met
                    num_met += 1
                    queue[last] = there
                    last += 1
            if size == columns.shape[1]:
                columns = doubled(columns)
            columns[0, size] = hop
            columns[1, size] = number[here]
            columns[2, size] = number[there]
            columns[3, size] = away[here]
            columns[4, size] = left[there]
            size += 1
    for at in range(last):
        away[queue[at]], number[queue[at]] = -1, -1
    away[target], number[target] = -1, -1
    return columns, size


def doubled(columns: Array) -> Array:
    """Return columns with room for as many entries again."""
    longer = np.empty((columns.shape[0], 2 * columns.shape[1]), dtype=np.int32)
    for column in range(columns.shape[0]):
        for at in range(columns.shape[1]):
            longer[column, at] = columns[column, at]
    return longer
