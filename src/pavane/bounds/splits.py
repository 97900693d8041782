"""The bisection of a network: two halves of its processors with as few channels between them as possible.

The width counts channels both ways, as the papers' B_C does (gecco08 section 3). It is exact for up to 20 routers, by
trying every split; above that it is the best of several splits (routers in number order, breadth-first orders, random
orders with a fixed seed), each improved by exchanging routers between the halves as long as that helps, and therefore
an upper bound on the width. Halves are as equal as the processors on the routers allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pavane.errors import expect
from pavane.model.arrays import Flags, Longs
from pavane.model.network import Network

MOST_ROUTERS_EXACT = 20
MOST_ROUTERS_IMPROVED = 2048


@dataclass(frozen=True)
class Bisection:
    """A split of the routers, and how many channels run between its halves, both ways together.

    A channel counts as often as its capacity says.
    """

    side: tuple[int, ...]
    """The routers of one half."""
    num_channels: int
    exact: bool
    """Whether no split has fewer channels; else num_channels is an upper bound on the width."""


@lru_cache(maxsize=8)
def bisection(network: Network) -> Bisection:
    """Split the processors of a network into halves with few channels between them.

    Args:
        network: The network.

    Returns:
        One half, the number of channels between both, and whether no split has fewer.

    Example:
        >>> pavane.bisection(pavane.network("octagon")).num_channels
        8
    """
    expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
    if network.num_routers <= MOST_ROUTERS_EXACT:
        side = _exact(network)
    else:
        splits = [_improved(network, split) for split in _splits(network)]
        side = min(splits, key=lambda split: _crossing(network, split))
    if side[0]:
        side = ~side
    return Bisection(
        tuple(np.flatnonzero(side).tolist()),
        _crossing(network, side),
        network.num_routers <= MOST_ROUTERS_EXACT,
    )


def _crossing(network: Network, side: Flags) -> int:
    return int(network.capacity[side[network.tails] != side[network.heads]].sum())


def _weights(network: Network) -> Longs:
    return np.bincount(network.router_of, minlength=network.num_routers)


def _exact(network: Network) -> Flags:
    """Try every split, as bit masks, with the last router on the side of zeros."""
    num_routers = network.num_routers
    masks = np.arange(1 << (num_routers - 1), dtype=np.uint32)
    weights = _weights(network)
    share = np.zeros(len(masks), dtype=np.int64)
    for router in range(num_routers):
        share += ((masks >> router) & 1) * weights[router]
    uneven = np.abs(2 * share - network.num_processors)
    masks = masks[uneven == uneven.min()]
    width = np.zeros(len(masks), dtype=np.int32)
    for (tail, head), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True):
        width += (((masks >> tail) ^ (masks >> head)) & 1).astype(np.int32) * capacity
    best = int(masks[width.argmin()])
    return np.array([best >> router & 1 for router in range(num_routers)], dtype=bool)


def _splits(network: Network) -> Iterator[Flags]:
    """Yield halves of several orders of the routers."""
    num_routers = network.num_routers
    orders = [np.arange(num_routers)]
    orders += [np.argsort(network.distances_from(start), kind="stable") for start in (0, num_routers // 2)]
    rng = np.random.default_rng(0)
    orders += [rng.permutation(num_routers) for _ in range(4 if num_routers <= 256 else 1)]
    weights = _weights(network)
    for order in orders:
        side = np.zeros(num_routers, dtype=bool)
        side[order[_first_half(weights[order])]] = True
        yield side


def _first_half(weights: Longs) -> Flags:
    """Mark routers that carry half the processors, or as nearly as possible, early ones where there is a choice."""
    half = int(weights.sum()) // 2
    if len(np.unique(weights[weights > 0])) <= 1:
        return np.cumsum(weights) <= half
    # Bit t of sums[i]: the last i routers have a subset of t processors.
    sums, mask = [1], (2 << half) - 1
    for weight in weights[::-1].tolist():
        sums.append((sums[-1] | sums[-1] << weight) & mask)
    left = sums.pop().bit_length() - 1
    taken = np.zeros(len(weights), dtype=bool)
    for index, weight in enumerate(weights.tolist()):
        rest = sums.pop()
        if left and weight <= left and rest >> (left - weight) & 1:
            taken[index], left = True, left - weight
    return taken


def _improved(network: Network, side: Flags) -> Flags:
    """Exchange routers of equal weight, and move pure switches, while that lowers the number of crossing channels.

    Of each half only the 64 routers that would gain most by themselves are tried.
    """
    if network.num_routers > MOST_ROUTERS_IMPROVED:
        return side
    num_routers = network.num_routers
    joins = np.zeros((num_routers, num_routers), dtype=np.int32)
    np.add.at(joins, (network.tails, network.heads), network.capacity)
    joins += joins.T.copy()
    weights = _weights(network)
    side = side.copy()
    gain = (joins * np.where(side[:, None] != side[None, :], 1, -1)).sum(axis=1)

    def move(router: int) -> None:
        side[router] = not side[router]
        gain[:] += np.where(side == side[router], -2, 2) * joins[router]
        gain[router] = -gain[router]

    while True:
        movable = np.where(weights == 0, gain, 0)
        if movable.max(initial=0) > 0:
            move(int(movable.argmax()))
            continue
        halves = [np.flatnonzero(half) for half in (side, ~side)]
        ours, theirs = (half[np.argsort(-gain[half], kind="stable")[:64]] for half in halves)
        swap = gain[ours][:, None] + gain[theirs][None, :] - 2 * joins[np.ix_(ours, theirs)]
        swap = np.where(weights[ours][:, None] == weights[theirs][None, :], swap, 0)
        if swap.max(initial=0) <= 0:
            return side
        a, b = np.unravel_index(int(swap.argmax()), swap.shape)
        move(int(ours[a]))
        move(int(theirs[b]))
