"""Rarest first: one step of a broadcast of several messages, receiver by receiver, and what came too late fitted in.

A location is where a copy can rest. `arrived[location, message]` is the step in which the copy came: before the step it
is held there and can be sent on, later than the step means never. Messages are ranked, the rarest first; the equally
rare form a group, and each receiver starts its group at another one (its spin), so that neighbours do not all request
the same.

A bottleneck is a set of routers that few channels lead into. What comes in twice wastes a channel that something new
would need, so a receiver first takes what no location of the sets around it has, and then the rest.

All three kernels take and leave the room of the step and append what they decide to a log. They are given the number of
transfers in the log and return it as it is then.

Arrays of inner loops have names of their own, and inner loops end by their conditions: numba counts references whenever
it reads an array from a tuple, and to every array at a break or return from within a loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined

Array = np.ndarray[Any, Any]


class Locations(NamedTuple):
    """Where the locations are."""

    home: Array
    """int64, locations: the router of each."""
    offsets: Array
    """int64, routers + 1: where the locations on each router begin in `on`."""
    on: Array
    """int64, locations: router by router."""


class Channels(NamedTuple):
    """Where the channels lead."""

    in_offsets: Array
    """int64, routers + 1: where the channels into each router begin in `incoming`."""
    incoming: Array
    """int64, channels: those into router 0, into router 1, and so on."""
    tails: Array
    """int64, channels."""
    heads: Array
    """int64, channels."""
    units: Array
    """int64, channels: what is used up when a channel is; under half duplex both channels of a link have one unit."""
    phases: Array
    """int64, channels: under restricted routing phases never fall along a path; else all are 0."""
    most_inlets: int
    """The most messages that can enter a router in one step."""


class Bottlenecks(NamedTuple):
    """The sets that each channel leads into from outside."""

    offsets: Array
    """int64, channels + 1: where the sets of each channel begin in `entered`."""
    entered: Array
    """int64: numbers of sets, channel by channel."""


class BroadcastWiring(NamedTuple):
    """The network."""

    locations: Locations
    channels: Channels
    bottlenecks: Bottlenecks


class StepRoom(NamedTuple):
    """What is left of the capacities, of one step; for `repair` of every step, with a row for each."""

    inject: Array
    """int64, locations: how many messages each can still send."""
    eject: Array
    """int64, locations: how many messages each can still receive."""
    carry: Array
    """int64, units: how many messages each can still carry."""


class LogArrays(NamedTuple):
    """Transfers: number i runs along path_channels[path_ends[i] : path_ends[i + 1]]."""

    transfers: Array
    """int32, transfers x 4: step, sender, receiver and message."""
    path_ends: Array
    """int64, transfers + 1."""
    path_channels: Array
    """int32, as many as fit."""


class StepState(NamedTuple):
    """What the kernels change."""

    arrived: Array
    """int32, locations x messages: the step in which each message came, -1 at its origin."""
    room: StepRoom
    log: LogArrays
    inside: Array
    """bool, bottlenecks x messages: whether some location inside has the message, or gets it in this step."""


class Ranking(NamedTuple):
    """The messages that are still missing somewhere."""

    messages: Array
    """int64, the rarest first."""
    group_ends: Array
    """int64, beside it: the end of the group of equally rare messages."""


class Turn(NamedTuple):
    """The receivers of a step, one after the other."""

    step: int
    receivers: Array
    """int64, locations."""
    spins: Array
    """float64, beside it: from 0 up to 1, at which part of a group each receiver starts."""
    only_new: bool
    """Whether no message enters a router that has it or gets it anyway."""


class Matching(NamedTuple):
    """The inlets of one router, as many for a channel as it can still carry, each matched to at most one message."""

    channel: Array
    """int64, inlets."""
    tail: Array
    """int64, inlets: the router where the channel begins."""
    message: Array
    """int64, inlets: -1 where there is none."""
    sender: Array
    """int64, inlets: -1 where there is none."""
    came_from: Array
    """int64, inlets: the inlet before it on an augmenting path, -1 at its start, -2 where it has not come to."""
    queue: Array
    """int64, inlets: those that augmenting paths have come to."""


class Holders(NamedTuple):
    """The holders of messages that can send: fields of Locations, StepState and StepRoom."""

    offsets: Array
    on: Array
    arrived: Array
    inject: Array


class Walk(NamedTuple):
    """The routers that a search backwards from a receiver has come to."""

    number: Array
    """int64, 1: the number of the search."""
    reached: Array
    """int64, routers: the last search that came there."""
    level: Array
    """int64, routers: the number of channels to the receiver."""
    phase: Array
    """int64, routers: the phase of the channel that leads on from there."""
    onward: Array
    """int64, routers: the channel that leads towards the receiver."""
    queue: Array
    """int64, routers."""
    lacked: Array
    """int64, messages: those that the receiver lacks, the rarest first."""


class LateArrivals(NamedTuple):
    """What did not arrive in time, and what may be exchanged for it."""

    lacking: Array
    """int64, x 2: a receiver and a message."""
    mine: Array
    """int64, transfers: those to location 0, to location 1, and so on."""
    mine_offsets: Array
    """int64, locations + 1: where the transfers to each begin in `mine`."""
    first_sent: Array
    """int32, locations x messages: the step in which each message is first sent on from there."""


@inlined
def write(log: LogArrays, number: int, step: int, sender: int, receiver: int, message: int) -> None:
    """Write a transfer without channels into the log."""
    row = log.transfers[number]
    row[0], row[1], row[2], row[3] = step, sender, receiver, message
    log.path_ends[number + 1] = log.path_ends[number]


@inlined
def extend(log: LogArrays, number: int, channel: int) -> None:
    """Let the last transfer of the log run along one more channel."""
    end = log.path_ends[number + 1]
    log.path_channels[end] = channel
    log.path_ends[number + 1] = end + 1


# -- from neighbours


def match_neighbours(
    turn: Turn, ranking: Ranking, wiring: BroadcastWiring, state: StepState, num_transfers: int
) -> int:
    """Match the channels into each receiver to messages that a neighbour holds; return the length of the log.

    Messages come rarest first and each is taken if the matching can grow by it (augmenting paths, Kuhn 1955). Sets of
    messages that can be matched are a matroid, so the greedy choice is also the largest. Processors on one router
    share its channels; between them a message moves without any.
    """
    most_inlets = wiring.channels.most_inlets
    matching = Matching(
        np.empty(most_inlets, dtype=np.int64),
        np.empty(most_inlets, dtype=np.int64),
        np.empty(most_inlets, dtype=np.int64),
        np.empty(most_inlets, dtype=np.int64),
        np.empty(most_inlets, dtype=np.int64),
        np.empty(most_inlets, dtype=np.int64),
    )
    for number in range(len(turn.receivers)):
        if state.room.eject[turn.receivers[number]] > 0:
            num_transfers = match_receiver(turn, number, ranking, wiring, state, matching, num_transfers)
    return num_transfers


def match_receiver(
    turn: Turn,
    number: int,
    ranking: Ranking,
    wiring: BroadcastWiring,
    state: StepState,
    matching: Matching,
    num_transfers: int,
) -> int:
    """Match the channels into one receiver; return the length of the log."""
    step, receiver, spin, room = turn.step, turn.receivers[number], turn.spins[number], state.room
    holders = Holders(wiring.locations.offsets, wiring.locations.on, state.arrived, room.inject)
    messages, group_ends, got = ranking.messages, ranking.group_ends, state.arrived[receiver]
    router = wiring.locations.home[receiver]
    is_alone = holders.offsets[router + 1] - holders.offsets[router] == 1
    num_inlets = open_inlets(router, spin, wiring.channels, room.carry, matching)
    num_taken, left = 0, room.eject[receiver]
    count, first, last, start = 0, 0, 0, 0
    # What is new to the bottlenecks around the receiver comes first; without any all is.
    is_new_only = len(state.inside) > 0
    while (count < len(messages) or is_new_only) and left > 0 and not (is_alone and num_taken == num_inlets):
        if count == len(messages):
            count, last, is_new_only = 0, 0, False
        if count == last:
            first, last = last, group_ends[last]
            start = first + int(spin * (last - first))
        at = start + count - first
        message = messages[at if at < last else at - last + first]
        count += 1
        if got[message] <= step:
            continue
        if not is_alone:
            sender, is_new = sender_on(step, router, message, holders)
            if sender >= 0:
                room.inject[sender] -= 1
                got[message] = step
                write(state.log, num_transfers, step, sender, receiver, message)
                num_transfers += 1
                left -= 1
                continue
            if turn.only_new and not is_new:
                continue
        if num_taken == num_inlets:
            continue
        inlet = free_inlet(step, message, num_inlets, holders, matching, wiring.bottlenecks, state.inside, is_new_only)
        if inlet >= 0 and is_shifted(step, message, inlet, holders, matching):
            got[message] = step
            num_taken += 1
            left -= 1
    room.eject[receiver] = left
    for inlet in range(num_inlets):
        if matching.message[inlet] >= 0:
            channel, message = matching.channel[inlet], matching.message[inlet]
            room.carry[wiring.channels.units[channel]] -= 1
            for at in range(wiring.bottlenecks.offsets[channel], wiring.bottlenecks.offsets[channel + 1]):
                state.inside[wiring.bottlenecks.entered[at], message] = True
            write(state.log, num_transfers, step, matching.sender[inlet], receiver, message)
            extend(state.log, num_transfers, channel)
            num_transfers += 1
    return num_transfers


@inlined
def open_inlets(router: int, spin: float, channels: Channels, carry: Array, matching: Matching) -> int:
    """List the inlets of a router, none of them matched; return their number."""
    first = channels.in_offsets[router]
    degree = channels.in_offsets[router + 1] - first
    turned = int(spin * degree)
    num_inlets = 0
    for number in range(degree):
        channel = channels.incoming[first + (number + turned) % degree]
        for _ in range(carry[channels.units[channel]]):
            matching.channel[num_inlets] = channel
            matching.tail[num_inlets] = channels.tails[channel]
            matching.message[num_inlets] = -1
            matching.sender[num_inlets] = -1
            num_inlets += 1
    return num_inlets


@inlined
def sender_on(step: int, router: int, message: int, holders: Holders) -> tuple[int, bool]:
    """Return the sender of a message on a router with the most ports left, or -1, and whether it is new there."""
    arrived, inject = holders.arrived, holders.inject
    sender, most_left, is_new = -1, 0, True
    for at in range(holders.offsets[router], holders.offsets[router + 1]):
        location = holders.on[at]
        if arrived[location, message] <= step:
            is_new = False
            if arrived[location, message] < step and inject[location] > most_left:
                sender, most_left = location, inject[location]
    return sender, is_new


@inlined
def free_inlet(
    step: int,
    message: int,
    num_inlets: int,
    holders: Holders,
    matching: Matching,
    bottlenecks: Bottlenecks,
    inside: Array,
    is_new_only: bool,
) -> int:
    """Search breadth first over the inlets, from a new message to an inlet without any; return that, or -1."""
    on, offsets, arrived, inject = holders.on, holders.offsets, holders.arrived, holders.inject
    tails, matched, sender_of = matching.tail, matching.message, matching.sender
    channels, entered, entered_offsets = matching.channel, bottlenecks.entered, bottlenecks.offsets
    came_from, queue = matching.came_from, matching.queue
    free, num_queued, here, wanted = -1, 0, -1, message
    for inlet in range(num_inlets):
        came_from[inlet] = -2
    while free < 0 and here < num_queued:
        inlet = 0
        while free < 0 and inlet < num_inlets:
            if came_from[inlet] == -2:
                tail, is_held = tails[inlet], False
                for at in range(offsets[tail], offsets[tail + 1]):
                    location = on[at]
                    if arrived[location, wanted] < step and (inject[location] > 0 or sender_of[inlet] == location):
                        is_held = True
                if is_new_only:
                    channel = channels[inlet]
                    for at in range(entered_offsets[channel], entered_offsets[channel + 1]):
                        is_held = is_held and not inside[entered[at], wanted]
                if is_held:
                    came_from[inlet] = -1 if here < 0 else queue[here]
                    queue[num_queued] = inlet
                    num_queued += 1
                    if matched[inlet] < 0:
                        free = inlet
            inlet += 1
        here += 1
        if here < num_queued:
            wanted = matched[queue[here]]
    return free


@inlined
def is_shifted(step: int, message: int, inlet: int, holders: Holders, matching: Matching) -> bool:
    """Move messages along an augmenting path that ends at an inlet; say whether the new message is matched then.

    Messages move from the free end on, so that a sender whose ports run out leaves a valid matching.
    """
    on, offsets, arrived, inject = holders.on, holders.offsets, holders.arrived, holders.inject
    tails, matched, sender_of, came_from = matching.tail, matching.message, matching.sender, matching.came_from
    sender = 0
    while inlet >= 0 and sender >= 0:
        before, moved = came_from[inlet], message
        if before >= 0:
            moved = matched[before]
            inject[sender_of[before]] += 1
        sender, most_left = -1, 0
        tail = tails[inlet]
        for at in range(offsets[tail], offsets[tail + 1]):
            location = on[at]
            if arrived[location, moved] < step and inject[location] > most_left:
                sender, most_left = location, inject[location]
        if sender >= 0:
            inject[sender] -= 1
            sender_of[inlet] = sender
            matched[inlet] = moved
            if before >= 0:
                matched[before] = -1
                sender_of[before] = -1
            inlet = before
        elif before >= 0:
            inject[sender_of[before]] -= 1
    return inlet < 0


# -- from afar


def reach_farther(
    turn: Turn, messages: Array, distances: Array, wiring: BroadcastWiring, state: StepState, num_transfers: int
) -> int:
    """Let receivers with ports to spare fetch messages over several free channels; return the length of the log.

    Wormhole only. Messages come rarest first, and receivers as they stand; spins do not matter. No path exceeds
    `distances` (int16, routers x routers); without rows, paths need not be shortest.
    """
    num_routers = len(wiring.channels.in_offsets) - 1
    walk = Walk(
        np.zeros(1, dtype=np.int64),
        np.full(num_routers, -1, dtype=np.int64),
        np.zeros(num_routers, dtype=np.int64),
        np.zeros(num_routers, dtype=np.int64),
        np.empty(num_routers, dtype=np.int64),
        np.empty(num_routers, dtype=np.int64),
        np.empty(len(messages), dtype=np.int64),
    )
    heads, units, home = wiring.channels.heads, wiring.channels.units, wiring.locations.home
    inject, eject, carry = state.room.inject, state.room.eject, state.room.carry
    step = turn.step
    for receiver in turn.receivers:
        sender = 0
        while sender >= 0 and eject[receiver] > 0:
            sender, message = nearest_sender(turn, receiver, messages, distances, wiring, state, walk)
            if sender >= 0:
                inject[sender] -= 1
                eject[receiver] -= 1
                state.arrived[receiver, message] = step
                write(state.log, num_transfers, step, sender, receiver, message)
                router = home[sender]
                while router != home[receiver]:
                    channel = walk.onward[router]
                    carry[units[channel]] -= 1
                    extend(state.log, num_transfers, channel)
                    router = heads[channel]
                num_transfers += 1
    return num_transfers


@inlined
def nearest_sender(
    turn: Turn, receiver: int, messages: Array, distances: Array, wiring: BroadcastWiring, state: StepState, walk: Walk
) -> tuple[int, int]:
    """Return the nearest sender with a message that a receiver lacks, and the rarest such message; -1 if there is none.

    A breadth-first search backwards from the receiver over free channels. Under minimal routing it follows channels of
    shortest paths to the receiver, so that every path found is one. Under restricted routing phases do not rise on the
    way back; of two ways to a router the one that leads on in the higher phase leaves more choice.
    """
    on, offsets, inject, carry = wiring.locations.on, wiring.locations.offsets, state.room.inject, state.room.carry
    in_offsets, incoming, tails = wiring.channels.in_offsets, wiring.channels.incoming, wiring.channels.tails
    units, phases, arrived, onward = wiring.channels.units, wiring.channels.phases, state.arrived, walk.onward
    reached, level, phase, queue = walk.reached, walk.level, walk.phase, walk.queue
    router, search, is_minimal = wiring.locations.home[receiver], walk.number[0], len(distances) > 0
    step = turn.step
    lacked, num_lacked = walk.lacked, 0
    for at in range(len(messages)):
        is_lacked = arrived[receiver, messages[at]] > step
        if turn.only_new:
            for resident in range(offsets[router], offsets[router + 1]):
                is_lacked = is_lacked and arrived[on[resident], messages[at]] > step
        if is_lacked:
            lacked[num_lacked] = messages[at]
            num_lacked += 1
    reached[router] = search
    level[router] = 0
    phase[router] = len(phases)
    queue[0] = router
    num_queued, here = 1, 0
    best, sender, nearest = num_lacked, -1, len(reached)
    while here < num_queued and level[queue[here]] <= nearest:
        head = queue[here]
        here += 1
        farther = level[head] + 1
        for resident in range(offsets[head], offsets[head + 1]):
            location = on[resident]
            if inject[location] > 0:
                at = 0
                while at < best:
                    if arrived[location, lacked[at]] < step:
                        best, sender, nearest = at, location, level[head]
                    at += 1
        for at in range(in_offsets[head], in_offsets[head + 1]):
            channel = incoming[at]
            tail = tails[channel]
            if carry[units[channel]] == 0 or phases[channel] > phase[head]:
                continue
            if is_minimal and distances[tail, router] != farther:
                continue
            if reached[tail] != search:
                reached[tail] = search
                level[tail] = farther
                queue[num_queued] = tail
                num_queued += 1
            elif level[tail] < farther or phase[tail] >= phases[channel]:
                continue
            phase[tail] = phases[channel]
            onward[tail] = channel
    walk.number[0] = search + 1
    return sender, lacked[best] if sender >= 0 else -1


# -- what came too late


def repair(late: LateArrivals, wiring: BroadcastWiring, state: StepState, num_transfers: int) -> int:
    """Fit messages that did not arrive in time into finished steps; return the length of the log.

    What a receiver gets in all steps is one more matching: a transfer to it may carry any message that its sender holds
    by then, if the receiver has it before it first sends it on. An augmenting path over its transfers ends where one
    more transfer fits. Other receivers are unchanged. New transfers are appended out of order.
    """
    transfers, arrived, room = state.log.transfers, state.arrived, state.room
    came_from = np.full(len(transfers), -2, dtype=np.int64)
    queue = np.empty(len(transfers), dtype=np.int64)
    num_steps = len(room.inject)
    for number in range(len(late.lacking)):
        receiver, message = late.lacking[number, 0], late.lacking[number, 1]
        num_queued, here, wanted = 0, -1, message
        step, sender, channel = -1, -1, -1
        while True:
            latest = min(num_steps, late.first_sent[receiver, wanted])
            step, sender, channel = one_more(receiver, wanted, latest, wiring, arrived, room)
            if step >= 0:
                break
            for at in range(late.mine_offsets[receiver], late.mine_offsets[receiver + 1]):
                transfer = late.mine[at]
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
            write(state.log, num_transfers, step, sender, receiver, message)
            if channel >= 0:
                extend(state.log, num_transfers, channel)
                room.carry[step, wiring.channels.units[channel]] -= 1
            room.inject[step, sender] -= 1
            room.eject[step, receiver] -= 1
            shift_messages(num_transfers, -1 if here < 0 else queue[here], message, came_from, state, late.first_sent)
            num_transfers += 1
        for at in range(num_queued):
            came_from[queue[at]] = -2
    return num_transfers


def one_more(
    receiver: int, message: int, latest: int, wiring: BroadcastWiring, arrived: Array, room: StepRoom
) -> tuple[int, int, int]:
    """Return the last step before `latest` in which a message fits in, its sender and channel; -1, -1, -1 if none.

    The channel is -1 where the sender is on the same router.
    """
    on, offsets, channels = wiring.locations.on, wiring.locations.offsets, wiring.channels
    router = wiring.locations.home[receiver]
    for now in range(latest - 1, -1, -1):
        if room.eject[now, receiver] <= 0:
            continue
        sender, channel = -1, -1
        for location in on[offsets[router] : offsets[router + 1]]:
            if arrived[location, message] < now and location != receiver and room.inject[now, location] > 0:
                sender = location
        for at in range(channels.in_offsets[router], channels.in_offsets[router + 1]):
            inlet = channels.incoming[at]
            if room.carry[now, channels.units[inlet]] > 0:
                tail = channels.tails[inlet]
                for location in on[offsets[tail] : offsets[tail + 1]]:
                    if arrived[location, message] < now and room.inject[now, location] > 0:
                        sender, channel = location, inlet
        if sender >= 0:
            return now, sender, channel
    return -1, -1, -1


def shift_messages(
    changed: int, before: int, message: int, came_from: Array, state: StepState, first_sent: Array
) -> None:
    """Let each transfer of an augmenting path pass its message on and take that of the one before."""
    transfers = state.log.transfers
    receiver = transfers[changed, 2]
    while changed >= 0:
        moved = message if before < 0 else transfers[before, 3]
        transfers[changed, 3] = moved
        state.arrived[receiver, moved] = transfers[changed, 0]
        carrier = transfers[changed, 1]
        first_sent[carrier, moved] = min(first_sent[carrier, moved], transfers[changed, 0])
        changed = before
        before = came_from[before] if before >= 0 else -1
