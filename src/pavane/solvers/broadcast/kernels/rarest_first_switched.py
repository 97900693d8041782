"""Rarest first through pure switches: processors that a way over switches joins are neighbours.

What limits them is what goes up to a switch and what comes down from it, so the switch itself needs no location in the
search. A way in is a channel from a neighbour, or a path over switches alone. Receivers take turns, a few messages at a
time, each the rarest that it can get, from a holder with the most room on its first channel. So a sender whose ports
are all that limits a step serves many receivers, not one.

A receiver that finds no way with room requests that others move: the holder of the one channel or port that is full on
its way may get another message, or the same by another way. Such requests are a search breadth first over what is full
(augmenting paths, Kuhn 1955).

What enters a bottleneck (a box of processors that few channels lead into) twice wastes a channel, so what is new to the
sets around a receiver comes first. A strict turn lets nothing else in: the rest is copied inside.

In a wide step a transfer carries several messages of one sender to one receiver: it takes up its way once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.broadcast.kernels.rarest_first import Holders, Locations, StepRoom, Turn, sender_on

Array = np.ndarray[Any, Any]

NEVER = 2**31 - 1
"""The step in which a message comes to where it does not come."""

SCATTERING = 10_007.0
"""A number by which orders of the equally rare differ from receiver to receiver."""

MOST_REQUESTS = 64
"""After this many requests a receiver that wants room gives up."""

SENDER, RECEIVER, MESSAGE, WAY = 0, 1, 2, 3
"""The columns of moves; a way is -1 between processors of one router."""

ROW, FULL, REQUESTED_BY = 4, 5, 6
"""More columns of requests: the move to change (-1: a new one), what is full, the request it helps (-1: none)."""


class WaysIn(NamedTuple):
    """How messages come to each router from a neighbour, or over switches alone."""

    offsets: Array
    """int64, routers + 1: where the ways into each router begin."""
    starts: Array
    """int64, ways: the router where each begins."""
    path_offsets: Array
    """int64, ways + 1: where the channels of each way begin in `path`."""
    path: Array
    """int64: channels, way by way."""
    set_offsets: Array
    """int64, ways + 1: where the sets of each way begin in `entered`."""
    entered: Array
    """int64: the bottlenecks that each way leads into from outside."""


class MessageDemand(NamedTuple):
    """The messages that are still missing somewhere."""

    missing: Array
    """int64, messages: how many targets lack each; it changes while the step is made."""
    ties: Array
    """float64, messages: from 0 up to 1, other numbers in every step."""


class SwitchedStep(NamedTuple):
    """All that a step is made of."""

    turn: Turn
    is_strict: bool
    """Whether nothing enters a bottleneck twice."""
    demand: MessageDemand
    locations: Locations
    ways: WaysIn
    units: Array
    """int64, channels: what is used up when a channel is; under half duplex both channels of a link have one unit."""
    arrived: Array
    """int32, locations x messages: the step in which each message came, -1 at its origin."""
    room: StepRoom
    inside: Array
    """int64, bottlenecks x messages: how often each is or comes inside."""
    moves: Array
    """int64, moves x 4: what is decided."""


class MoveRequest(NamedTuple):
    """A request to give something back, and get a message over another way."""

    receiver: int
    row: int
    """The receiver's move that would change; -1: it wants a new one."""
    given_back: int
    """What it gives back; -1: nothing."""
    requested_by: int
    """The request that it helps; -1: none."""


class Gate(NamedTuple):
    """What may come to receivers in this part of the step."""

    is_crossing: bool
    """Whether only what is new to a bottleneck may, from outside it."""
    first: int
    """The first move of this part; those before are not changed any more."""


def match_through_switches(step: SwitchedStep) -> int:
    """Let receivers take messages over their ways in, those new to their bottlenecks first; return how many moves."""
    turn, num_moves = step.turn, 0
    for part in range(0 if len(step.inside) > 0 else 1, 2):
        gate = Gate(part == 0, num_moves)
        is_served = np.zeros(len(turn.receivers), dtype=np.bool_)
        num_waiting = len(turn.receivers)
        while num_waiting > 0:
            for number in range(len(turn.receivers)):
                receiver, spin = turn.receivers[number], turn.spins[number]
                if not is_served[number]:
                    is_served[number] = step.room.eject[receiver] <= 0 or not (
                        is_taken(step, gate, receiver, spin, num_moves)
                        or is_granted(step, gate, receiver, spin, num_moves)
                    )
                    if is_served[number]:
                        num_waiting -= 1
                    else:
                        num_moves += 1
    return num_moves


# -- one message more


def is_taken(step: SwitchedStep, gate: Gate, receiver: int, spin: float, number: int) -> bool:
    """Let a receiver take the rarest message that it can get, as this move; say whether there is one.

    Rarity is that of the moment: of what one receiver takes in a step the next one takes less.
    """
    missing, ties, got = step.demand.missing, step.demand.ties, step.arrived[receiver]
    now, highest, scatter = step.turn.step, -1.0, 1.0 + SCATTERING * spin
    for message in range(len(missing)):
        if missing[message] > 0 and got[message] > now and missing[message] + 1.0 > highest:
            rarity = missing[message] + ties[message] * scatter % 1.0
            if rarity > highest:
                sender, way = supplier(step, gate, receiver, message, spin)
                if sender >= 0:
                    highest = rarity
                    put(step, number, sender, receiver, message, way)
    if highest >= 0:
        settle(step, number)
    return highest >= 0


def supplier(step: SwitchedStep, gate: Gate, receiver: int, message: int, spin: float) -> tuple[int, int]:
    """Return the sender of a message over the way with the most room on its first channel, and that way; or -1, -1."""
    ways, locations, units = step.ways, step.locations, step.units
    arrived, inject, carry = step.arrived, step.room.inject, step.room.carry
    starts, path, path_offsets = ways.starts, ways.path, ways.path_offsets
    offsets, on, now, router = locations.offsets, locations.on, step.turn.step, locations.home[receiver]
    if offsets[router + 1] - offsets[router] > 1:
        near, is_new = sender_on(now, router, message, Holders(offsets, on, arrived, inject))
        if near >= 0:
            return near, -1
        if step.turn.only_new and not is_new:
            return -1, -1
    begin, num_ways = ways.offsets[router], ways.offsets[router + 1] - ways.offsets[router]
    turned = int(spin * num_ways)
    sender, best, most_left = -1, -1, 0
    for count in range(num_ways):
        way = begin + (count + turned) % num_ways
        left = carry[units[path[path_offsets[way]]]]
        for at in range(path_offsets[way] + 1, path_offsets[way + 1]):
            left = left if carry[units[path[at]]] > 0 else 0
        if left <= most_left or not is_let_in(step, gate, way, message):
            continue
        for resident in range(offsets[starts[way]], offsets[starts[way] + 1]):
            location = on[resident]
            if arrived[location, message] < now and inject[location] > 0:
                sender, best, most_left = location, way, left
    return sender, best


def put(step: SwitchedStep, row: int, sender: int, receiver: int, message: int, way: int) -> None:
    """Write a move down."""
    moves = step.moves
    moves[row, SENDER], moves[row, RECEIVER], moves[row, MESSAGE], moves[row, WAY] = sender, receiver, message, way


def is_let_in(step: SwitchedStep, gate: Gate, way: int, message: int) -> bool:
    """Return whether a message may come over a way in this part of the step."""
    first, last = step.ways.set_offsets[way], step.ways.set_offsets[way + 1]
    is_new, entered, inside = True, step.ways.entered, step.inside
    for at in range(first, last):
        is_new = is_new and inside[entered[at], message] == 0
    if gate.is_crossing:
        return is_new and last > first
    return is_new or not step.is_strict


def settle(step: SwitchedStep, row: int) -> None:
    """Take up what a move needs."""
    room, ways, units = step.room, step.ways, step.units
    sender, receiver = step.moves[row, SENDER], step.moves[row, RECEIVER]
    message, way = step.moves[row, MESSAGE], step.moves[row, WAY]
    room.eject[receiver] -= 1
    step.demand.missing[message] -= 1
    step.arrived[receiver, message] = step.turn.step
    if way < 0:
        room.inject[sender] -= 1
        return
    room.inject[sender] -= 1
    for at in range(ways.path_offsets[way], ways.path_offsets[way + 1]):
        room.carry[units[ways.path[at]]] -= 1
    for at in range(ways.set_offsets[way], ways.set_offsets[way + 1]):
        step.inside[ways.entered[at], message] += 1


def lift(step: SwitchedStep, row: int) -> None:
    """Give back what a move takes up."""
    room, ways, units = step.room, step.ways, step.units
    sender, receiver = step.moves[row, SENDER], step.moves[row, RECEIVER]
    message, way = step.moves[row, MESSAGE], step.moves[row, WAY]
    room.inject[sender] += 1
    room.eject[receiver] += 1
    step.demand.missing[message] += 1
    step.arrived[receiver, message] = NEVER
    if way >= 0:
        for at in range(ways.path_offsets[way], ways.path_offsets[way + 1]):
            room.carry[units[ways.path[at]]] += 1
        for at in range(ways.set_offsets[way], ways.set_offsets[way + 1]):
            step.inside[ways.entered[at], message] -= 1


# -- requests


def is_granted(step: SwitchedStep, gate: Gate, receiver: int, spin: float, number: int) -> bool:
    """Let others move so that a receiver gets one message more, as this move; say whether they could.

    What is full is a unit of the channels or, numbered after these, the ports out of a location.
    """
    num_units = len(step.room.carry)
    is_requested = np.zeros(num_units + len(step.room.inject), dtype=np.bool_)
    requests = np.empty((MOST_REQUESTS, 7), dtype=np.int64)
    request = MoveRequest(receiver, -1, -1, -1)
    num_requests, is_found = list_moves(step, gate, request, spin, requests, 0, is_requested)
    here = 0
    while here < num_requests and not is_found:
        for row in range(gate.first, number):
            if not is_found and takes_up(step, row, requests[here, FULL]):
                lift(step, row)
                request = MoveRequest(step.moves[row, RECEIVER], row, requests[here, FULL], here)
                num_requests, is_found = list_moves(step, gate, request, spin, requests, num_requests, is_requested)
                settle(step, row)
        here += 1
    return is_found and is_carried_out(step, gate, requests, num_requests - 1, number)


def list_moves(
    step: SwitchedStep,
    gate: Gate,
    request: MoveRequest,
    spin: float,
    requests: Array,
    num_requests: int,
    is_requested: Array,
) -> tuple[int, bool]:
    """List what a receiver could get over ways where at most one thing is full; return how many, and if one is free.

    A way that needs what is to be given back is left out, and so is one where the same is full as requested before.
    """
    ways, locations = step.ways, step.locations
    router = locations.home[request.receiver]
    is_found, way = False, ways.offsets[router]
    while way < ways.offsets[router + 1] and num_requests < len(requests) and not is_found:
        for resident in range(locations.offsets[ways.starts[way]], locations.offsets[ways.starts[way] + 1]):
            sender = locations.on[resident]
            full = what_is_full(step, sender, way, request.given_back)
            if is_found or num_requests == len(requests) or full == -2 or (full >= 0 and is_requested[full]):
                continue
            message = rarest_from(step, gate, sender, request.receiver, way, spin)
            if message >= 0:
                requests[num_requests, SENDER] = sender
                requests[num_requests, RECEIVER] = request.receiver
                requests[num_requests, MESSAGE] = message
                requests[num_requests, WAY] = way
                requests[num_requests, ROW] = request.row
                requests[num_requests, FULL] = full
                requests[num_requests, REQUESTED_BY] = request.requested_by
                num_requests += 1
                is_found = full == -1
                if full >= 0:
                    is_requested[full] = True
        way += 1
    return num_requests, is_found


def what_is_full(step: SwitchedStep, sender: int, way: int, given_back: int) -> int:
    """Return the one thing that is full for a move; -1 if nothing is, -2 if more is, or it needs what is given back."""
    ways, units, room = step.ways, step.units, step.room
    port = len(room.carry) + sender
    full = port if room.inject[sender] <= 0 else -1
    if port == given_back:
        full = -2
    for at in range(ways.path_offsets[way], ways.path_offsets[way + 1]):
        unit = units[ways.path[at]]
        if unit == given_back or (room.carry[unit] <= 0 and full != -1):
            full = -2
        elif room.carry[unit] <= 0:
            full = unit
    return full


def takes_up(step: SwitchedStep, row: int, full: int) -> bool:
    """Return whether a move takes up a unit or, numbered after these, the ports of a location."""
    ways, units, way = step.ways, step.units, step.moves[row, WAY]
    is_taken_up: bool = len(step.room.carry) + step.moves[row, SENDER] == full
    if way >= 0:
        for at in range(ways.path_offsets[way], ways.path_offsets[way + 1]):
            is_taken_up = is_taken_up or units[ways.path[at]] == full
    return is_taken_up and way >= 0


def rarest_from(step: SwitchedStep, gate: Gate, sender: int, receiver: int, way: int, spin: float) -> int:
    """Return the rarest message that a receiver could get from a sender over a way, -1 if there is none."""
    missing, arrived, locations = step.demand.missing, step.arrived, step.locations
    offsets, on, now, router = locations.offsets, locations.on, step.turn.step, locations.home[receiver]
    held, got, rarest, highest = arrived[sender], arrived[receiver], -1, -1.0
    for message in range(len(missing)):
        if held[message] < now and got[message] > now and missing[message] > 0:
            rarity = missing[message] + step.demand.ties[message] * (1.0 + SCATTERING * spin) % 1.0
            if rarity > highest and is_let_in(step, gate, way, message):
                is_new = True
                if step.turn.only_new:
                    for at in range(offsets[router], offsets[router + 1]):
                        is_new = is_new and arrived[on[at], message] > now
                if is_new:
                    rarest, highest = message, rarity
    return rarest


def is_carried_out(step: SwitchedStep, gate: Gate, requests: Array, last: int, number: int) -> bool:
    """Carry out requests from the last one back to the first; say whether all could be.

    Each is looked at again: those after it may have taken what it wants. What is done till then holds.
    """
    is_done = True
    while last >= 0 and is_done:
        sender, receiver = requests[last, SENDER], requests[last, RECEIVER]
        message, way, row = requests[last, MESSAGE], requests[last, WAY], requests[last, ROW]
        if row >= 0:
            lift(step, row)
        is_done = (
            what_is_full(step, sender, way, -1) == -1
            and step.arrived[receiver, message] > step.turn.step
            and step.room.eject[receiver] > 0
            and is_let_in(step, gate, way, message)
        )
        if is_done:
            put(step, number if row < 0 else row, sender, receiver, message, way)
        if is_done or row >= 0:
            settle(step, number if row < 0 else row)
        last = requests[last, REQUESTED_BY]
    return is_done
