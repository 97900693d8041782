"""The cheapest way from many routers to every router at once, for the checkers of certificates.

`costs[router, column]` is what it costs to get from the column's source to a router. Each router looks at the channels
into it, whatever the source, and takes the cheapest; routers take turns, first to last and then last to first, until
nothing gets cheaper. Costs are whole numbers.

Where paths must be shortest a channel is taken only if it leads one hop farther away from the source. Where that holds
for every hop over routers without processors (`by_hops`), hops are priced first, and then joined. Under restricted
routing (noc section 2) hops come in phases, so that the phases are settled one after the other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem

FAR = 2**60
"""The cost of what cannot be reached."""


class Inlet(NamedTuple):
    """The channels into one router."""

    head: int
    tails: Longs
    """Shape (channels,)."""
    prices: Longs
    """Shape (channels, 1)."""


def inlets(problem: Problem, channels: Longs, prices: Longs) -> list[Inlet]:
    """Sort the listed channels by the router that they lead to."""
    network = problem.network
    by_head = channels[np.argsort(network.heads[channels], kind="stable")]
    firsts = np.searchsorted(network.heads[by_head], np.arange(network.num_routers + 1)).tolist()
    return [
        Inlet(router, network.tails[mine].astype(np.int64), prices[mine][:, None])
        for router, (first, last) in enumerate(pairwise(firsts))
        if len(mine := by_head[first:last])
    ]


def settle(costs: Longs, into: list[Inlet], away: Longs | None = None, arriving: Longs | None = None) -> None:
    """Lower the costs until no channel offers a cheaper way; with `away`, only by channels that lead away.

    How far away a router is where a channel leads is said by `arriving`, if that differs.
    """
    arriving = away if arriving is None else arriving
    is_settled = False
    while not is_settled:
        is_settled = True
        for head, tails, prices in into:
            offers = costs[tails] + prices
            if away is not None and arriving is not None:
                offers[away[tails] + 1 != arriving[head]] = FAR
            best = offers.min(axis=0)
            if (best < costs[head]).any():
                np.minimum(costs[head], best, out=costs[head])
                is_settled = False
        into = into[::-1]


def started(problem: Problem, sources: Longs) -> Longs:
    """Return the costs before anything has moved: nothing at each source, and far for all else."""
    costs = np.full((problem.network.num_routers, len(sources)), FAR, dtype=np.int64)
    costs[sources, np.arange(len(sources))] = 0
    return costs


def anyhow(problem: Problem, prices: Longs, sources: Longs, stops: Longs) -> Longs:
    """Return the cheapest ways of any length, where a stop on the way has its own price."""
    costs = started(problem, sources)
    columns = np.arange(len(sources))
    # A stop is paid when the path continues; the source itself is not a stop.
    costs[sources, columns] = -stops[sources]
    everything = np.arange(problem.network.num_channels)
    settle(costs, inlets(problem, everything, prices + stops[problem.network.tails]))
    costs[sources, columns] = 0
    return costs


def by_hops(problem: Problem, prices: Longs, sources: Longs, stops: Longs) -> Longs:
    """Return the cheapest ways of hops, shortest paths over routers without processors, with stops between them."""
    size = problem.network.num_routers
    homes = np.unique(problem.network.router_of).astype(np.int64)
    everything = np.arange(problem.network.num_channels)
    away, hop_costs = started(problem, homes), started(problem, homes)
    settle(away, inlets(problem, everything, np.ones_like(prices)))
    # A hop leaves its own source, and goes on from routers without processors only.
    leads_on = np.ones((size, len(homes)), dtype=bool)
    leads_on[homes] = homes[:, None] == homes
    settle(hop_costs, inlets(problem, everything, prices), np.where(leads_on, away, FAR), away)
    costs, columns = started(problem, sources), np.arange(len(sources))
    costs[sources, columns] = -stops[sources]
    into = [
        Inlet(int(home), homes[mine], (hop_costs[home, mine] + stops[homes[mine]])[:, None])
        for home in homes
        if len(mine := np.flatnonzero((hop_costs[home] < FAR) & (homes != home)))
    ]
    settle(costs, into)
    costs[sources, columns] = 0
    return costs


def along_paths(problem: Problem, prices: Longs, sources: Longs) -> Longs:
    """Return the cheapest paths that one wormhole transfer may take."""
    everything = np.arange(problem.network.num_channels)
    if problem.rules.routing == "any":
        return anyhow(problem, prices, sources, np.zeros(problem.network.num_routers, dtype=np.int64))
    costs = started(problem, sources)
    if problem.rules.routing == "minimal":
        away = started(problem, sources)
        settle(away, inlets(problem, everything, np.ones_like(prices)))
        settle(costs, inlets(problem, everything, prices), away)
        return costs
    away = _grid_distances(problem, sources)
    for channels in _phases(problem):
        settle(costs, inlets(problem, channels, prices), away)
    return costs


# -- meshes and tori


def _grid_distances(problem: Problem, sources: Longs) -> Longs:
    """Return the hops from each source to every router in the grid without faults, one column a source."""
    grid = problem.network.grid
    assert grid is not None
    everywhere = np.unravel_index(np.arange(problem.network.num_routers), grid.sizes)
    total = np.zeros((problem.network.num_routers, len(sources)), dtype=np.int64)
    for at, size, wraps in zip(everywhere, grid.sizes, grid.wraps, strict=True):
        apart = abs(at[:, None] - at[sources])
        total += np.minimum(apart, size - apart) if wraps else apart
    return total


def _phases(problem: Problem) -> list[Longs]:
    """Return the channels that a path may take first, then those that it may take after them, and so on."""
    grid = problem.network.grid
    assert grid is not None
    sizes, routing = grid.sizes, problem.rules.routing
    tails, heads = problem.network.tails, problem.network.heads
    if grid.is_reversed:
        tails, heads = heads, tails
    start, end = (np.array(np.unravel_index(ends, sizes)) for ends in (tails, heads))
    axis = (start != end).argmax(axis=0)
    hop = (end - start)[axis, np.arange(len(axis))]
    # A hop of more than one wraps around: it goes the other way than the numbers do.
    is_back = (hop == -1) | (hop > 1)
    if routing == "dimension-order":
        phases = [np.flatnonzero(axis == dimension) for dimension in reversed(range(len(sizes)))]
    elif routing == "west-first":
        west = (axis == 1) & is_back
        phases = [np.flatnonzero(west), np.flatnonzero(~west)]
    else:
        north = (axis == 0) & is_back
        phases = [np.flatnonzero(~north), np.flatnonzero(north)]
    # Read backwards, a path keeps the order that it has on the network itself.
    return phases[::-1] if grid.is_reversed else phases
