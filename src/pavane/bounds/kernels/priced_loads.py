"""What the messages buy at given prices, and which channels they load.

Every message pays for its cheapest path. Loads are softer: a path that is a little dearer is taken a little less often,
so that small changes of prices make small changes of loads. Prices are whole numbers of at least 1, so that costs are
exact, equal paths are equally dear and no cycle is free.

Where paths must be shortest, the channels that a source's messages may take are listed once (`list_ways`). Where any
path will do, they take channels that lead from a cheaper router to a dearer one (Dial 1971).
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

FAR = np.int64(2**62)
"""The cost of a router that cannot be reached."""

MOST_UNLIKELY = 30.0
"""A path whose share would be exp(-30) of the cheapest one's is not taken at all."""


class PricingGraph(NamedTuple):
    """The channels of a network, by the routers that they join; R routers and C channels."""

    out_offsets: Array
    """int32 (R + 1): the channels out of router r are out_channels[out_offsets[r]:out_offsets[r + 1]]."""
    out_channels: Array
    """int32 (C)."""
    in_offsets: Array
    """int32 (R + 1): the channels into router r are in_channels[in_offsets[r]:in_offsets[r + 1]]."""
    in_channels: Array
    """int32 (C)."""
    tails: Array
    """int32 (C): the router that each channel leaves."""
    heads: Array
    """int32 (C): the router that each channel enters."""


class PricedDemand(NamedTuple):
    """The messages, by the routers that they come from; S sources and R routers."""

    sources: Array
    """int32 (S)."""
    amounts: Array
    """int64 (S, R): amounts[row, router] messages go from sources[row] to a router."""


class PricedPaths(NamedTuple):
    """The channels that shortest paths from each source take, in the order in which paths do; S sources."""

    offsets: Array
    """int64 (S + 1), or (1) where paths need not be shortest."""
    channels: Array
    """int32 (W)."""


class Tariff(NamedTuple):
    """What a channel costs; C channels."""

    prices: Array
    """int64 (C), from 1 on."""
    sharpness: float
    """A path that costs more by x is taken exp(-sharpness * x) times as often."""


class PricingScratch(NamedTuple):
    """Room to work in; R routers and C channels."""

    costs: Array
    """int64 (R): what it costs to get from the source to each router."""
    amounts: Array
    """float64 (R): what still has to be brought to each router."""
    queue: Array
    """int32 (R): the routers that wait for their turn, in a ring."""
    is_waiting: Array
    """bool (R)."""
    ways: Array
    """int32 (C): channels that may be taken, in the order of their heads' costs."""
    shares: Array
    """float64 (C): how many paths come over each of the ways, each counted by its likelihood."""
    sums: Array
    """float64 (R): how many come to each router."""


def list_ways(sources: Array, wiring: PricingGraph, ways: PricedPaths) -> int:
    """Write which channels shortest paths from each source take and return their number; there is room for all."""
    num_routers = len(wiring.out_offsets) - 1
    away = np.empty(num_routers, dtype=np.int32)
    queue = np.empty(num_routers, dtype=np.int32)
    end = 0
    ways.offsets[0] = 0
    for row in range(len(sources)):
        away[:] = -1
        away[sources[row]] = 0
        queue[0] = sources[row]
        size = 1
        turn = 0
        while turn < size:
            tail = queue[turn]
            turn += 1
            for index in range(wiring.out_offsets[tail], wiring.out_offsets[tail + 1]):
                channel = wiring.out_channels[index]
                head = wiring.heads[channel]
                if away[head] < 0:
                    away[head] = away[tail] + 1
                    queue[size] = head
                    size += 1
                # Routers have their turns in the order of their distances, so all ways into a tail come before it.
                if away[head] == away[tail] + 1:
                    ways.channels[end] = channel
                    end += 1
        ways.offsets[row + 1] = end
    return end


def add_loads(demand: PricedDemand, wiring: PricingGraph, ways: PricedPaths, tariff: Tariff, loads: Array) -> int:
    """Add to the loads, float64 (C), and return what is paid in all."""
    num_routers, num_channels = len(wiring.out_offsets) - 1, len(wiring.heads)
    scratch = PricingScratch(
        np.empty(num_routers, dtype=np.int64),
        np.empty(num_routers, dtype=np.float64),
        np.empty(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.bool_),
        np.empty(num_channels, dtype=np.int32),
        np.empty(num_channels, dtype=np.float64),
        np.empty(num_routers, dtype=np.float64),
    )
    paid = np.int64(0)
    for row in range(len(demand.sources)):
        source = demand.sources[row]
        if len(ways.offsets) > 1:
            first = ways.offsets[row]
            num_ways = ways.offsets[row + 1] - first
            for index in range(num_ways):
                scratch.ways[index] = ways.channels[first + index]
            follow_ways(source, num_ways, wiring, tariff, scratch)
        else:
            find_cheapest(source, wiring, tariff, scratch)
            num_ways = find_ways(wiring, scratch)
        for router in range(num_routers):
            amount = demand.amounts[row, router]
            scratch.amounts[router] = amount
            if amount > 0:
                paid += amount * scratch.costs[router]
        spread_loads(source, num_ways, wiring, tariff, scratch, loads)
    return int(paid)


def follow_ways(source: int, num_ways: int, wiring: PricingGraph, tariff: Tariff, scratch: PricingScratch) -> None:
    """Write what the cheapest of the shortest paths to every router costs."""
    costs = scratch.costs
    costs[:] = FAR
    costs[source] = 0
    for index in range(num_ways):
        channel = scratch.ways[index]
        offer = costs[wiring.tails[channel]] + tariff.prices[channel]
        if offer < costs[wiring.heads[channel]]:
            costs[wiring.heads[channel]] = offer


def find_cheapest(source: int, wiring: PricingGraph, tariff: Tariff, scratch: PricingScratch) -> None:
    """Write what the cheapest path to every router costs.

    Routers make offers to their neighbours, first come first served, until none is better (Moore 1959).
    """
    costs, queue, is_waiting = scratch.costs, scratch.queue, scratch.is_waiting
    out_offsets, out_channels, heads = wiring.out_offsets, wiring.out_channels, wiring.heads
    prices = tariff.prices
    num_routers = len(costs)
    costs[:] = FAR
    costs[source] = 0
    queue[0] = source
    is_waiting[source] = True
    begin, size = 0, 1
    while size > 0:
        tail = queue[begin]
        begin = begin + 1 if begin + 1 < num_routers else 0
        size -= 1
        is_waiting[tail] = False
        for index in range(out_offsets[tail], out_offsets[tail + 1]):
            channel = out_channels[index]
            head = heads[channel]
            offer = costs[tail] + prices[channel]
            if offer < costs[head]:
                costs[head] = offer
                if not is_waiting[head]:
                    end = begin + size
                    queue[end if end < num_routers else end - num_routers] = head
                    size += 1
                    is_waiting[head] = True


def find_ways(wiring: PricingGraph, scratch: PricingScratch) -> int:
    """Write the channels that lead to a dearer router, by the costs of those routers, and return their number."""
    costs, num_ways = scratch.costs, 0
    order = np.argsort(costs)
    for turn in range(1, len(order)):
        head = order[turn]
        if costs[head] == FAR:
            break
        for index in range(wiring.in_offsets[head], wiring.in_offsets[head + 1]):
            channel = wiring.in_channels[index]
            if costs[wiring.tails[channel]] < costs[head]:
                scratch.ways[num_ways] = channel
                num_ways += 1
    return num_ways


def spread_loads(
    source: int, num_ways: int, wiring: PricingGraph, tariff: Tariff, scratch: PricingScratch, loads: Array
) -> None:
    """Bring the amounts to their routers over the ways, on each as its paths are likely, and add to the loads."""
    costs, amounts, sums, shares = scratch.costs, scratch.amounts, scratch.sums, scratch.shares
    sums[:] = 0.0
    sums[source] = 1.0
    for index in range(num_ways):
        channel = scratch.ways[index]
        tail, head = wiring.tails[channel], wiring.heads[channel]
        dearer = tariff.sharpness * (costs[tail] + tariff.prices[channel] - costs[head])
        share = 0.0
        if dearer == 0.0:
            share = sums[tail]
        elif dearer < MOST_UNLIKELY:
            share = sums[tail] * exp(-dearer)
        shares[index] = share
        sums[head] += share
    for index in range(num_ways - 1, -1, -1):
        channel = scratch.ways[index]
        tail, head = wiring.tails[channel], wiring.heads[channel]
        if shares[index] > 0.0 and amounts[head] > 0.0:
            load = amounts[head] * shares[index] / sums[head]
            loads[channel] += load
            amounts[tail] += load
