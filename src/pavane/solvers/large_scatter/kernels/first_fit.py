"""First fit over shortest paths: each message takes the first step in which SOME shortest path is free.

Bit t of the row of a unit (channel, link or port) is set if the unit is full in step t. The shortest paths of a message
are walked backwards from its target: the steps in which a router can still reach the target are the `or`, over the
channels that lead on, of the steps in which the channel is free and its head can reach the target. One walk so finds
every step in which some shortest path is free, however many paths there are.

Without any steps (no words in `full`) the same walk plans: it moves each message to its cheapest shortest path, where
a unit costs `prices[load]`.

Windowed first fit (`fit_window`) is faster and weaker: it fills a window of steps, then the next one, and tries one
path of each message, which takes at every router the channel that leaves the earliest step free.

Where units carry several messages in a step, their loads in each step are counted, and a bit is set when the unit is
full. Prices and limits are then those of a load divided by the capacity.

In slots (tdm) a step is the slot in which a packet starts. It uses the units of its path in later slots, each for as
long as the packet is, and a bit is set if no use may begin in a slot.

Loops here end by their conditions: a break or return from within one makes numba count references to every array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.large_scatter.kernels.shortest_paths import (
    DagSize,
    Messages,
    PathDag,
    ScatterFabric,
    dag_scratch,
    find_dag,
    write_path,
)

Array = np.ndarray[Any, Any]

WORDS = 8
"""Words of 64 steps that are examined together, which the compiler turns into vector instructions; also a window."""

NEVER = 64 * WORDS
"""Later than any step of a window."""

NO_BIT = np.uint64(0)
FIRST_BIT = np.uint64(1)


class FirstFitRoutes(NamedTuple):
    """The path of every message that has one, and the loads of these paths."""

    paths: Array
    """int32 [channel of a path], one message after the other."""
    is_routed: Array
    """bool [message]: whether it has a path."""
    loads: Array
    """int32 [unit]: the paths through it."""


class FirstFitTable(NamedTuple):
    """The steps in which units and ports are full, and the step of every message."""

    full: Array
    """uint64 [unit, then port; word]: bit b of word w is set if it is full in step 64 w + b."""
    port_loads: Array
    """int32 [port, step]: the messages through it."""
    port_capacity: Array
    """int32 [port]: the most messages through it in one step."""
    step_of: Array
    """int32 [message]."""
    unit_loads: Array | None = None
    """int32 [unit, step]: the messages through it; None where a unit carries one."""
    delays: Array | None = None
    """int64, three: the slots from one channel to the next, from the last one to the port, and of one use; or None."""


class FirstFitScratch(NamedTuple):
    """Working memory."""

    dag: PathDag
    free: Array
    """uint64 [router met, word]: the steps in which some path from there to the target is free."""
    costs: Array
    """float64 [router met]: the cost of the cheapest path from there to the target."""


def fit_first(
    order: Array,
    fabric: ScatterFabric,
    messages: Messages,
    routes: FirstFitRoutes,
    table: FirstFitTable,
    prices: Array,
    most_load: int,
) -> int:
    """Place messages in an order, an int64 array; return how many: fewer than all if the steps did not suffice.

    A message that has a path already stays on it if it is free in the first step; it counts in the loads until it is
    placed, and no other path may raise a unit above `most_load`. A unit with load n costs prices[n], a float64.
    """
    num_routers, num_words = fabric.distances.shape[0], table.full.shape[1]
    scratch = FirstFitScratch(
        dag_scratch(num_routers, len(fabric.wiring.tails)),
        np.zeros((num_routers, WORDS), dtype=np.uint64),
        np.zeros(num_routers),
    )
    sources, targets, offsets, ports_of = messages
    unit_of, paths, loads = fabric.unit_of, routes.paths, routes.loads
    full, has_path, step_of = table.full, routes.is_routed, table.step_of
    num_placed, fits = 0, True
    while fits and num_placed < len(order):
        message = order[num_placed]
        source, target, ports = sources[message], targets[message], ports_of[message]
        path = paths[offsets[message] : offsets[message + 1]]
        is_routed = has_path[message]
        if is_routed:
            change_loads(unit_of, path, loads, -1)
        dag_size = find_dag(fabric, fabric.capacity, source, target, loads, most_load, scratch.dag)
        away = fabric.distances[source]
        step = first_free_step(table, table.delays, ports, away, len(path), dag_size, scratch)
        fits = step >= 0 or num_words == 0
        if fits and not (is_routed and step >= 0 and is_free(unit_of, path, full, table.delays, step)):
            choose_edges(full, table.delays, step, loads, fabric.capacity, prices, away, dag_size, scratch)
            write_path(scratch.dag, dag_size, path)
        if fits or is_routed:
            change_loads(unit_of, path, loads, 1)
        if fits:
            num_placed += 1
            has_path[message] = True
        if step >= 0:
            enter_path(full, table.unit_loads, fabric.capacity, table.delays, unit_of, path, step)
            enter_ports(table, table.delays, ports, len(path), step)
            step_of[message] = step
    return num_placed


def fit_window(
    order: Array,
    fabric: ScatterFabric,
    messages: Messages,
    window: FirstFitTable,
    paths: Array,
    first_step: int,
    pending: Array,
) -> int:
    """Place messages in an order, an int64 array, into the window that begins with a step.

    Paths are written to `paths`, an int32 array of all channels of paths. Messages that do not fit are written to
    `pending`, an int64 array of the same size as the order; return their number.
    """
    free = np.empty(WORDS, dtype=np.uint64)
    num_pending = 0
    for number in range(len(order)):
        message = order[number]
        step = try_path(message, fabric, messages, window, paths, free)
        if step == NEVER:
            pending[num_pending] = message
            num_pending += 1
            continue
        path = paths[messages.path_offsets[message] : messages.path_offsets[message + 1]]
        enter_path(window.full, window.unit_loads, fabric.capacity, None, fabric.unit_of, path, step)
        enter_ports(window, None, messages.ports[message], len(path), step)
        window.step_of[message] = first_step + step
    return num_pending


@inlined
def change_loads(unit_of: Array, path: Array, loads: Array, change: int) -> None:
    """Add a change to the loads of the units of a path."""
    for hop in range(len(path)):
        loads[unit_of[path[hop]]] += change


@inlined
def first_free_step(
    table: FirstFitTable,
    delays: Array | None,
    ports: Array,
    away: Array,
    length: int,
    dag_size: DagSize,
    scratch: FirstFitScratch,
) -> int:
    """Return the first step in which some shortest path is free, or -1; `scratch.free` then has its words.

    The delays are the table's, and `away` the distances from the source of paths of some length.
    """
    tails, heads, units, met = scratch.dag.tails, scratch.dag.heads, scratch.dag.units, scratch.dag.met
    free, full = scratch.free, table.full
    first_port = len(full) - len(table.port_capacity)
    inject, eject = first_port + ports[0], first_port + ports[1]
    step, word = -1, 0
    while step < 0 and word < full.shape[1]:
        any_open = NO_BIT
        for at in range(WORDS):
            if delays is None:
                open_steps = ~(full[inject, word + at] | full[eject, word + at])
            else:
                at_port = word_from(full, eject, word + at, length * delays[0] + delays[1])
                open_steps = ~(full[inject, word + at] | at_port)
            free[0, at] = open_steps
            any_open |= open_steps
        if any_open != NO_BIT:
            free[1 : dag_size.num_met] = NO_BIT
            for edge in range(dag_size.num_edges):
                tail, head, unit = tails[edge], heads[edge], units[edge]
                shift = 0 if delays is None else (away[met[tail]] + 1) * delays[0]
                for at in range(WORDS):
                    if delays is None:
                        free[tail, at] |= free[head, at] & ~full[unit, word + at]
                    else:
                        free[tail, at] |= free[head, at] & ~word_from(full, unit, word + at, shift)
            at = 0
            while step < 0 and at < WORDS:
                if free[dag_size.source, at] != NO_BIT:
                    step = 64 * (word + at) + lowest_bit(free[dag_size.source, at])
                at += 1
        word += WORDS
    if delays is not None and step + length * delays[0] + delays[1] + delays[2] > 64 * full.shape[1]:
        step = -1
    return step


def word_from(full: Array, row: int, word: int, shift: int) -> np.uint64:
    """Return the bits of a word of slots, each moved to a later slot; there is none after the last word."""
    first, part = word + shift // 64, np.uint64(shift % 64)
    bits = NO_BIT
    if first < full.shape[1]:
        bits = full[row, first] >> part
    if part != NO_BIT and first + 1 < full.shape[1]:
        bits |= full[row, first + 1] << (np.uint64(64) - part)
    return bits


@inlined
def lowest_bit(word: np.uint64) -> int:
    """Return the number of the lowest bit that is set."""
    low = word & (~word + FIRST_BIT)
    number = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if low >> np.uint64(shift) != NO_BIT:
            low >>= np.uint64(shift)
            number += shift
    return number


@inlined
def is_free(unit_of: Array, path: Array, full: Array, delays: Array | None, step: int) -> bool:
    """Whether a path is free in a step."""
    taken = NO_BIT
    for hop in range(len(path)):
        slot = step if delays is None else step + (hop + 1) * delays[0]
        taken |= full[unit_of[path[hop]], slot // 64] & (FIRST_BIT << np.uint64(slot % 64))
    return bool(taken == NO_BIT)


@inlined
def choose_edges(
    full: Array,
    delays: Array | None,
    step: int,
    loads: Array,
    capacity: Array | None,
    prices: Array,
    away: Array,
    dag_size: DagSize,
    scratch: FirstFitScratch,
) -> None:
    """Find the cheapest edge from every router met: among those that are free in a step, or -1: among all."""
    tails, heads, units, best = scratch.dag.tails, scratch.dag.heads, scratch.dag.units, scratch.dag.best
    free, costs, met = scratch.free, scratch.costs, scratch.dag.met
    column, bit = step // 64 % WORDS, FIRST_BIT << np.uint64(step % 64)
    costs[: dag_size.num_met] = np.inf
    costs[0] = 0.0
    for edge in range(dag_size.num_edges):
        tail, head, unit = tails[edge], heads[edge], units[edge]
        if step >= 0:
            if delays is None:
                taken = full[unit, step // 64]
            else:
                taken = word_from(full, unit, step // 64, (away[met[tail]] + 1) * delays[0])
            if free[head, column] & ~taken & bit == NO_BIT:
                continue
        if capacity is None:
            cost = costs[head] + prices[loads[unit]]
        else:
            cost = costs[head] + prices[loads[unit] // capacity[unit]]
        if cost < costs[tail]:
            costs[tail] = cost
            best[tail] = edge


@inlined
def enter_path(
    full: Array,
    unit_loads: Array | None,
    capacity: Array | None,
    delays: Array | None,
    unit_of: Array,
    path: Array,
    step: int,
) -> None:
    """Enter the path of a message that starts in a step."""
    word, bit = step // 64, FIRST_BIT << np.uint64(step % 64)
    for hop in range(len(path)):
        unit = unit_of[path[hop]]
        if delays is not None:
            first = step + (hop + 1) * delays[0]
            if unit_loads is None or capacity is None:
                bar(full, unit, first - delays[2] + 1, first + delays[2])
            else:
                enter_packet(full, unit, unit_loads[unit], capacity[unit], first, delays[2])
        elif unit_loads is None or capacity is None:
            full[unit, word] |= bit
        else:
            unit_loads[unit, step] += 1
            if unit_loads[unit, step] >= capacity[unit]:
                full[unit, word] |= bit


@inlined
def enter_ports(table: FirstFitTable, delays: Array | None, ports: Array, length: int, step: int) -> None:
    """Enter the ports of a message that starts in a step, on a path of some length."""
    full, loads, capacity = table.full, table.port_loads, table.port_capacity
    first_port = len(full) - len(capacity)
    for side in range(2):
        port = ports[side]
        if delays is not None:
            first = step + side * (length * delays[0] + delays[1])
            enter_packet(full, first_port + port, loads[port], capacity[port], first, delays[2])
        else:
            loads[port, step] += 1
            if loads[port, step] >= capacity[port]:
                full[first_port + port, step // 64] |= FIRST_BIT << np.uint64(step % 64)


def enter_packet(full: Array, row: int, loads: Array, capacity: int, first: int, busy: int) -> None:
    """Enter one use of a unit or port by a packet, and bar the slots in which another would meet a full one."""
    for slot in range(first, first + busy):
        loads[slot] += 1
        if loads[slot] >= capacity:
            bar(full, row, slot - busy + 1, slot + 1)


def bar(full: Array, row: int, first: int, last: int) -> None:
    """Set the bits of some slots."""
    for slot in range(max(0, first), min(last, 64 * full.shape[1])):
        full[row, slot // 64] |= FIRST_BIT << np.uint64(slot % 64)


@inlined
def try_path(
    message: int, fabric: ScatterFabric, messages: Messages, window: FirstFitTable, paths: Array, free: Array
) -> int:
    """Write a path hop by hop; return the first step of the window in which all of it is free, or NEVER."""
    heads, out_offsets, out_channels = fabric.wiring.heads, fabric.wiring.out_offsets, fabric.wiring.out_channels
    full, target = window.full, messages.targets[message]
    first_port = len(full) - len(window.port_capacity)
    inject, eject = first_port + messages.ports[message, 0], first_port + messages.ports[message, 1]
    step = NEVER
    for word in range(WORDS - 1, -1, -1):
        free[word] = ~(full[inject, word] | full[eject, word])
        if free[word] != NO_BIT:
            step = 64 * word + lowest_bit(free[word])
    router = messages.sources[message]
    at, last = messages.path_offsets[message], messages.path_offsets[message + 1]
    while step < NEVER and at < last:
        left, best, step = last - at - 1, -1, NEVER
        for index in range(out_offsets[router], out_offsets[router + 1]):
            channel = out_channels[index]
            if fabric.distances[heads[channel], target] != left:
                continue
            unit = fabric.unit_of[channel]
            word = 0
            while word < WORDS and 64 * word < step:
                both = free[word] & ~full[unit, word]
                if both != NO_BIT:
                    candidate = 64 * word + lowest_bit(both)
                    if candidate < step:
                        best, step = channel, candidate
                    word = WORDS
                word += 1
        if best >= 0:
            paths[at] = best
            router = heads[best]
            unit = fabric.unit_of[best]
            for word in range(WORDS):
                free[word] &= ~full[unit, word]
        at += 1
    return step
