"""Checks certificates that put prices on channels and ports.

A step sells no more than capacity times price, added up; every message must buy a way from its origin to its target.
So there are at least as many steps as the cheapest ways of all messages cost together over what one step sells.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.judge.cheapest_ways import FAR, along_paths, anyhow, by_hops
from pavane.judge.checkers import checks
from pavane.judge.facts import is_passed, is_stored, links, ports, shared, whole
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem

MOST_COSTS = 4_000_000
"""The number of costs, one a router and source, that are looked for at once."""

MOST_HOPPED = 512
"""Between more routers with processors than these, hops over switches are not priced one by one."""


class PriceList(NamedTuple):
    """The prices that a certificate lists; what it does not name costs nothing."""

    channels: Longs
    """Shape (channels,)."""
    injection: Longs
    """Shape (processors,)."""
    ejection: Longs
    """Shape (processors,)."""


@checks("prices", ("private",), key="channels", counts_loads=True)
def by_prices(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps that a price list proves; under combining each message may be relayed."""
    prices = read_prices(problem, bound.certificate)
    sold = _sold(problem, prices)
    if not sold:
        raise InputError("a price list that prices nothing proves nothing")
    return shared(_bought(problem, prices, relayed=problem.rules.combining), sold)


def read_prices(problem: Problem, certificate: dict[str, Any]) -> PriceList:
    """Return the prices of a certificate; ValueError where they are not whole numbers of what is there."""
    network = problem.network
    prices = PriceList(
        _column(certificate["channels"], network.num_channels),
        _column(certificate["injection"], network.num_processors),
        _column(certificate["ejection"], network.num_processors),
    )
    # Sums are of 64 bits: prices are refused that might wrap round, and then prove anything.
    dearest = max(int(column.max(initial=0)) for column in prices)
    num_ports = sum(sum(side) for side in ports(problem))
    # A way has fewer channels than there are routers, and a stop on it costs two ports.
    longest = 3 * network.num_routers + 2
    if dearest * max(int(network.capacity.sum(dtype=np.int64)) + num_ports, longest * problem.num_messages) >= FAR:
        raise ValueError(f"prices up to {dearest:,} are too high to be added up")
    return prices


def _column(groups: Any, size: int) -> Longs:
    """Read groups of a price and the numbers of the channels that have it."""
    column = np.zeros(size, dtype=np.int64)
    for price, *members in groups:
        if not (type(price) is int and 0 <= price < 2**31):
            raise ValueError(f"a price must be a whole number, not {price!r}")
        for member in members:
            if not 0 <= whole(member) < size:
                raise ValueError(f"prices name what does not exist: {size} are there")
            column[member] = price
    return column


def _sold(problem: Problem, prices: PriceList) -> int:
    """Return capacity times price, added up; of a half-duplex link the dearer channel counts."""
    dearest: dict[int, int] = {}
    for link, price in zip(links(problem), prices.channels.tolist(), strict=True):
        dearest[link] = max(price, dearest.get(link, 0))
    capacity: list[int] = problem.network.capacity.tolist()
    sold = sum(capacity[link] * price for link, price in dearest.items())
    for capacities, column in zip(ports(problem), (prices.injection, prices.ejection), strict=True):
        sold += sum(capacity * price for capacity, price in zip(capacities, column.tolist(), strict=True))
    return sold


def _bought(problem: Problem, prices: PriceList, *, relayed: bool) -> int:
    """Return what the cheapest ways of all messages cost together."""
    home = problem.network.router_of.astype(np.int64)
    total = int((prices.injection * problem.num_sent).sum() + (prices.ejection * problem.num_received).sum())
    if not is_stored(problem) and not prices.channels.any():
        return total
    origins, targets = problem.ends[:, 0], problem.ends[:, 1]
    stops = _stops(problem, prices)
    sources, column = np.unique(home[origins], return_inverse=True)
    # Messages between each pair of routers, so that a million of them cost no more than the pairs.
    wanted = np.zeros((problem.network.num_routers, len(sources)), dtype=np.int64)
    np.add.at(wanted, (home[targets], column), 1)
    batch = max(1, MOST_COSTS // problem.network.num_routers)
    for first in range(0, len(sources), batch):
        some = slice(first, first + batch)
        if _takes_hops(problem):
            costs = by_hops(problem, prices.channels, sources[some], stops)
        elif relayed or is_stored(problem):
            costs = anyhow(problem, prices.channels, sources[some], stops)
        else:
            costs = along_paths(problem, prices.channels, sources[some])
        total += int((costs * wanted[:, some]).sum())
    return total


def _takes_hops(problem: Problem) -> bool:
    """Return whether ways are priced hop by hop over switches.

    Where many routers have processors, ways of any hops are looked for: they are no dearer.
    """
    is_minimal = is_passed(problem) and problem.rules.routing == "minimal"
    return is_minimal and len(set(problem.network.router_of.tolist())) <= MOST_HOPPED


def _stops(problem: Problem, prices: PriceList) -> Longs:
    """Return what a stop at each router costs under store-and-forward: the two ports of its cheapest processor.

    A pure switch has no ports. A wormhole stops nowhere, or if it does, what that costs is left out.
    """
    stops = np.zeros(problem.network.num_routers, dtype=np.int64)
    if is_stored(problem):
        through = (prices.injection + prices.ejection).tolist()
        homes = problem.network.router_of.tolist()
        for processor in sorted(range(len(homes)), key=through.__getitem__, reverse=True):
            # The cheapest comes last.
            stops[homes[processor]] = through[processor]
    return stops
