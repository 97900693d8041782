"""What a problem asks for and what a step can carry, counted from the problem alone, for the checkers of certificates.

Nothing here is shared with the makers of bounds: ports, links and distances are counted again one by one.
"""

from __future__ import annotations

from collections import Counter, deque
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Ints
from pavane.model.problem import Problem

Wiring = list[list[int]]
"""For each router the routers that its channels lead to (backwards: come from), one entry a channel."""


# -- what a certificate says


def whole(value: Any) -> int:
    """Return a whole number of a certificate; TypeError for anything else."""
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def marked(problem: Problem, routers: Any) -> Flags:
    """Mark the routers that a certificate lists; ValueError where it names others than there are."""
    size = problem.network.num_routers
    listed = [whole(router) for router in routers]
    if listed and not 0 <= min(listed) <= max(listed) < size:
        raise ValueError(f"it names routers that do not exist: {size} are there")
    inside = np.zeros(size, dtype=bool)
    inside[listed] = True
    return inside


def shared(amount: int, per_step: int) -> Fraction:
    """Return how many steps an amount takes, before rounding up; ValueError where a step can carry nothing."""
    if per_step < 1:
        raise ValueError("nothing can carry what it counts")
    return Fraction(amount, per_step)


# -- pairs of origin and target


def targets_of(problem: Problem, origin: int) -> set[int]:
    """Return the processors that must hear from this one."""
    if problem.pattern == "private":
        return set(problem.ends[problem.ends[:, 0] == origin, 1].tolist())
    return set(problem.collective.receivers) - {origin} if (problem.ends[:, 0] == origin).any() else set()


def origins_of(problem: Problem, target: int) -> set[int]:
    """Return the processors that this one must hear from."""
    if problem.pattern == "private":
        return set(problem.ends[problem.ends[:, 1] == target, 0].tolist())
    return set(problem.ends[:, 0].tolist()) - {target} if target in problem.collective.receivers else set()


class Across(NamedTuple):
    """What must get out of a set of routers."""

    origins: Ints
    """The processors inside with a target outside."""
    targets: Ints
    """The processors outside with an origin inside."""
    num_pairs: int
    """The pairs of one of the origins and one of the targets that must hear from it."""
    num_messages: int
    """The messages, or pieces of them, that must get out."""


def across(problem: Problem, inside: Flags) -> Across:
    """Return what must get out of a set of routers."""
    is_inside = inside[problem.network.router_of]
    if problem.pattern == "private":
        ends = problem.ends
        crossing = ends[is_inside[ends[:, 0]] & ~is_inside[ends[:, 1]]]
        pairs = np.unique(crossing, axis=0)
        return Across(np.unique(pairs[:, 0]), np.unique(pairs[:, 1]), len(pairs), len(crossing))
    messages = problem.ends[is_inside[problem.ends[:, 0]], 0]
    origins = np.unique(messages)
    receivers = np.array(sorted(problem.collective.receivers), dtype=np.int32)
    targets = receivers[~is_inside[receivers]]
    num_pairs = len(origins) * len(targets)
    if not num_pairs:
        return Across(origins[:0], targets[:0], 0, 0)
    return Across(origins, targets, num_pairs, len(messages))


# -- what a step can carry


def ports(problem: Problem) -> tuple[list[int], list[int]]:
    """Return the number of transfers that each processor sends, and receives, in a step at most."""
    network = problem.network
    homes = network.router_of.tolist()
    if problem.rules.ports != "all":
        return [problem.rules.ports] * len(homes), [problem.rules.ports] * len(homes)
    out, into = carried_out(problem), carried_in(problem)
    return [out[home] for home in homes], [into[home] for home in homes]


def carried_out(problem: Problem) -> Counter[int]:
    """Return what the channels out of each router carry in a step."""
    carried = Counter[int]()
    for tail, capacity in zip(problem.network.tails.tolist(), problem.network.capacity.tolist(), strict=True):
        carried[tail] += capacity
    return carried


def carried_in(problem: Problem) -> Counter[int]:
    """Return what the channels into each router carry in a step."""
    carried = Counter[int]()
    for head, capacity in zip(problem.network.heads.tolist(), problem.network.capacity.tolist(), strict=True):
        carried[head] += capacity
    return carried


def links(problem: Problem) -> list[int]:
    """Return for each channel what carries it: the lower channel of its link under half duplex, else itself."""
    channels = list(range(problem.network.num_channels))
    if problem.rules.duplex == "full":
        return channels
    opposite = problem.network.opposite.tolist()
    return [min(channel, opposite[channel]) if opposite[channel] >= 0 else channel for channel in channels]


def room(problem: Problem, some_links: set[int]) -> int:
    """Return what some links (`links`) carry in a step, together."""
    capacity: list[int] = problem.network.capacity.tolist()
    return sum(capacity[link] for link in some_links)


# -- the network


def is_stored(problem: Problem) -> bool:
    """Return whether a step covers one channel, and messages rest wherever a channel ends."""
    return problem.rules.switching == "store-and-forward"


def switches(problem: Problem) -> set[int]:
    """Return the routers without processors."""
    return set(range(problem.network.num_routers)) - set(problem.network.router_of.tolist())


def holders(problem: Problem) -> set[int]:
    """Return the routers without processors where messages rest."""
    return switches(problem) if is_stored(problem) and problem.rules.switches == "hold" else set()


def is_passed(problem: Problem) -> bool:
    """Return whether a step may cover several channels over routers without processors, where nothing rests."""
    return is_stored(problem) and problem.rules.switches == "pass" and bool(switches(problem))


def wiring(problem: Problem, *, backwards: bool = False) -> Wiring:
    """List for each router where its channels lead; backwards, where the channels into it come from."""
    neighbours: Wiring = [[] for _ in range(problem.network.num_routers)]
    for tail, head in problem.network.channels.tolist():
        if backwards:
            neighbours[head].append(tail)
        else:
            neighbours[tail].append(head)
    return neighbours


def leaps(problem: Problem, start: int, *, backwards: bool = False) -> dict[int, int]:
    """Return the number of steps from one router to every router that it reaches, if switches are passed at once."""
    neighbours, free = wiring(problem, backwards=backwards), switches(problem)
    away, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        # Leaving a processor begins a step; leaving a switch continues one.
        further = away[here] + (here not in free)
        for there in neighbours[here]:
            if further < away.get(there, further + 1):
                away[there] = further
                if here in free:
                    queue.appendleft(there)
                else:
                    queue.append(there)
    return away


def hops(neighbours: Wiring, start: int) -> dict[int, int]:
    """Return the number of channels from one router to every router that it reaches."""
    away, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for there in neighbours[here]:
            if there not in away:
                away[there] = away[here] + 1
                queue.append(there)
    return away
