"""Windows in which units can be held, and when transfers can hold a channel: counted from the problem alone.

Units of slots and of start times have windows: what is held of a unit lies between what is lost before its first use
and after its last one. The least end with which enough fits into all windows is the bound.

Data of some sources must get to some targets. A transfer over channel c starts where its data are usable, no earlier
than `lead`: the least time from a source to a place from which a transfer runs to c. After it has held c, its latencies
and the least time from its end to a target pass: `rest`. So all that is held of c lies in a window of end - lead -
rest, with the least lead and the least rest of all transfers that may run over c.

Under store-and-forward a transfer has one channel, over switches that pass any number of these, and by wormhole any
path. It takes the time that it holds its channels, that of the slowest, and all latencies.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pavane.model.links import PICOSECONDS
from pavane.model.problem import Problem

FAR = 2**62
"""The time to what cannot be reached."""

MOST_LEVELS = 16
"""Of more different times that channels take, longer paths are counted with the next lower of so many."""

MOST_PACKED = 64
"""Of more shorter pieces than these, all pieces are counted as short ones: packing them takes long."""


class HoldWindow(NamedTuple):
    """Room for transfers: one after the other, as long as the end is after what is lost."""

    lost: int
    hold: int
    weight: int = 1
    """What each transfer counts for."""
    room: int = 1
    """How many a unit has room for at once, where they follow each other round a period."""

    def worth(self, end: int) -> int:
        """Return what all that fits counts for."""
        return self.weight * (self.room * max(0, end - self.lost) // self.hold)


def least_end(
    windows: list[HoldWindow], need: Fraction | int, is_enough: Callable[[int], bool] = lambda _: True
) -> int:
    """Return the least end with which what fits into the windows counts for as much as is needed, and is enough."""
    return _least(lambda end: sum(one.worth(end) for one in windows) >= need and is_enough(end))


class PackedWindow(NamedTuple):
    """Room for transfers of two sizes."""

    lost: int
    large: int
    """How long a large piece holds it."""
    small: int


def least_packed_end(windows: list[PackedWindow], large: int, small: int) -> int:
    """Return the least end with which so many large and small pieces fit."""
    if not small or small > MOST_PACKED:
        return least_end([HoldWindow(one.lost, one.small if small else one.large) for one in windows], large + small)

    def fits(end: int) -> bool:
        # For each number of small pieces, the most large ones beside them in the windows so far.
        most = np.full(small + 1, -FAR)
        most[0] = 0
        for one in windows:
            room, beside = max(0, end - one.lost), np.full(small + 1, -FAR)
            for number in range(min(small, room // one.small) + 1):
                moved = most[: small + 1 - number] + (room - number * one.small) // one.large
                np.maximum(beside[number:], moved, out=beside[number:])
            most = beside
        return bool(most[small] >= large)

    return _least(fits)


def _least(fits: Callable[[int], bool]) -> int:
    """Return the least end that fits, where all later ones do."""
    if fits(0):
        return 0
    low, high = 0, 1
    while not fits(high):
        low, high = high, 2 * high
        if low > FAR:
            raise ValueError("nothing that it prices can be used")
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


class TransferWays:
    """What transfers of so many bytes may do: where they start and end, what they run through, and how long they take.

    Args:
        timed: The problem.
        size: Bytes of the smallest piece that counts.
    """

    def __init__(self, problem: Problem, size: int) -> None:
        self.problem, network = problem, problem.network
        self.tails, self.heads = network.tails.tolist(), network.heads.tolist()
        self.latencies = problem.timing.links.latencies.tolist()
        self.busy = self.busy_of(size)
        self.leaving: list[list[int]] = [[] for _ in range(network.num_routers)]
        self.entering: list[list[int]] = [[] for _ in range(network.num_routers)]
        for channel, (tail, head) in enumerate(zip(self.tails, self.heads, strict=True)):
            self.leaving[tail].append(channel)
            self.entering[head].append(channel)
        homes = set(network.router_of.tolist())
        rules = problem.rules
        self.is_single = rules.switching == "store-and-forward" and rules.switches == "hold"
        """Whether a transfer has one channel, and messages rest at every router."""
        every = range(network.num_routers)
        self.rests = [self.is_single or router in homes for router in every]
        self.passes = [
            not self.is_single and (rules.switching == "wormhole" or router not in homes) for router in every
        ]
        """Which routers a transfer may run through."""
        values = sorted(set(self.busy))
        self.levels = values[:: -(-len(values) // MOST_LEVELS)] if values else []
        self.level_of = [sum(value <= busy for value in self.levels) - 1 for busy in self.busy]

    def busy_of(self, size: int) -> list[int]:
        """Return how long a transfer of so many bytes takes on each channel."""
        links = self.problem.timing.links
        pairs = zip(links.overheads.tolist(), links.bandwidths.tolist(), strict=True)
        return [overhead + -(-size * PICOSECONDS // rate) for overhead, rate in pairs]

    def holds(self, size: int | None = None) -> list[int]:
        """Return how long a transfer over each channel holds it at least: what passes a switch came over another."""
        busy = self.busy if size is None else self.busy_of(size)
        before, after = self._slowest(busy, backwards=False), self._slowest(busy, backwards=True)
        ends = zip(busy, self.tails, self.heads, strict=True)
        return [max(time, before[tail], after[head]) for time, tail, head in ends]

    def _slowest(self, busy: list[int], *, backwards: bool) -> list[int]:
        """Return for each router the least hold of what comes to it; backwards, of what goes on. 0 where it rests."""
        channels_at, ends = (self.entering, self.heads) if backwards else (self.leaving, self.tails)
        others = self.tails if backwards else self.heads
        slowest = [0 if rests else FAR for rests in self.rests]
        queue = [(0, router) for router, rests in enumerate(self.rests) if rests]
        while queue:
            hold, router = heapq.heappop(queue)
            for channel in channels_at[router] if hold <= slowest[router] else ():
                assert ends[channel] == router
                other, longer = others[channel], max(hold, busy[channel])
                if self.passes[other] and longer < slowest[other]:
                    slowest[other] = longer
                    heapq.heappush(queue, (longer, other))
        return slowest

    def times(self, starts: set[int], *, backwards: bool = False) -> list[int]:
        """Return the least time by transfers from any of some routers to every router where messages rest.

        Backwards, from every router to any of these.
        """
        channels_at, others = (self.entering, self.tails) if backwards else (self.leaving, self.heads)
        least = [FAR] * len(self.rests)
        running: dict[tuple[int, int], int] = {}
        queue = [(0, -1, router) for router in sorted(starts)]
        for router in starts:
            least[router] = 0
        while queue:
            time, level, router = heapq.heappop(queue)
            if time > (least[router] if level < 0 else running[router, level]):
                continue
            if level < 0 and not self.is_single:
                for at, value in enumerate(self.levels):
                    if time + value < running.get((router, at), FAR):
                        running[router, at] = time + value
                        heapq.heappush(queue, (time + value, at, router))
                continue
            for channel in channels_at[router]:
                if not self.is_single and self.level_of[channel] > level:
                    continue
                later = time + self.latencies[channel] + (self.busy[channel] if self.is_single else 0)
                other = others[channel]
                if self.rests[other] and later < least[other]:
                    least[other] = later
                    heapq.heappush(queue, (later, -1, other))
                if self.passes[other] and later < running.get((other, level), FAR):
                    running[other, level] = later
                    heapq.heappush(queue, (later, level, other))
        return least

    def along(self, costs: list[int], first: list[int], *, backwards: bool = False) -> list[int]:
        """Return the least cost to each router within one transfer, where it starts with a cost at some routers.

        Backwards, from each router to where it ends.
        """
        channels_at, others = (self.entering, self.tails) if backwards else (self.leaving, self.heads)
        least = list(first)
        queue = sorted((cost, router) for router, cost in enumerate(first) if cost < FAR)
        while queue:
            cost, router = heapq.heappop(queue)
            if cost > least[router]:
                continue
            for channel in channels_at[router]:
                other, later = others[channel], cost + costs[channel]
                if self.passes[other] and later < least[other]:
                    least[other] = later
                    heapq.heappush(queue, (later, other))
        return least

    def windows(self, sources: set[int], targets: set[int]) -> tuple[list[int], list[int]]:
        """Return the lead and the rest of each channel, for data from some routers to others; FAR if it has no use."""
        rules, pattern = self.problem.rules, self.problem.pattern
        if rules.switching == "wormhole" and pattern == "private":
            # One transfer runs from the origin to the target.
            up = self.along(self.latencies, [0 if router in sources else FAR for router in range(len(self.rests))])
            down = self.along(
                self.latencies, [0 if router in targets else FAR for router in range(len(self.rests))], backwards=True
            )
            lead = [0 if time < FAR else FAR for time in up]
        else:
            before = [time if rests else FAR for time, rests in zip(self.times(sources), self.rests, strict=True)]
            lead = self.along([0] * len(self.tails), before)
            up = self.along(self.latencies, [0 if rests else FAR for rests in self.rests])
            after = [
                t if rests else FAR for t, rests in zip(self.times(targets, backwards=True), self.rests, strict=True)
            ]
            down = self.along(self.latencies, after, backwards=True)
        rest = [
            min(FAR, up[tail] + latency + down[head])
            for tail, head, latency in zip(self.tails, self.heads, self.latencies, strict=True)
        ]
        return [lead[tail] for tail in self.tails], rest

    def payments(self, prices: list[int]) -> list[dict[int, int]]:
        """Return what a transfer from each router to others pays at least: prices times how long it holds channels."""
        size = len(self.rests)
        if self.is_single:
            paid: list[dict[int, int]] = [{} for _ in range(size)]
            for channel, (tail, head) in enumerate(zip(self.tails, self.heads, strict=True)):
                paid[tail][head] = min(prices[channel] * self.busy[channel], paid[tail].get(head, FAR))
            return paid
        # A transfer that holds its channels no longer than a level takes only those that are no slower.
        levels = [
            [price * value if self.level_of[channel] <= level else FAR for channel, price in enumerate(prices)]
            for level, value in enumerate(self.levels)
        ]
        return [self._paid_from(levels, start) if self.rests[start] else {} for start in range(size)]

    def _paid_from(self, levels: list[list[int]], start: int) -> dict[int, int]:
        paid: dict[int, int] = {}
        for costs in levels:
            least = self.along(costs, [0 if router == start else FAR for router in range(len(self.rests))])
            for channel, head in enumerate(self.heads):
                cost = least[self.tails[channel]] + costs[channel]
                if self.rests[head] and cost < paid.get(head, FAR):
                    paid[head] = cost
        return paid
