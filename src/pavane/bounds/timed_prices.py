"""A lower bound on the end of a timed alltoall, or of any private messages, by prices on channels.

A message pays for every channel of its way the price times how long it holds it, and no less than on the cheapest way.
All messages together pay no more than the prices times the windows in which channels can be held. The least end with
which that holds is the bound. The best prices are the dual values of a linear program, in which fractions of messages
take any ways and every channel is held no longer than its window. Rounded to whole numbers they prove a bound whatever
they are.

Where all transfers hold a unit equally long, whole ones fit into its window. Then the end is not a variable of the
program: with the best bound so far it says how many fit, and the dual values prove a higher bound as long as the
messages need more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from pavane.bounds.timed_ways import TransferTimes
from pavane.model.arrays import Flags, Longs, Reals
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.switch_hops import hops

NAME = "timed-prices"

MOST_PRICE = 10**6
"""The price of the dearest channel: prices are rounded to so many parts of it."""

MOST_PAID = 2**51
"""What a message may pay at most, so that all sums are exact."""

MOST_FLOWS = 10_000
"""Variables of the linear program, one a source and hop: more take longer than a second or two."""

SECONDS = 3.0
"""Time limit of the linear program."""

MOST_WHOLE_FLOWS = 20_000
"""Variables of all programs with whole transfers together: each raises the bound, at first by some hundredths."""


def best_prices(problem: Problem) -> Bound | None:
    """Return the best bound by prices; None where there is none."""
    if problem.pattern != "private" or not problem.num_messages or not problem.network.num_channels:
        return None
    priced = _Priced(problem)
    bounds = [bound for prices in priced.lists() if (bound := priced.bound(prices)) is not None]
    best = max(bounds, key=lambda bound: bound.figure, default=None)
    for _ in range(MOST_WHOLE_FLOWS // max(1, priced.num_flows) if priced.holds.max() > 1 else 0):
        prices = None if best is None else priced.by_linear_program(best.figure)
        bound = None if prices is None or not prices.max() else priced.bound(prices)
        if best is None or bound is None or bound.figure <= best.figure:
            break
        best = bound
    return best


class _Priced:
    """The windows of units, and what messages between routers pay."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.homes = problem.network.router_of.astype(np.int64)
        self.ends = self.homes[problem.ends.astype(np.int64)]
        self.units = problem.units.astype(np.int64)
        self.ways = {size: TransferTimes(problem, size) for size in np.unique(problem.message_bytes).tolist()}
        least = self.ways[min(self.ways)]
        lead, rest = least.windows(np.unique(self.ends[:, 0]), np.unique(self.ends[:, 1]))
        used = np.isfinite(lead + rest)
        size = len(self.units)
        leads, rests = np.full(size, np.inf), np.full(size, np.inf)
        np.minimum.at(leads, self.units[used], lead[used])
        np.minimum.at(rests, self.units[used], rest[used])
        self.lost = leads + rests
        """Of each unit; inf where it has no use."""
        self.holds = self._holds(used)
        """How long each transfer holds each unit; 1 where they differ."""
        self.paths, self.sources = self._paths(), np.unique(self.ends[:, 0])
        self.num_flows = len(self.paths) * len(self.sources)

    def _holds(self, used: Flags) -> Longs:
        busy, size = self.ways[min(self.ways)].busy, len(self.units)
        longest, shortest = np.ones(size, dtype=np.int64), np.full(size, 2**62)
        np.maximum.at(longest, self.units[used], busy[used])
        np.minimum.at(shortest, self.units[used], busy[used])
        is_even = self.ways[min(self.ways)].is_single and len(self.ways) == 1
        return np.where(is_even & (longest == shortest), longest, 1)

    def lists(self) -> Iterator[Reals]:
        """Yield prices of units that may prove something."""
        yield np.ones(len(self.units))
        best = self.by_linear_program()
        if best is not None and best.max() > 0:
            yield best

    def bound(self, per_unit: Reals) -> Bound | None:
        """Return the bound that prices prove, rounded to whole numbers."""
        longest = max(int(ways.busy.max()) for ways in self.ways.values())
        most = min(MOST_PRICE, MOST_PAID // (longest * len(self.homes) + 1))
        if most < 1:
            return None
        prices = np.rint(per_unit / per_unit.max() * most).astype(np.int64)[self.units]
        total = 0
        for size, ways in self.ways.items():
            paid = ways.cheapest(prices)
            own = self.ends[self.problem.message_bytes == size]
            total += int(paid[own[:, 0], own[:, 1]].astype(np.int64).sum())
        own_unit = np.flatnonzero((self.units == np.arange(len(self.units))) & np.isfinite(self.lost) & (prices > 0))
        if not len(own_unit) or not total:
            return None
        columns = self.lost[own_unit].astype(np.int64), self.holds[own_unit], prices[own_unit] * self.holds[own_unit]
        windows = list(zip(*(column.tolist() for column in columns), strict=True))

        def room(end: int) -> int:
            return sum(worth * (max(0, end - lost) // hold) for lost, hold, worth in windows)

        finish = bisect_left(range(2**62), total, key=room)
        groups: dict[int, list[int]] = {}
        for channel, price in enumerate(prices.tolist()):
            if price:
                groups.setdefault(price, []).append(channel)
        certificate = {"prices": [[price, *channels] for price, channels in sorted(groups.items())]}
        return Bound(finish, NAME, certificate, objective="finish")

    def by_linear_program(self, end: int | None = None) -> Reals | None:
        """Return the dual values of "a unit is held within its window", where the end is minimized.

        With an end, whole transfers fit into the windows, and how many times as long they would have to be is
        minimized. One commodity per source; its flows along hops leave the source and end where its messages do. By
        wormhole flows change channels at any router. What is minimized comes first among the variables, then the flows.
        """
        from scipy.optimize import linprog

        paths, sources = self.paths, self.sources
        if not 0 < self.num_flows <= MOST_FLOWS:
            return None
        busy = self.ways[max(self.ways)].busy
        holds = np.array([busy[list(path)].max() for path in paths], dtype=float)
        scale = holds.mean()
        kept, stays = self._kept(paths, sources)
        used = np.flatnonzero(np.isfinite(self.lost))
        room, lost = np.ones(len(used)), self.lost[used] / scale
        if end is not None:
            room, lost = np.maximum(end - self.lost[used], 0) // self.holds[used] * self.holds[used] / scale, 0 * lost
        solution = linprog(  # type: ignore[call-overload]  # the stubs do not know sparse matrices
            np.concatenate(([1.0], np.zeros(len(paths) * len(sources)))),
            A_ub=self._held(holds / scale, used, room),
            b_ub=-lost,
            A_eq=kept,
            b_eq=stays,
            method="highs-ipm",
            options={"time_limit": SECONDS},
        )
        if solution.status != 0:
            return None
        prices = np.zeros(len(self.units))
        prices[used] = np.maximum(-np.asarray(solution.ineqlin.marginals), 0.0)
        return prices

    def _paths(self) -> list[tuple[int, ...]]:
        """Return the channels of each hop."""
        problem = self.problem
        if problem.rules.switching == "store-and-forward":
            return [hop.path for hop in hops(problem)]
        return [(channel,) for channel in range(problem.network.num_channels)]

    def _kept(self, paths: list[tuple[int, ...]], sources: Longs) -> tuple[csr_array, Reals]:
        """Return that what enters a router less what leaves it stays there, for every source, in largest messages."""
        network, (count, size) = self.problem.network, (len(paths), len(sources))
        tails, heads = (network.channels[[path[at] for path in paths], side] for at, side in ((0, 0), (-1, 1)))
        source, hop = np.divmod(np.arange(count * size), count)
        rows = np.concatenate([source * network.num_routers + ends[hop] for ends in (heads, tails)])
        values = np.repeat([1.0, -1.0], count * size)
        columns = np.tile(np.arange(count * size) + 1, 2)
        stays = np.zeros((size, network.num_routers))
        shares = self.problem.message_bytes / max(self.ways)
        np.add.at(stays, (np.searchsorted(sources, self.ends[:, 0]), self.ends[:, 1]), shares)
        stays[np.arange(size), sources] = 0.0  # what ends where it begins takes no hop
        stays[np.arange(size), sources] = -stays.sum(axis=1)
        return csr_array((values, (rows, columns)), shape=(stays.size, count * size + 1)), stays.reshape(-1)

    def _held(self, holds: Reals, used: Longs, room: Reals) -> csr_array:
        """Return how long each unit is held by all flows, less the first variable times its room."""
        paths, size = self.paths, len(self.sources)
        line_of = np.full(len(self.units), -1)
        line_of[used] = np.arange(len(used))
        pairs = [(int(line_of[self.units[channel]]), at) for at, path in enumerate(paths) for channel in path]
        lines, at = np.array([pair for pair in pairs if pair[0] >= 0], dtype=np.int64).reshape(-1, 2).T
        flows = (np.arange(size)[:, None] * len(paths) + at).reshape(-1) + 1
        rows = np.concatenate((np.tile(lines, size), np.arange(len(used))))
        columns = np.concatenate((flows, np.zeros(len(used), dtype=np.int64)))
        values = np.concatenate((np.tile(holds[at], size), -room))
        return csr_array((values, (rows, columns)), shape=(len(used), len(paths) * size + 1))
