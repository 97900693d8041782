"""Checks certificates that count loads, in the slots of tdm: prices, ports and cuts prove a length of the schedule.

What must be bought is counted as for steps. What a schedule of P slots sells is counted here. A unit takes packets of f
slots, as many at once as it has room for. Round a period, at most room * P / f of them fit. From a first slot to a last
one they run side by side in lanes, so at most room * (slots / f) fit, rounded down in each lane. A unit is of no use
before the first packet can have come there and after the last that can still arrive.

Channels are of no use, either, beyond what ports have injected: those that are used in slot s by hop number i of a
packet were injected i hops earlier, and a port starts one packet in f slots. So every hop of time adds at most as many
used channels as there are ports, and at the end takes away at most as many.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.judge.cheapest_ways import FAR, Inlet, inlets, settle, started
from pavane.judge.facts import links, marked, ports, whole
from pavane.judge.price_certificates import MOST_COSTS, read_prices
from pavane.judge.windows import HoldWindow, least_end
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem, Rules


class SoldUnit(NamedTuple):
    """A link or the ports of a processor, with its price."""

    price: int
    room: int
    first: int
    """The first slot in which it can be used, where the schedule does not repeat."""
    rest: int
    """The slots after the last one in which it can be used."""

    def window(self, rules: Rules) -> HoldWindow:
        """Return the packets that fit: round a period, or in lanes between the first slot and the last one."""
        if rules.wrap:
            return HoldWindow(0, rules.packet_slots, self.price, self.room)
        return HoldWindow(self.first + self.rest, rules.packet_slots, self.price * self.room)


def slots_of_load(problem: Problem, bound: Bound, steps: Fraction) -> int:
    """Return the least number of slots in which what a certificate prices can carry what it proves of steps."""
    channels, at_ports = _units(problem, bound)
    # What must be bought, a packet counted once: a step sells all units.
    need = steps * sum(unit.price * unit.room for unit in channels + at_ports)
    if not need:
        return 0
    in_use = (0, 0) if problem.rules.wrap or at_ports else _ports_in_use(problem)
    return least_slots(problem.rules, channels, at_ports, need, in_use)


def least_slots(
    rules: Rules, channels: list[SoldUnit], at_ports: list[SoldUnit], need: Fraction, in_use: tuple[int, int]
) -> int:
    """Return the least number of slots in which units carry what is needed, a packet counted once.

    Args:
        rules: The rules, of tdm.
        channels: Links that have a price.
        at_ports: Ports that have a price.
        need: What must be bought.
        in_use: The ports of all senders, and of all receivers, where only channels have a price.
    """
    windows = [unit.window(rules) for unit in channels + at_ports]
    if rules.wrap or at_ports:
        return least_end(windows, need)
    used = need * rules.packet_slots
    return least_end(windows, need, lambda num_slots: _used(rules, channels, num_slots, in_use) >= used)


def _used(rules: Rules, units: list[SoldUnit], num_slots: int, in_use: tuple[int, int]) -> int:
    """Return the value of the channels that packets can use in all slots, between the ports of their ends."""
    dearest = max(unit.price for unit in units)
    most = sum(unit.price * unit.room for unit in units if unit.first < FAR)
    hop = rules.hop_slots
    # The slots with all hops behind them, and ahead: the first is the first hop's, the last is the last one's.
    slots = num_slots - hop - rules.router_delay
    if slots <= 0:
        return 0
    filling, draining = (dearest * count for count in in_use)
    changes = {0, slots}
    changes.update(hop * k for k in range(1, most // filling + 1) if hop * k < slots)
    changes.update(slots - hop * k for k in range(most // draining + 1) if hop * k < slots)
    points = sorted(changes)
    total = 0
    for begin, end in pairwise(points):
        behind, ahead = begin // hop + 1, (slots - 1 - begin) // hop + 1
        total += (end - begin) * min(most, filling * behind, draining * ahead)
    return total


def _ports_in_use(problem: Problem) -> tuple[int, int]:
    """Return the ports of all senders, and of all receivers; of a broadcast everyone may be one or the other."""
    injection, ejection = ports(problem)
    everyone = range(problem.network.num_processors)
    senders, receivers = set(everyone), set(everyone)
    if problem.pattern == "private":
        senders, receivers = (set(problem.ends[:, side].tolist()) for side in (0, 1))
    return sum(injection[one] for one in senders), sum(ejection[one] for one in receivers)


# -- what is priced


def _units(problem: Problem, bound: Bound) -> tuple[list[SoldUnit], list[SoldUnit]]:
    """Return the links, and the ports, that a certificate prices; a cut prices its channels, and volume all of them."""
    certificate, network = bound.certificate, problem.network
    if "channels" in certificate:
        prices = read_prices(problem, certificate)
        return _priced_links(problem, prices.channels), _priced_ports(problem, prices.injection, prices.ejection)
    if bound.argument != "volume" and "processor" in certificate:
        processor = whole(certificate["processor"])
        others = network.router_of[problem.ends[problem.ends[:, 0] != processor, 0]].astype(np.int64)
        first = _flight(problem, int(_away(problem, others)[network.router_of[processor]]))
        return [], [SoldUnit(1, ports(problem)[1][processor], first, 0)]
    channels = np.ones(network.num_channels, dtype=np.int64)
    if bound.argument != "volume":
        inside = marked(problem, certificate["routers"])
        is_out, is_in = inside[network.tails] & ~inside[network.heads], inside[network.heads] & ~inside[network.tails]
        channels = (is_out | is_in if problem.rules.duplex == "half" else is_out).astype(np.int64)
    return _priced_links(problem, channels), []


def _priced_links(problem: Problem, prices: Longs) -> list[SoldUnit]:
    if not prices.any():
        return []
    first, rest = np.zeros((2, len(prices)), dtype=np.int64) if problem.rules.wrap else _channel_slots(problem)
    best: dict[int, SoldUnit] = {}
    for channel, link in enumerate(links(problem)):
        if prices[channel]:
            room = int(problem.network.capacity[link])
            mine = SoldUnit(int(prices[channel]), room, int(first[channel]), int(rest[channel]))
            other = best.get(link, mine)
            best[link] = SoldUnit(
                max(mine.price, other.price), room, min(mine.first, other.first), min(mine.rest, other.rest)
            )
    return list(best.values())


def _priced_ports(problem: Problem, *columns: Longs) -> list[SoldUnit]:
    units = []
    homes = problem.network.router_of.astype(np.int64)
    for side, (column, rooms) in enumerate(zip(columns, ports(problem), strict=True)):
        for processor in np.flatnonzero(column).tolist():
            flight = 0
            if not problem.rules.wrap:
                others = homes[problem.ends[problem.ends[:, side] == processor, 1 - side]]
                away = _away(problem, homes[[processor]], backwards=side == 1)
                flight = _flight(problem, int(away[others].min(initial=FAR)))
            first, rest = (flight, 0) if side else (0, flight)
            units.append(SoldUnit(int(column[processor]), rooms[processor], first, rest))
    return units


# -- when a unit is of use


def _flight(problem: Problem, hops: int) -> int:
    """Return the slots from injection to ejection over so many channels."""
    return int(problem.rules.flight(hops)) if hops < FAR else FAR


def _out_of(problem: Problem) -> list[Inlet]:
    """Sort all channels by the router that they leave: what is settled over them goes backwards."""
    network = problem.network
    return [
        Inlet(router, network.heads[mine].astype(np.int64), np.ones((len(mine), 1), dtype=np.int64))
        for router in range(network.num_routers)
        if len(mine := np.flatnonzero(network.tails == router))
    ]


def _into(problem: Problem) -> list[Inlet]:
    everything = np.arange(problem.network.num_channels)
    return inlets(problem, everything, np.ones(len(everything), dtype=np.int64))


def _away(problem: Problem, routers: Longs, *, backwards: bool = False) -> Longs:
    """Return the hops to each router from the nearest of some; backwards, from each router to the nearest."""
    costs = np.full((problem.network.num_routers, 1), FAR, dtype=np.int64)
    costs[routers] = 0
    settle(costs, _out_of(problem) if backwards else _into(problem))
    return costs[:, 0]


def _channel_slots(problem: Problem) -> tuple[Longs, Longs]:
    """Return the first slot in which each channel can be used, and how many come after its last one."""
    network, rules, homes = problem.network, problem.rules, problem.network.router_of.astype(np.int64)
    if problem.pattern == "private" and rules.routing != "any":
        before, after = _on_shortest_paths(problem)
    else:
        receivers = homes[problem.ends[:, 1]] if problem.pattern == "private" else homes
        before = _away(problem, homes[problem.ends[:, 0]])[network.tails]
        after = _away(problem, receivers, backwards=True)[network.heads]
    hop = rules.hop_slots
    is_used = (before < FAR) & (after < FAR)
    return np.where(is_used, (before + 1) * hop, FAR), np.where(is_used, after * hop + rules.router_delay, FAR)


def _on_shortest_paths(problem: Problem) -> tuple[Longs, Longs]:
    """Return the fewest channels before and after each channel on a shortest path that some message may take."""
    network, homes = problem.network, problem.network.router_of.astype(np.int64)
    tails, heads = network.tails, network.heads
    sources, column = np.unique(homes[problem.ends[:, 0]], return_inverse=True)
    before = np.full(network.num_channels, FAR, dtype=np.int64)
    after = before.copy()
    batch = max(1, MOST_COSTS // max(network.num_channels, network.num_routers))
    for first in range(0, len(sources), batch):
        some = sources[first : first + batch]
        away = started(problem, some)
        settle(away, _into(problem))
        mine = (column >= first) & (column < first + batch)
        left = np.full_like(away, FAR)
        left[homes[problem.ends[mine, 1]], column[mine] - first] = 0
        settle(left, _out_of(problem), -away)
        is_taken = (away[tails] + 1 == away[heads]) & (left[heads] < FAR)
        before = np.minimum(before, np.where(is_taken, away[tails], FAR).min(axis=1))
        after = np.minimum(after, np.where(is_taken, left[heads], FAR).min(axis=1))
    return before, after
