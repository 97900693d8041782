"""Broadcasts by events: whenever a hop is idle, it takes the rarest message that its head lacks and its tail has."""

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
    """int32 [entry]: channels, links or ports."""
    num_units: int


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


class EventLog(NamedTuple):
    """The transfers of a schedule, in the order of their starts."""

    starts: Array
    """int64 [transfer]."""
    hops: Array
    """int64 [transfer]."""
    messages: Array
    """int64 [transfer]."""


def spread_by_events(
    hops: HopArrays, messages: Broadcasts, order: Array, horizon: int, noise: float, random: Array, log: EventLog
) -> tuple[int, int]:
    """Return when all messages have arrived, and the number of transfers; NEVER where some would come too late.

    No transfer starts that would end after the horizon. `order` is the order in which idle hops choose.
    """
    num_messages, num_routers = messages.wants.shape
    has = np.zeros((num_routers, num_messages), dtype=np.bool_)
    is_claimed = np.zeros((num_routers, num_messages), dtype=np.bool_)
    holders = np.ones(num_messages, dtype=np.int64)
    gained = np.ones(num_routers, dtype=np.int64)
    seen = np.zeros(len(hops.tails), dtype=np.int64)
    free = np.zeros(hops.num_units, dtype=np.int64)
    arrivals = np.zeros(len(log.starts), dtype=np.int64)
    num_left = 0
    for message in range(num_messages):
        has[messages.origins[message], message] = True
        is_claimed[messages.origins[message], message] = True
        for router in range(num_routers):
            num_left += messages.wants[message, router]
    now, last, count = 0, 0, 0
    pending = np.zeros(len(log.starts), dtype=np.int64)
    num_pending = 0
    while True:
        kept = 0
        for at in range(num_pending):
            number = pending[at]
            if arrivals[number] <= now:
                head = hops.heads[log.hops[number]]
                has[head, log.messages[number]] = True
                gained[head] += 1
            else:
                pending[kept] = number
                kept += 1
        num_pending = kept
        for hop in order:
            tail, head = hops.tails[hop], hops.heads[hop]
            if seen[hop] == gained[tail]:
                continue  # the tail has nothing new since the hop found nothing
            is_idle = True
            for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
                if free[hops.units[entry]] > now:
                    is_idle = False
                    break
            if not is_idle:
                continue
            best, least = -1, 1e300
            for message in range(num_messages):
                if has[tail, message] and not is_claimed[head, message]:
                    if not messages.wants[message, head] and not messages.may_rest[head]:
                        continue
                    end = now + hops.holds[hop, messages.sizes[message]] + hops.delays[hop]
                    if end > horizon:
                        continue
                    worth = holders[message] + noise * draw_real(random)
                    if worth < least:
                        best, least = message, worth
            if best < 0:
                seen[hop] = gained[tail]
                continue
            end = now + hops.holds[hop, messages.sizes[best]]
            for entry in range(hops.offsets[hop], hops.offsets[hop + 1]):
                free[hops.units[entry]] = end
            is_claimed[head, best] = True
            holders[best] += 1
            log.starts[count], log.hops[count], log.messages[count] = now, hop, best
            arrivals[count] = end + hops.delays[hop]
            pending[num_pending] = count
            num_pending += 1
            count += 1
            if messages.wants[best, head]:
                num_left -= 1
                last = max(last, arrivals[count - 1])
        if num_left == 0:
            return last, count
        following = NEVER
        for at in range(num_pending):
            following = min(following, arrivals[pending[at]])
        for unit in range(hops.num_units):
            if now < free[unit] < following:
                following = free[unit]
        if following == NEVER:
            return NEVER, count
        now = following
