"""Bounds by growth: how many processors can have heard from one origin after so many steps.

Each processor that holds a message sends it to at most as many others as it has ports (gecco07 eq. (4), with the real
ports of every processor instead of the largest): the largest ports are assumed to be reached first. It holds for
private messages too where they may be combined, because who gets a message must have heard from its origin.
"""

from __future__ import annotations

import numpy as np

from pavane.model.problem import Problem


def informed(problem: Problem, origin: int, wanted: int, *, backwards: bool = False) -> list[int]:
    """Return the most places that can have heard from the origin after 0, 1, 2, ... steps, until `wanted` others have.

    Backwards, the most places that can have been heard by it, through its ejection ports and those of its relays.
    """
    network = problem.network
    fan_out = (problem.ejection if backwards else problem.injection).tolist()
    own = fan_out.pop(origin)
    if problem.rules.switching == "store-and-forward":
        # A pure switch keeps a copy, too, and sends it out on all its channels.
        is_switch = np.bincount(network.router_of, minlength=network.num_routers) == 0
        fan_out += (network.in_degrees if backwards else network.out_degrees)[is_switch].tolist()
    fan_out.sort(reverse=True)
    counts = [1]
    sending = own
    while counts[-1] <= wanted:
        reached = min(counts[-1] + sending, len(fan_out) + 1)
        if reached == counts[-1]:
            raise ValueError(f"processor {origin} cannot reach {wanted} others")
        sending += sum(fan_out[counts[-1] - 1 : reached - 1])
        counts.append(reached)
    return counts


def audience(problem: Problem, member: int, *, backwards: bool = False) -> int:
    """Return how many processors must hear from this one; backwards, how many it must hear from."""
    if problem.pattern == "private":
        return int((problem.labels[:, 1 if backwards else 0] == member).sum())
    senders, receivers = set(problem.collective.senders), set(problem.collective.receivers)
    here, there = (receivers, senders) if backwards else (senders, receivers)
    return len(there - {member}) if member in here else 0
