"""Checks certificates that count what blocks of routers can let in, and how far it can still spread there.

For broadcasts. A message must reach every receiver of a block that it does not begin in, by transfers that cross into
the block. One that ends there with few steps left informs few, and is worth only that part of the receivers.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pavane.judge.checkers import BROADCAST, checks
from pavane.judge.facts import (
    Wiring,
    hops,
    is_passed,
    is_stored,
    links,
    marked,
    ports,
    room,
    router_ports,
    switches,
    whole,
)
from pavane.model.bound import Bound
from pavane.model.problem import Problem


class BlockEntry(NamedTuple):
    """A way into a block: a channel, and how many receivers can know with 0, 1, 2, ... steps left."""

    channel: int
    block: int
    balls: list[int]


class EntryOffer(NamedTuple):
    """What an entry over a channel is worth, and how many of them the channel carries in a step."""

    worth: Fraction
    times: int


@checks("tails", BROADCAST, key="blocks")
def by_tail(problem: Problem, bound: Bound) -> int:
    """Return the steps in which the blocks can let in all that must enter them for the receivers that are counted."""
    blocks = [set(np.flatnonzero(marked(problem, one)).tolist()) for one in bound.certificate["blocks"]]
    counted = {whole(one) for one in bound.certificate.get("receivers", problem.collective.receivers)}
    if not counted <= set(problem.collective.receivers):
        raise ValueError("it counts processors that receive nothing")
    homes = problem.network.router_of.tolist()
    receivers = [Counter(homes[p] for p in counted if homes[p] in block) for block in blocks]
    wanted = Fraction(
        sum(
            homes[origin] not in block
            for block, some in zip(blocks, receivers, strict=True)
            if some
            for (origin,) in problem.ends.tolist()
        )
    )
    entries = [
        BlockEntry(channel, number, _balls(problem, blocks[number], receivers[number], head))
        for number in range(len(blocks))
        if receivers[number]
        for channel, (tail, head) in enumerate(problem.network.channels.tolist())
        if head in blocks[number] and tail not in blocks[number]
    ]
    totals = [some.total() for some in receivers]
    steps, longest = 0, max((len(entry.balls) for entry in entries), default=0)
    while wanted > 0:
        most = _most(problem, blocks, entries, totals, steps)
        if not most and steps >= longest:
            raise ValueError("nothing can enter its blocks")
        # Once another step changes nothing, the rest is a division.
        more = -(-wanted // most) if steps >= longest else 1
        steps, wanted = steps + int(more), wanted - more * most
    return steps


def _most(
    problem: Problem, blocks: list[set[int]], entries: list[BlockEntry], totals: list[int], left: int
) -> Fraction:
    """Return the most that the entries of one step are worth, with a number of steps left after it."""
    sending, receiving = router_ports(problem, counts_switches=_is_stored(problem))
    capacity = problem.network.capacity.tolist()
    over: dict[int, Fraction] = {}
    into: dict[int, list[EntryOffer]] = {}
    for channel, block, balls in entries:
        worth = Fraction(balls[min(left, len(balls) - 1)], totals[block])
        over[channel] = over.get(channel, Fraction(0)) + worth
        into.setdefault(block, []).append(EntryOffer(worth, capacity[channel]))
    link, tails = links(problem), problem.network.tails.tolist()
    on_links: dict[int, Fraction] = {}
    from_routers: dict[int, list[EntryOffer]] = {}
    for channel, worth in over.items():
        on_links[link[channel]] = max(worth, on_links.get(link[channel], Fraction(0)))
        from_routers.setdefault(tails[channel], []).append(EntryOffer(worth, capacity[channel]))
    most = sum((capacity[one] * worth for one, worth in on_links.items()), Fraction(0))
    taken = Fraction(0)
    for block, some in into.items():
        taken += _best(some, sum(receiving[router] for router in blocks[block]))
    most = min(most, taken)
    if _leave_to_enter(problem, blocks):
        # A transfer takes a link of the block that it comes from and one of the block where it ends: two, or one twice.
        some = [offer for offers in into.values() for offer in offers]
        rims = [{link[one] for one in _crossing(problem, block)} for block in blocks]
        most = min(most, _best(some, sum(room(problem, rim) for rim in rims) // 2))
    if _is_stored(problem):
        sent = Fraction(0)
        for router, some in from_routers.items():
            sent += _best(some, sending[router])
        most = min(most, sent)
    return most


def _best(offers: list[EntryOffer], places: int) -> Fraction:
    """Return the worth of the best offers, as many as there are places for."""
    total = Fraction(0)
    for worth, times in sorted(offers)[::-1]:
        taken = min(times, places)
        total, places = total + taken * worth, places - taken
    return total


def _is_stored(problem: Problem) -> bool:
    """Return whether a step ends with each channel: not where it continues over routers without processors."""
    return is_stored(problem) and not is_passed(problem)


def _crossing(problem: Problem, block: set[int]) -> list[int]:
    """Return the channels of which just one end is in a block."""
    ends = problem.network.channels.tolist()
    return [channel for channel, (tail, head) in enumerate(ends) if (tail in block) != (head in block)]


def _leave_to_enter(problem: Problem, blocks: list[set[int]]) -> bool:
    """Return whether wormholes run from block to block, and links go one way at a time."""
    if _is_stored(problem) or problem.rules.duplex == "full":
        return False
    counts = Counter(router for block in blocks for router in block)
    return max(counts.values(), default=0) == 1 and all(counts[home] for home in problem.network.router_of.tolist())


def _balls(problem: Problem, block: set[int], receivers: Counter[int], head: int) -> list[int]:
    """Return how many receivers of a block can know 0, 1, 2, ... steps after a message came in at a router.

    An informed processor informs as many others as it has ports and channels inside; those with the most come first.
    Under store-and-forward only processors within a channel a step can know; a wormhole may end anywhere in the block.
    """
    network = problem.network
    homes, (injection, _) = network.router_of.tolist(), ports(problem)
    residents = Counter(homes)
    inside = Counter[int]()
    for (tail, there), capacity in zip(network.channels.tolist(), network.capacity.tolist(), strict=True):
        if tail in block and there in block:
            inside[tail] += capacity
    informing = [
        (min(injection[processor], inside[home] + residents[home] - 1), home)
        for processor, home in enumerate(homes)
        if home in block
    ]
    if _is_stored(problem):
        informing += [(inside[switch], switch) for switch in switches(problem) & block]
    informing.sort()
    first = max(teller for teller in informing if not _is_stored(problem) or teller[1] == head)
    informing.remove(first)
    near: Counter[int] = Counter()
    if _is_stored(problem):
        neighbours: Wiring = [[] for _ in range(network.num_routers)]
        for tail, there in network.channels.tolist():
            if tail in block and there in block:
                neighbours[tail].append(there)
        for router, distance in hops(neighbours, head).items():
            near[max(distance, 1)] += receivers[router]
    balls, known, senders, reached = [min(1, receivers[head]) if _is_stored(problem) else 1], 1, first[0], 0
    for step in range(1, len(block) + len(informing) + 2):
        informed = [informing.pop() for _ in range(min(senders, len(informing)))]
        known += len(informed)
        senders += sum(fan for fan, _ in informed)
        reached += near[step]
        balls.append(min(known, reached if _is_stored(problem) else known, receivers.total()))
    return balls
