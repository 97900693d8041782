"""Lengths of paths: one channel a step under store-and-forward, and no detours under minimal routing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pavane.judge.case import Verification
from pavane.judge.path_rules import Walks
from pavane.judge.violation import Violation
from pavane.model.arrays import Ints, Longs
from pavane.model.network import Network

MOST_ROUTERS_TABLED = 4096
"""Up to this many routers a table of all distances takes no more than 32 MB."""

PAIRS_PER_ROUTER = 64
"""With more pairs than this for each router a table of all distances is quicker than one flood after the other."""

MOST_SOURCES_AT_ONCE = 512
"""Distances are measured from this many routers at a time, so that large networks fit in memory."""


def too_many_hops(case: Verification) -> Iterator[Violation]:
    """Under store-and-forward a transfer covers at most one channel; where switches pass, one to another processor."""
    if case.problem.rules.switching != "store-and-forward":
        return
    lengths = case.schedule.path_lengths
    if case.problem.rules.switches == "pass":
        yield from _through_processors(case)
        return
    yield from case.of_transfers(
        "too-many-hops",
        lengths > 1,
        lambda i: f"it covers {lengths[i]} channels; store-and-forward covers one in a step",
    )


def _through_processors(case: Verification) -> Iterator[Violation]:
    """Where switches pass, every router between the ends of a path is a pure switch."""
    channels, owner = case.schedule.path_channels, case.path_owner
    exists = (channels >= 0) & (channels < case.network.num_channels)
    has_processors = np.bincount(case.network.router_of, minlength=case.network.num_routers) > 0
    heads = case.network.heads[np.where(exists, channels, 0)] if case.network.num_channels else channels
    goes_on = np.zeros(len(owner), dtype=bool)
    goes_on[:-1] = owner[1:] == owner[:-1]
    stops = np.flatnonzero(goes_on & exists & has_processors[heads])
    wrong = np.zeros(len(case.schedule), dtype=bool)
    wrong[owner[stops]] = True
    first = dict(zip(owner[stops[::-1]].tolist(), heads[stops[::-1]].tolist(), strict=True))
    yield from case.of_transfers(
        "too-many-hops",
        wrong,
        lambda i: (
            f"it runs through router {case.network.routers[first[i]]}, which has processors; in a step it passes pure "
            "switches only"
        ),
    )


def not_minimal(case: Verification, walks: Walks) -> Iterator[Violation]:
    """Under minimal routing a path is a shortest one between its ends, also where it runs over switches that pass."""
    rules, schedule, lengths = case.problem.rules, case.schedule, case.schedule.path_lengths
    covers_one = rules.switching == "store-and-forward" and rules.switches == "hold"
    if covers_one or rules.routing != "minimal":
        return
    # One channel between two routers is always shortest.
    checked = np.flatnonzero(walks.is_sound & (lengths > 1))
    starts = case.network.tails[schedule.path_channels[schedule.path_offsets[checked]]]
    ends = case.network.heads[schedule.path_channels[schedule.path_offsets[checked + 1] - 1]]
    shortest = _distances(case.network, starts.astype(np.int64), ends.astype(np.int64), lengths[checked])
    longer = np.zeros(len(schedule), dtype=bool)
    longer[checked] = lengths[checked] > shortest
    least = dict(zip(checked.tolist(), shortest.tolist(), strict=True)) if longer.any() else {}
    yield from case.of_transfers(
        "not-minimal",
        longer,
        lambda i: (
            f"its path has {lengths[i]} channels where {least[i]} are enough; minimal routing takes shortest paths"
        ),
    )


def _distances(network: Network, starts: Longs, ends: Longs, limits: Longs) -> Longs:
    """Measure the distance of each pair, up to its limit: by a table, or by a flood where pairs are few."""
    if network.num_routers <= MOST_ROUTERS_TABLED and len(starts) > PAIRS_PER_ROUTER * network.num_routers:
        return np.minimum(limits, _table(network)[starts, ends])
    answer = limits.copy()
    sources, source_of = np.unique(starts, return_inverse=True)
    reach = np.zeros(len(sources), dtype=np.int64)
    np.maximum.at(reach, source_of, limits)
    tails, heads, groups = _by_head(network)
    nearest_first = np.argsort(reach, kind="stable")
    column_of = np.empty_like(nearest_first)
    column_of[nearest_first] = np.arange(len(sources))
    for begin in range(0, len(sources), MOST_SOURCES_AT_ONCE):
        end = begin + MOST_SOURCES_AT_ONCE
        batch = nearest_first[begin:end]
        mine = np.flatnonzero((column_of[source_of] >= begin) & (column_of[source_of] < end))
        columns = column_of[source_of[mine]] - begin
        # Whole words of 64 sources are joined at once.
        wet = np.zeros((network.num_routers, -len(batch) // 64 * -64), dtype=bool)
        wet[sources[batch], np.arange(len(batch))] = True
        flood = np.packbits(wet, axis=1)
        words = flood.view(np.uint64)
        for distance in range(1, int(reach[batch].max())):
            words[heads] |= np.bitwise_or.reduceat(words[tails], groups, axis=0)
            hit = (flood[ends[mine], columns >> 3] >> (7 - (columns & 7)).astype(np.uint8)) & 1 == 1
            closer = mine[hit]
            answer[closer] = np.minimum(answer[closer], distance)
    return answer


def _by_head(network: Network) -> tuple[Ints, Ints, Longs]:
    """Return the tails of all channels, sorted by their heads, the different heads, and where those of each begin."""
    by_head = np.argsort(network.heads, kind="stable")
    heads, groups = np.unique(network.heads[by_head], return_index=True)
    return network.tails[by_head], heads, groups


@lru_cache(maxsize=1)
def _table(network: Network) -> npt.NDArray[np.int16]:
    """Measure the distance from every router to every other; where there is no way, it is the number of routers.

    Bit s of row v says whether the flood from s has come to v.
    """
    size = network.num_routers
    tails, heads, groups = _by_head(network)
    table = np.full((size, size), size, dtype=np.int16)
    np.fill_diagonal(table, 0)
    wet = np.zeros((size, -size // 64 * -64), dtype=bool)
    np.fill_diagonal(wet, True)
    words = np.packbits(wet, axis=1).view(np.uint64)
    for distance in range(1, size):
        new = words.copy()
        new[heads] |= np.bitwise_or.reduceat(words[tails], groups, axis=0)
        new ^= words
        routers, columns = np.nonzero(new)
        if not len(routers):
            break
        words |= new
        bits = np.unpackbits(new[routers, columns, None].view(np.uint8), axis=1)
        index, bit = np.nonzero(bits)
        table[64 * columns[index] + bit, routers[index]] = distance
    return table
