"""Distances, counted in channels: from all routers at once, or from a few by a breadth-first search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Ints
from pavane.model.incidence import Incidence

UNREACHABLE = -1


def distance_table(incoming: Incidence, tails: Ints) -> npt.NDArray[np.int16]:
    """Return the distance from router to router; UNREACHABLE where there is no path.

    A breadth-first search from all routers at once: bit s of row v says that s reaches v.
    """
    num_routers = len(incoming.offsets) - 1
    num_bytes = (num_routers + 7) // 8
    reached = np.packbits(np.eye(num_routers, dtype=bool), axis=1, bitorder="little")
    distances = np.full((num_routers, num_routers), UNREACHABLE, dtype=np.int16)
    np.fill_diagonal(distances, 0)
    heads = np.flatnonzero(np.diff(incoming.offsets))
    starts, tails = incoming.offsets[heads], tails[incoming.channels]
    frontier = reached.copy()
    level = 0
    while len(heads):
        level += 1
        arriving = np.zeros((num_routers, num_bytes), dtype=np.uint8)
        arriving[heads] = np.bitwise_or.reduceat(frontier[tails], starts, axis=0)
        frontier = arriving & ~reached
        if not frontier.any():
            break
        reached |= frontier
        fresh = np.unpackbits(frontier, axis=1, count=num_routers, bitorder="little").astype(bool)
        distances.T[fresh] = level
    distances.flags.writeable = False
    return distances


def breadth_first(incidence: Incidence, far_ends: Ints, starts: npt.NDArray[np.integer]) -> Ints:
    """Return the distance of every router from the nearest of `starts`; UNREACHABLE where no channel leads.

    The search follows the channels that `incidence` lists at a router to their far ends: outgoing channels to their
    heads, or backwards, incoming channels to their tails.
    """
    offsets, neighbours = incidence.offsets.astype(np.int64), far_ends[incidence.channels]
    distances = np.full(len(offsets) - 1, UNREACHABLE, dtype=np.int32)
    distances[starts] = 0
    frontier = starts
    level = 0
    while len(frontier):
        level += 1
        counts = offsets[frontier + 1] - offsets[frontier]
        skipped = np.repeat(offsets[frontier] - np.cumsum(counts) + counts, counts)
        found = neighbours[skipped + np.arange(len(skipped))]
        frontier = np.unique(found[distances[found] == UNREACHABLE])
        distances[frontier] = level
    return distances
