"""The order in which messages go around a network: a Hamiltonian cycle if one is found, and several that share nothing.

A ring is as wide as its slowest channel. Further rings are searched for in what is left of the bandwidth of channels:
the ring backwards, then cycles by rotations of a path (Posa 1976), as NCCL searches for rings over links and cards.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pavane.model.links import Links
from pavane.model.problem import Problem
from pavane.model.switch_hops import hops
from pavane.solvers.hamiltonian_cycles import depth_first_cycle
from pavane.solvers.timed.hops import stored

MOST_ROTATIONS = 2_000
"""Steps of a search by rotations, which finds cycles of a hundred routers in fewer."""

FAST_FIRST = 0.8
"""How often a path is extended by one of the widest hops: between boxes rings then cross few cables."""

NUM_ATTEMPTS = 8
"""Searches for rings, of which the best counts; a torus needs some, because few first cycles leave a second one."""

MOST_RINGS = 16
"""Rings beside each other; NCCL has at most 32 channels, with two for each of the links of fast GPUs."""

MOST_TURNS = 64
"""Messages after which the turns of rings repeat."""

LEAST_WIDTH = 0.2
"""A further ring has at least this part of the width of the first."""

RING_BYTES = 2**20
"""The message by which hops are fast or slow in a ring: bandwidth counts in it more than latency."""

Paths = Mapping[tuple[int, int], tuple[int, ...]]
"""The channels from a processor to another."""


@dataclass(frozen=True)
class RingOrder:
    """Processors in the order of a ring, the paths between them, and the bytes per second of the slowest."""

    order: tuple[int, ...]
    paths: Paths
    width: float

    def reversed(self) -> RingOrder:
        """Return the same ring on the reversed network, whose channels have the same numbers."""
        paths = {(head, tail): path[::-1] for (tail, head), path in self.paths.items()}
        return RingOrder(self.order[::-1], paths, self.width)


def ring_turns(rings: Sequence[RingOrder]) -> list[int]:
    """Return which ring the first message takes, the second and so on: each as often as it is wide."""
    widths = [ring.width for ring in rings]
    counts = [0] * len(rings)
    turns = []
    for _ in range(min(MOST_TURNS, max(1, round(_total_width(rings) / min(widths))))):
        turn = min(range(len(rings)), key=lambda number: (counts[number] + 1) / widths[number])
        counts[turn] += 1
        turns.append(turn)
    return turns


@lru_cache(maxsize=8)
def disjoint_rings(problem: Problem, links: Links) -> list[RingOrder]:
    """Return rings that together need no more than the bandwidth of each channel; none without a Hamiltonian cycle.

    Of several attempts the widest counts: the first begins with the cycle of one ring, others with any.
    """
    routers = _routers_of(problem)
    if len(routers) < 2:
        return []
    found = _cycle(_neighbours(problem, links), routers)
    leaving = [sum(links.bandwidths[list(problem.network.out_channels[router])].tolist()) for router in routers]
    best: list[RingOrder] = []
    for seed in range(found is None, NUM_ATTEMPTS):
        rings = _Bandwidth(problem, links, seed).rings(found or routers)
        best = max(best, rings, key=_total_width)
        # Every ring leaves every router once.
        if _total_width(best) >= min(leaving) * (1 - 1e-9):
            break
    return best


def _total_width(rings: Sequence[RingOrder]) -> float:
    return sum(ring.width for ring in rings)


class _Bandwidth:
    """What is left of the bandwidth of channels, as rings take theirs."""

    def __init__(self, problem: Problem, links: Links, seed: int) -> None:
        self.rng, self.seed = random.Random(seed), seed
        self.problem, self.units = problem, problem.units.tolist()
        self.left = {unit: float(rate) for unit, rate in zip(self.units, links.bandwidths.tolist(), strict=True)}
        self.ways: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        for hop in hops(stored(problem)):
            self.ways.setdefault((hop.tail, hop.head), []).append(tuple(hop.path))

    def rings(self, cycle: list[int]) -> list[RingOrder]:
        """Return as many rings as are found; the first seed begins with a cycle, others with one of their own."""
        found: list[int] | None = cycle
        ring = self.ring(cycle, 0.0) if self.seed == 0 else None
        rings: list[RingOrder] = []
        while len(rings) < MOST_RINGS:
            least = LEAST_WIDTH * rings[0].width if rings else 1.0
            if ring is None:
                found = self.further_cycle(cycle, least)
                ring = None if found is None else self.ring(found, least)
            if ring is None or found is None:
                break
            rings.append(ring)
            ring = self.ring(found[::-1], LEAST_WIDTH * rings[0].width)
            if ring is not None:
                rings.append(ring)
                ring = None
        return rings

    def ring(self, routers: Sequence[int], least: float) -> RingOrder | None:
        """Return the ring over routers in this order, and take its bandwidth; None where less than `least` is left."""
        uses: Counter[int] = Counter()
        path_of = {}
        for ends in zip(routers, [*routers[1:], routers[0]], strict=True):
            if ends not in self.ways:
                return None
            path_of[ends] = max(self.ways[ends], key=lambda path: self._width(path, uses))
            uses.update(self.units[channel] for channel in path_of[ends])
        width = min(self.left[unit] / count for unit, count in uses.items())
        if width < least or width <= 0:
            return None
        for unit, count in uses.items():
            self.left[unit] -= count * width
        network = self.problem.network
        members = {*self.problem.collective.senders, *self.problem.collective.receivers}
        order = [one for router in routers for one in network.processors_on[router] if one in members]
        paths = {}
        for tail, head in zip(order, [*order[1:], order[0]], strict=True):
            ends = int(network.router_of[tail]), int(network.router_of[head])
            paths[tail, head] = path_of.get(ends, ())
        return RingOrder(tuple(order), paths, width)

    def _width(self, path: tuple[int, ...], uses: Mapping[int, int]) -> float:
        return min(self.left[self.units[channel]] / (uses.get(self.units[channel], 0) + 1) for channel in path)

    def further_cycle(self, routers: Sequence[int], least: float) -> list[int] | None:
        """Search for a cycle over routers by what is left: extend a path at its end, or turn its end around."""
        inside = set(routers)
        widths = {
            ends: max(self._width(path, {}) for path in paths) for ends, paths in self.ways.items() if inside >= {*ends}
        }
        nearby: dict[int, list[int]] = {router: [] for router in routers}
        for tail, head in widths:
            if min(widths[tail, head], widths.get((head, tail), 0.0)) >= least:
                nearby[tail].append(head)
        path = [routers[0]]
        place = {routers[0]: 0}
        for _ in range(MOST_ROTATIONS):
            end = path[-1]
            if len(path) == len(routers) and path[0] in nearby[end]:
                return path
            fresh = [router for router in nearby[end] if router not in place]
            around = fresh or nearby[end]
            if not around:
                return None
            if self.rng.random() < FAST_FIRST:
                widest = max(widths[end, router] for router in around)
                around = [router for router in around if widths[end, router] == widest]
            chosen = self.rng.choice(around)
            if fresh:
                place[chosen] = len(path)
                path.append(chosen)
            else:
                first = place[chosen] + 1
                path[first:] = path[first:][::-1]
                place.update({router: at for at, router in enumerate(path[first:], first)})
        return None


@lru_cache(maxsize=8)
def ring_order(problem: Problem, links: Links) -> tuple[int, ...]:
    """Return the members of a collective in the order of a ring."""
    members = {*problem.collective.senders, *problem.collective.receivers}
    network, wanted = problem.network, _routers_of(problem)
    nearby = _neighbours(problem, links)
    routers = _cycle(nearby, wanted) or _depth_first(nearby, wanted)
    return tuple(one for router in routers for one in network.processors_on[router] if one in members)


def _routers_of(problem: Problem) -> list[int]:
    """Return the routers of the members of a collective."""
    members = {*problem.collective.senders, *problem.collective.receivers}
    return sorted({int(problem.network.router_of[member]) for member in members})


def _neighbours(problem: Problem, links: Links) -> dict[int, list[int]]:
    """Return the routers that one hop leads to from each, the fastest first."""
    busy = links.all_busy(RING_BYTES)
    fastest: dict[tuple[int, int], int] = {}
    for hop in hops(stored(problem)):
        time = int(busy[list(hop.path)].max() + links.latencies[list(hop.path)].sum())
        fastest[hop.tail, hop.head] = min(time, fastest.get((hop.tail, hop.head), time))
    nearby: dict[int, list[int]] = {}
    for tail, head in sorted(fastest, key=lambda ends: (ends[0], fastest[ends], ends[1])):
        nearby.setdefault(tail, []).append(head)
    return nearby


def _cycle(nearby: dict[int, list[int]], wanted: list[int]) -> list[int] | None:
    """Search for a cycle through the wanted routers alone; None where none is found soon."""
    number_of = {router: number for number, router in enumerate(wanted)}
    after = [[number_of[head] for head in nearby.get(router, []) if head in number_of] for router in wanted]
    found = depth_first_cycle(after)
    return None if found is None else [wanted[number] for number in found]


def _depth_first(nearby: dict[int, list[int]], wanted: list[int]) -> list[int]:
    """Return the wanted routers in the order in which a depth-first search meets them."""
    met: dict[int, None] = {}
    for start in wanted:
        waiting = [start]
        while waiting:
            router = waiting.pop()
            if router not in met:
                met[router] = None
                waiting += [head for head in reversed(nearby.get(router, [])) if head not in met]
    inside = set(wanted)
    return [router for router in met if router in inside]
