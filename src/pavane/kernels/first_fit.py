"""First fit over shortest paths: each message takes the first step in which SOME shortest path is free.

Bit t of the row of a unit (channel, link or port) says that the unit is full in step t. The shortest paths of a message
are walked backwards from its target: the steps in which a router can still reach the target are the `or`, over the
channels that lead on, of the steps in which the channel is free and its head can reach the target. One walk so finds
every step in which some shortest path is free, however many paths there are.

Without any steps (no words in `full`) the same walk plans: it moves each message to its cheapest shortest path, where
a unit costs `prices[load]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

WORDS_AT_ONCE = 8
"""Words of 64 steps that are looked at together, which the compiler turns into wide instructions."""


def first_fit(
    first: int,
    last: int,
    order: Array,
    sources: Array,
    targets: Array,
    ports: Array,
    distances: Array,
    in_offsets: Array,
    in_channels: Array,
    tails: Array,
    units: Array,
    prices: Array,
    most_load: int,
    path_offsets: Array,
    paths: Array,
    is_routed: Array,
    loads: Array,
    full: Array,
    port_loads: Array,
    port_capacity: Array,
    step_of: Array,
) -> int:
    """Place messages order[first:last]; return where it ended: before `last` if the steps did not suffice.

    A message that has a path already keeps it where it is free in the first step; it counts in the loads until it is
    placed, and no other path may push a unit above `most_load`. Row `num_units + p` of `full` belongs to port p, and
    `ports[message]` lists the two ports of a message.
    """
    num_routers = distances.shape[0]
    num_words = full.shape[1]
    num_units = len(full) - len(port_capacity)
    zero, one = np.uint64(0), np.uint64(1)
    number_of = np.full(num_routers, -1, dtype=np.int32)
    met = np.empty(num_routers, dtype=np.int32)
    free = np.zeros((num_routers, WORDS_AT_ONCE), dtype=np.uint64)
    costs = np.zeros(num_routers)
    best_way = np.zeros(num_routers, dtype=np.int32)
    way_tail = np.empty(len(tails), dtype=np.int32)
    way_head = np.empty(len(tails), dtype=np.int32)
    way_channel = np.empty(len(tails), dtype=np.int32)
    for turn in range(first, last):
        message = order[turn]
        source, target = sources[message], targets[message]
        begin, end = path_offsets[message], path_offsets[message + 1]
        if is_routed[message]:
            for at in range(begin, end):
                loads[units[paths[at]]] -= 1

        # The ways: channels on shortest paths, nearest to the target first, between routers numbered as they are met.
        away = distances[source]
        met[0] = target
        number_of[target] = 0
        num_met, num_ways, here = 1, 0, 0
        while here < num_met:
            head = met[here]
            nearer = away[head] - 1
            if nearer >= 0:
                for at in range(in_offsets[head], in_offsets[head + 1]):
                    channel = in_channels[at]
                    tail = tails[channel]
                    if away[tail] == nearer and loads[units[channel]] < most_load:
                        if number_of[tail] < 0:
                            number_of[tail] = num_met
                            met[num_met] = tail
                            num_met += 1
                        way_tail[num_ways] = number_of[tail]
                        way_head[num_ways] = here
                        way_channel[num_ways] = channel
                        num_ways += 1
            here += 1
        start = number_of[source]
        for at in range(num_met):
            number_of[met[at]] = -1

        step = -1
        inject, eject = num_units + ports[message, 0], num_units + ports[message, 1]
        for word in range(0, num_words, WORDS_AT_ONCE):
            some = zero
            for at in range(WORDS_AT_ONCE):
                free[0, at] = ~(full[inject, word + at] | full[eject, word + at])
                some |= free[0, at]
            if some == zero:
                continue
            for there in range(1, num_met):
                for at in range(WORDS_AT_ONCE):
                    free[there, at] = zero
            for way in range(num_ways):
                here, there, unit = way_tail[way], way_head[way], units[way_channel[way]]
                for at in range(WORDS_AT_ONCE):
                    free[here, at] |= free[there, at] & ~full[unit, word + at]
            for at in range(WORDS_AT_ONCE):
                steps = free[start, at]
                if steps != zero:
                    step = 64 * (word + at)
                    while steps & one == zero:
                        steps >>= one
                        step += 1
                    break
            if step >= 0:
                break
        if step < 0 and num_words > 0:
            if is_routed[message]:
                for at in range(begin, end):
                    loads[units[paths[at]]] += 1
            return turn

        word, column = step // 64, step // 64 % WORDS_AT_ONCE
        bit = one << np.uint64(step % 64)
        keeps = is_routed[message] and num_words > 0
        if keeps:
            for at in range(begin, end):
                if full[units[paths[at]], word] & bit != zero:
                    keeps = False
        if not keeps:
            for there in range(num_met):
                costs[there] = np.inf
            costs[0] = 0.0
            for way in range(num_ways):
                unit = units[way_channel[way]]
                if num_words > 0 and free[way_head[way], column] & ~full[unit, word] & bit == zero:
                    continue
                cost = costs[way_head[way]] + prices[loads[unit]]
                if cost < costs[way_tail[way]]:
                    costs[way_tail[way]] = cost
                    best_way[way_tail[way]] = way
            here = start
            for at in range(begin, end):
                paths[at] = way_channel[best_way[here]]
                here = way_head[best_way[here]]
        is_routed[message] = True

        for at in range(begin, end):
            loads[units[paths[at]]] += 1
        if num_words > 0:
            for at in range(begin, end):
                full[units[paths[at]], word] |= bit
            for side in range(2):
                port = ports[message, side]
                port_loads[port, step] += 1
                if port_loads[port, step] >= port_capacity[port]:
                    full[num_units + port, word] |= bit
            step_of[message] = step
    return last
