"""Distances, counted in channels: from all routers at once, or from a few by a breadth-first search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Ints, Longs
from pavane.model.incidence import Incidence

UNREACHABLE = -1

MOST_NARROW = 16
"""Routers of a level, or of a network, up to which looking at them one by one is quicker than all at once."""

MOST_NARROW_LEVELS = 50
"""This many levels of few routers in a row show that paths are long, as on a ring."""


def distance_table(incoming: Incidence, tails: Ints) -> npt.NDArray[np.int16]:
    """Return the distance from router to router; UNREACHABLE where there is no path.

    A breadth-first search from all routers at once: bit s of row v says that s reaches v.
    """
    num_routers = len(incoming.offsets) - 1
    num_words = (num_routers + 63) // 64
    padded = np.zeros((num_routers, 64 * num_words), dtype=bool)
    np.fill_diagonal(padded, True)
    reached = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    distances = np.full((num_routers, num_routers), UNREACHABLE, dtype=np.int16)
    np.fill_diagonal(distances, 0)
    heads = np.flatnonzero(np.diff(incoming.offsets))
    starts, tails = incoming.offsets[heads], tails[incoming.channels]
    frontier = reached.copy()
    level = 0
    while len(heads):
        level += 1
        arriving = np.zeros((num_routers, num_words), dtype=np.uint64)
        arriving[heads] = np.bitwise_or.reduceat(frontier[tails], starts, axis=0)
        frontier = arriving & ~reached
        # Where paths are long a level reaches few routers, and only those are expanded.
        routers, words = np.nonzero(frontier)
        if not len(routers):
            break
        reached |= frontier
        bits = np.unpackbits(frontier[routers, words].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        at, bit = np.nonzero(bits)
        distances[64 * words[at] + bit, routers[at]] = level
    distances.flags.writeable = False
    return distances


def breadth_first(
    incidence: Incidence,
    far_ends: Ints,
    starts: npt.NDArray[np.integer],
    most_narrow_levels: float = MOST_NARROW_LEVELS,
) -> Ints:
    """Return the distance of every router from the nearest of `starts`; UNREACHABLE where no channel leads.

    The search follows the channels that `incidence` lists at a router to their far ends: outgoing channels to their
    heads, or backwards, incoming channels to their tails. After some levels of few routers in a row it continues
    router by router, as it does from the beginning on a small network.
    """
    offsets, neighbours = incidence.offsets.astype(np.int64), far_ends[incidence.channels]
    distances = np.full(len(offsets) - 1, UNREACHABLE, dtype=np.int32)
    distances[starts] = 0
    frontier = starts
    level = num_narrow = 0
    while len(frontier):
        num_narrow = num_narrow + 1 if len(frontier) <= MOST_NARROW else 0
        if num_narrow > most_narrow_levels or len(distances) <= MOST_NARROW:
            level, frontier = _followed(offsets, neighbours, distances, frontier, level)
            num_narrow = 0
            continue
        level += 1
        counts = offsets[frontier + 1] - offsets[frontier]
        skipped = np.repeat(offsets[frontier] - np.cumsum(counts) + counts, counts)
        found = neighbours[skipped + np.arange(len(skipped))]
        frontier = np.unique(found[distances[found] == UNREACHABLE])
        distances[frontier] = level
    return distances


def _followed(
    offsets: Longs, neighbours: Ints, distances: Ints, frontier: npt.NDArray[np.integer], level: int
) -> tuple[int, Longs]:
    """Continue router by router while few are reached at a time; return the level and the routers reached."""
    ends, heads, known, reached = offsets.tolist(), neighbours.tolist(), distances.tolist(), frontier.tolist()
    while 0 < len(reached) <= MOST_NARROW:
        level += 1
        found = []
        for router in reached:
            for other in heads[ends[router] : ends[router + 1]]:
                if known[other] == UNREACHABLE:
                    known[other] = level
                    found.append(other)
        reached = found
    distances[:] = known
    return level, np.array(reached, dtype=np.int64)
