"""Copies of broadcast messages that lost channels have cut off: step by step each channel brings one, if it can.

What a router lacks is a range of *wants*, in the order of their messages. A router has a message if it does not want
it, or has received it in an earlier step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class CutWants(NamedTuple):
    """What is to be delivered."""

    offsets: Array
    """int64 [router + 1]: where the wants of each router begin."""
    firsts: Array
    """int64 [router]: the first want of each router that may still be open; it is advanced."""
    ends: Array
    """int64 [router]: the place after the last want of each router that may still be open; it is moved back."""
    messages: Array
    """int64 [want]: ascending for each router."""
    steps: Array
    """int64 [want]: the step of its delivery, -1 before; it is filled in."""
    kinds: Array
    """int64 [want]: the kind of the channel that brings it; it is filled in."""


class CutChannels(NamedTuple):
    """The network without the lost channels."""

    tails: Array
    """int64 [router, kind]: where the channel of a kind into a router comes from; -1 where there is none."""
    unit_of: Array
    """int64 [router, kind]: the unit of the channel of a kind into a router; -1 where it is lost, or there is none."""
    capacity: Array
    """int64 [unit]."""
    num_ports: int
    """Messages that a router may send, and receive, in a step."""
    is_from_end: Array
    """bool [router]: whether a router takes its last wants first. Neighbours that begin at different ends receive
    different messages, and exchange them."""


def deliver(wants: CutWants, channels: CutChannels, first_step: int, last_step: int) -> int:
    """Deliver what comes from a first step to before a last one; return the step after the last delivery.

    Returns -1 if a step delivers nothing, so that nothing more can be delivered.
    """
    num_routers, num_kinds = channels.tails.shape
    unit_loads = np.zeros(len(channels.capacity), dtype=np.int64)
    sent, received = np.zeros(num_routers, dtype=np.int64), np.zeros(num_routers, dtype=np.int64)
    firsts, ends, left, step = wants.firsts, wants.ends, 0, first_step
    for want in range(len(wants.steps)):
        if wants.steps[want] < 0:
            left += 1
    while left > 0 and 0 <= step < last_step:
        unit_loads[:], sent[:], received[:] = 0, 0, 0
        before = left
        for router in range(num_routers):
            while firsts[router] < ends[router] and wants.steps[firsts[router]] >= 0:
                firsts[router] += 1
            while firsts[router] < ends[router] and wants.steps[ends[router] - 1] >= 0:
                ends[router] -= 1
            for turn in range(num_kinds if firsts[router] < ends[router] else 0):
                kind = (turn + step) % num_kinds
                unit, tail = channels.unit_of[router, kind], channels.tails[router, kind]
                is_open = unit >= 0
                while is_open and unit_loads[unit] < channels.capacity[unit]:
                    is_open = sent[tail] < channels.num_ports and received[router] < channels.num_ports
                    want = -1
                    if is_open and channels.is_from_end[router]:
                        want = _last_obtainable(wants, firsts[router], ends[router], tail, step)
                    elif is_open:
                        want = _obtainable(wants, firsts[router], ends[router], tail, step)
                    is_open = want >= 0
                    if is_open:
                        wants.steps[want], wants.kinds[want] = step, kind
                        unit_loads[unit] += 1
                        sent[tail] += 1
                        received[router] += 1
                        left -= 1
        step = step + 1 if left < before else -1
    return step


def _obtainable(wants: CutWants, first: int, end: int, tail: int, step: int) -> int:
    """Return the first open want of a range whose message a router has, -1 for none."""
    at, last = wants.offsets[tail], wants.offsets[tail + 1]
    want, found = first, -1
    while found < 0 and want < end:
        if wants.steps[want] < 0:
            message = wants.messages[want]
            # Both are sorted, so the other router's wants are read once.
            while at < last and wants.messages[at] < message:
                at += 1
            is_wanted = at < last and wants.messages[at] == message
            if not is_wanted or 0 <= wants.steps[at] < step:
                found = want
        want += 1
    return found


def _last_obtainable(wants: CutWants, first: int, end: int, tail: int, step: int) -> int:
    """Return the last open want of a range whose message a router has, -1 for none."""
    begin, at = wants.offsets[tail], wants.offsets[tail + 1] - 1
    want, found = end - 1, -1
    while found < 0 and want >= first:
        if wants.steps[want] < 0:
            message = wants.messages[want]
            while at >= begin and wants.messages[at] > message:
                at -= 1
            is_wanted = at >= begin and wants.messages[at] == message
            if not is_wanted or 0 <= wants.steps[at] < step:
                found = want
        want -= 1
    return found
