"""Broadcasts by events: whenever a hop is idle, it takes the rarest message that its head lacks and its tail has.

Routers may be parted into groups, such as the boxes of a cluster. Then a message enters a group once, over the slow
hops between groups, and spreads inside from there; how rare it is counts in the group of the head.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.solvers.kernels.random_numbers import draw_real

Array = np.ndarray[Any, Any]

NEVER = 2**62
"""A time that does not come."""


class HopArrays(NamedTuple):
    """Hops between routers where messages rest; nothing in it changes."""

    tails: Array
    """int32 [hop]: the router that it leaves."""
    heads: Array
    """int32 [hop]: the router that it enters."""
    holds: Array
    """int64 [hop, size]: how long a message of a size holds the units of the hop."""
    delays: Array
    """int64 [hop]: the latencies of its channels."""
    offsets: Array
    """int64 [hop + 1]: units[offsets[h]:offsets[h + 1]] are held together."""
    units: Array
    """int32 [entry]: channels, links or the ports of a place."""
    rooms: Array
    """int64 [unit]: how many transfers may hold it at a time; one, but for ports."""


class Broadcasts(NamedTuple):
    """The messages to spread; nothing in it changes."""

    origins: Array
    """int32 [message]: the router that has it at time 0."""
    sizes: Array
    """int64 [message]: which size it has."""
    wants: Array
    """bool [message, router]: whether the router is to receive it."""
    may_rest: Array
    """bool [router]: whether messages may rest at a router that does not want them."""


class SpreadRules(NamedTuple):
    """What one run keeps to."""

    order: Array
    """int64 [hop]: the order in which idle hops choose."""
    group_of: Array
    """int32 [router]: its group."""
    num_groups: int
    quantum: int
    """Transfers start at multiples of this time: where many take equally long, ends that meet leave more choice."""
    horizon: int
    """No transfer starts that would end after it."""
    noise: float
    """How much chance blurs how rare messages are."""


class EventLog(NamedTuple):
    """The transfers of a schedule, in the order of their starts."""

    starts: Array
    """int64 [transfer]."""
    hops: Array
    """int64 [transfer]."""
    messages: Array
    """int64 [transfer]."""


class Holdings(NamedTuple):
    """What routers have, and what is on its way."""

    has: Array
    """bool [router, message]."""
    is_claimed: Array
    """bool [router, message]: whether the router has it or will receive it."""
    inside: Array
    """int64 [group, message]: how many routers of the group have claimed it."""
    entered: Array
    """int64 [message]: how many groups have claimed it."""
    gained: Array
    """int64 [router]: one more than the messages that it has received."""
    free: Array
    """int64 [unit, place]: when each place of it is free, as many as it has room for."""
    arrivals: Array
    """int64 [transfer]: when its data are usable."""
    pending: Array
    """int64 [entry]: transfers whose data are not usable yet."""


def spread_by_events(
    hops: HopArrays, messages: Broadcasts, rules: SpreadRules, random: Array, log: EventLog
) -> tuple[int, int]:
    """Return when all messages have arrived, and the number of transfers; NEVER where some would come too late."""
    num_messages, num_routers = messages.wants.shape
    most = len(log.starts)
    state = Holdings(
        np.zeros((num_routers, num_messages), dtype=np.bool_),
        np.zeros((num_routers, num_messages), dtype=np.bool_),
        np.zeros((rules.num_groups, num_messages), dtype=np.int64),
        np.zeros(num_messages, dtype=np.int64),
        np.ones(num_routers, dtype=np.int64),
        np.zeros((len(hops.rooms), max(1, hops.rooms.max())), dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
    )
    seen = np.zeros(len(hops.tails), dtype=np.int64)
    num_left = 0
    for message in range(num_messages):
        state.has[messages.origins[message], message] = True
        claim(rules, state, messages.origins[message], message)
        for router in range(num_routers):
            num_left += messages.wants[message, router]
    now, last, count, num_pending = 0, 0, 0, 0
    while True:
        num_pending = take_arrivals(hops, state, log, now, num_pending)
        for hop in rules.order:
            tail, head = hops.tails[hop], hops.heads[hop]
            # If the tail has nothing new since the hop found nothing, it finds nothing again.
            if seen[hop] == state.gained[tail] or not is_idle(hops, state, hop, now):
                continue
            best = rarest_message(hops, messages, rules, state, hop, now, random)
            if best < 0:
                seen[hop] = state.gained[tail]
                continue
            end = now + hops.holds[hop, messages.sizes[best]]
            for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
                unit = hops.units[entry]
                state.free[unit, first_free(hops, state, unit)] = end
            claim(rules, state, head, best)
            log.starts[count], log.hops[count], log.messages[count] = now, hop, best
            state.arrivals[count] = end + hops.delays[hop]
            state.pending[num_pending] = count
            num_pending += 1
            if messages.wants[best, head]:
                num_left -= 1
                last = max(last, state.arrivals[count])
            count += 1
        if num_left == 0:
            return last, count
        now = next_event(hops, state, now, num_pending)
        if now == NEVER:
            return NEVER, count
        now = -(-now // rules.quantum) * rules.quantum


def claim(rules: SpreadRules, state: Holdings, router: int, message: int) -> None:
    """Note that a router has a message, or will receive it."""
    group = rules.group_of[router]
    state.is_claimed[router, message] = True
    if state.inside[group, message] == 0:
        state.entered[message] += 1
    state.inside[group, message] += 1


def take_arrivals(hops: HopArrays, state: Holdings, log: EventLog, now: int, num_pending: int) -> int:
    """Give routers what has arrived by now; return the number of transfers that are still on their way."""
    num_kept = 0
    for at in range(num_pending):
        number = state.pending[at]
        if state.arrivals[number] <= now:
            head = hops.heads[log.hops[number]]
            state.has[head, log.messages[number]] = True
            state.gained[head] += 1
        else:
            state.pending[num_kept] = number
            num_kept += 1
    return num_kept


def is_idle(hops: HopArrays, state: Holdings, hop: int, now: int) -> bool:
    """Return whether all units of a hop are free."""
    latest = 0
    for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
        unit = hops.units[entry]
        latest = max(latest, state.free[unit, first_free(hops, state, unit)])
    return latest <= now


def first_free(hops: HopArrays, state: Holdings, unit: int) -> int:
    """Return the place of a unit that is free first."""
    first = 0
    for place in range(1, hops.rooms[unit]):
        if state.free[unit, place] < state.free[unit, first]:
            first = place
    return first


def rarest_message(
    hops: HopArrays, messages: Broadcasts, rules: SpreadRules, state: Holdings, hop: int, now: int, random: Array
) -> int:
    """Return the message with the fewest holders that a hop may take now, or -1."""
    tail, head = hops.tails[hop], hops.heads[hop]
    group = rules.group_of[head]
    crosses = group != rules.group_of[tail]
    best, least = -1, 1e300
    for message in range(len(messages.origins)):
        if not state.has[tail, message] or state.is_claimed[head, message]:
            continue
        if not messages.wants[message, head] and not messages.may_rest[head]:
            continue
        if crosses and state.inside[group, message] > 0:
            continue
        if now + hops.holds[hop, messages.sizes[message]] + hops.delays[hop] > rules.horizon:
            continue
        holders = state.entered[message] if crosses else state.inside[group, message]
        worth = holders + rules.noise * draw_real(random)
        if worth < least:
            best, least = message, worth
    return best


def next_event(hops: HopArrays, state: Holdings, now: int, num_pending: int) -> int:
    """Return when something arrives or becomes free next; NEVER where nothing does."""
    following = NEVER
    for at in range(num_pending):
        following = min(following, state.arrivals[state.pending[at]])
    for unit in range(len(hops.rooms)):
        for place in range(hops.rooms[unit]):
            if now < state.free[unit, place] < following:
                following = state.free[unit, place]
    return following
