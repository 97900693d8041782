"""Rarest first: one step of a broadcast of several messages, receiver by receiver.

A place is where a copy can rest. `arrived[place, message]` is the step in which the copy came: before `step` the place
holds it and can send it on, later than `step` means never. `ranked` lists the messages that are still missing
somewhere, the rarest first; the equally rare form a group, and each receiver starts its group somewhere else (its
spin), so that neighbours do not all ask for the same.

Both kernels take and leave the state of the step (`inject_left`, `eject_left`, `unit_is_free`) and append what they
decide to a log: rows of `transfers` are step, sender, receiver and message, and transfer i runs along
`path_channels[path_ends[i]:path_ends[i + 1]]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def match_neighbours(
    step: int,
    receivers: Array,
    spins: Array,
    only_new: bool,
    ranked: Array,
    group_ends: Array,
    home: Array,
    place_offsets: Array,
    places_on: Array,
    in_offsets: Array,
    in_channels: Array,
    tails: Array,
    units: Array,
    arrived: Array,
    inject_left: Array,
    eject_left: Array,
    unit_is_free: Array,
    transfers: Array,
    path_ends: Array,
    path_channels: Array,
    num_transfers: int,
) -> int:
    """Match the channels into each receiver to messages that a neighbour holds; return the length of the log.

    Messages come rarest first and each is taken if the matching can grow by it (augmenting paths, Kuhn 1955). Sets of
    messages that can be matched are a matroid, so the greedy choice is also the largest. Processors on one router
    share its channels; between them a message moves without any. With `only_new` no message enters a router that
    has it or gets it anyway.
    """
    num_ranked = len(ranked)
    widest = 1
    for router in range(len(in_offsets) - 1):
        widest = max(widest, in_offsets[router + 1] - in_offsets[router])
    slot_channel = np.empty(widest, dtype=np.int64)
    slot_message = np.empty(widest, dtype=np.int64)
    slot_sender = np.empty(widest, dtype=np.int64)
    came_from = np.empty(widest, dtype=np.int64)
    queue = np.empty(widest, dtype=np.int64)
    for turn in range(len(receivers)):
        receiver = receivers[turn]
        room = eject_left[receiver]
        if room <= 0:
            continue
        router = home[receiver]
        is_alone = place_offsets[router + 1] - place_offsets[router] == 1
        first_in = in_offsets[router]
        degree = in_offsets[router + 1] - first_in
        num_slots = 0
        turned = int(spins[turn] * degree)
        for number in range(degree):
            channel = in_channels[first_in + (number + turned) % degree]
            if unit_is_free[units[channel]]:
                slot_channel[num_slots] = channel
                slot_message[num_slots] = -1
                slot_sender[num_slots] = -1
                num_slots += 1
        num_taken = 0

        first = 0
        while first < num_ranked and room > 0 and not (is_alone and num_taken == num_slots):
            last = group_ends[first]
            start = first + int(spins[turn] * (last - first))
            for number in range(last - first):
                at = start + number
                if at >= last:
                    at -= last - first
                message = ranked[at]
                if arrived[receiver, message] <= step:
                    continue
                if not is_alone:
                    sender, most_left, is_new = -1, 0, True
                    for place in places_on[place_offsets[router] : place_offsets[router + 1]]:
                        if arrived[place, message] <= step:
                            is_new = False
                            if arrived[place, message] < step and inject_left[place] > most_left:
                                sender, most_left = place, inject_left[place]
                    if sender >= 0:
                        inject_left[sender] -= 1
                        arrived[receiver, message] = step
                        transfers[num_transfers, 0] = step
                        transfers[num_transfers, 1] = sender
                        transfers[num_transfers, 2] = receiver
                        transfers[num_transfers, 3] = message
                        path_ends[num_transfers + 1] = path_ends[num_transfers]
                        num_transfers += 1
                        room -= 1
                        if room == 0:
                            break
                        continue
                    if only_new and not is_new:
                        continue
                if num_taken == num_slots:
                    continue

                # An augmenting path: breadth-first over the slots, from the new message to a slot without any.
                free, num_queued, here = -1, 0, -1
                for slot in range(num_slots):
                    came_from[slot] = -2
                wanted = message
                while free < 0:
                    for slot in range(num_slots):
                        if came_from[slot] != -2:
                            continue
                        tail = tails[slot_channel[slot]]
                        for place in places_on[place_offsets[tail] : place_offsets[tail + 1]]:
                            if arrived[place, wanted] < step and (inject_left[place] > 0 or slot_sender[slot] == place):
                                came_from[slot] = -1 if here < 0 else queue[here]
                                queue[num_queued] = slot
                                num_queued += 1
                                if slot_message[slot] < 0:
                                    free = slot
                                break
                        if free >= 0:
                            break
                    here += 1
                    if here == num_queued:
                        break
                    wanted = slot_message[queue[here]]

                # Messages move from the free end on, so that a sender whose ports run out leaves a valid matching.
                while free >= 0:
                    before = came_from[free]
                    moved = message
                    if before >= 0:
                        moved = slot_message[before]
                        inject_left[slot_sender[before]] += 1
                    sender, most_left = -1, 0
                    tail = tails[slot_channel[free]]
                    for place in places_on[place_offsets[tail] : place_offsets[tail + 1]]:
                        if arrived[place, moved] < step and inject_left[place] > most_left:
                            sender, most_left = place, inject_left[place]
                    if sender < 0:
                        if before >= 0:
                            inject_left[slot_sender[before]] -= 1
                        break
                    inject_left[sender] -= 1
                    slot_sender[free] = sender
                    slot_message[free] = moved
                    if before < 0:
                        arrived[receiver, message] = step
                        num_taken += 1
                        room -= 1
                    else:
                        slot_message[before] = -1
                        slot_sender[before] = -1
                    free = before
                if room == 0 or (is_alone and num_taken == num_slots):
                    break
            first = last

        eject_left[receiver] = room
        for slot in range(num_slots):
            if slot_message[slot] >= 0:
                channel = slot_channel[slot]
                unit_is_free[units[channel]] = False
                transfers[num_transfers, 0] = step
                transfers[num_transfers, 1] = slot_sender[slot]
                transfers[num_transfers, 2] = receiver
                transfers[num_transfers, 3] = slot_message[slot]
                path_channels[path_ends[num_transfers]] = channel
                path_ends[num_transfers + 1] = path_ends[num_transfers] + 1
                num_transfers += 1
    return num_transfers


def reach_farther(
    step: int,
    receivers: Array,
    is_minimal: bool,
    distances: Array,
    ranked: Array,
    home: Array,
    place_offsets: Array,
    places_on: Array,
    in_offsets: Array,
    in_channels: Array,
    tails: Array,
    heads: Array,
    units: Array,
    arrived: Array,
    inject_left: Array,
    eject_left: Array,
    unit_is_free: Array,
    transfers: Array,
    path_ends: Array,
    path_channels: Array,
    num_transfers: int,
) -> int:
    """Let receivers with ports to spare fetch messages over several free channels; return the length of the log.

    Wormhole only. A breadth-first search backwards from the receiver ends at the nearest routers that have something
    for it, and the rarest of that is taken. Under minimal routing the search follows channels of shortest paths to the
    receiver, so that every path found is one.
    """
    num_routers = len(in_offsets) - 1
    num_ranked = len(ranked)
    reached = np.full(num_routers, -1, dtype=np.int64)
    level = np.zeros(num_routers, dtype=np.int64)
    channel_on = np.empty(num_routers, dtype=np.int64)
    queue = np.empty(num_routers, dtype=np.int64)
    search = 0
    for receiver in receivers:
        router = home[receiver]
        while eject_left[receiver] > 0:
            reached[router] = search
            level[router] = 0
            queue[0] = router
            num_queued, here = 1, 0
            best, sender, nearest = num_ranked, -1, num_routers
            while here < num_queued and level[queue[here]] <= nearest:
                head = queue[here]
                here += 1
                for place in places_on[place_offsets[head] : place_offsets[head + 1]]:
                    if inject_left[place] > 0:
                        for at in range(best):
                            message = ranked[at]
                            if arrived[place, message] < step and arrived[receiver, message] > step:
                                best, sender, nearest = at, place, level[head]
                                break
                for at in range(in_offsets[head], in_offsets[head + 1]):
                    channel = in_channels[at]
                    tail = tails[channel]
                    if reached[tail] == search or not unit_is_free[units[channel]]:
                        continue
                    if is_minimal and distances[tail, router] != level[head] + 1:
                        continue
                    reached[tail] = search
                    level[tail] = level[head] + 1
                    channel_on[tail] = channel
                    queue[num_queued] = tail
                    num_queued += 1
            search += 1
            if sender < 0:
                break
            inject_left[sender] -= 1
            eject_left[receiver] -= 1
            arrived[receiver, ranked[best]] = step
            transfers[num_transfers, 0] = step
            transfers[num_transfers, 1] = sender
            transfers[num_transfers, 2] = receiver
            transfers[num_transfers, 3] = ranked[best]
            end = path_ends[num_transfers]
            at_router = home[sender]
            while at_router != router:
                channel = channel_on[at_router]
                unit_is_free[units[channel]] = False
                path_channels[end] = channel
                end += 1
                at_router = heads[channel]
            num_transfers += 1
            path_ends[num_transfers] = end
    return num_transfers


def mend(
    num_steps: int,
    lacking: Array,
    mine: Array,
    mine_offsets: Array,
    home: Array,
    place_offsets: Array,
    places_on: Array,
    in_offsets: Array,
    in_channels: Array,
    tails: Array,
    units: Array,
    first_sent: Array,
    inject_left: Array,
    eject_left: Array,
    unit_is_free: Array,
    arrived: Array,
    transfers: Array,
    path_ends: Array,
    path_channels: Array,
    num_transfers: int,
) -> int:
    """Fit messages that did not arrive in time into finished steps; return the length of the log.

    Rows of `lacking` are a receiver and a message. What a receiver gets in all steps is one more matching: a transfer
    to it may carry any message that its sender holds by then, if the receiver has it before it first sends it on. An
    augmenting path over its transfers ends where one more transfer fits. Nobody else is disturbed. `mine` lists the
    transfers to each place, the left capacities are per step, and new transfers are appended out of order.
    """
    size = len(transfers)
    came_from = np.full(size, -2, dtype=np.int64)
    queue = np.empty(size, dtype=np.int64)
    for number in range(len(lacking)):
        receiver, message = lacking[number, 0], lacking[number, 1]
        router = home[receiver]
        first, last = mine_offsets[receiver], mine_offsets[receiver + 1]
        num_queued, here = 0, -1
        wanted = message
        step, sender, channel = -1, -1, -1
        while step < 0:
            # One more transfer, over a free channel or within the router, ends the search.
            latest = min(num_steps, first_sent[receiver, wanted])
            for now in range(latest - 1, -1, -1):
                if eject_left[now, receiver] <= 0:
                    continue
                for place in places_on[place_offsets[router] : place_offsets[router + 1]]:
                    if arrived[place, wanted] < now and place != receiver and inject_left[now, place] > 0:
                        step, sender, channel = now, place, -1
                for at in range(in_offsets[router], in_offsets[router + 1]):
                    if unit_is_free[now, units[in_channels[at]]]:
                        tail = tails[in_channels[at]]
                        for place in places_on[place_offsets[tail] : place_offsets[tail + 1]]:
                            if arrived[place, wanted] < now and inject_left[now, place] > 0:
                                step, sender, channel = now, place, in_channels[at]
                if step >= 0:
                    break
            if step >= 0:
                break
            for at in range(first, last):
                transfer = mine[at]
                now = transfers[transfer, 0]
                if came_from[transfer] == -2 and now < latest and arrived[transfers[transfer, 1], wanted] < now:
                    came_from[transfer] = -1 if here < 0 else queue[here]
                    queue[num_queued] = transfer
                    num_queued += 1
            here += 1
            if here == num_queued:
                break
            wanted = transfers[queue[here], 3]

        if step >= 0:
            transfers[num_transfers, 0] = step
            transfers[num_transfers, 1] = sender
            transfers[num_transfers, 2] = receiver
            path_ends[num_transfers + 1] = path_ends[num_transfers]
            if channel >= 0:
                path_channels[path_ends[num_transfers]] = channel
                path_ends[num_transfers + 1] += 1
                unit_is_free[step, units[channel]] = False
            inject_left[step, sender] -= 1
            eject_left[step, receiver] -= 1
            # Each transfer of the path hands its message on and takes that of the one before.
            changed = num_transfers
            before = -1 if here < 0 else queue[here]
            while changed >= 0:
                moved = message if before < 0 else transfers[before, 3]
                transfers[changed, 3] = moved
                arrived[receiver, moved] = transfers[changed, 0]
                carrier = transfers[changed, 1]
                first_sent[carrier, moved] = min(first_sent[carrier, moved], transfers[changed, 0])
                changed = before
                before = came_from[before] if before >= 0 else -1
            num_transfers += 1
        for at in range(num_queued):
            came_from[queue[at]] = -2
    return num_transfers
