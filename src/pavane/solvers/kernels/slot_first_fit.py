"""First fit in slots: each packet takes the first slot in which some shortest path is free.

The slots in which a unit (a channel, a link or a port) must not begin to be used are the bits of words of 64. The slots
in which some path from a router to the target is free follow from those of the routers one channel nearer, moved by the
slots between two uses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class SlotFabric(NamedTuple):
    """The network, and how long a packet takes through it."""

    distances: Array
    """[router, router]."""
    into: tuple[Array, Array]
    """int32: where the channels into each router begin, and those channels in order."""
    out: tuple[Array, Array]
    """The same for the channels out of each router."""
    ends: Array
    """int64 [channel, 2]: the tail and the head."""
    unit_of: Array
    """int64 [channel]: the unit of each channel."""
    capacity: Array
    """int64 [unit, then port]."""
    delays: Array
    """int64, three: the slots from one channel to the next, from the last channel to the port, and of one use."""


class SlotPackets(NamedTuple):
    """The packets, and where they go."""

    routers: Array
    """int64 [packet, 2]: the first and the last router."""
    ports: Array
    """int64 [packet, 2]: the units of the ports at both ends."""
    offsets: Array
    """int64 [packet + 1]: where the path of each packet begins."""
    paths: Array
    """int64: the channels of all paths, which are filled in."""
    slot_of: Array
    """int64 [packet]: the slot in which each starts, which is filled in."""


class SlotUse(NamedTuple):
    """Which slots are taken."""

    barred: Array
    """uint64 [unit, then port; word]: bit b of word w is set if no use may begin in slot 64 w + b."""
    loads: Array
    """int32 [unit, then port; slot]: the packets in units for several."""


class PathSlots(NamedTuple):
    """Working memory: the routers on shortest paths of one packet."""

    free: Array
    """uint64 [router, word]: the slots in which the next channel of some path may be used."""
    reached: Array
    """int64 [router]: the packet that reached it last, counted by its place in the order."""
    level: Array
    """int64 [router]: how far it is from the target."""
    queue: Array
    """int64 [router]: the routers reached, nearest to the target first."""
    starts: Array
    """uint64 [word]: the slots in which the packet can start."""


def fit_slots(order: Array, first: int, last: int, fabric: SlotFabric, packets: SlotPackets, use: SlotUse) -> int:
    """Place the packets of an order from one place to another; return the place of the first that has no slot left."""
    num_routers = len(fabric.distances)
    scratch = PathSlots(
        np.zeros((num_routers, use.barred.shape[1]), dtype=np.uint64),
        np.full(num_routers, -1, dtype=np.int64),
        np.zeros(num_routers, dtype=np.int64),
        np.zeros(num_routers, dtype=np.int64),
        np.zeros(use.barred.shape[1], dtype=np.uint64),
    )
    for place in range(first, last):
        packet = order[place]
        _reach(place, packet, fabric, packets, use, scratch)
        slot = _first_slot(packet, fabric, packets, use, scratch)
        if slot < 0:
            return place
        packets.slot_of[packet] = slot
        _lead(packet, place, fabric, packets, use, scratch)
        _take(packet, fabric, packets, use)
    return last


def _reach(place: int, packet: int, fabric: SlotFabric, packets: SlotPackets, use: SlotUse, scratch: PathSlots) -> None:
    """Find the free slots of every router on a shortest path, from the target backwards."""
    source, target = packets.routers[packet, 0], packets.routers[packet, 1]
    length = packets.offsets[packet + 1] - packets.offsets[packet]
    free, reached, level, queue = scratch.free, scratch.reached, scratch.level, scratch.queue
    offsets, channels = fabric.into
    num_words = free.shape[1]
    for word in range(num_words):
        free[target, word] = ~use.barred[packets.ports[packet, 1], word]
    reached[target], level[target], queue[0] = place, 0, target
    num_reached, at = 1, 0
    while at < num_reached:
        router = queue[at]
        at += 1
        far = level[router] + 1
        if far > length:
            continue
        delay = fabric.delays[0] if far > 1 else fabric.delays[1]
        for number in range(offsets[router], offsets[router + 1]):
            channel = channels[number]
            tail = fabric.ends[channel, 0]
            if fabric.distances[source, tail] != length - far:
                continue
            if reached[tail] != place:
                reached[tail], level[tail], queue[num_reached] = place, far, tail
                num_reached += 1
                for word in range(num_words):
                    free[tail, word] = 0
            unit = fabric.unit_of[channel]
            _add_moved(free[tail], free[router], delay, use.barred[unit])


def _add_moved(into: Array, words: Array, delay: int, barred: Array) -> None:
    """Add the bits that are not barred after they are moved towards the first slot."""
    whole, part, size = delay // 64, np.uint64(delay % 64), len(words)
    for word in range(size - whole):
        bits = words[word + whole] >> part
        if part > 0 and word + whole + 1 < size:
            bits |= words[word + whole + 1] << (np.uint64(64) - part)
        into[word] |= bits & ~barred[word]


def _first_slot(packet: int, fabric: SlotFabric, packets: SlotPackets, use: SlotUse, scratch: PathSlots) -> int:
    """Return the first slot in which a packet can start, or -1."""
    source, starts = packets.routers[packet, 0], scratch.starts
    delay = fabric.delays[0] if scratch.level[source] > 0 else fabric.delays[1]
    starts[:] = 0
    _add_moved(starts, scratch.free[source], delay, use.barred[packets.ports[packet, 0]])
    for word in range(len(starts)):
        if starts[word] > 0:
            slot = 64 * word
            while not _has(starts, slot):
                slot += 1
            return slot
    return -1


def _lead(packet: int, place: int, fabric: SlotFabric, packets: SlotPackets, use: SlotUse, scratch: PathSlots) -> None:
    """Write down the first path that is free for a packet from its slot on."""
    router, begin = packets.routers[packet, 0], packets.offsets[packet]
    length = packets.offsets[packet + 1] - begin
    offsets, channels = fabric.out
    when = packets.slot_of[packet] + (fabric.delays[0] if length > 0 else fabric.delays[1])
    for hop in range(length):
        left = length - hop - 1
        after = when + (fabric.delays[0] if left > 0 else fabric.delays[1])
        for number in range(offsets[router], offsets[router + 1]):
            channel = channels[number]
            head = fabric.ends[channel, 1]
            if scratch.reached[head] != place or scratch.level[head] != left:
                continue
            if _has(scratch.free[head], after) and not _has(use.barred[fabric.unit_of[channel]], when):
                packets.paths[begin + hop] = channel
                router, when = head, after
                break


def _has(words: Array, slot: int) -> bool:
    """Return whether the bit of a slot is set."""
    return slot // 64 < len(words) and bool((words[slot // 64] >> np.uint64(slot % 64)) & np.uint64(1))


def _take(packet: int, fabric: SlotFabric, packets: SlotPackets, use: SlotUse) -> None:
    """Enter the uses of a packet: its ports and channels."""
    begin, end, slot = packets.offsets[packet], packets.offsets[packet + 1], packets.slot_of[packet]
    _enter(packets.ports[packet, 0], slot, fabric, use)
    for at in range(begin, end):
        slot += fabric.delays[0]
        _enter(fabric.unit_of[packets.paths[at]], slot, fabric, use)
    _enter(packets.ports[packet, 1], slot + fabric.delays[1], fabric, use)


def _enter(unit: int, slot: int, fabric: SlotFabric, use: SlotUse) -> None:
    """Enter one use of a unit, and bar the slots in which another would meet a full one."""
    busy = fabric.delays[2]
    if fabric.capacity[unit] <= 1:
        _bar(use.barred[unit], slot - busy + 1, slot + busy)
        return
    for when in range(slot, slot + busy):
        use.loads[unit, when] += 1
        if use.loads[unit, when] == fabric.capacity[unit]:
            _bar(use.barred[unit], when - busy + 1, when + 1)


def _bar(words: Array, first: int, last: int) -> None:
    """Set the bits of some slots."""
    for slot in range(max(0, first), min(last, 64 * len(words))):
        words[slot // 64] |= np.uint64(1) << np.uint64(slot % 64)
