"""The shortest period of a small tdm problem, by trying every slot and path of every packet.

Written from the model alone. The period gets one slot longer until a schedule fits. Private packets are placed one by
one, the one with the fewest choices first; where the table repeats, the first one stands in slot 0. Copies of broadcast
messages are decided slot by slot: each that could be injected in a slot is, or is not. Reductions are read backwards.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Transfer
from tests.bounds.exhaustive import TooMany, admissible_paths
from tests.checker import arrival, distance, length, links, uses

BITS = 8
"""Loads are counted in one number, so many bits for each unit in each slot; small problems never fill them."""


class Copy(NamedTuple):
    """A copy of a message that may be sent in a slot."""

    message: int
    sender: int
    receiver: int
    path: tuple[int, ...]


def shortest_period(problem: Problem, most_tried: int) -> int:
    """Return the length of the shortest period; TooMany is raised where that takes too many trials."""
    problem = dual(problem) if problem.pattern == "reduction" else problem
    tries, period = _Tries(most_tried), _least_period(problem)
    search = _places_packets if problem.pattern == "private" else _spreads_copies
    while not search(problem, period, tries):
        period += 1
    return period


class _Tries:
    """How much may still be tried."""

    def __init__(self, most: int) -> None:
        self.left = most

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMany


def _least_period(problem: Problem) -> int:
    """Return a period that no schedule is shorter than: what the ports must carry."""
    units, slots = _Units(problem, 1), length(problem)
    if problem.pattern == "private":
        busy = [("sends", sender) for sender, _ in problem.ends.tolist()]
        busy += [("receives", receiver) for _, receiver in problem.ends.tolist()]
    else:
        receivers = problem.collective.receivers
        busy = [("receives", r) for (origin,) in problem.ends.tolist() for r in receivers if r != origin]
    return max(slots, *(-(-busy.count(unit) * slots // units.carries[unit]) for unit in set(busy)))


class _Units:
    """The channels, links and ports of a problem, and the loads that they bear in the slots of a period."""

    def __init__(self, problem: Problem, period: int) -> None:
        self.problem, self.period = problem, period
        network, rules = problem.network, problem.rules
        channels = network.channels.tolist()
        capacities = [1] * len(channels) if network.capacities is None else network.capacities.tolist()
        self.carries: dict[tuple[str, int], int] = {("channel", c): most for c, most in enumerate(capacities)}
        for processor, home in enumerate(network.router_of.tolist()):
            for side, kind in enumerate(("sends", "receives")):
                degree = sum(most for ends, most in zip(channels, capacities, strict=True) if ends[side] == home)
                self.carries[kind, processor] = degree if rules.ports == "all" else rules.ports
        self.same = {back: there for there, back in links(problem)} if rules.duplex == "half" else {}
        self.place = {unit: i * period for i, unit in enumerate(self.carries)}
        full = 2 ** (BITS - 1)
        self.slack = self.overflow = 0
        for unit, first in self.place.items():
            for slot in range(period):
                # A count above the capacity reaches the highest of its bits.
                self.slack |= max(full - 1 - self.carries[unit], 0) << BITS * (first + slot)
                self.overflow |= full << BITS * (first + slot)

    def fits(self, loads: int) -> bool:
        """Return whether no unit carries more than it can."""
        return not (loads + self.slack) & self.overflow

    def loads(self, transfer: Transfer) -> int | None:
        """Return the loads of a packet; None where the period is too short for it."""
        slots, period, wraps = length(self.problem), self.period, self.problem.rules.wrap
        if slots > period if wraps else arrival(self.problem, transfer) >= period:
            return None
        total = 0
        for kind, number, first in uses(self.problem, transfer):
            unit = (kind, self.same.get(number, number) if kind == "channel" else number)
            for slot in range(first, first + slots):
                total += 1 << BITS * (self.place[unit] + slot % period)
        return total if self.fits(total) else None


# -- private packets


def _places_packets(problem: Problem, period: int, tries: _Tries) -> bool:
    """Return whether every packet has a path and a slot in which nothing is overloaded."""
    units, homes = _Units(problem, period), problem.network.router_of.tolist()
    choices: dict[tuple[int, int], list[int]] = {}
    counts: dict[tuple[int, int], int] = {}
    for sender, receiver in problem.ends.tolist():
        counts[sender, receiver] = counts.get((sender, receiver), 0) + 1
    for sender, receiver in counts:
        packets = (
            units.loads(Transfer(slot, sender, receiver, path, (0,)))
            for slot in range(period)
            for path in admissible_paths(problem, homes[sender], homes[receiver])
        )
        choices[sender, receiver] = [loads for loads in packets if loads is not None]

    def place(left: dict[tuple[int, int], list[int]], missing: dict[tuple[int, int], int], used: int) -> bool:
        tries.count()
        if not missing:
            return True
        fitting = {pair: [loads for loads in left[pair] if units.fits(used + loads)] for pair in missing}
        pair = min(missing, key=lambda pair: len(fitting[pair]) / missing[pair])
        if len(fitting[pair]) == 0:
            return False
        fewer = {**missing, pair: missing[pair] - 1}
        if not fewer[pair]:
            del fewer[pair]
        for i, loads in enumerate(fitting[pair]):
            # Packets of one pair are alike: the next one takes no earlier choice.
            if place({**fitting, pair: fitting[pair][i:]}, fewer, used + loads):
                return True
            if not used and problem.rules.wrap and i + 1 >= num_paths(pair):
                return False  # a table that repeats can begin where one of these packets is in slot 0
        return False

    @cache
    def num_paths(pair: tuple[int, int]) -> int:
        return sum(
            units.loads(Transfer(0, *pair, path, (0,))) is not None
            for path in admissible_paths(problem, *(homes[end] for end in pair))
        )

    return place(choices, counts, 0)


# -- copies of broadcast messages


def _spreads_copies(problem: Problem, period: int, tries: _Tries) -> bool:
    """Return whether every receiver can get every message by copies that are injected slot by slot."""
    return _Copies(problem, period, tries).spreads(0, 0, 0, {})


class _Copies:
    """The copies of a broadcast in a period that does not repeat."""

    def __init__(self, problem: Problem, period: int, tries: _Tries) -> None:
        self.problem, self.period, self.tries = problem, period, tries
        self.units = _Units(problem, period)
        self.origins = [origin for (origin,) in problem.ends.tolist()]
        homes = problem.network.router_of.tolist()
        size = len(homes)
        self.moves = [
            Copy(message, sender, receiver, path)
            for message, origin in enumerate(self.origins)
            for sender in range(size)
            for receiver in range(size)
            if receiver not in (sender, origin)
            for path in admissible_paths(problem, homes[sender], homes[receiver])
        ]
        self.hops = {(a, b): distance(problem, homes[a], homes[b]) for a in range(size) for b in range(size) if a != b}
        self.seen: set[tuple[int, int, tuple[tuple[tuple[int, int], int], ...]]] = set()

    def spreads(self, slot: int, at: int, used: int, ready: dict[tuple[int, int], int]) -> bool:
        """Decide the copies from number `at` on of a slot, then the later slots; `ready` says who holds what from when.

        A message that two processors hold from the same slots on is the same state, however it came there.
        """
        self.tries.count()
        lacking = [
            (message, receiver)
            for message, origin in enumerate(self.origins)
            for receiver in self.problem.collective.receivers
            if receiver != origin and (message, receiver) not in ready
        ]
        if not lacking:
            return True
        if slot == self.period or self.is_late(slot, lacking, ready):
            return False
        if at == 0:
            state = (slot, used, tuple(sorted(ready.items())))
            if state in self.seen:
                return False
            self.seen.add(state)
        for number in range(at, len(self.moves)):
            message, sender, receiver, path = self.moves[number]
            since = 0 if sender == self.origins[message] else ready.get((message, sender), self.period)
            if since > slot or (message, receiver) in ready:
                continue
            transfer = Transfer(slot, sender, receiver, path, (message,))
            loads = self.units.loads(transfer)
            if loads is None or not self.units.fits(used + loads):
                continue
            later = {**ready, (message, receiver): arrival(self.problem, transfer) + 1}
            if self.spreads(slot, number + 1, used + loads, later):
                return True
        return self.spreads(slot + 1, 0, used, ready)

    def is_late(self, slot: int, lacking: list[tuple[int, int]], ready: dict[tuple[int, int], int]) -> bool:
        """Return whether some copy cannot come in time from where the message is or will be."""
        rules = self.problem.rules
        for message, receiver in lacking:
            holders = [(self.origins[message], 0)]
            holders += [(processor, since) for (of, processor), since in ready.items() if of == message]
            ways = [(max(since, slot), self.hops[holder, receiver]) for holder, since in holders]
            flight = rules.router_delay + rules.link_delay
            ends = [
                since + hops * flight + rules.router_delay + rules.packet_slots
                for since, hops in ways
                if hops is not None
            ]
            if min(ends, default=self.period + 1) > self.period:
                return True
        return False
