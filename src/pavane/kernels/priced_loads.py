"""What the messages buy, and which channels they load, when every one takes the cheapest path.

Prices are whole numbers of at least 1, so that costs are exact, equal paths are equally dear and no cycle is free.
Shortest paths are cheapest paths too: a surcharge on every channel, larger than any path costs, makes fewer channels
cheaper than more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

FAR = np.int64(2**62)
"""The cost of a router that cannot be reached."""


class Wiring(NamedTuple):
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


class Demand(NamedTuple):
    """The messages, by the routers that they come from; S sources and R routers."""

    sources: Array
    """int32 (S)."""
    amounts: Array
    """int64 (S, R): amounts[row, router] messages go from sources[row] to a router."""


class Tariff(NamedTuple):
    """What a channel costs; C channels."""

    prices: Array
    """int64 (C), from 1 on."""
    surcharge: int
    """What every channel costs besides, or 0."""


class Scratch(NamedTuple):
    """Room to work in; R routers."""

    costs: Array
    """int64 (R): what it costs to get from the source to each router, surcharges included."""
    amounts: Array
    """float64 (R): what still has to be brought to each router."""
    queue: Array
    """int32 (R): the routers that wait for their turn, in a ring."""
    is_waiting: Array
    """bool (R)."""


def add_loads(demand: Demand, wiring: Wiring, tariff: Tariff, loads: Array) -> int:
    """Add to the loads, float64 (C), and return what is paid in all, surcharges left out.

    Messages spread evenly over the channels by which cheapest paths enter each router.
    """
    num_routers = len(wiring.out_offsets) - 1
    scratch = Scratch(
        np.empty(num_routers, dtype=np.int64),
        np.empty(num_routers, dtype=np.float64),
        np.empty(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.bool_),
    )
    paid = np.int64(0)
    for row in range(len(demand.sources)):
        find_cheapest(demand.sources[row], wiring, tariff, scratch)
        for router in range(num_routers):
            scratch.amounts[router] = demand.amounts[row, router]
        spread_loads(wiring, tariff, scratch, loads)
        paid += cost_of(demand.amounts[row], tariff, scratch)
    return int(paid)


def find_cheapest(source: int, wiring: Wiring, tariff: Tariff, scratch: Scratch) -> None:
    """Write what the cheapest path to every router costs.

    Routers make offers to their neighbours, first come first served, until none is better (Moore 1959). With the
    surcharge every router has its turn once.
    """
    costs, queue, is_waiting = scratch.costs, scratch.queue, scratch.is_waiting
    out_offsets, out_channels, heads = wiring.out_offsets, wiring.out_channels, wiring.heads
    prices, surcharge = tariff.prices, tariff.surcharge
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
            offer = costs[tail] + prices[channel] + surcharge
            if offer < costs[head]:
                costs[head] = offer
                if not is_waiting[head]:
                    end = begin + size
                    queue[end if end < num_routers else end - num_routers] = head
                    size += 1
                    is_waiting[head] = True


def spread_loads(wiring: Wiring, tariff: Tariff, scratch: Scratch, loads: Array) -> None:
    """Bring the amounts to their routers along cheapest paths, the dearest router first, and add to the loads."""
    costs, amounts = scratch.costs, scratch.amounts
    in_offsets, in_channels, tails = wiring.in_offsets, wiring.in_channels, wiring.tails
    prices, surcharge = tariff.prices, tariff.surcharge
    order = np.argsort(costs)
    for turn in range(len(order) - 1, 0, -1):
        head = order[turn]
        if amounts[head] == 0.0 or costs[head] == FAR:
            continue
        num_ways = 0
        for index in range(in_offsets[head], in_offsets[head + 1]):
            channel = in_channels[index]
            if costs[tails[channel]] + prices[channel] + surcharge == costs[head]:
                num_ways += 1
        if num_ways == 0:
            continue
        share = amounts[head] / num_ways
        for index in range(in_offsets[head], in_offsets[head + 1]):
            channel = in_channels[index]
            if costs[tails[channel]] + prices[channel] + surcharge == costs[head]:
                loads[channel] += share
                amounts[tails[channel]] += share


def cost_of(amounts: Array, tariff: Tariff, scratch: Scratch) -> int:
    """Return what the messages of one source pay, surcharges left out; amounts are int64 (R)."""
    paid = 0
    for router in range(len(amounts)):
        if amounts[router] > 0:
            cost = scratch.costs[router]
            if tariff.surcharge > 0:
                cost = cost % tariff.surcharge
            paid += amounts[router] * cost
    return paid
