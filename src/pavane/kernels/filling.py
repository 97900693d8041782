"""Fills one step with paths of messages that wait: greedily, then ruin and recreate, accepted by annealing.

A path is worth its channels, and a little more if it is long: what is short fits in later. From a router
all paths over idle channels are walked at once, nearest routers first, so the worthiest message that it can send is
found in one walk; the fuller the step, the shorter the walk.

A move removes some paths that touch one end of an idle channel and lets every router with an idle channel send again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MOST_WALKED = 3_000_000
"""Routers met in all walks of a step after which it is left as it is, about a tenth of a second: where few messages
wait most channels are idle, walks are long, and nothing is to be gained."""


def spread_loads(
    distances: Array, nearest_first: Array, in_offsets: Array, in_channels: Array, tails: Array, waiting: Array,
    loads: Array,
) -> None:  # fmt: skip
    """Set the loads of channels if every waiting message is spread evenly over its shortest paths."""
    num_routers = len(distances)
    counts = np.zeros(num_routers)
    flows = np.zeros(num_routers)
    loads[:] = 0.0
    for source in range(num_routers):
        away, order = distances[source], nearest_first[source]
        total = 0
        for router in range(num_routers):
            counts[router] = 0.0
            flows[router] = waiting[source, router]
            total += waiting[source, router]
        if total == 0:
            continue
        counts[source] = 1.0
        for place in range(1, num_routers):
            router = order[place]
            for at in range(in_offsets[router], in_offsets[router + 1]):
                channel = in_channels[at]
                if away[tails[channel]] + 1 == away[router]:
                    counts[router] += counts[tails[channel]]
        for place in range(num_routers - 1, 0, -1):
            router = order[place]
            if flows[router] == 0.0 or counts[router] == 0.0:
                continue
            each = flows[router] / counts[router]
            for at in range(in_offsets[router], in_offsets[router + 1]):
                channel = in_channels[at]
                tail = tails[channel]
                if away[tail] + 1 == away[router]:
                    flow = each * counts[tail]
                    loads[channel] += flow
                    flows[tail] += flow


def fill_step(
    distances: Array,
    out_offsets: Array,
    out_channels: Array,
    tails: Array,
    heads: Array,
    in_offsets: Array,
    in_channels: Array,
    waiting: Array,
    bonus: float,
    hottest: float,
    coldest: float,
    most_moves: int,
    user: Array,
    path_ends: Array,
    path_channels: Array,
    rng: np.random.Generator,
) -> int:
    """Fill an empty step; return the number of its paths.

    `waiting[source, target]` counts the messages that wait; those in the step are taken from it. Afterwards path i runs
    from `path_ends[i, 0]` to `path_ends[i, 1]` along `path_channels[i]`, and `user[channel]` is its path, or -1.
    """
    num_routers, num_channels = len(distances), len(tails)
    met_at = np.zeros(num_routers, dtype=np.int64)
    queue = np.empty(num_routers, dtype=np.int32)
    came_by = np.empty(num_routers, dtype=np.int32)
    clock = 0
    idle = np.empty(num_channels, dtype=np.int32)
    place_of = np.empty(num_channels, dtype=np.int32)
    for channel in range(num_channels):
        idle[channel], place_of[channel], user[channel] = channel, channel, -1
    num_idle = num_channels
    spare = np.empty(num_channels, dtype=np.int32)
    for at in range(num_channels):
        spare[at] = num_channels - 1 - at
    num_spare = num_channels
    values = np.zeros(num_channels)
    added = np.empty(num_channels, dtype=np.int32)
    gone = np.empty(8, dtype=np.int32)
    senders = np.empty(num_channels, dtype=np.int32)
    is_sender = np.zeros(num_routers, dtype=np.bool_)
    # The first turn is the greedy filling: nothing is removed, and every router sends.
    num_walked = 0
    for move in range(most_moves + 1):
        if num_idle == 0 or num_walked > MOST_WALKED:
            break
        change = 0.0
        num_gone, num_added, first_freed = 0, 0, num_idle
        if move == 0:
            first_freed = 0
        else:
            channel = idle[int(rng.random() * num_idle)]
            wanted = 1 + int(rng.random() * 3)
            for _ in range(wanted):
                router = tails[channel] if rng.random() < 0.5 else heads[channel]
                if rng.random() < 0.5:
                    first, last = out_offsets[router], out_offsets[router + 1]
                    beside = out_channels[first + int(rng.random() * (last - first))] if last > first else channel
                else:
                    first, last = in_offsets[router], in_offsets[router + 1]
                    beside = in_channels[first + int(rng.random() * (last - first))] if last > first else channel
                path = user[beside]
                if path < 0:
                    continue
                gone[num_gone] = path
                num_gone += 1
                change -= values[path]
                start, end = path_ends[path, 0], path_ends[path, 1]
                waiting[start, end] += 1
                for at in range(distances[start, end]):
                    freed = path_channels[path, at]
                    user[freed] = -1
                    idle[num_idle], place_of[freed] = freed, num_idle
                    num_idle += 1
            if num_gone == 0:
                continue
        # Nobody else than those who reach what was freed can send more than before.
        num_senders = 0
        for at in range(first_freed, num_idle):
            router = tails[idle[at]]
            if not is_sender[router]:
                is_sender[router] = True
                senders[num_senders] = router
                num_senders += 1
        here = 0
        while here < num_senders:
            router = senders[here]
            here += 1
            for at in range(in_offsets[router], in_offsets[router + 1]):
                tail = tails[in_channels[at]]
                if user[in_channels[at]] < 0 and not is_sender[tail]:
                    is_sender[tail] = True
                    senders[num_senders] = tail
                    num_senders += 1
        for at in range(num_senders):
            is_sender[senders[at]] = False
        while num_senders > 0:
            pick = int(rng.random() * num_senders)
            source = senders[pick]
            # All paths over idle channels from this router.
            clock += 1
            away = distances[source]
            queue[0], met_at[source] = source, clock
            num_met, here = 1, 0
            best, best_worth = -1, 0.0
            while here < num_met:
                router = queue[here]
                here += 1
                if waiting[source, router] > 0:
                    value = away[router] * (1.0 + bonus * away[router])
                    if value > best_worth or (value == best_worth and rng.random() < 0.5):
                        best, best_worth = router, value
                for at in range(out_offsets[router], out_offsets[router + 1]):
                    channel = out_channels[at]
                    if user[channel] >= 0:
                        continue
                    head = heads[channel]
                    if away[head] != away[router] + 1:
                        continue
                    if met_at[head] != clock:
                        met_at[head] = clock
                        queue[num_met] = head
                        num_met += 1
                        came_by[head] = channel
                    elif rng.random() < 0.5:
                        came_by[head] = channel
            num_walked += num_met
            if best < 0:
                num_senders -= 1
                senders[pick] = senders[num_senders]
                continue
            num_spare -= 1
            path = spare[num_spare]
            added[num_added] = path
            num_added += 1
            change += best_worth
            values[path] = best_worth
            path_ends[path, 0], path_ends[path, 1] = source, best
            waiting[source, best] -= 1
            router = best
            for at in range(away[best] - 1, -1, -1):
                channel = came_by[router]
                path_channels[path, at] = channel
                user[channel] = path
                num_idle -= 1
                last_idle = idle[num_idle]
                idle[place_of[channel]], place_of[last_idle] = last_idle, place_of[channel]
                router = tails[channel]
        if move == 0:
            continue
        heat = hottest * (coldest / hottest) ** (move / most_moves)
        if change >= 0.0 or rng.random() < math.exp(change / heat):
            for at in range(num_gone):
                spare[num_spare] = gone[at]
                num_spare += 1
            continue
        for number in range(num_added):
            path = added[number]
            start, end = path_ends[path, 0], path_ends[path, 1]
            waiting[start, end] += 1
            for at in range(distances[start, end]):
                freed = path_channels[path, at]
                user[freed] = -1
                idle[num_idle], place_of[freed] = freed, num_idle
                num_idle += 1
            spare[num_spare] = path
            num_spare += 1
        for number in range(num_gone):
            path = gone[number]
            start, end = path_ends[path, 0], path_ends[path, 1]
            waiting[start, end] -= 1
            for at in range(distances[start, end]):
                channel = path_channels[path, at]
                user[channel] = path
                num_idle -= 1
                last_idle = idle[num_idle]
                idle[place_of[channel]], place_of[last_idle] = last_idle, place_of[channel]
    # Close the gaps between the paths.
    is_spare = np.zeros(num_channels, dtype=np.bool_)
    for at in range(num_spare):
        is_spare[spare[at]] = True
    num_paths = 0
    for path in range(num_channels):
        if is_spare[path]:
            continue
        if path != num_paths:
            path_ends[num_paths] = path_ends[path]
            path_channels[num_paths] = path_channels[path]
            for at in range(distances[path_ends[path, 0], path_ends[path, 1]]):
                user[path_channels[path, at]] = num_paths
        num_paths += 1
    return num_paths
