"""The bound by growth over slots (tdm without wrap): how many processors can hold a message when.

As in the postal model (Bar-Noy and Kipnis), a holder sends on while what it has sent is still on its way. It starts as
many packets as it has ports, again every f slots, and a packet is held f slots and a flight after its start, at the
nearest along the fewest channels between two processors. The largest ports are assumed to be reached first. An origin
of n messages and c ports starts the last of them f * (ceil(n / c) - 1) slots after the first, or later.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np

from pavane.bounds.growth import audience
from pavane.bounds.phrases import Unit
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "postal"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the origin that takes the longest."""
    if problem.pattern != "broadcast" or problem.rules.wrap:
        return
    best = (0, 0)
    seen: set[tuple[int, int, int]] = set()
    origins, counts = np.unique(problem.ends, return_counts=True)
    for origin, num_sent in zip(origins.tolist(), counts.tolist(), strict=True):
        alike = (audience(problem, origin), num_sent, int(problem.injection[origin]))
        if alike[0] and alike not in seen:
            seen.add(alike)
            slots = first_slots(problem, origin) + holders(problem, origin)[-1][0]
            best = max(best, (slots, -origin))
    yield Bound(best[0], NAME, {"origin": -best[1]})


def first_slots(problem: Problem, origin: int) -> int:
    """Return the slots until the last message of an origin can be started."""
    num_sent = int((problem.ends[:, 0] == origin).sum())
    return problem.rules.packet_slots * (-(-num_sent // int(problem.injection[origin])) - 1)


def holders(problem: Problem, origin: int) -> list[tuple[int, int]]:
    """Return numbers of slots, ascending, and how many others can hold a message then, until they are enough."""
    busy, wanted = problem.rules.packet_slots, audience(problem, origin)
    delay = busy + problem.rules.flight(_fewest_channels(problem))
    fan_out = sorted(np.delete(problem.injection, origin).tolist())
    # When packets start, and how many.
    starts = [(0, int(problem.injection[origin]))]
    counts: list[tuple[int, int]] = []
    num_holders = 0
    while num_holders < wanted:
        slot, ports = heappop(starts)
        while starts and starts[0][0] == slot:
            ports += heappop(starts)[1]
        newly = [fan_out.pop() for _ in range(min(ports, len(fan_out)))]
        for later, starting in ((slot + busy, ports), (slot + delay, sum(newly))):
            if starting:
                heappush(starts, (later, starting))
        num_holders += len(newly)
        counts.append((slot + delay, num_holders))
    return counts


def _fewest_channels(problem: Problem) -> int:
    """Return how many channels are between two processors at least: 0, 1, or 2 and more."""
    network = problem.network
    if len(np.unique(network.router_of)) < network.num_processors:
        return 0
    has_processor = ~problem.is_switch
    return 1 if (has_processor[network.tails] & has_processor[network.heads]).any() else 2


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which processor must inform how many, and how many can know just before that."""
    origin, rules = bound.certificate["origin"], problem.rules
    counts, first = [(0, 0), *holders(problem, origin)], first_slots(problem, origin)
    last = f", and its last message starts after {counted(first, 'slot')}" if first else ""
    delay = counted(rules.packet_slots + rules.flight(_fewest_channels(problem)), "slot")
    return (
        f"processor {origin} must inform {audience(problem, origin):,} others, a packet takes {delay} or more, and "
        f"before slot {counts[-1][0]:,} at most {counts[-2][1]:,} can have it{last}"
    )
