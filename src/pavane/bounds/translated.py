"""Bounds of problems on networks with translations, at any size: what one router must do bounds the schedule.

All routers look alike, so that the channels that the messages of router 0 must cover, N times, are to be covered by all
channels. Put a price of one on the channels of some kinds. A message to displacement d costs c(d) at least, the least
number of such channels on any path, or under minimal routing on any shortest one. So there are at least sum(c) over
what these kinds carry at one router, which one search from router 0 finds: on all kinds the sum of distances, on the
two kinds of an axis what crosses it. Ports carry a message once, or under store-and-forward once for each channel.

Of an allreduce each of N sums takes 2 (N - 1) transfers, and every router receives as many as its channels and ports
take. A broadcast is bounded by what one router receives, which takes no symmetry. Slots of tdm are counted as
`slots` does, for two routers: a half-duplex link between channels of one kind is half a link of each.

The certificate shows the symmetry: the sizes of a grid in which routers are numbered row by row, or the translations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from pavane.bounds import volume
from pavane.bounds.phrases import Unit, carried
from pavane.bounds.ports import by_ejection
from pavane.bounds.slots import PricedUnit, SlotLoad, in_packet_times, in_slots
from pavane.model.arrays import Flags, Longs
from pavane.model.bound import Bound
from pavane.model.channel_kinds import ChannelKinds, grid_translations
from pavane.model.duals import dual
from pavane.model.messages import MOST_MESSAGES
from pavane.model.network import MOST_ROUTERS_TABLED
from pavane.model.problem import Problem
from pavane.symmetry.cayley import CayleyNetwork, cayley_of
from pavane.text import counted

NAME = "translated-distances"
PORTS = "translated-ports"
TRANSFERS = "translated-transfers"

MOST_AXES = 64
"""Pairs of opposite kinds that have a price of their own: each takes a search."""


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bounds of a problem that is too large for those which list all messages, or all distances."""
    is_large = problem.num_messages > MOST_MESSAGES
    if problem.pattern == "allreduce":
        is_large = problem.network.num_routers > MOST_ROUTERS_TABLED
    if problem.pattern in ("private", "allreduce") and is_large and is_symmetric(problem):
        cayley = cayley_of(problem.network)
        if cayley is not None:
            yield from table_bounds(problem, cayley)


def is_symmetric(problem: Problem) -> bool:
    """Return whether a collective looks the same from every router: all take part, one processor on each."""
    return (
        problem.network.is_slim
        and problem.is_total
        and not problem.collective.sizes
        and not problem.rules.combining
        and problem.collective.kind in ("AAS", "AAB", "AAR", "ALLREDUCE")
    )


def table_bounds(problem: Problem, cayley: CayleyNetwork) -> tuple[Bound, ...]:
    """Return the bounds that searches from router 0 prove, the highest first."""
    if problem.pattern == "private":
        bounds = [*_by_distances(problem, cayley), *_by_ports(problem, cayley)]
    elif problem.pattern == "allreduce":
        per_router = _transfers_at_once(problem, cayley.kinds)
        exact = Fraction(2 * (cayley.network.num_routers - 1) * problem.collective.pieces) / per_router
        bounds = [Bound(ceil(exact), TRANSFERS, _symmetry(cayley), exact)]
    else:
        bounds = list(_of_broadcast(problem if problem.pattern == "broadcast" else dual(problem)))
    return tuple(sorted(bounds, key=lambda bound: bound.figure, reverse=True))


def _symmetry(cayley: CayleyNetwork) -> dict[str, Any]:
    """Return the part of a certificate that shows the symmetry."""
    if cayley.sizes is not None:
        return {"sizes": list(cayley.sizes)}
    return {"translations": cayley.translations.tolist()}


def _of_broadcast(problem: Problem) -> Iterator[Bound]:
    """Yield what one router receives, and under half duplex what all links carry."""
    makers = (by_ejection, volume.make) if problem.rules.duplex == "half" else (by_ejection,)
    is_slotted = problem.rules.has_slots
    for maker in makers:
        for bound in maker(in_packet_times(problem) if is_slotted else problem):
            yield in_slots(problem, bound) if is_slotted else bound


# -- private messages


def _by_distances(problem: Problem, cayley: CayleyNetwork) -> Iterator[Bound]:
    """Yield the bound of the best prices: one on all kinds, or on the two kinds of an axis."""
    kinds = cayley.kinds
    axes = {(min(kind, back), max(kind, back)) for kind, back in _with_parallels(kinds)}
    sets = [range(kinds.num_kinds), *(sorted(axes)[:MOST_AXES] if len(axes) > 1 else ())]
    is_priced = np.zeros((len(sets), kinds.num_kinds), dtype=bool)
    for number, members in enumerate(sets):
        heads = kinds.heads[0, list(members)]
        is_priced[number] = np.isin(kinds.heads[0], heads)
    best: Bound | None = None
    for priced, most in zip(is_priced, _on_one_tree(kinds, is_priced), strict=True):
        certificate, units = _symmetry(cayley), _units(problem, kinds, priced)
        # The paths of a tree show how much a price could prove at most.
        if best is not None and _bound(problem, NAME, certificate, int(most), units).figure <= best.figure:
            continue
        certificate["kinds"] = sorted(kinds.channels[0, priced].tolist())
        bound = _bound(problem, NAME, certificate, _cost(problem, kinds, priced), units)
        if best is None or bound.figure > best.figure:
            best = bound
    if best is not None:
        yield best


def _on_one_tree(kinds: ChannelKinds, is_priced: Flags) -> Longs:
    """Return for each set of kinds the channels of these kinds on all paths of a tree of shortest paths."""
    distances, last_kinds, before = kinds.shortest_paths
    # How many paths of the tree lead through each router: itself, and all behind it.
    passing = np.ones(len(distances), dtype=np.int64)
    for level in reversed(kinds.levels):
        np.add.at(passing, before[level], passing[level])
    of_kind = np.bincount(last_kinds[1:], weights=passing[1:], minlength=kinds.num_kinds).astype(np.int64)
    total: Longs = is_priced @ of_kind
    return total


def _with_parallels(kinds: ChannelKinds) -> Iterator[tuple[int, int]]:
    """Yield for each router next to router 0 a kind that leads there and one that leads back, or the same one."""
    for kind, back in enumerate(kinds.opposites.tolist()):
        if kinds.heads[0].tolist().index(kinds.heads[0, kind]) == kind:
            yield kind, back if back >= 0 else kind


def _by_ports(problem: Problem, cayley: CayleyNetwork) -> Iterator[Bound]:
    """Yield the bound of the ports, where there are fewer than channels."""
    ports, capacity = problem.rules.ports, problem.network.capacity[cayley.kinds.channels[0]]
    if ports == "all" or ports >= capacity.sum():
        return
    after = 0 if not problem.rules.has_slots or problem.rules.wrap else problem.rules.flight(1)
    units = Counter({PricedUnit(1, ports, 0, after): 2})
    yield _bound(problem, PORTS, _symmetry(cayley), _port_uses(problem, cayley.kinds), units)


def _port_uses(problem: Problem, kinds: ChannelKinds) -> int:
    """Return how often the messages of one router, each of one piece, use a port to send."""
    distances = kinds.shortest_paths[0]
    return int(distances.sum()) if problem.rules.switching == "store-and-forward" else len(distances) - 1


def _bound(problem: Problem, name: str, certificate: dict[str, Any], need: int, units: Counter[PricedUnit]) -> Bound:
    """Return the bound of what the messages of one router must buy, and what the units of two routers sell."""
    rules, need = problem.rules, need * problem.collective.pieces
    sold = sum(unit.room * count for unit, count in units.items())
    exact = Fraction(2 * need * rules.packet_slots, sold)
    if not rules.has_slots:
        return Bound(ceil(exact), name, certificate, exact)
    filled = 0
    if name == NAME:
        degree = int(problem.network.out_degrees[0])
        filled = 2 * (degree if rules.ports == "all" else rules.ports)
    return Bound(SlotLoad(2 * need, units, filled, filled).least_period(rules), name, certificate, exact)


def _units(problem: Problem, kinds: ChannelKinds, priced: Flags) -> Counter[PricedUnit]:
    """Return the channels of some kinds at two routers, or under half duplex their links."""
    rules, capacity = problem.rules, problem.network.capacity[kinds.channels[0]].tolist()
    before, after = (rules.hop_slots, rules.router_delay) if rules.has_slots and not rules.wrap else (0, 0)
    links: dict[int, tuple[int, int]] = {}
    for kind in np.flatnonzero(priced).tolist():
        back = int(kinds.opposites[kind]) if rules.duplex == "half" else -1
        links[min(kind, back) if back >= 0 else kind] = (capacity[kind], 1 if back == kind else 2)
    units: Counter[PricedUnit] = Counter()
    for room, count in links.values():
        units[PricedUnit(1, room, before, after)] += count
    return units


def _cost(problem: Problem, kinds: ChannelKinds, priced: Flags) -> int:
    """Return what the messages of router 0 cost together, each of one piece."""
    is_shortest = problem.rules.runs_whole_paths and problem.rules.routing == "minimal"
    return int((_along_shortest_paths if is_shortest else _anyhow)(kinds, priced).sum())


def _along_shortest_paths(kinds: ChannelKinds, priced: Flags) -> Longs:
    """Return the least number of channels of some kinds on a shortest path to each router."""
    distances = kinds.shortest_paths[0]
    if priced.all():
        return distances
    costs = np.full(len(distances), len(distances), dtype=np.int64)
    costs[0] = 0
    for level in (np.zeros(1, dtype=np.int64), *kinds.levels):
        for kind, price in enumerate(priced.tolist()):
            # The channels of a kind end at different routers.
            heads = kinds.heads[level, kind]
            ahead = distances[heads] == distances[level] + 1
            tails, heads = level[ahead], heads[ahead]
            costs[heads] = np.minimum(costs[heads], costs[tails] + price)
    return costs


def _anyhow(kinds: ChannelKinds, priced: Flags) -> Longs:
    """Return the least number of channels of some kinds on any path to each router."""
    costs = np.full(len(kinds.heads), -1, dtype=np.int64)
    free, paid = kinds.heads[:, ~priced], kinds.heads[:, priced]
    front, cost = np.zeros(1, dtype=np.int64), 0
    while len(front):
        reached = []
        while len(front):
            costs[front] = cost
            reached.append(front)
            front = np.unique(free[front])
            front = front[costs[front] < 0]
        front, cost = np.unique(paid[np.concatenate(reached)]), cost + 1
        front = front[costs[front] < 0]
    return costs


# -- allreduce


def _transfers_at_once(problem: Problem, kinds: ChannelKinds) -> Fraction:
    """Return the transfers of a step for each router: as many as its channels, or links, and its ports take."""
    everything = np.ones(kinds.num_kinds, dtype=bool)
    room = _carried_at_one(_units(problem, kinds, everything))
    ports = int(problem.network.out_degrees[0]) if problem.rules.ports == "all" else problem.rules.ports
    return min(room, Fraction(ports))


def _carried_at_one(units: Counter[PricedUnit]) -> Fraction:
    """Return what the units of two routers carry in a step, for each."""
    return Fraction(sum(unit.room * count for unit, count in units.items()), 2)


# -- words


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what the messages of one router take, and what there is of it at each router."""
    num_routers, pieces = problem.network.num_routers, problem.collective.pieces
    alike = f"all {num_routers:,} routers look alike"
    kinds = _shown(problem, bound.certificate).kinds
    if bound.argument == TRANSFERS:
        need, sold = 2 * (num_routers - 1) * pieces, _transfers_at_once(problem, kinds)
        return f"{alike}: the sum of each part takes {need:,} transfers, and each can receive {sold} {unit.each}"
    own = f"the {carried(problem)}s of one"
    if bound.argument == PORTS:
        uses, ports = _port_uses(problem, kinds) * pieces, counted(int(problem.rules.ports), "port")
        return f"{alike}: {own} are sent {uses:,} times, and each has {ports}"
    priced: Flags = np.zeros(kinds.num_kinds, dtype=bool)
    priced[np.nonzero(np.isin(kinds.channels, bound.certificate["kinds"]))[1]] = True
    need, sold = _cost(problem, kinds, priced) * pieces, _carried_at_one(_units(problem, kinds, priced))
    some = "channels" if priced.all() else f"channels of {priced.sum()} of the {len(priced)} kinds"
    return f"{alike}: {own} have {need:,} {some} to cover, and each has {sold} of them {unit.each}"


def _shown(problem: Problem, certificate: dict[str, Any]) -> CayleyNetwork:
    """Return the network with the translations that a certificate shows."""
    if "sizes" in certificate:
        sizes = tuple(certificate["sizes"])
        return CayleyNetwork(problem.network, grid_translations(sizes), sizes)
    return CayleyNetwork(problem.network, np.array(certificate["translations"], dtype=np.int32))
