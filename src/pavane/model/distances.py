"""Distances, counted in channels: from all routers at once, or from a few by a breadth-first search; shortest paths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Flags, Ints, Longs, ranges
from pavane.model.incidence import Incidence

UNREACHABLE = -1

MOST_NARROW = 16
"""Routers of a level, or of a network, up to which looking at them one by one is quicker than all at once."""

MOST_NARROW_LEVELS = 50
"""This many levels of few routers in a row show that paths are long, as on a ring."""


def distance_table(incoming: Incidence, tails: Ints) -> npt.NDArray[np.int16]:
    """Return the distance from router to router; UNREACHABLE where there is no path.

    A breadth-first search from all routers at once: bit s of row v says that s reaches v. Levels are written as binary
    digits, whole words of bits at a time.
    """
    num_routers = len(incoming.offsets) - 1
    tails, degrees = tails[incoming.channels], np.diff(incoming.offsets)
    padded = np.zeros((num_routers, -num_routers // 64 * -64), dtype=bool)
    np.fill_diagonal(padded, True)
    reached = np.packbits(padded, axis=1).view(np.uint64)
    digits: list[npt.NDArray[np.uint64]] = []
    by_rank = [np.flatnonzero(degrees > rank) for rank in range(int(degrees.max(initial=0)))]
    level, frontier = 0, reached
    while frontier.any():
        arriving = np.zeros_like(reached)
        for rank, heads in enumerate(by_rank):
            arriving[heads] |= frontier[tails[incoming.offsets[heads] + rank]]
        frontier = arriving & ~reached
        reached = reached | frontier
        level += 1
        digits += [np.zeros_like(reached) for _ in range(len(digits), level.bit_length())]
        for place, digit in enumerate(digits):
            if level >> place & 1:
                digit |= frontier

    def bits(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
        return np.unpackbits(words.view(np.uint8), axis=1, count=num_routers)

    distances = bits(reached).astype(np.int16) - 1  # UNREACHABLE, or 0
    for place, digit in enumerate(digits):
        distances += np.left_shift(bits(digit), place, dtype=np.int16)
    distances = np.ascontiguousarray(distances.T)
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
    frontier, place_of = starts, np.empty(len(distances), dtype=np.int64)
    level = num_narrow = 0
    while len(frontier):
        num_narrow = num_narrow + 1 if len(frontier) <= MOST_NARROW else 0
        if num_narrow > most_narrow_levels or len(distances) <= MOST_NARROW:
            level, frontier = _followed(offsets, neighbours, distances, frontier, level)
            num_narrow = 0
            continue
        level += 1
        counts = offsets[frontier + 1] - offsets[frontier]
        found = neighbours[ranges(offsets[frontier], counts)]
        found = found[distances[found] == UNREACHABLE]
        # Of routers that are found several times, the last place stays.
        places = np.arange(len(found))
        place_of[found] = places
        frontier = found[place_of[found] == places]
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


def channels_between(away: npt.NDArray[np.integer], back: npt.NDArray[np.integer], channels: Ints, far: int) -> Flags:
    """Mark the channels on a shortest path of length `far`, by the distances from its start and to its end."""
    before, after = away[channels[:, 0]], back[channels[:, 1]]
    marked: Flags = (before >= 0) & (after >= 0) & (before + 1 + after == far)
    return marked


def num_paths(out_channels: tuple[tuple[int, ...], ...], heads: Ints, back: Ints, source: int) -> int:
    """Count the shortest paths from a source, by distances to their end; parallel channels count separately."""
    counts = {source: 1}
    for level in range(int(back[source]), 0, -1):
        following: dict[int, int] = {}
        for router, count in counts.items():
            for channel in out_channels[router]:
                head = int(heads[channel])
                if back[head] == level - 1:
                    following[head] = following.get(head, 0) + count
        counts = following
    return sum(counts.values()) if back[source] >= 0 else 0
