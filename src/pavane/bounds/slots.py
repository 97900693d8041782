"""Bounds by loads in time slots (tdm): what the priced channels and ports carry in a period of P slots.

A packet occupies a unit of capacity c for f slots on end. Where the schedule repeats, at most c * P // f packets fit
into a unit. Where it does not, the first packet comes to the unit some slots after the start, and the last one needs
some slots from there to its receiver: a port of a sender is not used in the last slots, a port of a receiver not in the
first ones, a channel neither in the first nor in the last. Packets that overlap in at most c places run in c lanes, so
at most c * ((P - before - after) // f) fit. The bound is the least P in which what fits is worth what must be bought.

Ports fill the channels one hop after the other, too. A packet that uses its channel number i in a slot was injected i
hops before, and of those a sender starts at most c in f slots. So in slot s at most c * (s // hop) channels of each
sender's packets are used, and read backwards as many of each receiver's.

Before and after are the least over the messages that can use a unit: along shortest paths where paths are shortest,
else from the nearest sender and to the nearest receiver. Messages of a broadcast are relayed, which is never quicker
than the direct path, and any processor may be a relay.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.bounds.cut_loads import arriving, entering, least_enough, leaving, marked
from pavane.bounds.prices import bought, price_list
from pavane.model.arrays import Ints, Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem, Rules

MOST_PAIRS = 20_000_000
"""Above this many pairs of source and channel, following all shortest paths takes too long for a slot or two."""

MOST_PAIRS_AT_ONCE = 4_000_000
"""The number of pairs of source and channel that are looked at together, for memory's sake."""

MOST_TURNS = 10_000
"""Where ports take more hops than this to fill all channels, it takes too long to add them up."""

NEVER = 2**40
"""A number of slots beyond any schedule: what no message uses carries nothing."""


class PricedUnit(NamedTuple):
    """A channel, a link or the ports of a processor, as a bound prices it."""

    price: int
    room: int
    """How many packets use it at once, at most."""
    before: int
    """The slots before its first use, where the schedule does not repeat."""
    after: int
    """The slots from its last use to the end."""


class SlotLoad(NamedTuple):
    """What messages must buy, and what is sold."""

    need: int
    units: Counter[PricedUnit]
    """How many units there are of each sort."""
    filled: int = 0
    """At most by so much the value of used channels rises with every hop after the start; 0: ports have prices, too."""
    drained: int = 0
    """And falls with every hop before the end."""

    def least_period(self, rules: Rules) -> int:
        """Return the least number of slots in which enough is sold."""
        return least_enough(lambda num_slots: self._is_enough(num_slots, rules))

    def _is_enough(self, num_slots: int, rules: Rules) -> bool:
        busy, packets = rules.packet_slots, 0
        for unit, count in self.units.items():
            if rules.wrap:
                fitting = unit.room * num_slots // busy
            else:
                fitting = unit.room * (max(num_slots - unit.before - unit.after, 0) // busy)
            packets += count * unit.price * fitting
        if packets < self.need or rules.wrap or not self.filled:
            return packets >= self.need
        return self._used(num_slots, rules) >= self.need * busy

    def _used(self, num_slots: int, rules: Rules) -> int:
        """Return the value of the channels that can be used in all slots, as ports fill them and drain them."""
        whole = sum(count * unit.price * unit.room for unit, count in self.units.items() if unit.before < NEVER)
        hop, last = rules.hop_slots, num_slots - rules.router_delay
        if last <= 0 or whole > MOST_TURNS * min(self.filled, self.drained):
            return max(last, 0) * whole
        # Between these slots the value does not change.
        turns = {0, last}
        turns.update(min(k * hop, last) for k in range(-(-whole // self.filled) + 1))
        turns.update(max(last - k * hop, 0) for k in range(-(-whole // self.drained) + 1))
        used = 0
        for first, end in pairwise(sorted(turns)):
            used += (end - first) * min(whole, self.filled * (first // hop), self.drained * -((first - last) // hop))
        return used


@lru_cache(maxsize=4)
def as_steps(problem: Problem) -> Problem:
    """Return the wormhole problem that loads every channel and port as the packets of a tdm problem do.

    A packet of f slots loads a unit as f pieces do, one in each step. So what bounds the load of steps bounds that of
    slots; when packets can be where says nothing about steps.
    """
    rules = problem.rules
    collective = replace(problem.collective, pieces=problem.collective.pieces * rules.packet_slots)
    return Problem(problem.network, collective, Rules(ports=rules.ports, duplex=rules.duplex, routing=rules.routing))


@lru_cache(maxsize=4)
def in_packet_times(problem: Problem) -> Problem:
    """Return the wormhole problem in which a packet takes a step, however many slots it has."""
    return as_steps(replace(problem, rules=replace(problem.rules, packet_slots=1)))


def in_slots(problem: Problem, bound: Bound) -> Bound:
    """Return what a bound on the steps of `in_packet_times(problem)` that counts loads says about slots."""
    rules = problem.rules
    exact = None if bound.exact is None else bound.exact * rules.packet_slots
    load = load_of(problem, bound)
    slots = load.least_period(rules) if load.need else 0
    return replace(bound, figure=slots, exact=exact)


def load_of(problem: Problem, bound: Bound) -> SlotLoad:
    """Return what a bound counts, a packet as one."""
    certificate, steps = bound.certificate, in_packet_times(problem)
    if "channels" in certificate:
        return _of_prices(problem, bound)
    if "processor" in certificate:
        processor = certificate["processor"]
        cut = arriving(steps, processor)
        origins = np.setdiff1d(problem.ends[:, 0], [processor])
        away = int(_nearest(problem, origins)[problem.network.router_of[processor]])
        unit = PricedUnit(1, cut.per_step, problem.rules.flight(away), 0)
        return SlotLoad(cut.num_messages, Counter({unit: 1}))
    network = problem.network
    if "routers" in certificate:
        inside = marked(network, certificate["routers"])
        is_cut = inside[network.tails] & ~inside[network.heads]
        if problem.rules.duplex == "half":
            is_cut = inside[network.tails] != inside[network.heads]
        return _of_links(problem, leaving(steps, inside).num_messages, is_cut.astype(np.int64))
    return _of_links(problem, entering(steps).num_messages, np.ones(network.num_channels, dtype=np.int64))


def _of_prices(problem: Problem, bound: Bound) -> SlotLoad:
    prices = price_list(problem, bound.certificate)
    need = bought(in_packet_times(problem), prices)
    if not (prices.injection.any() or prices.ejection.any()):
        return _of_links(problem, need, prices.channels)
    units = _links(problem, prices.channels)
    for side, column, ports in ((0, prices.injection, problem.injection), (1, prices.ejection, problem.ejection)):
        for processor in np.flatnonzero(column).tolist():
            sides = [0, 0]
            if not problem.rules.wrap:
                sides[1 - side] = _least_flight(problem, processor, side)
            units[PricedUnit(int(column[processor]), int(ports[processor]), *sides)] += 1
    return SlotLoad(need, units)


def _of_links(problem: Problem, need: int, prices: Longs) -> SlotLoad:
    """Return the load of channels alone: no more of them are used than what ports have injected, and will eject."""
    ports = [problem.injection.sum(dtype=np.int64), problem.ejection.sum(dtype=np.int64)]
    if problem.pattern == "private":
        members = (np.unique(problem.ends[:, side]) for side in (0, 1))
        columns = (problem.injection, problem.ejection)
        ports = [column[mine].sum(dtype=np.int64) for column, mine in zip(columns, members, strict=True)]
    filled, drained = (int(prices.max()) * int(count) for count in ports)
    return SlotLoad(need, _links(problem, prices), filled, drained)


def _least_flight(problem: Problem, processor: int, side: int) -> int:
    """Return the shortest flight of the messages that a processor sends, or with side 1 receives."""
    network, ends = problem.network, problem.ends
    home = int(network.router_of[processor])
    others = network.router_of[ends[ends[:, side] == processor, 1 - side]]
    if not len(others):
        return NEVER
    away = network.distances_to(home) if side else network.distances_from(home)
    return int(problem.rules.flight(int(away[others].min())))


def _links(problem: Problem, prices: Longs) -> Counter[PricedUnit]:
    """Return the links of channels that have a price; the dearer channel of a half-duplex link stands for both."""
    channels = np.flatnonzero(prices)
    if not len(channels):
        return Counter()
    units, at = np.unique(problem.units[channels], return_inverse=True)
    dearest = np.zeros(len(units), dtype=np.int64)
    np.maximum.at(dearest, at, prices[channels])
    sides = np.zeros((2, len(units)), dtype=np.int64)
    if not problem.rules.wrap:
        sides[:] = NEVER
        for side, slots in zip(sides, channel_slots(problem), strict=True):
            np.minimum.at(side, at, slots[channels])
    columns = (dearest, problem.network.capacity[units], *sides)
    return Counter(PricedUnit(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


@lru_cache(maxsize=4)
def channel_slots(problem: Problem) -> tuple[Longs, Longs]:
    """Return the slots before the first use of each channel, and after its last one."""
    network, rules = problem.network, problem.rules
    sources = np.unique(network.router_of[problem.ends[:, 0]])
    is_followed = problem.pattern == "private" and rules.routing != "any"
    if is_followed and len(sources) * network.num_channels <= MOST_PAIRS:
        before, after = _along_shortest_paths(problem, sources)
    else:
        before = _nearest(problem, problem.ends[:, 0])[network.tails]
        targets = problem.ends[:, 1] if problem.pattern == "private" else np.arange(network.num_processors)
        homes = np.unique(network.router_of[targets])
        after = network.reversed().distances_from_nearest(homes)[network.heads].astype(np.int64)
    is_used = (before >= 0) & (after >= 0)
    first = np.where(is_used, (before + 1) * rules.hop_slots, NEVER)
    return first, np.where(is_used, rules.flight(after), NEVER)


def _nearest(problem: Problem, processors: Ints) -> Longs:
    """Return the hops to each router from the nearest of some processors."""
    homes = np.unique(problem.network.router_of[processors])
    return problem.network.distances_from_nearest(homes).astype(np.int64)


def _along_shortest_paths(problem: Problem, sources: Ints) -> tuple[Longs, Longs]:
    """Return the least hops before and after each channel on a shortest path of a message; -1 where it is on none."""
    network = problem.network
    tails, heads = network.tails, network.heads
    before = np.full(network.num_channels, NEVER, dtype=np.int64)
    after = before.copy()
    starts, ends = (network.router_of[problem.ends[:, side]] for side in (0, 1))
    rows_of_ends = np.searchsorted(sources, starts)
    batch = max(1, MOST_PAIRS_AT_ONCE // max(network.num_channels, 1))
    for first in range(0, len(sources), batch):
        away = network.distance_rows(sources[first : first + batch]).astype(np.int64)
        left = np.full_like(away, NEVER)
        mine = (rows_of_ends >= first) & (rows_of_ends < first + batch)
        left[rows_of_ends[mine] - first, ends[mine]] = 0
        rows, channels = np.nonzero((away[:, tails] >= 0) & (away[:, tails] + 1 == away[:, heads]))
        levels = away[rows, tails[channels]]
        # From the farthest level back: what is left from a channel's tail is one hop more than from its head.
        for level in range(int(levels.max(initial=-1)), -1, -1):
            at = levels == level
            row, channel = rows[at], channels[at]
            np.minimum.at(left, (row, tails[channel]), left[row, heads[channel]] + 1)
        is_used = left[rows, heads[channels]] < NEVER
        rows, channels = rows[is_used], channels[is_used]
        np.minimum.at(before, channels, away[rows, tails[channels]])
        np.minimum.at(after, channels, left[rows, heads[channels]])
    return np.where(before < NEVER, before, -1), np.where(after < NEVER, after, -1)


def explain_slots(problem: Problem, bound: Bound) -> str:
    """State in which slots at the ends of a schedule nothing that a bound counts can be used, or not all of it."""
    if problem.rules.wrap:
        return ""
    load = load_of(problem, bound)
    before, after = min(unit.before for unit in load.units), min(unit.after for unit in load.units)
    texts = []
    for count, word in ((before, "first"), (after, "last")):
        if count:
            texts.append(f"the {word} slot" if count == 1 else f"the {word} {count:,} slots")
    text = f", none in {' and '.join(texts)}" if texts else ""
    if load._replace(filled=0).least_period(problem.rules) < bound.figure:
        text += ", and ports fill and drain them hop by hop"
    return text
