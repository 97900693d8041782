"""What a problem requires and what a step can carry, counted from the problem alone, for the checkers of certificates.

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
    """Mark the routers that a certificate lists, one by one or as runs: the first, and the first after it."""
    size = problem.network.num_routers
    inside = np.zeros(size, dtype=bool)
    for one in routers:
        first, end = (whole(each) for each in one) if isinstance(one, list) else (whole(one), whole(one) + 1)
        if not 0 <= first < end <= size:
            raise ValueError(f"it names routers that do not exist: {size} are there")
        inside[first:end] = True
    return inside


def some_processors(problem: Problem, listed: Any) -> set[int]:
    """Return the processors that a certificate lists; ValueError where it names none, or others than there are."""
    processors = {whole(one) for one in listed}
    if not processors or not processors <= set(range(problem.network.num_processors)):
        raise ValueError(
            f"it names no processors, or such that do not exist: {problem.network.num_processors} are there"
        )
    return processors


def shared(amount: int, per_step: int) -> Fraction:
    """Return how many steps an amount takes, before rounding up; ValueError where a step can carry nothing."""
    if per_step < 1:
        raise ValueError("nothing can carry what it counts")
    return Fraction(amount, per_step)


# -- pairs of origin and target


def partners(problem: Problem, processor: int, *, backwards: bool = False) -> set[int]:
    """Return the processors that must hear from this one; backwards, those that it must hear from."""
    if problem.pattern == "private":
        mine, theirs = (1, 0) if backwards else (0, 1)
        return set(problem.ends[problem.ends[:, mine] == processor, theirs].tolist())
    origins, receivers = set(problem.ends[:, 0].tolist()), set(problem.collective.receivers)
    here, there = (receivers, origins) if backwards else (origins, receivers)
    return there - {processor} if processor in here else set()


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
    out, into = carried(problem), carried(problem, backwards=True)
    return [out[home] for home in homes], [into[home] for home in homes]


def carried(problem: Problem, *, backwards: bool = False) -> Counter[int]:
    """Return what the channels out of each router carry in a step; backwards, those into it."""
    network, total = problem.network, Counter[int]()
    ends = network.heads if backwards else network.tails
    for router, capacity in zip(ends.tolist(), network.capacity.tolist(), strict=True):
        total[router] += capacity
    return total


def router_ports(problem: Problem, counts_switches: bool) -> tuple[Counter[int], Counter[int]]:
    """Return what the processors of each router send, and receive, in a step; of counted switches, what channels do."""
    sending, receiving = Counter[int](), Counter[int]()
    for home, out, into in zip(problem.network.router_of.tolist(), *ports(problem), strict=True):
        sending[home] += out
        receiving[home] += into
    if counts_switches:
        leaving, entering = carried(problem), carried(problem, backwards=True)
        for switch in switches(problem):
            sending[switch], receiving[switch] = leaving[switch], entering[switch]
    return sending, receiving


def links(problem: Problem) -> list[int]:
    """Return for each channel what carries it: the lower channel of its link under half duplex, else itself."""
    channels = list(range(problem.network.num_channels))
    if problem.rules.duplex == "full":
        return channels
    opposite = problem.network.opposite.tolist()
    return [min(channel, opposite[channel]) if opposite[channel] >= 0 else channel for channel in channels]


def links_out(problem: Problem, inside: Flags) -> set[int]:
    """Return the links (`links`) of the channels that lead out of a set of routers."""
    ends = zip(links(problem), problem.network.channels.tolist(), strict=True)
    return {link for link, (tail, head) in ends if inside[tail] and not inside[head]}


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
    return is_stored(problem) and problem.rules.switches != "hold" and bool(switches(problem))


def wiring(problem: Problem, *, backwards: bool = False) -> Wiring:
    """List for each router where its channels lead; backwards, where the channels into it come from."""
    neighbours: Wiring = [[] for _ in range(problem.network.num_routers)]
    for tail, head in problem.network.channels.tolist():
        if backwards:
            neighbours[head].append(tail)
        else:
            neighbours[tail].append(head)
    return neighbours


def leaps(problem: Problem, start: int) -> dict[int, int]:
    """Return the number of steps from one router to every router that it reaches, if switches are passed at once."""
    neighbours, free = wiring(problem), switches(problem)
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


def steps_from(problem: Problem, start: int) -> dict[int, int]:
    """Return the number of steps from one router to every router that it reaches under store-and-forward."""
    if not is_passed(problem):
        return hops(wiring(problem), start)
    if problem.rules.routing != "minimal":
        return leaps(problem, start)
    neighbours, free = wiring(problem), switches(problem)
    steps, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for there in straight_leaps(neighbours, free, here):
            if there not in steps:
                steps[there] = steps[here] + 1
                queue.append(there)
    return steps


def straight_leaps(neighbours: Wiring, free: set[int], start: int) -> set[int]:
    """Return the routers with processors that shortest paths over routers without any join with one."""
    away = hops(neighbours, start)
    reached, level = set[int](), {start}
    while level:
        level = {there for here in level for there in neighbours[here] if away[there] == away[here] + 1}
        reached |= level - free
        level &= free
    return reached


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
