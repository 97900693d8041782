"""Distances as the judge measures them, and how short paths can be between their ends."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pavane.judge.case import MOST_ROUTERS_TABLED, Verification
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.network import Network
from pavane.model.problem import Problem

PAIRS_PER_ROUTER = 64
"""With more pairs than this for each router a table of all distances is quicker than one flood after the other."""

MOST_SOURCES_AT_ONCE = 512
"""Distances are measured from this many routers at a time, so that large networks fit in memory."""


def takes_shortest_paths(problem: Problem) -> bool:
    """Return whether the rules require shortest paths; where a transfer covers one channel, it has no choice."""
    rules = problem.rules
    return rules.routing == "minimal" and (rules.switching != "store-and-forward" or rules.switches != "hold")


def least_lengths(case: Verification, checked: Flags, starts: Longs, ends: Longs) -> Longs:
    """Return how many channels a path between the ends of each transfer has at least.

    That is the distance where paths must be shortest and are checked, otherwise one or, on one router, none.
    """
    least: Longs = (starts != ends).astype(np.int64)
    if takes_shortest_paths(case.problem):
        some = np.flatnonzero(checked & (least > 0) & (case.lengths > 1))
        if len(some):
            least[some] = _distances(case, starts[some], ends[some], case.lengths[some])
    return least


def _distances(case: Verification, starts: Longs, ends: Longs, limits: Longs) -> Longs:
    """Measure the distance of each pair, up to its limit: by a table, or by a flood where pairs are few."""
    network = case.network
    is_many = case.is_part or len(starts) > PAIRS_PER_ROUTER * network.num_routers
    if is_many and network.num_routers <= MOST_ROUTERS_TABLED:
        return np.minimum(limits, table(network)[ends, starts])
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
def table(network: Network) -> npt.NDArray[np.int16]:
    """Measure the distance to every router, a row each, from every other; without a way, it is the number of routers.

    Bit s of row v says whether the flood from s has come to v. Distances are added up as binary digits, 64 at a time.
    """
    size = network.num_routers
    tails, heads, groups = _by_head(network)
    degrees = np.diff(groups, append=len(tails))
    wet = np.zeros((size, -size // 64 * -64), dtype=bool)
    np.fill_diagonal(wet, True)
    words = np.packbits(wet, axis=1).view(np.uint64)
    digits = np.zeros((size.bit_length(), *words.shape), dtype=np.uint64)
    for distance in range(1, size):
        new = np.zeros_like(words)
        for rank in range(int(degrees.max(initial=0))):
            new[heads[degrees > rank]] |= words[tails[groups[degrees > rank] + rank]]
        new &= ~words
        if not new.any():
            break
        words |= new
        for place in range(distance.bit_length()):
            if distance >> place & 1:
                digits[place] |= new
    distances = np.where(_bits(words, size), 0, size).astype(np.int16)
    for place, digit in enumerate(digits):
        if digit.any():
            distances += np.left_shift(_bits(digit, size), place, dtype=np.int16)
    return distances


def _bits(words: npt.NDArray[np.uint64], size: int) -> npt.NDArray[np.uint8]:
    """Return the bits of each row of words, one entry each."""
    return np.unpackbits(words.view(np.uint8), axis=1, count=size)
