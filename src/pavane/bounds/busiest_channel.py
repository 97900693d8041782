"""The bound by the busiest channel: what no admissible path can avoid.

Where every message has one path, as under dimension-order (noc section 2), that is its load. On a torus of even size
messages have a choice; there the best prices on channels say more. Elsewhere a bridge, or a narrow place, may have to
carry more than an even share of the whole network says: messages are spread evenly over their cheapest paths, and the
channels that carry the most are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.prices import CertificatePrices, priced
from pavane.bounds.traffic import Traffic
from pavane.model.bound import Bound
from pavane.model.problem import Problem

NAME = "busiest-channel"

LEAST_ROUTERS = 21
"""On smaller networks the bisection is exact, and the best prices take no time."""

MOST_PLACES = 4
"""How many of the links that carry most are looked at."""

MOST_PAIRS = 50_000_000
"""Above this many pairs of source and channel spreading the messages takes too long for what it is worth."""

MOST_PAIRS_UNCOMPILED = 20_000
"""Up to this many pairs of source and channel take less time than loading machine code."""

MOST_HOPS_AT_ONCE = 4_000_000
"""The number of pairs of source and channel that are looked at together, for memory's sake."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the load of the busiest channel."""
    network, restriction = problem.network, problem.restriction
    if problem.pattern != "private" or problem.rules.combining:
        return
    if restriction is None:
        yield from _at_narrow_places(problem)
        return
    starts, ends = (network.router_of[problem.ends[:, side]] for side in (0, 1))
    homes, row_of = np.unique(starts, return_inverse=True)
    demand = np.zeros((len(homes), network.num_routers), dtype=np.int64)
    np.add.at(demand, (row_of, ends), 1)
    loads = np.zeros(network.num_channels, dtype=np.int64)
    batch = max(1, MOST_HOPS_AT_ONCE // max(network.num_channels, 1))
    for first in range(0, len(homes), batch):
        mine = restriction.loads(homes[first : first + batch], demand[first : first + batch])
        if mine is None:
            return
        np.add.at(loads, problem.units, mine)
    if loads.any():
        busiest = np.flatnonzero(problem.units == (loads / network.capacity).argmax())
        yield priced(problem, CertificatePrices.of(problem, busiest), NAME)


def _at_narrow_places(problem: Problem) -> Iterator[Bound]:
    """Yield the bounds of the links that carry most, where they say more than the sum of distances.

    Where all routers have the same number of channels there is hardly a narrow place, and none is looked for; nor on
    small networks, where the best prices are found at once.
    """
    network = problem.network
    if network.num_routers < LEAST_ROUTERS:
        return
    degrees = np.concatenate((network.in_degrees, network.out_degrees))
    traffic = None if network.is_slim and (degrees == degrees[0]).all() else Traffic.of(problem)
    if traffic is None or traffic.num_pairs > MOST_PAIRS:
        return
    if traffic.num_pairs > MOST_PAIRS_UNCOMPILED:
        traffic.compile()
    # Channels cost 1 and ports nothing.
    hops, loads = traffic.buy((np.arange(traffic.num_units) < traffic.num_links).astype(np.int64))
    # Parallel channels are one place; so are, under half duplex, the two ways of a link.
    joins = np.sort(network.channels, axis=1) if problem.rules.duplex == "half" else network.channels
    places, place_of = np.unique(joins, axis=0, return_inverse=True)
    place_of = place_of.reshape(-1)
    units, first = np.unique(traffic.unit_of, return_index=True)
    carried = np.bincount(place_of[first], weights=loads[units], minlength=len(places))
    widths = np.bincount(place_of[first], weights=traffic.capacity[units], minlength=len(places))
    fullest = np.argsort(-carried / np.maximum(widths, 1), kind="stable")[:MOST_PLACES]
    room = int(traffic.capacity[: traffic.num_links].sum())
    for place in fullest:
        bound = priced(problem, CertificatePrices.of(problem, np.flatnonzero(place_of == place)), NAME)
        if bound.figure * room > hops + room:
            yield bound
