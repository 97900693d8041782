"""Rip-up and reroute: messages move, one after the other, to the paths whose units of capacity are cheapest.

The price of a unit grows exponentially with its load, so that what is overloaded is left to messages without a choice.
Every message has a list of ways: the arcs on its paths of at most the shortest length and some slack, listed once. They
stand in the order of their tails' distances from the target, nearest first: one sweep over them finds the cheapest
shortest path, and one more sweep for each arc of slack the cheapest path with a detour.

An arc draws on any number of units: a channel on itself or on its link, a hop under store-and-forward on its channel
and on the ports at its two ends.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.wiring import Wiring

Array = np.ndarray[Any, Any]

MOST_EXPONENT = 300.0
"""Prices are powers of e up to this one, and down to its inverse, so that sums of prices stay finite."""

LEAST_TOLL = 1e-9
"""What every arc costs besides: among paths that are nearly free the one with the fewest arcs is taken."""


class ArcNetwork(NamedTuple):
    """The arcs between locations, and what they draw on; nothing in it changes."""

    wiring: Wiring
    distances: Array
    """int16 or int32 [location, location]: arcs from the first to the second; below 0 where there is no path."""
    unit_offsets: Array
    """int32 [arc + 1]: arc a draws on units[unit_offsets[a]:unit_offsets[a + 1]]."""
    units: Array
    """int32 [entry]."""


class Choices(NamedTuple):
    """The ways of every pair of a source and a target; nothing in it changes."""

    sources: Array
    """int32 [pair]."""
    targets: Array
    """int32 [pair]."""
    way_offsets: Array
    """int64 [pair + 1]: ways[way_offsets[p]:way_offsets[p + 1]] are the arcs that pair p may take."""
    ways: Array
    """int32 [way]: arcs, by the distance from their tail to the target."""
    detours: Array
    """int8 [way]: how many arcs longer than the shortest the way to the target becomes by this arc: 0, 1 or 2."""


class MessagePaths(NamedTuple):
    """The path of every message."""

    pair_of: Array
    """int32 [message]: its source and target."""
    offsets: Array
    """int64 [message + 1]: where the room for its path begins, which has the length of the longest it may take."""
    lengths: Array
    """int32 [message]: the arcs of its path; 0: it has none yet."""
    arcs: Array
    """int32 [entry]: the arcs of the paths, in order."""


class Prices(NamedTuple):
    """The loads of units and what they cost for it."""

    loads: Array
    """int64 [unit]: the messages whose paths draw on it."""
    sharpness: Array
    """float64 [unit]: by how much one more message raises the exponent of the price."""
    zero: float
    """What is taken off the exponent."""
    prices: Array
    """float64 [unit]: e to the power of the exponent."""


def list_arcs(ground: ArcNetwork, sources: Array, targets: Array, slack: int, most: int) -> tuple[Array, Array, Array]:
    """List the ways of pairs, on paths that are longer than the shortest by at most the slack.

    Return `way_offsets`, `ways` and `detours` of Choices. Where there are more than `most` ways in all, the list ends
    there, and the offsets of the last pairs are -1.
    """
    num_locations = ground.distances.shape[0]
    offsets = np.full(len(sources) + 1, -1, dtype=np.int64)
    offsets[0] = 0
    ways, detours = np.empty(1 << 16, dtype=np.int32), np.empty(1 << 16, dtype=np.int8)
    queue, met_for = np.empty(num_locations, dtype=np.int32), np.full(num_locations, -1, dtype=np.int64)
    num_ways, num_arcs = 0, len(ground.wiring.tails)
    for pair in range(len(sources)):
        if num_ways <= most:
            if num_ways + num_arcs > len(ways):
                ways, detours = longer(ways, num_ways, num_arcs), longer(detours, num_ways, num_arcs)
            num_met = find_locations(ground, sources[pair], targets[pair], slack, queue, met_for, pair)
            num_ways = add_ways(ground, sources[pair], targets[pair], slack, queue[:num_met], ways, detours, num_ways)
            offsets[pair + 1] = num_ways if num_ways <= most else -1
    return offsets, ways[:num_ways].copy(), detours[:num_ways].copy()


def longer(array: Array, used: int, more: int) -> Array:
    """Return an array of at least twice the length that begins with the used part of another."""
    copy = np.empty(2 * len(array) + more, dtype=array.dtype)
    for at in range(used):  # an assigned slice takes seconds longer to compile
        copy[at] = array[at]
    return copy


@inlined
def find_locations(
    ground: ArcNetwork, source: int, target: int, slack: int, queue: Array, met_for: Array, pair: int
) -> int:
    """Write the locations on paths of a pair to the queue, those nearest to the target first; return their number."""
    wiring, from_source = ground.wiring, ground.distances[source]
    longest = from_source[target] + slack
    queue[0], met_for[target] = target, pair
    num_met, here, steps_away, last_of_level = 1, 0, 1, 1
    while here < num_met:
        head = queue[here]
        for at in range(wiring.in_offsets[head], wiring.in_offsets[head + 1]):
            tail = wiring.tails[wiring.in_channels[at]]
            if met_for[tail] != pair and from_source[tail] >= 0 and from_source[tail] + steps_away <= longest:
                met_for[tail] = pair
                queue[num_met] = tail
                num_met += 1
        here += 1
        if here == last_of_level:
            steps_away, last_of_level = steps_away + 1, num_met
    return num_met


@inlined
def add_ways(
    ground: ArcNetwork, source: int, target: int, slack: int, met: Array, ways: Array, detours: Array, num_ways: int
) -> int:
    """Write the arcs of a pair between the locations met behind the ways so far; return how many there are then."""
    wiring, distances = ground.wiring, ground.distances
    longest = distances[source, target] + slack
    for index in range(1, len(met)):
        tail = met[index]
        for at in range(wiring.out_offsets[tail], wiring.out_offsets[tail + 1]):
            arc = wiring.out_channels[at]
            head = wiring.heads[arc]
            left = distances[head, target]
            if left >= 0 and distances[source, tail] + 1 + left <= longest:
                ways[num_ways] = arc
                detours[num_ways] = 1 + left - distances[tail, target]
                num_ways += 1
    return num_ways


def reroute(
    order: Array, ground: ArcNetwork, choices: Choices, paths: MessagePaths, slack: int, prices: Prices
) -> None:
    """Move messages, an int64 array, in their order to their cheapest paths; the prices follow the loads."""
    num_locations = ground.distances.shape[0]
    costs = np.zeros((slack + 1, num_locations), dtype=np.float64)
    best = np.zeros((slack + 1, num_locations), dtype=np.int64)
    for number in range(len(order)):
        message = order[number]
        pair, begin = paths.pair_of[message], paths.offsets[message]
        change_loads(ground, prices, paths.arcs[begin : begin + paths.lengths[message]], -1)
        weigh_ways(ground, choices, pair, slack, prices.prices, costs, best)
        length = write_path(ground, choices, pair, slack, costs, best, paths.arcs[begin:])
        paths.lengths[message] = length
        change_loads(ground, prices, paths.arcs[begin : begin + length], 1)


@inlined
def change_loads(ground: ArcNetwork, prices: Prices, path: Array, change: int) -> None:
    """Count a path in the loads, or no more, and let the prices follow."""
    for hop in range(len(path)):
        for at in range(ground.unit_offsets[path[hop]], ground.unit_offsets[path[hop] + 1]):
            unit = ground.units[at]
            prices.loads[unit] += change
            exponent = prices.loads[unit] * prices.sharpness[unit] - prices.zero
            prices.prices[unit] = math.exp(min(max(exponent, -MOST_EXPONENT), MOST_EXPONENT))


@inlined
def weigh_ways(
    ground: ArcNetwork, choices: Choices, pair: int, slack: int, prices: Array, costs: Array, best: Array
) -> None:
    """Write what the cheapest path from each location to the target costs, and its first way, for each slack left."""
    tails, heads = ground.wiring.tails, ground.wiring.heads
    first, last, target = choices.way_offsets[pair], choices.way_offsets[pair + 1], choices.targets[pair]
    for left in range(slack + 1):
        for way in range(first, last):
            tail = tails[choices.ways[way]]
            costs[left, tail] = np.inf if left == 0 else costs[left - 1, tail]
        costs[left, target] = 0.0
        for way in range(first, last):
            detour = choices.detours[way]
            if detour > left:
                continue
            arc = choices.ways[way]
            tail = tails[arc]
            cost = costs[left - detour, heads[arc]] + LEAST_TOLL
            for at in range(ground.unit_offsets[arc], ground.unit_offsets[arc + 1]):
                cost += prices[ground.units[at]]
            if cost < costs[left, tail]:
                costs[left, tail] = cost
                best[left, tail] = way


@inlined
def write_path(
    ground: ArcNetwork, choices: Choices, pair: int, slack: int, costs: Array, best: Array, path: Array
) -> int:
    """Write the cheapest path of a pair; return its length."""
    here, target, left, length = choices.sources[pair], choices.targets[pair], slack, 0
    while here != target:
        # Slack is kept where it saves nothing: so no location is met twice.
        while left > 0 and costs[left - 1, here] == costs[left, here]:
            left -= 1
        way = best[left, here]
        arc = choices.ways[way]
        path[length] = arc
        length += 1
        left -= choices.detours[way]
        here = ground.wiring.heads[arc]
    return length
