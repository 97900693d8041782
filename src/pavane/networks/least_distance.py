"""AMP: regular networks of degree 4 and least average distance (named in gecco07 section 4).

The papers print no adjacency, so the network is searched for, in whole numbers and from a fixed seed: it is the
same on every machine. The search starts from the ring with chords of one length (a circulant) that has the least
sum of distances. Then it draws batches of swaps, in which two links exchange ends, and makes the best swap of
each batch unless it is worse than none. It ends at the least sum that the degree allows, or after a
fixed amount of work.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.layout import circle
from pavane.networks.limits import at_least
from pavane.networks.links import two_way
from pavane.networks.prng import Dice

_DEGREE = 4
MOST_ROUTERS = 512
# Routers handled per batch, and words of 64 routers handled in a whole search.
_BATCH = 4096
_WORK = 4_000_000

Ends = npt.NDArray[np.int64]


def amp(num_routers: int) -> Network:
    """Return the AMP network of N routers that the search finds."""
    name = f"amp:{num_routers}"
    at_least(name, "N", num_routers, 5)
    if num_routers > MOST_ROUTERS:
        raise InputError(
            f"network {name}: N is {num_routers}, too many to search; give at most {MOST_ROUTERS}, "
            f"or take random-regular:{num_routers},4,1"
        )
    return Network(name, num_routers, two_way(_found(num_routers)), positions=circle(num_routers))


def least_sum_of_distances(num_routers: int) -> int:
    """Return a lower bound: each router has at most 4 others at distance 1, 12 at distance 2, 36 at distance 3 ..."""
    total, left, shell, distance = 0, num_routers - 1, _DEGREE, 1
    while left > 0:
        total += distance * min(shell, left)
        left, shell, distance = left - shell, shell * (_DEGREE - 1), distance + 1
    return num_routers * total


@cache
def _found(num_routers: int) -> tuple[tuple[int, int], ...]:
    """Search; a network is a pairing of ends of links, and ends 4r to 4r + 3 are at router r."""
    circulants = np.stack([_circulant(num_routers, chord) for chord in range(2, (num_routers + 1) // 2)])
    sums = _sums_of_distances(num_routers, circulants)
    links, least = circulants[sums.argmin()], sums.min()
    goal = least_sum_of_distances(num_routers)
    dice = Dice(num_routers)
    batch = max(1, _BATCH // num_routers)
    for _ in range(_WORK // (batch * num_routers * _num_words(num_routers))):
        if least == goal:
            break
        candidates = _swapped(links, dice.words(2 * batch).reshape(2, -1))
        if len(candidates):
            sums = _sums_of_distances(num_routers, candidates)
            best = sums.argmin()
            if sums[best] <= least:
                links, least = candidates[best], sums[best]
    pairs = np.sort(links // _DEGREE, axis=1)
    return tuple(sorted((int(a), int(b)) for a, b in pairs))


def _circulant(num_routers: int, chord: int) -> Ends:
    here = np.arange(num_routers)
    along = np.stack([4 * here, 4 * ((here + 1) % num_routers) + 1], axis=1)
    across = np.stack([4 * here + 2, 4 * ((here + chord) % num_routers) + 3], axis=1)
    return np.concatenate([along, across])


def _swapped(links: Ends, words: npt.NDArray[np.uint64]) -> Ends:
    """Return a copy of the links for each pair of random words that names a swap without loops and parallels."""
    first, second = (words % np.uint64(len(links))).astype(np.int64)
    # The highest bit says which way round the second link is taken.
    flip = (words[1] >> np.uint64(63)).astype(np.int64)
    count = np.arange(len(first))
    a, b = links[first].T
    c, d = links[second, flip], links[second, 1 - flip]
    num_routers = len(links) // 2
    linked = np.eye(num_routers, dtype=bool)
    tails, heads = (links // _DEGREE).T
    linked[tails, heads] = linked[heads, tails] = True
    ra, rb, rc, rd = (end // _DEGREE for end in (a, b, c, d))
    legal = (first != second) & ~linked[ra, rc] & ~linked[rb, rd]
    candidates: Ends = np.repeat(links[None], len(first), axis=0)
    candidates[count, first] = np.stack([a, c], axis=1)
    candidates[count, second] = np.stack([b, d], axis=1)
    kept: Ends = candidates[legal]
    return kept


def _sums_of_distances(num_routers: int, candidates: Ends) -> npt.NDArray[np.int64]:
    """Return the sum of distances of each candidate, beyond every possible sum where it is not connected.

    Bit s of row r says that router s is within the distance reached so far of r.
    """
    many = len(candidates)
    neighbours = np.zeros((many, num_routers * _DEGREE), dtype=np.int64)
    which = np.arange(many)[:, None]
    neighbours[which, candidates[:, :, 0]] = candidates[:, :, 1] // _DEGREE
    neighbours[which, candidates[:, :, 1]] = candidates[:, :, 0] // _DEGREE
    rows = (neighbours + which * num_routers).reshape(-1, _DEGREE)
    routers = np.arange(num_routers)
    itself = np.zeros((num_routers, _num_words(num_routers)), dtype=np.uint64)
    itself[routers, routers // 64] = np.uint64(1) << (routers % 64).astype(np.uint64)
    within = np.tile(itself, (many, 1))
    sums = np.zeros(many, dtype=np.int64)
    for _ in range(num_routers):
        reached = np.bitwise_count(within).reshape(many, -1).sum(axis=1, dtype=np.int64)
        missing = num_routers**2 - reached
        if not missing.any():
            break
        sums += missing
        within = within | np.bitwise_or.reduce([within[row] for row in rows.T], axis=0)
    return sums


def _num_words(num_routers: int) -> int:
    return (num_routers + 63) // 64
