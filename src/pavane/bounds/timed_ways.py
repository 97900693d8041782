"""How long transfers take between routers, and when they can hold a channel, for the makers of timed bounds.

Times are float64: exact, because they are whole numbers far below 2^53.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra, floyd_warshall

from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.problem import Problem

MOST_LEVELS = 16
"""Of more different times that channels take, longer paths are counted with the next lower of so many."""


class TransferTimes:
    """What transfers of so many bytes may do, with tables of the least times between all routers.

    Under store-and-forward a transfer has one channel; otherwise it runs through switches that pass, or by wormhole
    through any router, and holds its channels as long as the slowest takes.
    """

    def __init__(self, problem: Problem, size: int) -> None:
        self.problem, network = problem, problem.network
        self.tails, self.heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
        self.num_routers = network.num_routers
        links = problem.timing.links
        self.latencies, self.busy = links.latencies.astype(np.float64), links.all_busy(size)
        is_whole = problem.rules.switching == "wormhole"
        self.is_single = not is_whole and problem.rules.switches == "hold"
        self.is_direct = is_whole and problem.pattern == "private"
        """Whether a message goes in one transfer from its origin to its target."""
        has_processors = ~problem.is_switch
        self.rests: Flags = np.ones(self.num_routers, dtype=bool) if self.is_single else has_processors
        self.passes: Flags = (np.full(self.num_routers, is_whole) | ~has_processors) & (not self.is_single)
        values = np.unique(self.busy)
        self.levels: Longs = values[:: -(-len(values) // MOST_LEVELS)] if len(values) else values
        self.level_of = np.searchsorted(self.levels, self.busy, side="right") - 1
        self.holds = self.holds_of(size)
        self.distances = self._closed(self.latencies + self.busy)
        """Times along channels one by one, for choosing sets: also to switches where nothing rests."""
        if self.is_single:
            self.times = self.distances
        elif self.is_direct:
            self.times = self._closed(self.latencies)
        else:
            self.times = self._by_hops(self.hop_costs(self.latencies, with_hold=True))
        self.up = self.along(np.where(self.rests, 0.0, np.inf), self.latencies)

    def _closed(self, costs: Reals) -> Reals:
        """Return the least cost between all routers along channels."""
        return np.floor(dijkstra(self._graph(self.tails, self.heads, costs, self.num_routers)))

    @staticmethod
    def _graph(tails: Longs, heads: Longs, costs: Reals, size: int) -> csr_array:
        """Return a graph with the cheapest of parallel channels."""
        order = np.lexsort((costs, heads, tails))
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(tails[order]) != 0) | (np.diff(heads[order]) != 0)
        kept = order[first]
        # A cost of 0 would be no channel: a ten thousandth stands for it, and is rounded away.
        return csr_array((costs[kept] + 1e-4, (tails[kept], heads[kept])), shape=(size, size))

    def hop_costs(self, costs: Reals, *, with_hold: bool = False) -> Reals:
        """Return the least cost of one transfer between routers where messages rest.

        With hold: the costs of its channels and its hold. Without: the costs of its channels, times its hold.
        """
        size = self.num_routers
        found = np.full((size, size), np.inf)
        starts = np.flatnonzero(self.rests)
        for level, value in enumerate(self.levels.tolist()):
            fast = self.level_of <= level
            tails, heads = self.tails[fast], self.heads[fast]
            passing, resting = self.passes[heads], self.rests[heads]
            some = costs[fast] if with_hold else costs[fast] * value
            # Where a transfer ends is another place than where one runs through.
            graph = self._graph(
                np.concatenate((tails[passing], tails[resting])),
                np.concatenate((heads[passing], heads[resting] + size)),
                np.concatenate((some[passing], some[resting])),
                2 * size,
            )
            ends = np.floor(dijkstra(graph, indices=starts)[:, size:]) + (value if with_hold else 0)
            found[starts] = np.minimum(found[starts], ends)
        return found

    def _by_hops(self, hops: Reals) -> Reals:
        np.fill_diagonal(hops, 0.0)
        return np.asarray(floyd_warshall(hops), dtype=np.float64)

    def cheapest(self, prices: Longs) -> Reals:
        """Return what data pay at least between routers: the prices of channels times how long they are held."""
        if self.is_single:
            return self._closed((prices * self.busy).astype(np.float64))
        hops = self.hop_costs(prices.astype(np.float64))
        np.fill_diagonal(hops, 0.0)
        if self.is_direct:
            return hops
        # No edge is what cannot be reached, also where one costs nothing.
        return np.floor(np.asarray(floyd_warshall(hops + 1e-4)))

    def holds_of(self, size: int) -> Longs:
        """Return how long a transfer over each channel holds it at least: what passes a switch came over another."""
        busy = self.problem.timing.links.all_busy(size)
        slowest = []
        for tails, heads in ((self.tails, self.heads), (self.heads, self.tails)):
            hold = np.where(self.rests, 0, 2**62)
            on = self.passes[heads]
            while True:
                before = hold.copy()
                np.minimum.at(hold, heads[on], np.maximum(hold[tails[on]], busy[on]))
                if np.array_equal(before, hold):
                    break
            slowest.append(hold)
        return np.maximum(busy, np.maximum(slowest[0][self.tails], slowest[1][self.heads]))

    def along(self, first: Reals, costs: Reals, *, backwards: bool = False) -> Reals:
        """Return the least cost to each router within a transfer that starts with a cost at some; or backwards."""
        tails, heads = (self.heads, self.tails) if backwards else (self.tails, self.heads)
        least, on = first.copy(), self.passes[heads]
        tails, heads, some = tails[on], heads[on], costs[on]
        while True:
            before = least.copy()
            np.minimum.at(least, heads, least[tails] + some)
            if np.array_equal(before, least):
                return least

    def windows(self, sources: Longs, targets: Longs) -> tuple[Reals, Reals]:
        """Return the lead and the rest of each channel for data from some routers to others; inf if it has no use."""
        before, after = self.times[sources].min(axis=0), self.times[:, targets].min(axis=1)
        if self.is_direct:
            lead, up, down = np.where(np.isfinite(before), 0.0, np.inf), before, after
        elif self.is_single:
            lead, up, down = before, self.up, after
        else:
            lead = self.along(np.where(self.rests, before, np.inf), np.zeros(len(self.tails)))
            up = self.up
            down = self.along(np.where(self.rests, after, np.inf), self.latencies, backwards=True)
        return lead[self.tails], up[self.tails] + self.latencies + down[self.heads]
