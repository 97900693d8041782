"""The papers' lower bounds, for any network, collective and rules (gecco07 Table 1, gecco08 Table 2, noc Table 1).

Each function yields the bounds of one argument; `lower_bounds` collects them. A reduction is bounded as the broadcast
it is when read backwards.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pavane.bounds.bisections import bisection
from pavane.bounds.cuts import Cut, arriving, leaving, volume
from pavane.bounds.growth import informed
from pavane.bounds.prices import Prices, bought, sold_per_step
from pavane.model.bound import Bound
from pavane.model.problem import Problem

MOST_ROUTERS_BISECTED = 1024
"""Above this a good bisection takes longer than it is worth; the other bounds remain."""


def ports(problem: Problem) -> Iterator[Bound]:
    """Yield the most that one processor must send, or receive, over its ports: (P - 1) / k of the papers."""
    if problem.rules.combining:
        return
    if problem.pattern == "private":
        for column, capacity, argument in (
            (0, problem.injection, "injection"),
            (1, problem.ejection, "ejection"),
        ):
            loads = np.bincount(problem.labels[:, column], minlength=problem.network.num_processors)
            busiest = int((loads / np.maximum(capacity, 1)).argmax())
            one = [busiest]
            prices = Prices.of(problem, injection=one) if column == 0 else Prices.of(problem, ejection=one)
            yield priced(problem, prices, argument)
    else:
        receivers = np.array(sorted(problem.collective.receivers), dtype=np.int64)
        wanted = problem.num_messages - np.isin(receivers, problem.labels[:, 0])
        busiest = int(receivers[(wanted / np.maximum(problem.ejection[receivers], 1)).argmax()])
        yield Bound(arriving(problem, busiest).steps, "ejection", {"processor": busiest})


def routers(problem: Problem) -> Iterator[Bound]:
    """Yield the most that must pass the channels of one router, where processors share it or ports exceed them."""
    if problem.rules.combining:
        return
    network = problem.network
    homes = np.unique(network.router_of).tolist()
    if network.is_slim and network.num_routers > 256:
        return  # on slim routers the ports say nearly the same, at once
    if problem.pattern == "private":
        start, end = (network.router_of[problem.labels[:, side]] for side in (0, 1))
        moving = start != end
        for ends, degrees, rim in (
            (start[moving], network.out_degrees, network.tails),
            (end[moving], network.in_degrees, network.heads),
        ):
            loads = np.bincount(ends, minlength=network.num_routers)
            busiest = int((loads / np.maximum(degrees, 1)).argmax())
            if loads[busiest]:
                yield priced(problem, Prices.of(problem, np.flatnonzero(rim == busiest)), "router")
    else:
        best = Cut(0, 1), np.zeros(0, dtype=bool)
        for home in homes:
            inside = np.arange(network.num_routers) == home
            for side in (inside, ~inside):
                cut = leaving(problem, side)
                if cut.steps > best[0].steps:
                    best = cut, side
        if best[0].num_messages:
            yield Bound(best[0].steps, "router", {"routers": np.flatnonzero(best[1]).tolist()})


def distances(problem: Problem) -> Iterator[Bound]:
    """Yield the channel uses over the channels (gecco08 section 3), and under store-and-forward the longest way."""
    network = problem.network
    if problem.pattern == "private" and not problem.rules.combining and network.num_channels:
        everything = Prices.of(problem, np.arange(network.num_channels))
        yield priced(problem, everything, "sum-of-distances")
        if problem.rules.switching == "store-and-forward":
            # Every hop is sent and received by a processor, those on the way included.
            for prices in (
                Prices.of(problem, injection=np.arange(network.num_processors)),
                Prices.of(problem, ejection=np.arange(network.num_processors)),
            ):
                if sold_per_step(problem, prices):
                    yield priced(problem, prices, "relays")
    if problem.pattern == "broadcast" and not problem.rules.combining:
        cut = volume(problem)
        if cut.num_messages:
            yield Bound(cut.steps, "volume", {})
    if problem.rules.switching == "store-and-forward":
        yield longest_way(problem)


def halves(problem: Problem) -> Iterator[Bound]:
    """Yield what must cross between two halves of the network: P^2 / (2 B_C), with the messages that cross twice."""
    network = problem.network
    if problem.rules.combining or not 2 <= network.num_routers <= MOST_ROUTERS_BISECTED:
        return
    inside = np.zeros(network.num_routers, dtype=bool)
    inside[list(bisection(network).side)] = True
    out = inside[network.tails] & ~inside[network.heads]
    back = inside[network.heads] & ~inside[network.tails]
    if problem.pattern == "private":
        for crossing in (out | back, out, back) if network.num_routers <= 128 else (out | back,):
            if crossing.any():
                yield priced(problem, Prices.of(problem, np.flatnonzero(crossing)), "bisection")
    else:
        for side in (inside, ~inside):
            cut = leaving(problem, side)
            if cut.num_messages:
                yield Bound(cut.steps, "bisection", {"routers": np.flatnonzero(side).tolist()})


def busiest_channel(problem: Problem) -> Iterator[Bound]:
    """Yield the load of the busiest channel where every message has one path, as under dimension-order (noc section 2).

    On a torus of even size messages have a choice; there the best prices on channels say more.
    """
    network, restriction = problem.network, problem.restriction
    if restriction is None or problem.pattern != "private" or problem.rules.combining:
        return
    starts, ends = (network.router_of[problem.labels[:, side]] for side in (0, 1))
    homes, row_of = np.unique(starts, return_inverse=True)
    demand = np.zeros((len(homes), network.num_routers), dtype=np.int64)
    np.add.at(demand, (row_of, ends), 1)
    loads = np.zeros(network.num_channels, dtype=np.int64)
    batch = max(1, 4_000_000 // max(network.num_channels, 1))
    for first in range(0, len(homes), batch):
        mine = restriction.loads(homes[first : first + batch], demand[first : first + batch])
        if mine is None:
            return
        np.add.at(loads, problem.units, mine)
    if loads.any():
        busiest = np.flatnonzero(problem.units == loads.argmax())
        yield priced(problem, Prices.of(problem, busiest), "busiest-channel")


def growth(problem: Problem) -> Iterator[Bound]:
    """Yield the steps until the processors informed by one origin are enough: log(P) / log(k + 1) of the papers.

    Under combining a receiver may hear from many origins at once, so the same argument holds for it backwards.
    """
    if problem.pattern == "private" and not problem.rules.combining:
        return
    for argument, backwards, ports in (
        ("growth", False, problem.injection),
        ("gathering", True, problem.ejection),
    ):
        if backwards and not problem.rules.combining:
            continue
        members = np.unique(problem.labels[:, 1 if backwards and problem.pattern == "private" else 0])
        if backwards and problem.pattern == "broadcast":
            members = np.unique(problem.collective.receivers)
        if problem.pattern == "private":
            counts = np.bincount(problem.labels[:, int(backwards)])[members].tolist()
        else:
            other = problem.collective.senders if backwards else problem.collective.receivers
            counts = (len(other) - np.isin(members, other)).tolist()
        # The one with the most others to reach, and among those the one with the fewest ports.
        worst = max(range(len(members)), key=lambda i: (counts[i], -int(ports[members[i]]), -i))
        place = int(members[worst])
        reached = informed(problem, place, counts[worst], backwards=backwards)
        yield Bound(len(reached) - 1, argument, {"origin": place, "informed": reached})


def longest_way(problem: Problem) -> Bound:
    """Return the bound of the message that has farthest to go, one channel a step."""
    network = problem.network
    best = (-1, 0, 0)
    receivers = np.array(sorted(problem.collective.receivers), dtype=np.int64)
    for origin in np.unique(problem.labels[:, 0]).tolist():
        mine = receivers[receivers != origin]
        if problem.pattern == "private":
            mine = problem.labels[problem.labels[:, 0] == origin, 1]
        ways = network.distances_from(int(network.router_of[origin]))[network.router_of[mine]]
        farthest = int(ways.argmax())
        if ways[farthest] > best[0]:
            best = (int(ways[farthest]), origin, int(mine[farthest]))
    return Bound(max(best[0], 1), "distance", {"from": best[1], "to": best[2]})


def priced(problem: Problem, prices: Prices, argument: str) -> Bound:
    """Return the bound that a price list proves."""
    certificate = {
        "channels": _listed(prices.channels),
        "injection": _listed(prices.injection),
        "ejection": _listed(prices.ejection),
    }
    steps = -(-bought(problem, prices) // sold_per_step(problem, prices))
    return Bound(steps, argument, certificate)


def _listed(column: npt.NDArray[np.int64]) -> list[list[int]]:
    """Write a price column as groups: a price, then who has it."""
    return [[price, *np.flatnonzero(column == price).tolist()] for price in np.unique(column[column > 0]).tolist()]


ARGUMENTS = (ports, routers, distances, halves, busiest_channel, growth)
