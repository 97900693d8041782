"""Checks the certificates of lower bounds on the end of timed schedules, against the problem alone.

All count what must be held of channels, or of ports, within windows (`windows`); the bound is the least end with
which it fits.

**Timed cut.** Sources lie outside a set S of routers, and targets inside. Every piece of the sources that a target
wants enters S, and holds a channel into it. In a reduction the contribution of one source to each sum enters, and in an
allreduce that to every piece.

**Timed ports.** A processor receives, and sends, one transfer at a time with each of its ports.

**Timed tail**, for broadcasts. A piece must reach all m receivers inside S. What enters at time t informs at most as
many of them as lie within end - t, and as one holder informs with those that it informed, who each have few channels or
ports. So an entry is worth min(m, that number), and every piece needs entries worth m.

**Timed prices**, for private messages. Each unit has a price. A message pays the prices of its channels, times how long
it holds them. All together pay no more than the prices times the windows of all units; where all transfers hold a unit
equally long, no more than for as many of them as fit into its window.

**Timed classes**, for an allreduce. All routers where sums rest lie in p classes with a member each. Read a class as a
place that knows what its members know. Until the first class knows all of a piece, a transfer has left each other
class; then one enters each of these. That makes 2 (p - 1) transfers of each piece that enter classes.
"""

from __future__ import annotations

import heapq
from collections import Counter
from typing import Any

import numpy as np

from pavane.judge.checkers import SUMS, checks
from pavane.judge.facts import links, marked, some_processors, whole
from pavane.judge.windows import FAR, HoldWindow, PackedWindow, TransferWays, least_end, least_packed_end
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.messages import Pattern
from pavane.model.problem import Problem

MOST_PRICE = 10**6

TIMED: tuple[Pattern, ...] = ("private", "broadcast", "reduction", "allreduce")


# -- what a certificate names


def _routers(problem: Problem, listed: Any) -> set[int]:
    return set(np.flatnonzero(marked(problem, listed)).tolist())


def _wanted(problem: Problem, sources: set[int], targets: set[int]) -> list[int]:
    """Return the messages of which something must get from the sources to the targets, once each at least."""
    ends, members = problem.ends.tolist(), problem.collective
    if problem.pattern == "private":
        return [message for message, (origin, end) in enumerate(ends) if origin in sources and end in targets]
    if problem.pattern == "broadcast":
        if len(targets) != 1 or not targets <= set(members.receivers):
            raise ValueError("a broadcast has one target, a receiver")
        return [message for message, (origin,) in enumerate(ends) if origin in sources]
    if len(sources) != 1 or not sources <= set(members.senders):
        raise ValueError("a sum has one source, a processor with a contribution")
    if problem.pattern == "reduction":
        return [message for message, (end,) in enumerate(ends) if end in targets]
    if len(targets) != 1 or not targets <= set(members.senders):
        raise ValueError("an allreduce has one target, a member")
    return list(range(problem.num_messages))


def _large_enough(problem: Problem, certificate: dict[str, Any], messages: list[int]) -> list[int]:
    """Return the messages of as many bytes as a certificate counts."""
    least = whole(certificate.get("bytes", 1))
    some = [message for message in messages if int(problem.message_bytes[message]) >= least]
    if not some:
        raise ValueError("nothing has to be carried")
    return some


class _CarriedPieces:
    """Pieces that must be carried: how many of each size, and what transfers of them may do."""

    def __init__(self, problem: Problem, messages: list[int]) -> None:
        sizes = problem.message_bytes[messages].tolist()
        self.small, self.large = min(sizes), max(sizes)
        self.num_small = sizes.count(self.small) if self.small < self.large else 0
        self.num_large = len(sizes) - self.num_small
        self.ways = TransferWays(problem, self.small)
        self.holds = self.ways.holds(self.large), self.ways.holds(self.small)

    def least_end(self, windows: list[PackedWindow], times: int = 1) -> int:
        """Return the least end with which each piece fits so many times."""
        if not windows:
            raise ValueError("nothing can carry what it counts")
        return least_packed_end(windows, times * self.num_large, times * self.num_small)


# -- cuts and ports


@checks("timed cuts", TIMED, "timed-cut", bounds=("end",), holds_for_trees=True)
def by_cut(problem: Problem, bound: Bound) -> int:
    """Return the least end with which all pieces that must enter a set of routers fit into the windows of channels."""
    certificate = bound.certificate
    inside, sources = _routers(problem, certificate["routers"]), some_processors(problem, certificate["sources"])
    named = certificate["targets"] if "targets" in certificate else [certificate["target"]]
    targets, homes = some_processors(problem, named), problem.network.router_of.tolist()
    if any(homes[source] in inside for source in sources):
        raise ValueError("a source lies inside the cut")
    if not all(homes[target] in inside for target in targets):
        raise ValueError("a target lies outside the cut")
    pieces = _CarriedPieces(problem, _large_enough(problem, certificate, _wanted(problem, sources, targets)))
    lead, rest = pieces.ways.windows({homes[source] for source in sources}, {homes[target] for target in targets})
    crossing = [
        PackedWindow(lead[channel] + rest[channel], pieces.holds[0][channel], pieces.holds[1][channel])
        for channel, (tail, head) in enumerate(problem.network.channels.tolist())
        if tail not in inside and head in inside and max(lead[channel], rest[channel]) < FAR
    ]
    return pieces.least_end(crossing)


@checks("timed ports", TIMED, "timed-ports", bounds=("end",), holds_for_trees=True)
def by_ports(problem: Problem, bound: Bound) -> int:
    """Return the least end with which all that the processors of a router must receive, or send, fits into ports."""
    certificate = bound.certificate
    homes = problem.network.router_of.tolist()
    (router,), receives = _routers(problem, [whole(certificate["router"])]), certificate["side"] == "receive"
    if problem.rules.ports == "all" or certificate["side"] not in ("receive", "send"):
        raise ValueError("it names no side of limited ports")
    here = {processor for processor, home in enumerate(homes) if home == router}
    messages, others = _passing(problem, here, receives=receives)
    if not others:
        raise ValueError("nothing has to be carried")
    pieces = _CarriedPieces(problem, _large_enough(problem, certificate, messages))
    away = {homes[other] for other in others}
    lead, rest = pieces.ways.windows(away if receives else {router}, {router} if receives else away)
    channels = (pieces.ways.entering if receives else pieces.ways.leaving)[router]
    used = [channel for channel in channels if max(lead[channel], rest[channel]) < FAR]
    if not used:
        raise ValueError("nothing can carry what it counts")
    lost = min(lead[channel] for channel in used) + min(rest[channel] for channel in used)
    large, small = (min(holds[channel] for channel in used) for holds in pieces.holds)
    return pieces.least_end([PackedWindow(lost, large, small)] * (int(problem.rules.ports) * len(here)))


def _passing(problem: Problem, here: set[int], *, receives: bool) -> tuple[list[int], set[int]]:
    """Return the messages that must come to some processors from others, or go to these, and the others."""
    collective = problem.collective
    ends = problem.ends.tolist()
    if problem.pattern == "private":
        mine, theirs = (1, 0) if receives else (0, 1)
        some = [message for message, pair in enumerate(ends) if pair[mine] in here and pair[theirs] not in here]
        return some, {ends[message][theirs] for message in some}
    if problem.pattern == "allreduce":
        members = set(collective.senders)
        return (list(range(len(ends))), members - here) if members & here else ([], set())
    # One end is that of the message, and the other are all members of the other side.
    is_sum = problem.pattern == "reduction"
    members = set(collective.senders if is_sum else collective.receivers)
    if is_sum == receives:
        return [message for message, (end,) in enumerate(ends) if end in here], members - here
    some = [message for message, (end,) in enumerate(ends) if end not in here] if members & here else []
    return some, {ends[message][0] for message in some}


# -- tails


@checks("timed tails", ("broadcast", "reduction"), "timed-tail", bounds=("end",))
def by_tail(problem: Problem, bound: Bound) -> int:
    """Return the least end with which all that enters a set of routers has the time to spread there."""
    certificate = bound.certificate
    if problem.pattern == "reduction" and is_reversible(problem):
        return by_tail(dual(problem), bound)
    if problem.pattern == "reduction":
        raise ValueError("backwards this reduction is not the broadcast that spreads")
    inside, sources = _routers(problem, certificate["routers"]), some_processors(problem, certificate["sources"])
    homes = problem.network.router_of.tolist()
    receivers = {homes[receiver] for receiver in problem.collective.receivers} & inside
    if any(homes[source] in inside for source in sources) or not receivers:
        raise ValueError("a source lies inside, or no receiver does")
    wanted = [message for message, (origin,) in enumerate(problem.ends.tolist()) if origin in sources]
    wanted = _large_enough(problem, certificate, wanted)
    ways = TransferWays(problem, int(problem.message_bytes[wanted].min()))
    holds = ways.holds()
    resting = {router for router in inside if ways.rests[router]}
    lead, rest = ways.windows({homes[source] for source in sources}, resting)
    growth = _growth(problem, ways, inside, len(receivers))
    windows: list[HoldWindow] = []
    for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
        if tail not in inside and head in inside and max(lead[channel], rest[channel]) < FAR:
            lost = lead[channel] + rest[channel]
            near = _near(ways, head, resting, receivers)
            # When the n-th receiver can know, after the entry.
            waits = [max(pair) for pair in zip(near, growth, strict=True)]
            windows += [HoldWindow(lost + wait, holds[channel]) for wait in waits if wait < FAR]
    if not windows:
        raise ValueError("nothing can carry what it counts")
    return least_end(windows, len(wanted) * len(receivers))


def is_reversible(problem: Problem) -> bool:
    """Return whether a schedule that is read backwards holds the same channels as long: all that differs is latencies.

    All transfers over a channel have the same latency then, and nothing is shared by channels.
    """
    rules = problem.rules
    is_single = rules.switching == "store-and-forward" and not problem.passes_switches
    return is_single and rules.duplex == "full" and rules.ports == "all"


def _near(ways: TransferWays, head: int, resting: set[int], receivers: set[int]) -> list[int]:
    """Return the least times after which the first, second, ... receiver can know what enters at `head`."""
    reached = ways.along([0] * len(ways.tails), [0 if router == head else FAR for router in range(len(ways.rests))])
    ends = {head} if ways.rests[head] else set()
    if ways.passes[head]:
        ends |= {head_of for c, head_of in enumerate(ways.heads) if reached[ways.tails[c]] < FAR} & resting
    times = ways.times(ends)
    return sorted(times[receiver] for receiver in receivers)


def _growth(problem: Problem, ways: TransferWays, inside: set[int], most: int) -> list[int]:
    """Return the least times after which one holder and those that it informs inside are 1, 2, ... routers.

    Each starts a transfer on each of its channels, or with each of its ports, as soon as the last has ended.
    """
    holds, homes = ways.holds(), problem.network.router_of.tolist()
    ports = problem.rules.ports
    ends = ways.along(ways.latencies, [0 if rests else FAR for rests in ways.rests], backwards=True)
    onward = [c for c, head in enumerate(ways.heads) if head in inside and ways.tails[c] in inside]
    onward = [c for c in onward if ways.rests[ways.tails[c]]]
    if not onward:
        return [0] + [FAR] * (most - 1)
    hold = min(holds[c] for c in onward)
    hop = hold + min(ways.latencies[c] + ends[ways.heads[c]] for c in onward)
    fans = Counter(ways.tails[c] for c in onward)
    if ports != "all":
        narrow = Counter(homes)
        fans = Counter({r: min(fan, int(ports) * narrow[r]) if r in narrow else fan for r, fan in fans.items()})
    fan = max(fans.values())
    times, queue = [0], [hop] * fan
    # Each entry of the queue is when another one is informed; its sender informs the next one a hold later.
    heapq.heapify(queue)
    while len(times) < most:
        time = heapq.heappop(queue)
        times.append(time)
        heapq.heappush(queue, time + hold)
        for _ in range(fan):
            heapq.heappush(queue, time + hop)
    return times


# -- prices


@checks("timed prices", ("private",), "timed-prices", bounds=("end",))
def by_prices(problem: Problem, bound: Bound) -> int:
    """Return the least end with which the windows of all units are worth what all messages pay."""
    prices = [0] * problem.network.num_channels
    for price, *channels in bound.certificate["prices"]:
        for channel in channels:
            if not 0 <= whole(price) <= MOST_PRICE or not 0 <= whole(channel) < len(prices):
                raise ValueError("a price is too high, or of no channel")
            prices[channel] = price
    unit_of = links(problem)
    prices = [max(prices[c] for c in range(len(prices)) if unit_of[c] == unit) for unit in unit_of]
    homes = problem.network.router_of.tolist()
    ends = [(homes[origin], homes[target]) for origin, target in problem.ends.tolist()]
    total = 0
    for size in sorted(set(problem.message_bytes.tolist())):
        pairs = [pair for pair, own in zip(ends, problem.message_bytes.tolist(), strict=True) if own == size]
        total += _paid(problem, TransferWays(problem, size), prices, pairs)
    ways = TransferWays(problem, int(problem.message_bytes.min()))
    is_even = ways.is_single and len(set(problem.message_bytes.tolist())) == 1
    lead, rest = ways.windows({origin for origin, _ in ends}, {target for _, target in ends})
    windows = []
    for unit in sorted(set(unit_of)):
        channels = [c for c in range(len(prices)) if unit_of[c] == unit and max(lead[c], rest[c]) < FAR]
        if channels and prices[unit]:
            lost = min(lead[c] for c in channels) + min(rest[c] for c in channels)
            holds = {ways.busy[c] for c in channels}
            # Where all that holds a unit does so equally long, whole transfers follow each other.
            hold = max(1, *holds) if is_even and len(holds) == 1 else 1
            windows.append(HoldWindow(lost, hold, prices[unit] * hold))
    if not windows:
        raise ValueError("nothing has a price")
    return least_end(windows, total)


def _paid(problem: Problem, ways: TransferWays, prices: list[int], pairs: list[tuple[int, int]]) -> int:
    """Return what messages between pairs of routers pay together, each on its cheapest way."""
    paid, total = ways.payments(prices), 0
    is_direct = problem.rules.switching == "wormhole"
    for origin in sorted({origin for origin, _ in pairs}):
        least, queue = {origin: 0}, [(0, origin)]
        while queue:
            cost, router = heapq.heappop(queue)
            if cost > least[router] or (is_direct and router != origin):
                continue
            for other, more in paid[router].items():
                if cost + more < least.get(other, FAR):
                    least[other] = cost + more
                    heapq.heappush(queue, (cost + more, other))
        total += sum(least[target] for start, target in pairs if start == origin)
    return total


# -- classes


@checks("timed classes", SUMS, "timed-classes", bounds=("end",))
def by_classes(problem: Problem, bound: Bound) -> int:
    """Return the least end with which all sums that must go between classes of routers fit."""
    certificate = bound.certificate
    network = problem.network
    classes = [_routers(problem, one) for one in certificate["classes"]]
    homes = network.router_of.tolist()
    members = {homes[member] for member in problem.collective.senders}
    class_of = {router: number for number, one in enumerate(classes) for router in one}
    if len(classes) < 2 or not all(one & members for one in classes):
        raise ValueError("a class has no member, or there is only one")
    pieces = _CarriedPieces(problem, _large_enough(problem, certificate, list(range(problem.num_messages))))
    resting = {router for router, rests in enumerate(pieces.ways.rests) if rests}
    if len(class_of) != sum(map(len, classes)) or not resting <= class_of.keys():
        raise ValueError("a router where sums rest lies in no class, or one lies in several")
    lead, rest = pieces.ways.windows(members, members)
    by_unit: dict[int, list[int]] = {}
    for channel, unit in enumerate(links(problem)):
        tail, head = pieces.ways.tails[channel], pieces.ways.heads[channel]
        enters = head in class_of and class_of.get(tail) != class_of[head]
        if enters and max(lead[channel], rest[channel]) < FAR:
            by_unit.setdefault(unit, []).append(channel)
    windows = []
    for channels in by_unit.values():
        lost = min(lead[c] for c in channels) + min(rest[c] for c in channels)
        windows.append(PackedWindow(lost, *(min(holds[c] for c in channels) for holds in pieces.holds)))
    return pieces.least_end(windows, 2 * (len(classes) - 1))
