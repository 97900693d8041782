"""Bounds by prices: every counting bound on private messages is a price on channels and ports.

Put a price, a whole number >= 0, on each channel and port. In one step the network can sell at most the sum of
capacity times price; every message must buy a path from its origin to its target. So the number of steps is at least
the cheapest paths of all messages together, divided by what one step sells. Equal prices on all channels give the sum
of distances over the number of channels, prices on a cut the bisection bound with its messages that cross twice, a
price on one port the port bound (gecco08 section 3, Table 2).

The sums are whole numbers, so the bound is exact. The certificate is the price list; its checker is a shortest-path
run.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.network import Network
from pavane.model.path_costs import cheapest_paths
from pavane.model.problem import Problem
from pavane.model.routing import FAR
from pavane.model.switch_hops import unfolded_hops


@dataclass(frozen=True)
class CertificatePrices:
    """A price on each channel, and on each processor's injection and ejection port."""

    channels: Longs
    injection: Longs
    ejection: Longs

    @classmethod
    def of(
        cls,
        problem: Problem,
        channels: npt.ArrayLike = (),
        injection: npt.ArrayLike = (),
        ejection: npt.ArrayLike = (),
        price: int = 1,
    ) -> CertificatePrices:
        """Put one price on the listed channels and on the ports of the listed processors."""
        network = problem.network
        columns = []
        for listed, size in (
            (channels, network.num_channels),
            (injection, network.num_processors),
            (ejection, network.num_processors),
        ):
            column = np.zeros(size, dtype=np.int64)
            column[np.asarray(listed, dtype=np.int64)] = price
            columns.append(column)
        return cls(*columns)


# -- bounds and their certificates


def priced(problem: Problem, prices: CertificatePrices, argument: str) -> Bound:
    """Return the bound that a price list proves."""
    certificate = {
        "channels": _groups(prices.channels),
        "injection": _groups(prices.injection),
        "ejection": _groups(prices.ejection),
    }
    exact = Fraction(bought(problem, prices), sold_per_step(problem, prices))
    return Bound(ceil(exact), argument, certificate, exact)


def price_list(problem: Problem, certificate: dict[str, Any]) -> CertificatePrices:
    """Read the prices of a certificate that a maker wrote, or the judge has proven."""
    network = problem.network
    return CertificatePrices(
        _column(certificate["channels"], network.num_channels),
        _column(certificate["injection"], network.num_processors),
        _column(certificate["ejection"], network.num_processors),
    )


def figures_of(problem: Problem, bound: Bound) -> tuple[CertificatePrices, int, int]:
    """Return the prices of a bound, what the messages must buy at them, and what one step sells."""
    prices = price_list(problem, bound.certificate)
    return prices, bought(problem, prices), sold_per_step(problem, prices)


def _groups(column: Longs) -> list[list[int]]:
    """Write a column of prices as groups: a price, then the channels that have it."""
    return [[price, *np.flatnonzero(column == price).tolist()] for price in np.unique(column[column > 0]).tolist()]


def _column(groups: list[list[int]], size: int) -> Longs:
    """Read what `_groups` has written."""
    column = np.zeros(size, dtype=np.int64)
    for price, *members in groups:
        column[members] = price
    return column


# -- what is sold, and what must be bought


def sold_per_step(problem: Problem, prices: CertificatePrices) -> int:
    """Return the sum of capacity times price; the dearer channel of a half-duplex link stands for both."""
    per_unit = np.zeros(problem.network.num_channels, dtype=np.int64)
    np.maximum.at(per_unit, problem.units, prices.channels)
    return int(
        (per_unit * problem.network.capacity).sum()
        + (problem.injection.astype(np.int64) * prices.injection).sum()
        + (problem.ejection.astype(np.int64) * prices.ejection).sum()
    )


def bought(problem: Problem, prices: CertificatePrices) -> int:
    """Return what the cheapest admissible paths of all messages cost together."""
    network = problem.network
    ends = int((prices.injection * problem.num_sent).sum() + (prices.ejection * problem.num_received).sum())
    if not prices.channels.any() and problem.rules.switching == "wormhole":
        return ends
    origins, targets = problem.ends.T
    weights, passing = prices.channels, np.zeros(network.num_routers, dtype=np.int64)
    if problem.rules.switching == "store-and-forward":
        # Every hop ends at a processor and is sent again from there; a pure switch has no ports.
        passing = cheapest_stop(network, prices)
        weights = weights + passing[network.heads]
    minimal = problem.rules.routing == "minimal" and problem.rules.switching == "wormhole"
    router_of, hops = network.router_of, unfolded_hops(problem)
    if hops is not None:
        network, passing = hops.network, np.pad(passing, (0, hops.network.num_routers - len(passing)))
        weights = prices.channels[hops.channel_of] + passing[network.heads]
    # Messages per pair of routers, so that a million of them cost no more than the pairs.
    is_home = np.zeros(network.num_routers, dtype=bool)
    is_home[router_of[origins]] = True
    homes = np.flatnonzero(is_home)
    row_of = np.zeros(network.num_routers, dtype=np.int64)
    row_of[homes] = network.num_routers * np.arange(len(homes))
    pairs = row_of[router_of[origins]]
    pairs += router_of[targets]
    demand = np.bincount(pairs, minlength=len(homes) * network.num_routers).reshape(len(homes), network.num_routers)
    total = ends
    batch = max(1, 4_000_000 // max(network.num_channels, 1))
    for first in range(0, len(homes), batch):
        rows = slice(first, first + batch)
        if problem.restriction is None:
            costs = cheapest_paths(network, weights, homes[rows], minimal)
        else:
            costs = problem.restriction.cheapest(weights, homes[rows])
        # The last hop ends at the target itself, whose ejection is counted above.
        if passing.any():
            costs = np.where(costs > 0, costs - passing[None, :], costs)
        total += int((costs * demand[rows]).sum())
    return total


def cheapest_stop(network: Network, prices: CertificatePrices) -> Longs:
    """Return the least that a stop at each router costs: ejection and injection at one of its processors."""
    stop = np.full(network.num_routers, FAR, dtype=np.int64)
    np.minimum.at(stop, network.router_of, prices.ejection + prices.injection)
    return np.where(stop == FAR, 0, stop)
