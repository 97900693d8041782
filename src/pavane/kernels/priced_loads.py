"""What the messages buy, and which channels they load, when every one takes the cheapest path.

Prices are whole numbers of at least 1, so that costs are exact, equal paths are equally dear and no cycle is free.
Shortest paths are cheapest paths too: a surcharge on every channel, larger than any path costs, makes fewer channels
cheaper than more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def priced_loads(
    sources: Array,
    demand: Array,
    out_offsets: Array,
    out_channels: Array,
    in_offsets: Array,
    in_channels: Array,
    tails: Array,
    heads: Array,
    prices: Array,
    surcharge: int,
    loads: Array,
) -> int:
    """Add to the loads, and return what is paid in all, surcharges left out.

    `demand[row, router]` messages go from `sources[row]` to a router; they spread evenly over the channels by which
    cheapest paths enter each router.
    """
    num_routers = len(out_offsets) - 1
    far = np.int64(2**62)
    costs = np.empty(num_routers, dtype=np.int64)
    waiting = np.zeros(num_routers, dtype=np.bool_)
    queue = np.empty(num_routers, dtype=np.int32)
    amounts = np.empty(num_routers, dtype=np.float64)
    paid = np.int64(0)
    for row in range(len(sources)):
        # Let routers make offers to their neighbours, first come first served, until none is better (Moore 1959). With
        # the surcharge every router has its turn once.
        costs[:] = far
        costs[sources[row]] = 0
        queue[0] = sources[row]
        waiting[sources[row]] = True
        begin, size = 0, 1
        while size > 0:
            tail = queue[begin]
            begin = begin + 1 if begin + 1 < num_routers else 0
            size -= 1
            waiting[tail] = False
            for at in range(out_offsets[tail], out_offsets[tail + 1]):
                channel = out_channels[at]
                head = heads[channel]
                offer = costs[tail] + prices[channel] + surcharge
                if offer < costs[head]:
                    costs[head] = offer
                    if not waiting[head]:
                        end = begin + size
                        queue[end if end < num_routers else end - num_routers] = head
                        size += 1
                        waiting[head] = True

        order = np.argsort(costs)
        for router in range(num_routers):
            amounts[router] = demand[row, router]
        for turn in range(num_routers - 1, 0, -1):
            head = order[turn]
            amount = amounts[head]
            if amount == 0.0 or costs[head] == far:
                continue
            num_ways = 0
            for at in range(in_offsets[head], in_offsets[head + 1]):
                channel = in_channels[at]
                if costs[tails[channel]] + prices[channel] + surcharge == costs[head]:
                    num_ways += 1
            if num_ways == 0:
                continue
            share = amount / num_ways
            for at in range(in_offsets[head], in_offsets[head + 1]):
                channel = in_channels[at]
                if costs[tails[channel]] + prices[channel] + surcharge == costs[head]:
                    loads[channel] += share
                    amounts[tails[channel]] += share
        for router in range(num_routers):
            if demand[row, router] > 0:
                cost = costs[router]
                if surcharge > 0:
                    cost = cost % surcharge
                paid += demand[row, router] * cost
    return int(paid)
