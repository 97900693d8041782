"""Rarest first through pure switches (wormhole): processors on one switch are neighbours.

What limits them is what goes up to the switch and what comes down from it, so the switch itself needs no place in the
search. A way in is a channel from a neighbour, or one up to a switch and one down from it. A receiver takes messages
rarest first, each from a holder with the most room on its first channel.

What enters a bottleneck (a box of processors that few channels lead into) twice wastes a channel, so what is new to the
sets around a receiver comes first. A strict turn lets nothing else in: the rest is copied inside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.kernels.compiling import inlined
from pavane.kernels.rarest import Holders, State, Turn, Wiring, extend, sender_on, write

Array = np.ndarray[Any, Any]


SCATTERING = 10_007.0
"""A number by which orders of the equally rare differ from receiver to receiver."""


class WaysIn(NamedTuple):
    """How messages come to each router from a neighbour, or through one switch."""

    offsets: Array
    """int64, routers + 1: where the ways into each router begin."""
    starts: Array
    """int64, ways: the router where each begins."""
    first: Array
    """int64, ways: the channel that leads out of it."""
    last: Array
    """int64, ways: the channel that leads into the router; the first one where there is no switch between."""
    set_offsets: Array
    """int64, ways + 1: where the sets of each way begin in `entered`."""
    entered: Array
    """int64: the bottlenecks that each way leads into from outside."""


class Fabric(NamedTuple):
    """The network, and the ways through its switches."""

    wiring: Wiring
    ways: WaysIn


class Demand(NamedTuple):
    """The messages that are still missing somewhere."""

    messages: Array
    """int64."""
    missing: Array
    """int64, all messages: how many targets lack each; it changes while the step is made."""
    ties: Array
    """float64, all messages: from 0 up to 1, other numbers in every step."""


class Gate(NamedTuple):
    """What may come to a receiver in this part of its turn."""

    is_crossing: bool
    """Whether only what is new to a bottleneck may, from outside it."""
    is_strict: bool
    """Whether nothing enters a bottleneck twice."""
    spin: float
    """From 0 up to 1: at which part of its ways the receiver starts."""


def match_through_switches(
    turn: Turn, is_strict: bool, demand: Demand, fabric: Fabric, state: State, num_transfers: int
) -> int:
    """Let each receiver take messages over its ways in, those new to its bottlenecks first; return the log's length."""
    for number in range(len(turn.receivers)):
        receiver, spin = turn.receivers[number], turn.spins[number]
        ranked = rarest_now(demand, state.arrived[receiver], turn.step, spin)
        for part in range(2):
            before, gate = num_transfers, Gate(part == 0, is_strict, spin)
            num_transfers = take_over_ways(turn, receiver, gate, ranked, fabric, state, num_transfers)
            for transfer in range(before, num_transfers):
                demand.missing[state.log.transfers[transfer, 3]] -= 1
    return num_transfers


def rarest_now(demand: Demand, got: Array, step: int, spin: float) -> Array:
    """Return what a receiver lacks, what most others lack first; among equals every receiver has an order of its own.

    Rarity is that of the moment: of what one receiver takes in a step the next one takes less.
    """
    lacked = demand.messages[got[demand.messages] > step]
    scattered = demand.ties[lacked] * (1.0 + SCATTERING * spin)
    return lacked[np.argsort(-(demand.missing[lacked] + scattered % 1.0))]


def take_over_ways(
    turn: Turn, receiver: int, gate: Gate, ranked: Array, fabric: Fabric, state: State, num_transfers: int
) -> int:
    """Let one receiver take messages, rarest first; return the length of the log."""
    step, room, ways, wiring = turn.step, state.room, fabric.ways, fabric.wiring
    holders = Holders(wiring.locations.offsets, wiring.locations.on, state.arrived, room.inject)
    router, units = wiring.locations.home[receiver], wiring.channels.units
    is_alone = holders.offsets[router + 1] - holders.offsets[router] == 1
    got, count = state.arrived[receiver], -1
    while count + 1 < len(ranked) and room.eject[receiver] > 0:
        count += 1
        message = ranked[count]
        if got[message] <= step:
            continue
        sender, way, is_new = -1, -1, True
        if not is_alone:
            sender, is_new = sender_on(step, router, message, holders)
        if sender < 0 and (is_new or not turn.only_new):
            sender, way = roomiest_way(step, router, message, gate, fabric, state)
        if sender < 0:
            continue
        room.inject[sender] -= 1
        room.eject[receiver] -= 1
        got[message] = step
        write(state.log, num_transfers, step, sender, receiver, message)
        if way >= 0:
            room.carry[units[ways.first[way]]] -= 1
            extend(state.log, num_transfers, ways.first[way])
            if ways.last[way] != ways.first[way]:
                room.carry[units[ways.last[way]]] -= 1
                extend(state.log, num_transfers, ways.last[way])
            for entry in range(ways.set_offsets[way], ways.set_offsets[way + 1]):
                state.inside[ways.entered[entry], message] = True
        num_transfers += 1
    return num_transfers


@inlined
def roomiest_way(step: int, router: int, message: int, gate: Gate, fabric: Fabric, state: State) -> tuple[int, int]:
    """Return who sends a message over the way in with the most room on its first channel, and that way; or -1, -1."""
    locations, units, ways, inside = fabric.wiring.locations, fabric.wiring.channels.units, fabric.ways, state.inside
    on, offsets, arrived = locations.on, locations.offsets, state.arrived
    inject, carry = state.room.inject, state.room.carry
    starts, first, last, entered, set_offsets = ways.starts, ways.first, ways.last, ways.entered, ways.set_offsets
    begin, num_ways = ways.offsets[router], ways.offsets[router + 1] - ways.offsets[router]
    turned = int(gate.spin * num_ways)
    sender, best, most_left = -1, -1, 0
    for count in range(num_ways):
        way = begin + (count + turned) % num_ways
        left = carry[units[first[way]]]
        if left <= most_left or carry[units[last[way]]] == 0:
            continue
        is_new, enters = True, set_offsets[way + 1] > set_offsets[way]
        for entry in range(set_offsets[way], set_offsets[way + 1]):
            is_new = is_new and not inside[entered[entry], message]
        if (gate.is_crossing and not enters) or (not is_new and (gate.is_crossing or gate.is_strict)):
            continue
        for resident in range(offsets[starts[way]], offsets[starts[way] + 1]):
            location = on[resident]
            if arrived[location, message] < step and inject[location] > 0:
                sender, best, most_left = location, way, left
    return sender, best
