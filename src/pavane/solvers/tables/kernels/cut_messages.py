"""First fit of private messages around lost channels: each takes the first step in which one of four paths is free.

Paths are shortest ones of the whole network that avoid lost channels: what is left of a displacement after a hop says
which kinds lead on. Where all of them are lost, a search finds a shortest path over the channels that are left.

Bit b of word w of a unit (a channel, a link or a port) is set if the unit is full in step 64 w + b. Where a message
moves one hop a step, the words of its i-th unit are read i steps later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

NO_BIT = np.uint64(0)
FIRST_BIT = np.uint64(1)
ALL_BITS = np.uint64(2**64 - 1)

NUM_WAYS = 3
"""Paths that are tried from the origin on: over the channels of least load, and by the first and by the last kind that
leads on. Another one goes over the channels of least load from the target back: where many messages have one target,
the last channels are the ones to be chosen first."""


class CutFabric(NamedTuple):
    """The network without the lost channels."""

    heads: Array
    """int32 [router, kind]."""
    tails: Array
    """int32 [router, kind]: the router from which the channel of each kind leads to a router."""
    undone: Array
    """int32 [kind, displacement]: what is left of a displacement after a hop of a kind."""
    distances: Array
    """int64 [displacement]: in the whole network."""
    unit_of: Array
    """int64 [router, kind]: the unit of each channel, -1 for lost ones."""
    ports: Array
    """int64, two: the first unit of the ports that send, and of those that receive; -1 where channels say enough."""
    is_stored: int
    """1 where a message moves one hop a step, 0 where it has its path for one step."""


class CutMessages(NamedTuple):
    """The messages, in the order in which they are placed, and where they go."""

    origins: Array
    """int64 [message]."""
    targets: Array
    """int64 [message]."""
    displacements: Array
    """int64 [message]: the target, as seen from router 0."""
    step_of: Array
    """int64 [message], which is filled in."""
    ends: Array
    """int64 [message + 1]: where the path of each ends in `kinds`, which is filled in."""


class UnitUse(NamedTuple):
    """The steps in which units are full."""

    full: Array
    """uint64 [unit, word]; beyond the last word in which a message may start there are words for its hops."""
    loads: Array
    """int32 [unit, step]: of units for several messages; empty where there are none."""
    capacity: Array
    """int64 [unit]."""
    starts: Array
    """int64 [unit]: the first word that is not full."""
    totals: Array
    """int64 [unit]: messages in all steps."""


class CutScratch(NamedTuple):
    """Working memory."""

    path: Array
    """int64 [hop]: the kinds of a path."""
    best: Array
    """int64 [hop]: those of the best path so far."""
    found: Array
    """int64, two: the step of the best path, -1 for none, and its length, 0 for no path."""
    units: Array
    """int64 [use]: the units of a path."""
    delays: Array
    """int64 [use]: in which step of the path each is used."""
    queue: Array
    """int64 [router]: the routers that a search has reached."""
    came: Array
    """int64 [router, 2]: from which router, -1 for none, and by which kind."""


class CutRun(NamedTuple):
    """All of it."""

    fabric: CutFabric
    messages: CutMessages
    use: UnitUse
    scratch: CutScratch


def fit_cut(first: int, last: int, num_words: int, run: CutRun, kinds: Array) -> int:
    """Place messages from a first one to before a last one; return the first that is not placed.

    This is the last one, unless words or room for paths lack.

    Messages start in the first `num_words` words of steps. Their paths are written to `kinds`, an int32 array.
    """
    messages, found, message, fits = run.messages, run.scratch.found, first, True
    while fits and message < last:
        found[0], found[1] = -1, 0
        for way in range(NUM_WAYS):
            try_path(_walked(way, message, run), message, num_words, run)
        try_path(_walked_back(message, run), message, num_words, run)
        if found[1] == 0:
            try_path(_searched(message, run), message, num_words, run)
        step, length, end = found[0], found[1], messages.ends[message]
        fits = step >= 0 and end + length <= len(kinds)
        if fits:
            enter(step, list_uses(length, run.scratch.best, message, run), run)
            for hop in range(length):
                kinds[end + hop] = run.scratch.best[hop]
            messages.ends[message + 1] = end + length
            messages.step_of[message] = step
            message += 1
    return message


def try_path(length: int, message: int, num_words: int, run: CutRun) -> None:
    """Remember the path of some length if it is free sooner than the best so far."""
    found, path, best = run.scratch.found, run.scratch.path, run.scratch.best
    if length > 0:
        # A path that is free later than the best so far is of no use.
        limit = num_words if found[0] < 0 else min(num_words, found[0] // 64 + 1)
        step = first_free(list_uses(length, path, message, run), limit, run)
        if found[1] == 0 or (step >= 0 and (step < found[0] or found[0] < 0)):
            for hop in range(length):
                best[hop] = path[hop]
            found[0], found[1] = step, length


def _walked(way: int, message: int, run: CutRun) -> int:
    """Write a shortest path of the whole network that avoids lost channels; return its length, -1 where it ends."""
    heads, undone, distances, unit_of = run.fabric.heads, run.fabric.undone, run.fabric.distances, run.fabric.unit_of
    here, rest, length = run.messages.origins[message], run.messages.displacements[message], 0
    while rest != 0 and length >= 0:
        chosen, least = -1, 0
        for kind in range(heads.shape[1]):
            unit = unit_of[here, kind]
            if unit >= 0 and distances[undone[kind, rest]] < distances[rest]:
                load = run.use.totals[unit] if way == 0 else (kind if way == 1 else -kind)
                if chosen < 0 or load < least:
                    chosen, least = kind, load
        if chosen < 0:
            length = -1
        else:
            run.scratch.path[length] = chosen
            length += 1
            rest, here = np.int64(undone[chosen, rest]), np.int64(heads[here, chosen])
    return length


def _walked_back(message: int, run: CutRun) -> int:
    """Write such a path from its end; return its length, -1 where it does not reach the origin."""
    tails, distances, unit_of = run.fabric.tails, run.fabric.distances, run.fabric.unit_of
    here, rest = run.messages.targets[message], run.messages.displacements[message]
    length: int = distances[rest]
    left = length
    while rest != 0 and length >= 0:
        chosen, least = -1, 0
        for kind in range(tails.shape[1]):
            unit = unit_of[tails[here, kind], kind]
            if unit >= 0 and distances[tails[rest, kind]] < distances[rest]:
                load = run.use.totals[unit]
                if chosen < 0 or load < least:
                    chosen, least = kind, load
        if chosen < 0:
            length = -1
        else:
            left -= 1
            run.scratch.path[left] = chosen
            rest, here = np.int64(tails[rest, chosen]), np.int64(tails[here, chosen])
    return length


def _searched(message: int, run: CutRun) -> int:
    """Write a shortest path over the channels that are left; return its length, -1 where there is none."""
    heads, unit_of, path = run.fabric.heads, run.fabric.unit_of, run.scratch.path
    queue, came = run.scratch.queue, run.scratch.came
    origin, target = run.messages.origins[message], run.messages.targets[message]
    num_kinds, at, num_reached = heads.shape[1], 0, 1
    queue[0], came[origin, 0] = origin, origin
    while at < num_reached and came[target, 0] < 0:
        router = queue[at]
        at += 1
        for turn in range(num_kinds):
            # Different messages prefer different kinds, and so different paths.
            kind = (turn + message) % num_kinds
            head = heads[router, kind]
            if unit_of[router, kind] >= 0 and came[head, 0] < 0:
                came[head, 0], came[head, 1], queue[num_reached] = router, kind, head
                num_reached += 1
    length, router = -1, target
    if came[target, 0] >= 0:
        length = 0
        while router != origin:
            path[length], router = came[router, 1], came[router, 0]
            length += 1
        for hop in range(length // 2):
            path[hop], path[length - 1 - hop] = path[length - 1 - hop], path[hop]
    for number in range(num_reached):
        came[queue[number], 0] = -1
    return length


def list_uses(length: int, path: Array, message: int, run: CutRun) -> int:
    """List the units of a path, with their delays; return their number."""
    fabric, units, delays = run.fabric, run.scratch.units, run.scratch.delays
    here, count, is_stored = run.messages.origins[message], 0, fabric.is_stored
    for hop in range(length):
        head = fabric.heads[here, path[hop]]
        units[count], delays[count] = fabric.unit_of[here, path[hop]], hop * is_stored
        count += 1
        if fabric.ports[0] >= 0 and (is_stored == 1 or hop == 0):
            units[count], delays[count] = fabric.ports[0] + here, hop * is_stored
            count += 1
        if fabric.ports[1] >= 0 and (is_stored == 1 or hop == length - 1):
            units[count], delays[count] = fabric.ports[1] + head, hop * is_stored
            count += 1
        here = np.int64(head)
    return count


def first_free(count: int, num_words: int, run: CutRun) -> int:
    """Return the first step in which the listed units are free, -1 where the words have none."""
    full, starts, units, delays = run.use.full, run.use.starts, run.scratch.units, run.scratch.delays
    word, step = 0, -1
    for number in range(count):
        word = max(word, (64 * starts[units[number]] - delays[number]) // 64)
    while step < 0 and word < num_words:
        taken, number = NO_BIT, 0
        while taken != ALL_BITS and number < count:
            unit, at, shift = units[number], word + (delays[number] >> 6), delays[number] & 63
            if shift == 0:
                taken |= full[unit, at]
            else:
                taken |= (full[unit, at] >> np.uint64(shift)) | (full[unit, at + 1] << np.uint64(64 - shift))
            number += 1
        if taken != ALL_BITS:
            bit = 0
            while (taken >> np.uint64(bit)) & FIRST_BIT != NO_BIT:
                bit += 1
            step = 64 * word + bit
        word += 1
    return step


def enter(step: int, count: int, run: CutRun) -> None:
    """Use the listed units from a step on."""
    full, loads, capacity, starts = run.use.full, run.use.loads, run.use.capacity, run.use.starts
    for number in range(count):
        unit, at = run.scratch.units[number], step + run.scratch.delays[number]
        run.use.totals[unit] += 1
        is_full = capacity[unit] == 1
        if not is_full:
            loads[unit, at] += 1
            is_full = loads[unit, at] >= capacity[unit]
        if is_full:
            full[unit, at // 64] |= FIRST_BIT << np.uint64(at % 64)
            while starts[unit] < full.shape[1] and full[unit, starts[unit]] == ALL_BITS:
                starts[unit] += 1
