"""Lower bounds on the end of timed schedules: what must enter a set of routers, over channels that are held in windows.

Every piece that some sources send to a target enters a set S of routers around the target. A channel c into S can be
held from `lead` on, the least time from a source to its tail, until `rest` before the end, the least time on to the
target. With the time `busy` that a piece holds it, floor((end - lead - rest) / busy) pieces go over c. The least end
with which the pieces fit is the bound. It contains the bounds by distance (one source), by what a router receives (S is
the router alone) and by cuts. By wormhole, and over switches that pass, only latencies count, and a transfer over c may
have started at any processor before c: the earliest of these makes the lead, and the nearest one adds to the rest.

Sets are balls around routers, what is left without them, and what is left in one piece without the slowest channels.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.bound import FinishBound
from pavane.model.duals import dual
from pavane.model.timed import TimedProblem

NAME = "timed-cut"

MOST_SETS = 400
"""Sets of routers that are tried: more take longer than a second on 64 routers and rarely prove more."""


def timed_bounds(timed: TimedProblem) -> tuple[FinishBound, ...]:
    """Return the highest bound by timed cuts, if there is one."""
    if timed.problem.pattern == "allreduce":
        return ()
    if timed.problem.pattern == "reduction":
        return timed_bounds(TimedProblem(dual(timed.problem), timed.links, timed.num_bytes))
    best = max(_Cuts(timed).bounds(), key=lambda bound: bound.finish, default=None)
    return () if best is None else (best,)


class _Cuts:
    """The cuts of one problem, with the least times between routers."""

    def __init__(self, timed: TimedProblem) -> None:
        self.timed, self.problem, self.network = timed, timed.problem, timed.problem.network
        self.size = int(timed.message_bytes.min())
        self.busy = timed.links.all_busy(self.size)
        self.is_whole = self.problem.rules.switching == "wormhole" or self.problem.passes_switches
        """Whether a transfer may run over several channels, so that only latencies are sure to pass between them."""
        self.homes = self.network.router_of.astype(np.int64)

    @cached_property
    def times(self) -> Reals:
        """The least times between routers; exact, because they are far below 2^53 ps."""
        costs = self.timed.links.latencies + (0 if self.is_whole else self.busy)
        ends = (self.network.tails, self.network.heads)
        order = np.lexsort((costs, ends[1], ends[0]))
        first = np.ones(len(order), dtype=bool)
        first[1:] = (np.diff(ends[0][order]) != 0) | (np.diff(ends[1][order]) != 0)
        kept = order[first]
        size = self.network.num_routers
        # A cost of 0 would be no channel: one picosecond in a thousand parts stands for it, and is rounded away.
        graph = csr_array(((costs[kept] + 1e-4), (ends[0][kept], ends[1][kept])), shape=(size, size))
        return np.floor(dijkstra(graph))

    def bounds(self) -> Iterator[FinishBound]:
        """Yield the bounds of all sets."""
        for inside in self._sets():
            yield from (self._private if self.problem.pattern == "private" else self._broadcast)(inside)

    def _sets(self) -> Iterator[Flags]:
        """Yield sets of routers: single ones, balls, what is outside of them, and parts without slow channels."""
        seen: set[bytes] = set()
        for inside in self._all_sets():
            if inside.any() and not inside.all() and inside.tobytes() not in seen:
                seen.add(inside.tobytes())
                yield inside
                if len(seen) >= MOST_SETS:
                    return

    def _all_sets(self) -> Iterator[Flags]:
        routers = np.unique(self.homes)
        everything = np.arange(self.network.num_routers)
        for router in routers.tolist():
            yield everything == router
            yield everything != router
        for limit in np.unique(self.busy)[1:].tolist():
            fast = self.busy < limit
            graph = csr_array(
                (np.ones(fast.sum()), (self.network.tails[fast], self.network.heads[fast])),
                shape=(len(everything),) * 2,
            )
            count, labels = connected_components(graph, directed=False)
            for label in range(min(count, len(everything) // 2)):
                yield labels == label
        for router in routers.tolist():
            reach = self.times[:, router]
            for radius in np.unique(reach[np.isfinite(reach)])[1:-1].tolist():
                yield reach <= radius
                yield reach > radius

    def _broadcast(self, inside: Flags) -> Iterator[FinishBound]:
        """Yield the bounds for the targets inside, by all sources outside and by the farther ones."""
        origins = self.problem.ends[:, 0].astype(np.int64)
        receivers = np.array(self.problem.collective.receivers, dtype=np.int64)
        targets = receivers[inside[self.homes[receivers]]]
        outside = origins[~inside[self.homes[origins]]]
        if not len(targets) or not len(outside):
            return
        # Of many targets inside, the one farthest from the border has the least time left.
        border = np.unique(self.network.heads[self._crossing(inside)])
        far = targets[np.argmax(self.times[border][:, self.homes[targets]].min(axis=0))] if len(border) else targets[0]
        away = self.times[self.homes[outside]][:, border].min(axis=1) if len(border) else np.zeros(len(outside))
        for level in _levels(away):
            chosen = outside[away >= level]
            finish = self._least_end(inside, self.homes[np.unique(chosen)], self.homes[[far]], len(chosen))
            if finish is not None:
                certificate = {
                    "sources": np.unique(chosen).tolist(),
                    "routers": np.flatnonzero(inside).tolist(),
                    "target": int(far),
                }
                yield FinishBound(finish, NAME, certificate)

    def _private(self, inside: Flags) -> Iterator[FinishBound]:
        """Yield the bounds of messages from outside to inside: of all, and of those with farther ends."""
        origins, targets = self.problem.ends.T.astype(np.int64)
        crosses = ~inside[self.homes[origins]] & inside[self.homes[targets]]
        crossing = self._crossing(inside)
        if not crosses.any() or not len(crossing):
            return
        origins, targets = origins[crosses], targets[crosses]
        before = self.times[self.homes[origins]][:, self.network.tails[crossing]].min(axis=1)
        after = self.times[self.network.heads[crossing]][:, self.homes[targets]].min(axis=0)
        for lead in _levels(before):
            for rest in _levels(after):
                chosen = (before >= lead) & (after >= rest)
                if not chosen.any():
                    continue
                sources, ends = np.unique(origins[chosen]), np.unique(targets[chosen])
                finish = self._least_end(inside, self.homes[sources], self.homes[ends], int(chosen.sum()))
                if finish is not None:
                    certificate = {
                        "sources": sources.tolist(),
                        "routers": np.flatnonzero(inside).tolist(),
                        "targets": ends.tolist(),
                    }
                    yield FinishBound(finish, NAME, certificate)

    def _starting_points(self, before: Reals) -> tuple[Reals, Reals]:
        """Return for each router when a transfer through it can have started, and the least latency to it.

        A private message by wormhole starts at its origin; others at any processor from which a transfer runs there:
        through any router, or through switches that pass.
        """
        if self.problem.rules.switching == "wormhole" and self.problem.pattern == "private":
            return np.zeros(len(before)), before
        has_processors = np.zeros(self.network.num_routers, dtype=bool)
        has_processors[self.homes] = True
        lead, up = np.where(has_processors, before, np.inf), np.where(has_processors, 0.0, np.inf)
        tails, heads = self.network.tails, self.network.heads
        runs_on = np.ones(len(tails), dtype=bool)
        if self.problem.rules.switching != "wormhole":
            runs_on = ~has_processors[heads]
        tails, heads, latencies = tails[runs_on], heads[runs_on], self.timed.links.latencies[runs_on]
        while True:
            old = lead.copy(), up.copy()
            np.minimum.at(lead, heads, lead[tails])
            np.minimum.at(up, heads, up[tails] + latencies)
            if np.array_equal(old[0], lead) and np.array_equal(old[1], up):
                return lead, up

    def _crossing(self, inside: Flags) -> Longs:
        return np.flatnonzero(~inside[self.network.tails] & inside[self.network.heads])

    def _least_end(self, inside: Flags, sources: Longs, targets: Longs, need: int) -> int | None:
        """Return the least end with which so many pieces fit into the windows of the channels into a set."""
        crossing = self._crossing(inside)
        before = self.times[sources].min(axis=0)
        lead, up = before, np.zeros(len(before))
        if self.is_whole:
            lead, up = self._starting_points(before)
        rest = self.times[:, targets].min(axis=1)[self.network.heads[crossing]]
        lost = (lead + up)[self.network.tails[crossing]] + rest
        is_used = np.isfinite(lost)
        if not is_used.any():
            return None
        lost = lost[is_used].astype(np.int64) + self.timed.links.latencies[crossing][is_used]
        busy = np.maximum(self.busy[crossing][is_used], 1)

        def has_room(end: int) -> bool:
            return int((np.maximum(end - lost, 0) // busy).sum()) >= need

        low, high = 0, 1
        while not has_room(high):
            low, high = high, 2 * high
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if has_room(middle) else (middle, high)
        return high


def _levels(times: Reals) -> list[float]:
    """Return a few of the different times, the least and the largest among them."""
    levels = np.unique(times[np.isfinite(times)])
    return sorted({*levels[:: max(1, len(levels) // 3)].tolist(), *levels[-1:].tolist()})
