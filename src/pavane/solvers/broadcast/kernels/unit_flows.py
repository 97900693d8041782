"""Maximum flows over channels that carry one unit each, from many routers to many.

A router sends up to its supply and takes up to its demand. What stands between two phases is always a flow, so a search
that changes little continues with the flow it has: what is no longer allowed is taken off, and the rest is filled up.

The flow is filled in phases (Dinic 1970), with distances measured backwards from the routers that still want a unit.
They are few when the flow is almost complete, and then little of the network is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.wiring import Wiring

Array = np.ndarray[Any, Any]

SHUT = 0
"""A channel that may not be used."""
FREE = 1
"""A channel that may be used, and is not."""
BUSY = 2
"""A channel that carries a unit."""

UNREACHED = -1


class Terms(NamedTuple):
    """What a flow must keep to, besides the channels; nothing in it changes."""

    supply: Array
    """int64 [router]: the most that it sends."""
    demand: Array
    """int64 [router]: the most that it takes."""


class UnitFlow(NamedTuple):
    """A flow: what comes into a router, or is sent by it, leaves it or is taken by it."""

    states: Array
    """int8 [channel]: SHUT, FREE or BUSY."""
    emitted: Array
    """int64 [router]: what it sends."""
    absorbed: Array
    """int64 [router]: what it takes."""


class FlowScratch(NamedTuple):
    """Room to work in."""

    nearness: Array
    """int32 [router]: how many channels away the nearest router is that wants a unit; UNREACHED where none is."""
    queue: Array
    """int32 [router]."""
    tried: Array
    """int32 [router]: how many of its channels have been tried in this phase, those that leave it first."""
    path: Array
    """int32 [router]: the channels of the path under way."""


def room_for_flows(num_routers: int) -> FlowScratch:
    """Return room for the flows of a network."""
    nearness, queue, tried, path = np.empty((4, num_routers), dtype=np.int32)
    return FlowScratch(nearness, queue, tried, path)


def measure_heights(wiring: Wiring, starts: Array, heights: Array, queue: Array) -> None:
    """Lower the heights, int64 of each router, to the distance from the nearest start, an int64 array of routers."""
    out_offsets, out_channels, heads = wiring.out_offsets, wiring.out_channels, wiring.heads
    met = 0
    for start in starts:
        heights[start] = 0
        queue[met] = start
        met += 1
    here = 0
    while here < met:
        tail = queue[here]
        here += 1
        above = heights[tail] + 1
        for at in range(out_offsets[tail], out_offsets[tail + 1]):
            head = heads[out_channels[at]]
            if heights[head] > above:
                heights[head] = above
                queue[met] = head
                met += 1


def shut_all_but_rising(wiring: Wiring, heights: Array, states: Array) -> None:
    """Shut the channels that do not lead to a router higher by one; heights are int64 of each router."""
    tails, heads = wiring.tails, wiring.heads
    for channel in range(len(states)):
        if heights[tails[channel]] + 1 != heights[heads[channel]]:
            states[channel] = SHUT


def keep_flow(wiring: Wiring, terms: Terms, flow: UnitFlow, carried: Array) -> None:
    """Let channels carry again what they did, an int64 array of them, and take off what the terms no longer allow.

    What routers send and take is that of the earlier flow; a channel that is now shut is shut again in the end.
    """
    states, emitted, absorbed = flow.states, flow.emitted, flow.absorbed
    num_shut = 0
    shut = np.empty(len(carried), dtype=np.int64)
    for channel in carried:
        if states[channel] == SHUT:
            shut[num_shut] = channel
            num_shut += 1
        states[channel] = BUSY
    for channel in shut[:num_shut]:
        if states[channel] == BUSY:
            states[channel] = FREE
            _take_off_before(wiring, flow, wiring.tails[channel])
            _take_off_behind(wiring, flow, wiring.heads[channel])
    for router in range(len(emitted)):
        while emitted[router] > terms.supply[router]:
            emitted[router] -= 1
            _take_off_behind(wiring, flow, router)
        while absorbed[router] > terms.demand[router]:
            absorbed[router] -= 1
            _take_off_before(wiring, flow, router)
    for channel in shut[:num_shut]:
        states[channel] = SHUT


def fill_flow(wiring: Wiring, terms: Terms, flow: UnitFlow, scratch: FlowScratch) -> None:
    """Add to a flow until it is a maximum one."""
    while _measure_nearness(wiring, terms, flow, scratch):
        for router in range(len(flow.emitted)):
            while flow.emitted[router] < terms.supply[router] and _add_path(wiring, terms, flow, scratch, router):
                flow.emitted[router] += 1


def mark_surplus(wiring: Wiring, terms: Terms, flow: UnitFlow, queue: Array, is_surplus: Array) -> None:
    """Mark the routers to which more could be sent, bool of each: the sources' side of a minimum cut."""
    states, heads, tails = flow.states, wiring.heads, wiring.tails
    met = 0
    for router in range(len(is_surplus)):
        is_surplus[router] = flow.emitted[router] < terms.supply[router]
        if is_surplus[router]:
            queue[met] = router
            met += 1
    here = 0
    while here < met:
        router = queue[here]
        here += 1
        for at in range(wiring.out_offsets[router], wiring.out_offsets[router + 1]):
            channel = wiring.out_channels[at]
            head = heads[channel]
            if states[channel] == FREE and not is_surplus[head]:
                is_surplus[head] = True
                queue[met] = head
                met += 1
        for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
            channel = wiring.in_channels[at]
            tail = tails[channel]
            if states[channel] == BUSY and not is_surplus[tail]:
                is_surplus[tail] = True
                queue[met] = tail
                met += 1


def _take_off_behind(wiring: Wiring, flow: UnitFlow, router: int) -> None:
    """Take one unit off the way on from a router, to the first that takes one."""
    while flow.absorbed[router] == 0:
        at = wiring.out_offsets[router]
        while flow.states[wiring.out_channels[at]] != BUSY:
            at += 1
        channel = wiring.out_channels[at]
        flow.states[channel] = FREE
        router = wiring.heads[channel]
    flow.absorbed[router] -= 1


def _take_off_before(wiring: Wiring, flow: UnitFlow, router: int) -> None:
    """Take one unit off the way to a router, back to the first that sends one."""
    while flow.emitted[router] == 0:
        at = wiring.in_offsets[router]
        while flow.states[wiring.in_channels[at]] != BUSY:
            at += 1
        channel = wiring.in_channels[at]
        flow.states[channel] = FREE
        router = wiring.tails[channel]
    flow.emitted[router] -= 1


@inlined
def _measure_nearness(wiring: Wiring, terms: Terms, flow: UnitFlow, scratch: FlowScratch) -> bool:
    """Begin a phase: measure how near routers are to one that wants a unit; return whether any can send there."""
    states, heads, tails = flow.states, wiring.heads, wiring.tails
    nearness, queue = scratch.nearness, scratch.queue
    met = 0
    for router in range(len(nearness)):
        scratch.tried[router] = 0
        nearness[router] = UNREACHED
        if flow.absorbed[router] < terms.demand[router]:
            nearness[router] = 0
            queue[met] = router
            met += 1
    here = 0
    can_send = False
    while here < met:
        router = queue[here]
        here += 1
        can_send = can_send or flow.emitted[router] < terms.supply[router]
        farther = nearness[router] + 1
        for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
            channel = wiring.in_channels[at]
            tail = tails[channel]
            if states[channel] == FREE and nearness[tail] == UNREACHED:
                nearness[tail] = farther
                queue[met] = tail
                met += 1
        for at in range(wiring.out_offsets[router], wiring.out_offsets[router + 1]):
            channel = wiring.out_channels[at]
            head = heads[channel]
            if states[channel] == BUSY and nearness[head] == UNREACHED:
                nearness[head] = farther
                queue[met] = head
                met += 1
    return can_send


@inlined
def _add_path(wiring: Wiring, terms: Terms, flow: UnitFlow, scratch: FlowScratch, start: int) -> bool:
    """Lead one unit from a router to one that wants it, ever nearer; return whether there is a way.

    On its way it may take the place of another unit, which is led on from there: it goes against a busy channel.
    """
    states, nearness, tried, path = flow.states, scratch.nearness, scratch.tried, scratch.path
    router, length = start, 0
    is_stuck = nearness[start] == UNREACHED
    while not is_stuck and nearness[router] > 0:
        at, nearer = tried[router], nearness[router] - 1
        first_out, first_in = wiring.out_offsets[router], wiring.in_offsets[router]
        num_out = wiring.out_offsets[router + 1] - first_out
        num_all = num_out + wiring.in_offsets[router + 1] - first_in
        is_found = False
        channel, end = -1, router
        while at < num_all and not is_found:
            if at < num_out:
                channel = wiring.out_channels[first_out + at]
                end = wiring.heads[channel]
                is_found = states[channel] == FREE and nearness[end] == nearer
            else:
                channel = wiring.in_channels[first_in + at - num_out]
                end = wiring.tails[channel]
                is_found = states[channel] == BUSY and nearness[end] == nearer
            at += 1
        if is_found:
            tried[router] = at - 1
            path[length] = channel
            length += 1
            router = end
        else:
            # Nothing leads on: no further path of this phase comes here.
            tried[router] = num_all
            nearness[router] = UNREACHED
            is_stuck = length == 0
            if length > 0:
                length -= 1
                channel = path[length]
                is_forward = states[channel] == FREE
                router = wiring.tails[channel] if is_forward else wiring.heads[channel]
    if not is_stuck and flow.absorbed[router] < terms.demand[router]:
        flow.absorbed[router] += 1
        if flow.absorbed[router] == terms.demand[router]:
            nearness[router] = UNREACHED
        for at in range(length):
            states[path[at]] = BUSY if states[path[at]] == FREE else FREE
        return True
    return False
