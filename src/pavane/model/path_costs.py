"""The cheapest paths of a network whose channels have prices: among all paths, or among the shortest ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.distances import breadth_first
from pavane.model.incidence import Incidence
from pavane.model.network import Network
from pavane.model.routing import FAR

MOST_JOINED = 4
"""How many groups of routers that reach each other for nothing are looked for."""


def cheapest_paths(network: Network, weights: Longs, sources: npt.NDArray[np.integer], minimal: bool) -> Longs:
    """Return the cheapest path from each source router to every router, among the shortest ones if `minimal`."""
    distances = network.distance_rows(sources).astype(np.int64)
    if network.num_channels == 0 or weights.min() == weights.max():
        return np.where(distances < 0, FAR, distances * weights.max(initial=0))
    if not minimal:
        return _anyhow(network, weights, sources)
    costs = np.full((len(sources), network.num_routers), FAR, dtype=np.int64)
    costs[np.arange(len(sources)), sources] = 0
    _relax_by_level(network, weights, distances, costs)
    return costs


def _relax_by_level(network: Network, weights: Longs, distances: Longs, costs: Longs) -> None:
    """Follow the channels that lead one level away from each source, level by level."""
    tails, heads = network.tails, network.heads
    rows, channels = np.nonzero((distances[:, tails] >= 0) & (distances[:, tails] + 1 == distances[:, heads]))
    levels = distances[rows, tails[channels]]
    order = np.argsort(levels, kind="stable")
    rows, channels = rows[order], channels[order]
    bounds = np.searchsorted(levels[order], np.arange(int(levels.max(initial=0)) + 2))
    for first, last in pairwise(bounds.tolist()):
        row, channel = rows[first:last], channels[first:last]
        np.minimum.at(costs, (row, heads[channel]), costs[row, tails[channel]] + weights[channel])


def _anyhow(network: Network, weights: Longs, sources: npt.NDArray[np.integer]) -> Longs:
    """Return the cheapest path from each source to every router, however long."""
    joined = _joined_for_nothing(network, weights)
    starts, row_of = np.unique(joined[sources], return_inverse=True)
    costs = np.full((len(starts), int(joined.max()) + 1), FAR, dtype=np.int64)
    costs[np.arange(len(starts)), starts] = 0
    tails, heads = joined[network.tails], joined[network.heads]
    order = np.argsort(heads, kind="stable")
    order = order[tails[order] != heads[order]]
    if len(order):
        _relax_until_settled(tails[order], heads[order], weights[order], costs)
    return costs[row_of][:, joined]


def _joined_for_nothing(network: Network, weights: Longs) -> Longs:
    """Number the routers so that those that reach each other over channels without a price share a number.

    Where few channels have a price nearly all are joined, and where a cut has one, each side is.
    """
    free = np.flatnonzero(weights == 0)
    tails, heads = network.tails[free], network.heads[free]
    out, back = Incidence.of(tails, network.num_routers), Incidence.of(heads, network.num_routers)
    numbers = np.arange(MOST_JOINED, MOST_JOINED + network.num_routers)
    degrees = np.bincount(tails, minlength=network.num_routers)
    for number in range(MOST_JOINED):
        start = np.array([np.where(numbers < MOST_JOINED, -1, degrees).argmax()])
        is_joined = (breadth_first(out, heads, start) >= 0) & (breadth_first(back, tails, start) >= 0)
        numbers[is_joined] = np.minimum(numbers[is_joined], number)
    return np.unique(numbers, return_inverse=True)[1]


def _relax_until_settled(tails: Longs, heads: Longs, weights: Longs, costs: Longs) -> None:
    """Let every channel make its offer until none is better; channels are sorted by their heads."""
    heads, groups = np.unique(heads, return_index=True)
    while True:
        offers = np.minimum.reduceat(costs[:, tails] + weights, groups, axis=1)
        best = np.minimum(offers, costs[:, heads])
        if np.array_equal(best, costs[:, heads]):
            return
        costs[:, heads] = best
