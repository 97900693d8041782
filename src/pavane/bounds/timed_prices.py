"""A lower bound on the end of a timed alltoall, or of any private messages, by prices on channels.

A message pays for every channel of its way the price times how long it holds it, and no less than on the cheapest way.
All messages together pay no more than the prices times the windows in which channels can be held. The least end with
which that holds is the bound. The best prices are the dual values of a linear program, in which fractions of messages
take any ways and every channel is held no longer than its window. Rounded to whole numbers they prove a bound whatever
they are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.timed_ways import TransferTimes
from pavane.model.arrays import Reals
from pavane.model.bound import FinishBound
from pavane.model.switch_hops import hops
from pavane.model.timed import TimedProblem

NAME = "timed-prices"

MOST_PRICE = 10**6
"""The price of the dearest channel: prices are rounded to so many parts of it."""

MOST_PAID = 2**51
"""What a message may pay at most, so that all sums are exact."""

MOST_FLOWS = 10_000
"""Variables of the linear program, one a source and hop: more take longer than a second or two."""

SECONDS = 3.0
"""Time limit of the linear program."""


def best_prices(timed: TimedProblem) -> FinishBound | None:
    """Return the best bound by prices; None where there is none."""
    problem = timed.problem
    if problem.pattern != "private" or not problem.num_messages or not problem.network.num_channels:
        return None
    priced = _Priced(timed)
    bounds = [bound for prices in priced.lists() if (bound := priced.bound(prices)) is not None]
    return max(bounds, key=lambda bound: bound.finish, default=None)


class _Priced:
    """The windows of units, and what messages between routers pay."""

    def __init__(self, timed: TimedProblem) -> None:
        self.timed, problem = timed, timed.problem
        self.homes = problem.network.router_of.astype(np.int64)
        self.ends = self.homes[problem.ends.astype(np.int64)]
        self.units = problem.units.astype(np.int64)
        self.ways = {size: TransferTimes(timed, size) for size in np.unique(timed.message_bytes).tolist()}
        least = self.ways[min(self.ways)]
        lead, rest = least.windows(np.unique(self.ends[:, 0]), np.unique(self.ends[:, 1]))
        used = np.isfinite(lead + rest)
        size = len(self.units)
        leads, rests = np.full(size, np.inf), np.full(size, np.inf)
        np.minimum.at(leads, self.units[used], lead[used])
        np.minimum.at(rests, self.units[used], rest[used])
        self.lost = leads + rests
        """Of each unit; inf where it has no use."""

    def lists(self) -> Iterator[Reals]:
        """Yield prices of units that may prove something."""
        yield np.ones(len(self.units))
        best = self._by_linear_program()
        if best is not None and best.max() > 0:
            yield best

    def bound(self, per_unit: Reals) -> FinishBound | None:
        """Return the bound that prices prove, rounded to whole numbers."""
        longest = max(int(ways.busy.max()) for ways in self.ways.values())
        most = min(MOST_PRICE, MOST_PAID // (longest * len(self.homes) + 1))
        if most < 1:
            return None
        prices = np.rint(per_unit / per_unit.max() * most).astype(np.int64)[self.units]
        total = 0
        for size, ways in self.ways.items():
            paid = ways.cheapest(prices)
            own = self.ends[self.timed.message_bytes == size]
            total += int(paid[own[:, 0], own[:, 1]].astype(np.int64).sum())
        own_unit = np.flatnonzero((self.units == np.arange(len(self.units))) & np.isfinite(self.lost) & (prices > 0))
        if not len(own_unit) or not total:
            return None
        windows = sorted(zip(self.lost[own_unit].astype(np.int64).tolist(), prices[own_unit].tolist(), strict=True))
        # Between what two units lose, what all are worth grows evenly.
        worth = lost_worth = 0
        finish = 0
        for at, (lost, price) in enumerate(windows):
            worth, lost_worth = worth + price, lost_worth + lost * price
            finish = -(-(total + lost_worth) // worth)
            if at + 1 == len(windows) or finish <= windows[at + 1][0]:
                break
        groups: dict[int, list[int]] = {}
        for channel, price in enumerate(prices.tolist()):
            if price:
                groups.setdefault(price, []).append(channel)
        certificate = {"prices": [[price, *channels] for price, channels in sorted(groups.items())]}
        return FinishBound(finish, NAME, certificate)

    def _by_linear_program(self) -> Reals | None:
        """Return the dual values of "a unit is held within its window", where the end is minimized.

        One commodity per source; its flows along hops leave the source and end where its messages do. By wormhole
        flows change channels at any router, which proves no less.
        """
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        problem, network = self.timed.problem, self.timed.problem.network
        is_stored = problem.rules.switching == "store-and-forward"
        paths = [hop.path for hop in hops(problem)] if is_stored else [(c,) for c in range(network.num_channels)]
        sources = np.unique(self.ends[:, 0])
        if not paths or len(paths) * len(sources) > MOST_FLOWS:
            return None
        size = max(self.ways)
        busy = self.ways[size].busy
        holds = np.array([busy[list(path)].max() for path in paths], dtype=float)
        scale = holds.mean()
        tails, heads = (network.channels[[path[at] for path in paths], side] for at, side in ((0, 0), (-1, 1)))
        count, num_routers = len(paths), network.num_routers
        flow = np.arange(count * len(sources)) + 1
        source, hop = np.divmod(flow - 1, count)
        demand = np.zeros((len(sources), num_routers))
        np.add.at(demand, (np.searchsorted(sources, self.ends[:, 0]), self.ends[:, 1]), self.timed.message_bytes / size)
        demand[np.arange(len(sources)), sources] = -(demand.sum(axis=1) - demand[np.arange(len(sources)), sources])
        rows = np.concatenate((source * num_routers + heads[hop], source * num_routers + tails[hop]))
        values = np.concatenate((np.ones(len(flow)), -np.ones(len(flow))))
        kept = csr_array((values, (rows, np.tile(flow, 2))), shape=(demand.size, len(flow) + 1))
        used = np.flatnonzero(np.isfinite(self.lost))
        line_of = np.full(len(self.units), -1)
        line_of[used] = np.arange(len(used))
        pairs = [(line_of[self.units[c]], at) for at, path in enumerate(paths) for c in path]
        lines, at = np.array([pair for pair in pairs if pair[0] >= 0]).T
        columns = (np.arange(len(sources))[:, None] * count + at).reshape(-1) + 1
        loads = np.tile(holds[at] / scale, len(sources))
        entries = np.concatenate((loads, -np.ones(len(used))))
        where = np.concatenate((np.tile(lines, len(sources)), np.arange(len(used))))
        held = csr_array((entries, (where, np.concatenate((columns, np.zeros(len(used), dtype=np.int64))))))
        solution = linprog(  # type: ignore[call-overload]  # the stubs do not know sparse matrices
            np.concatenate(([1.0], np.zeros(len(flow)))),
            A_ub=held,
            b_ub=-self.lost[used] / scale,
            A_eq=kept,
            b_eq=demand.reshape(-1),
            method="highs-ipm",
            options={"time_limit": SECONDS},
        )
        if solution.status != 0:
            return None
        prices = np.zeros(len(self.units))
        prices[used] = np.maximum(-np.asarray(solution.ineqlin.marginals), 0.0)
        return prices
