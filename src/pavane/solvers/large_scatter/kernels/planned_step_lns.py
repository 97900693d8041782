"""Fills one step with messages along their planned paths: greedily, then ruin and recreate, accepted by annealing.

Every unit of capacity (a channel, a link, an orbit of channels) has a worth, the more the less slack it has; a message
is worth the units of its path, and more for each if the path is long: what is short fits in later. From a router all
paths over idle units are walked at once, and the worthiest message whose own path is idle is sent.

A move picks an idle unit, the worthiest of a few, removes some messages that touch its ends, and lets every router that
reaches what was freed send again. The effort is counted in looks at channels, so that it means the same on any network.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.rerouting import MessagePaths
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric

Array = np.ndarray[Any, Any]

MOST_REMOVED = 3
"""A move removes one message or a few, up to this many."""

NUM_DRAWN = 3
"""Of this many idle units, drawn by lot, the worthiest is the one to be filled."""

LOOKS_OF_A_MOVE = 10
"""What a move counts besides the channels that it looks at."""

NUM_IDLE, NUM_WALKS, NUM_PROBES, NUM_INSIDE = range(4)
"""What the entries of `Step.counts` count: idle units, walks made, looks at channels, messages in the step."""


class UnitChannels(NamedTuple):
    """The channels of every unit; nothing in it changes."""

    offsets: Array
    """int32 [unit + 1]: channels[offsets[u]:offsets[u + 1]] draw on unit u."""
    channels: Array
    """int32 [channel]."""


class PendingMessages(NamedTuple):
    """The messages that wait, by the routers they go from and to."""

    first_of: Array
    """int32 [source, target]: a message that waits, or -1."""
    next_of: Array
    """int32 [message]: another message that waits between the same routers, or -1."""
    most_worth: Array
    """float32 [source, target]: what the worthiest message between them is worth, or a little more; 0: none waits."""
    worth: Array
    """float32 [message]."""
    slack: int
    """How many channels longer than the shortest paths may be."""


class PlannedStep(NamedTuple):
    """What is in a step."""

    user: Array
    """int32 [unit]: the message that uses it, or -1: it is idle."""
    is_inside: Array
    """bool [message]: whether it is in the step, or kept for a later one."""
    counts: Array
    """int64 [4]: see NUM_IDLE."""
    idle: Array
    """int32 [unit]: the idle units come first, in any order."""
    idle_index: Array
    """int32 [unit]: where an idle unit stands in `idle`."""


class PlannedStepOptions(NamedTuple):
    """How a step is filled."""

    unit_worth: Array
    """float64 [unit]."""
    hottest: float
    """Worth that is given up lightly at the first move."""
    coldest: float
    """Worth that is given up lightly at the last move."""
    most_probes: int
    """Looks at channels after which the step is left as it is."""
    first: Array
    """int64 [index]: messages that are put in at first, in this order, where their paths are idle."""


class PlannedStepScratch(NamedTuple):
    """Room to work in."""

    removed: Array
    """int32 [MOST_REMOVED]: the messages that a move removed."""
    added: Array
    """int32 [unit]: the messages that a move added."""
    senders: Array
    """int32 [router]: the routers that may send come first."""
    is_sender: Array
    """bool [router]: False between two searches for senders."""
    met_in: Array
    """int64 [router]: the last walk that met it."""
    hops: Array
    """int32 [router]: how many channels the last walk took to it."""
    queue: Array
    """int32 [router]: the routers met, nearest first."""


def weigh_messages(
    pending: PendingMessages,
    paths: MessagePaths,
    fabric: ScatterFabric,
    pending_messages: Array,
    unit_worth: Array,
    gain: float,
) -> None:
    """Set what waiting messages, an int64 array, are worth; each channel of a path adds `gain` to a factor."""
    wiring = fabric.wiring
    for number in range(len(pending_messages)):
        message = pending_messages[number]
        begin, length = paths.offsets[message], paths.lengths[message]
        pending.most_worth[wiring.tails[paths.arcs[begin]], wiring.heads[paths.arcs[begin + length - 1]]] = 0.0
    for number in range(len(pending_messages)):
        message = pending_messages[number]
        begin, length = paths.offsets[message], paths.lengths[message]
        worth = 0.0
        for at in range(begin, begin + length):
            worth += unit_worth[fabric.unit_of[paths.arcs[at]]]
        worth *= 1.0 + gain * length
        pending.worth[message] = worth
        source, target = wiring.tails[paths.arcs[begin]], wiring.heads[paths.arcs[begin + length - 1]]
        pending.most_worth[source, target] = max(pending.most_worth[source, target], pending.worth[message])


def weigh_pairs(
    fabric: ScatterFabric, paths: MessagePaths, pending_messages: Array, unit_worth: Array, pair_worth: Array
) -> None:
    """Set what the planned paths of waiting messages are worth, float32 [source, target]: the worthiest of each pair.

    `who`, an int64 array, are the messages that wait.
    """
    wiring = fabric.wiring
    pair_worth[:] = 0.0
    for number in range(len(pending_messages)):
        begin = paths.offsets[pending_messages[number]]
        end = begin + paths.lengths[pending_messages[number]]
        worth = 0.0
        for at in range(begin, end):
            worth += unit_worth[fabric.unit_of[paths.arcs[at]]]
        source, target = wiring.tails[paths.arcs[begin]], wiring.heads[paths.arcs[end - 1]]
        pair_worth[source, target] = max(pair_worth[source, target], worth)


def fill_planned_step(
    fabric: ScatterFabric,
    groups: UnitChannels,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    tuning: PlannedStepOptions,
    rng: np.random.Generator,
) -> None:
    """Fill an empty step with messages that wait; they go on waiting until somebody takes them off the lists."""
    num_routers, num_units, counts = len(fabric.distances), len(step.user), step.counts
    scratch = PlannedStepScratch(
        np.empty(MOST_REMOVED, dtype=np.int32),
        np.empty(num_units, dtype=np.int32),
        np.empty(num_routers, dtype=np.int32),
        np.zeros(num_routers, dtype=np.bool_),
        np.zeros(num_routers, dtype=np.int64),
        np.zeros(num_routers, dtype=np.int32),
        np.empty(num_routers, dtype=np.int32),
    )
    for number in range(len(tuning.first)):
        message = tuning.first[number]
        if not step.is_inside[message] and is_idle(fabric.unit_of, paths, step.user, message):
            put_in(fabric.unit_of, paths, step, message)
    # Then every router sends what it can.
    num_senders = find_senders(fabric, groups, step, scratch, 0)
    send_all(fabric, paths, pending, step, num_senders, scratch, rng)
    first_look = counts[NUM_PROBES]
    last_look = first_look + tuning.most_probes
    cooling = math.log(tuning.coldest / tuning.hottest) / max(1, tuning.most_probes)
    while counts[NUM_IDLE] > 0 and counts[NUM_PROBES] < last_look:
        counts[NUM_PROBES] += LOOKS_OF_A_MOVE
        first_freed = counts[NUM_IDLE]
        num_removed, lost = remove_some(fabric, groups, paths, pending, step, tuning.unit_worth, scratch, rng)
        if num_removed == 0:
            continue
        num_senders = find_senders(fabric, groups, step, scratch, first_freed)
        num_added, gained = send_all(fabric, paths, pending, step, num_senders, scratch, rng)
        heat = tuning.hottest * math.exp(cooling * (counts[NUM_PROBES] - first_look))
        change = gained - lost
        if change < 0.0 and rng.random() >= math.exp(change / heat):
            for number in range(num_added):
                take_out(fabric.unit_of, paths, step, scratch.added[number])
            for number in range(num_removed):
                put_in(fabric.unit_of, paths, step, scratch.removed[number])


@inlined
def remove_some(
    fabric: ScatterFabric,
    groups: UnitChannels,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    unit_worth: Array,
    scratch: PlannedStepScratch,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Remove a few messages beside an idle unit; return how many, and the worth that is lost."""
    wiring, num_idle = fabric.wiring, step.counts[NUM_IDLE]
    unit = step.idle[int(rng.random() * num_idle)]
    for _ in range(NUM_DRAWN - 1):
        other = step.idle[int(rng.random() * num_idle)]
        if unit_worth[other] > unit_worth[unit]:
            unit = other
    first = groups.offsets[unit]
    channel = groups.channels[first + int(rng.random() * (groups.offsets[unit + 1] - first))]
    num_removed, lost = 0, 0.0
    for _ in range(1 + int(rng.random() * MOST_REMOVED)):
        router = wiring.tails[channel] if rng.random() < 0.5 else wiring.heads[channel]
        if rng.random() < 0.5:
            offsets, channels = wiring.out_offsets, wiring.out_channels
        else:
            offsets, channels = wiring.in_offsets, wiring.in_channels
        begin, end = offsets[router], offsets[router + 1]
        message = step.user[fabric.unit_of[channels[begin + int(rng.random() * (end - begin))]]] if end > begin else -1
        if message >= 0:
            scratch.removed[num_removed] = message
            num_removed += 1
            lost += pending.worth[message]
            take_out(fabric.unit_of, paths, step, message)
    return num_removed, lost


@inlined
def find_senders(
    fabric: ScatterFabric, groups: UnitChannels, step: PlannedStep, scratch: PlannedStepScratch, first_freed: int
) -> int:
    """List the routers that reach what was freed over idle units: nobody else can send more than before.

    The units from `first_freed` on in `step.idle` were freed. Return the number of senders.
    """
    wiring, senders, is_sender = fabric.wiring, scratch.senders, scratch.is_sender
    num_senders, here, probes = 0, 0, 0
    for index in range(first_freed, step.counts[NUM_IDLE]):
        unit = step.idle[index]
        for at in range(groups.offsets[unit], groups.offsets[unit + 1]):
            probes += 1
            router = wiring.tails[groups.channels[at]]
            if not is_sender[router]:
                is_sender[router] = True
                senders[num_senders] = router
                num_senders += 1
    while here < num_senders:
        router = senders[here]
        here += 1
        probes += wiring.in_offsets[router + 1] - wiring.in_offsets[router]
        for at in range(wiring.in_offsets[router], wiring.in_offsets[router + 1]):
            channel = wiring.in_channels[at]
            tail = wiring.tails[channel]
            if step.user[fabric.unit_of[channel]] < 0 and not is_sender[tail]:
                is_sender[tail] = True
                senders[num_senders] = tail
                num_senders += 1
    for at in range(num_senders):
        is_sender[senders[at]] = False
    step.counts[NUM_PROBES] += probes
    return num_senders


@inlined
def send_all(
    fabric: ScatterFabric,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    num_senders: int,
    scratch: PlannedStepScratch,
    rng: np.random.Generator,
) -> tuple[int, float]:
    """Let senders send their worthiest messages, drawn by lot, until none can; return how many, and their worth."""
    senders, num_added, gained = scratch.senders, 0, 0.0
    while num_senders > 0:
        pick = int(rng.random() * num_senders)
        message = worthiest(fabric, paths, pending, step, senders[pick], scratch)
        if message < 0:
            num_senders -= 1
            senders[pick] = senders[num_senders]
        else:
            scratch.added[num_added] = message
            num_added += 1
            gained += pending.worth[message]
            put_in(fabric.unit_of, paths, step, message)
    return num_added, gained


@inlined
def worthiest(
    fabric: ScatterFabric,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    source: int,
    scratch: PlannedStepScratch,
) -> int:
    """Walk over idle units from a source; return the worthiest message whose planned path is idle, or -1."""
    wiring, met_in, queue, hops = fabric.wiring, scratch.met_in, scratch.queue, scratch.hops
    step.counts[NUM_WALKS] += 1
    this_walk = step.counts[NUM_WALKS]
    away, most_worth, first_of = fabric.distances[source], pending.most_worth[source], pending.first_of[source]
    queue[0], met_in[source], hops[source] = source, this_walk, 0
    num_met, here, probes = 1, 0, 0
    best, best_worth = -1, np.float32(0.0)
    while here < num_met:
        router = queue[here]
        here += 1
        if most_worth[router] > best_worth:
            message = first_of[router]
            while message >= 0:
                if pending.worth[message] > best_worth and not step.is_inside[message]:
                    probes += paths.lengths[message]
                    if is_idle(fabric.unit_of, paths, step.user, message):
                        best, best_worth = message, pending.worth[message]
                message = pending.next_of[message]
        probes += wiring.out_offsets[router + 1] - wiring.out_offsets[router]
        for at in range(wiring.out_offsets[router], wiring.out_offsets[router + 1]):
            channel = wiring.out_channels[at]
            if step.user[fabric.unit_of[channel]] < 0:
                head = wiring.heads[channel]
                if met_in[head] != this_walk and hops[router] < away[head] + pending.slack:
                    met_in[head] = this_walk
                    hops[head] = hops[router] + 1
                    queue[num_met] = head
                    num_met += 1
    step.counts[NUM_PROBES] += probes
    return best


@inlined
def is_idle(unit_of: Array, paths: MessagePaths, user: Array, message: int) -> bool:
    """Say whether nobody uses the path of a message."""
    at, end = paths.offsets[message], paths.offsets[message] + paths.lengths[message]
    while at < end and user[unit_of[paths.arcs[at]]] < 0:
        at += 1
    return bool(at == end)


@inlined
def put_in(unit_of: Array, paths: MessagePaths, step: PlannedStep, message: int) -> None:
    """Let a message use the units of its path."""
    counts, begin = step.counts, paths.offsets[message]
    step.is_inside[message] = True
    counts[NUM_INSIDE] += 1
    for at in range(begin, begin + paths.lengths[message]):
        unit = unit_of[paths.arcs[at]]
        step.user[unit] = message
        counts[NUM_IDLE] -= 1
        last, index = step.idle[counts[NUM_IDLE]], step.idle_index[unit]
        step.idle[index], step.idle_index[last] = last, index


@inlined
def take_out(unit_of: Array, paths: MessagePaths, step: PlannedStep, message: int) -> None:
    """Take a message out of the step: the units of its path are idle."""
    counts, begin = step.counts, paths.offsets[message]
    step.is_inside[message] = False
    counts[NUM_INSIDE] -= 1
    for at in range(begin, begin + paths.lengths[message]):
        unit = unit_of[paths.arcs[at]]
        step.user[unit] = -1
        step.idle[counts[NUM_IDLE]], step.idle_index[unit] = unit, counts[NUM_IDLE]
        counts[NUM_IDLE] += 1


def drop_scheduled(fabric: ScatterFabric, paths: MessagePaths, step: PlannedStep, is_pending: Array) -> int:
    """Take messages out of a step that no longer wait, because another step has them; return how many they are."""
    num_gone = 0
    for unit in range(len(step.user)):
        message = step.user[unit]
        if message >= 0 and not is_pending[message]:
            take_out(fabric.unit_of, paths, step, message)
            num_gone += 1
    return num_gone


def close_step(
    fabric: ScatterFabric,
    paths: MessagePaths,
    pending: PendingMessages,
    step: PlannedStep,
    is_pending: Array,
    loads: Array,
    chosen: Array,
) -> int:
    """Take the messages of the step off the lists, the loads and `is_waiting`, a bool array; and empty the step.

    They are written to `chosen`, an int64 array; return their number.
    """
    num_chosen = 0
    for unit in range(len(step.user)):
        message = step.user[unit]
        if message >= 0 and is_pending[message]:
            is_pending[message] = False
            chosen[num_chosen] = message
            num_chosen += 1
    for number in range(num_chosen):
        message = chosen[number]
        begin, length = paths.offsets[message], paths.lengths[message]
        source, target = fabric.wiring.tails[paths.arcs[begin]], fabric.wiring.heads[paths.arcs[begin + length - 1]]
        other = pending.first_of[source, target]
        if other == message:
            pending.first_of[source, target] = pending.next_of[message]
            if pending.next_of[message] < 0:
                pending.most_worth[source, target] = 0.0
        else:
            while pending.next_of[other] != message:
                other = pending.next_of[other]
            pending.next_of[other] = pending.next_of[message]
        for at in range(begin, begin + length):
            loads[fabric.unit_of[paths.arcs[at]]] -= 1
        take_out(fabric.unit_of, paths, step, message)
    return num_chosen
