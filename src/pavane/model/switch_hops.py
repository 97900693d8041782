"""Hops from processor to processor over pure switches, which take one step where switches pass messages on.

Under store-and-forward a hop covers one channel and ends where a message rests. Where pure switches pass (rule
`switches`), a hop continues over them to a router with processors. Under minimal routing it is then a shortest path of
the network between its ends, be that over switches or over processors.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.distances import UNREACHABLE
from pavane.model.network import Network
from pavane.model.problem import Problem

MOST_ALIKE = 16
"""Of equally short ways over switches between two routers no more are listed."""

MOST_UNFOLDED = 20_000
"""The most channels of a network of unfolded hops: above, what it tightens takes longer than it is worth."""


def steps_from(problem: Problem, router: int) -> Ints:
    """Return how many steps every router is away from one under store-and-forward; UNREACHABLE where there is no way.

    Where switches pass, those on the way count as if the step ended there, at the least.
    """
    if not problem.passes_switches:
        return problem.network.distances_from(router)
    away = _leaped(problem, router, problem.network.out_channels, problem.network.heads.tolist())
    return _along_hops(away, _joined_homes(problem), router)


def steps_to(problem: Problem, router: int) -> Ints:
    """Return how many steps one router is away from every router with processors, under store-and-forward."""
    if not problem.passes_switches:
        return problem.network.distances_to(router)
    away = _leaped(problem, router, problem.network.in_channels, problem.network.tails.tolist())
    joined = _joined_homes(problem)
    return _along_hops(away, None if joined is None else joined.T, router)


def _leaped(problem: Problem, start: int, channels_at: tuple[tuple[int, ...], ...], ends: list[int]) -> Ints:
    """Search breadth first; leaving a switch costs nothing, because the step is under way."""
    is_switch = problem.is_switch.tolist()
    away = [UNREACHABLE] * problem.network.num_routers
    away[start], queue = 0, deque([start])
    while queue:
        here = queue.popleft()
        further = away[here] + (not is_switch[here])
        for channel in channels_at[here]:
            there = ends[channel]
            if away[there] == UNREACHABLE or further < away[there]:
                away[there] = further
                if is_switch[here]:
                    queue.appendleft(there)
                else:
                    queue.append(there)
    return np.array(away, dtype=np.int32)


def hops_lead_everywhere(problem: Problem) -> bool:
    """Return whether a hop joins all routers with processors that a way over switches joins, whatever its length."""
    return _joined_homes(problem) is None


@lru_cache(maxsize=4)
def _joined_homes(problem: Problem) -> Flags | None:
    """Return between which routers a hop leads; None where a hop leads wherever switches do.

    That is so under any routing and, because no way over one switch is too long unless a channel joins its ends, where
    no two switches are joined.
    """
    if not problem.takes_shortest_hops or not joins_switches(problem):
        return None
    network, size = problem.network, problem.network.num_routers
    # Channels into routers with processors end at copies, which nothing leads on from.
    ends = network.channels.astype(np.int64)
    ends[:, 1] += np.where(problem.is_switch[ends[:, 1]], 0, size)
    homes = np.flatnonzero(~problem.is_switch)
    over = Network("over switches", 2 * size, ends, ()).distance_rows(homes)[:, size:]
    is_joined = (over > 0) & (homes[:, None] != np.arange(size))
    is_shortest = over == network.distance_rows(homes)
    if (is_shortest | ~is_joined).all():
        return None
    joined = np.zeros((size, size), dtype=bool)
    joined[homes] = is_joined & is_shortest
    return joined


def _along_hops(away: Ints, joined: Flags | None, start: int) -> Ints:
    """Return distances in steps, counted again between routers with processors where hops do not lead everywhere."""
    if joined is None or not joined[start].any():
        return away
    is_home = joined.any(axis=0) | joined.any(axis=1)
    steps = np.where(is_home, UNREACHABLE, away).astype(np.int32)
    steps[start], level, frontier = 0, 0, np.array([start])
    while len(frontier):
        level += 1
        frontier = np.flatnonzero(joined[frontier].any(axis=0) & (steps == UNREACHABLE))
        steps[frontier] = level
    return steps


class SwitchHop(NamedTuple):
    """A way that one step may take under store-and-forward."""

    path: tuple[int, ...]
    tail: int
    head: int


def hops(problem: Problem) -> list[SwitchHop]:
    """List the ways of one step between routers where messages rest, by the channel that they begin with.

    Where switches pass, those over the fewest of them, and of equally short ones between two routers a few.
    """
    network = problem.network
    tails, heads = network.tails.tolist(), network.heads.tolist()
    if not problem.passes_switches:
        return [SwitchHop((channel,), tails[channel], heads[channel]) for channel in range(network.num_channels)]
    found: list[SwitchHop] = []
    for start in np.unique(network.router_of).tolist():
        found += _hops_from(problem, start, heads)
    return sorted(_admissible(problem, found))


def _admissible(problem: Problem, listed: list[SwitchHop]) -> list[SwitchHop]:
    """Return the hops that minimal routing admits: shortest paths of the network between their ends."""
    if problem.rules.routing != "minimal" or not listed:
        return listed
    homes, rows = np.unique([hop.tail for hop in listed], return_inverse=True)
    away = problem.network.distance_rows(homes)[rows, [hop.head for hop in listed]].tolist()
    return [hop for hop, distance in zip(listed, away, strict=True) if len(hop.path) == distance]


def joins_switches(problem: Problem) -> bool:
    """Return whether some channel joins two pure switches, so that a path may lead over several."""
    is_switch, network = problem.is_switch, problem.network
    return bool((is_switch[network.tails] & is_switch[network.heads]).any())


def single_hops(problem: Problem) -> list[SwitchHop]:
    """List the channels between routers with processors, and all ways between them through one pure switch.

    Under minimal routing a switch is no way between neighbours.
    """
    network, is_switch = problem.network, problem.is_switch.tolist()
    tails, heads = network.tails.tolist(), network.heads.tolist()
    found = [
        SwitchHop((channel,), tails[channel], heads[channel])
        for channel in range(network.num_channels)
        if not is_switch[tails[channel]] and not is_switch[heads[channel]]
    ]
    for switch in np.flatnonzero(problem.is_switch).tolist():
        up = [channel for channel in network.in_channels[switch] if not is_switch[tails[channel]]]
        down = [channel for channel in network.out_channels[switch] if not is_switch[heads[channel]]]
        found += [
            SwitchHop((first, last), tails[first], heads[last])
            for first in up
            for last in down
            if tails[first] != heads[last]
        ]
    return _admissible(problem, found)


def _hops_from(problem: Problem, start: int, heads: list[int]) -> list[SwitchHop]:
    """List the ways of one step that leave a router, level by level of the switches passed."""
    network, is_switch = problem.network, problem.is_switch.tolist()
    paths: dict[int, list[tuple[int, ...]]] = {start: [()]}
    level, met = [start], {start}
    found: list[SwitchHop] = []
    while level:
        following: dict[int, list[tuple[int, ...]]] = {}
        for router in level:
            for channel in network.out_channels[router]:
                if heads[channel] not in met:
                    more = following.setdefault(heads[channel], [])
                    more += [(*path, channel) for path in paths[router]][: MOST_ALIKE - len(more)]
        met |= following.keys()
        paths = following
        level = [router for router in following if is_switch[router]]
        found += [
            SwitchHop(path, start, head) for head, some in following.items() if not is_switch[head] for path in some
        ]
    return found


class UnfoldedHops(NamedTuple):
    """A network whose paths are sequences of hops: every hop that the rules admit, and no other.

    Routers keep their numbers, and those with processors have copies of the switches that their hops lead over.
    """

    network: Network
    channel_of: Longs
    """The channel of the problem's network that each channel stands for."""


def unfolded_hops(problem: Problem) -> UnfoldedHops | None:
    """Unfold the hops under minimal routing.

    None where the network itself has the same ways, because none over switches is too long, or where that is too large.
    """
    return _unfolded(problem)[0]


def flows_are_hops(problem: Problem) -> bool:
    """Return whether flows over switches, in the network of unfolded hops if there is one, consist of hops."""
    return _unfolded(problem)[1]


@lru_cache(maxsize=4)
def _unfolded(problem: Problem) -> tuple[UnfoldedHops | None, bool]:
    """Unfold the hops, where it is needed and not too large, and return whether all ways are hops then."""
    network, is_switch = problem.network, problem.is_switch.tolist()
    has_short_ways = not joins_switches(problem) and problem.is_switch[network.channels].any(axis=1).all()
    if not problem.takes_shortest_hops or has_short_ways:
        return None, True
    arcs: list[tuple[int, int, int]] = []
    size, has_detours = network.num_routers, False
    for start in np.flatnonzero(~problem.is_switch).tolist():
        mine, some_detours = _shortest_hops_from(problem, start, is_switch)
        has_detours = has_detours or some_detours
        copies = {router: size + at for at, router in enumerate(sorted({tail for tail, _, _ in mine} - {start}))}
        size += len(copies)
        arcs += [(copies.get(tail, tail), copies.get(head, head), channel) for tail, head, channel in mine]
        if len(arcs) > MOST_UNFOLDED:
            return None, False
    if not has_detours:
        return None, True
    table = np.array(arcs, dtype=np.int64).reshape(-1, 3)
    return UnfoldedHops(Network(f"{network.name} unfolded", size, table[:, :2], ()), table[:, 2]), True


def _shortest_hops_from(problem: Problem, start: int, is_switch: list[bool]) -> tuple[list[tuple[int, int, int]], bool]:
    """Return tails, heads and numbers of the channels of all shortest hops from a router, and whether others exist."""
    network = problem.network
    heads, away = network.heads.tolist(), network.distances_from(start).tolist()
    levels: list[list[tuple[int, int, int]]] = []
    level, met, has_detours = [start], {start}, False
    while level:
        leaving = [(tail, heads[channel], channel) for tail in level for channel in network.out_channels[tail]]
        onward = [arc for arc in leaving if away[arc[1]] == len(levels) + 1]
        has_detours = has_detours or any(arc[1] != start for arc in set(leaving) - set(onward))
        levels.append(onward)
        level = sorted({head for _, head, _ in onward if is_switch[head]} - met)
        met |= set(level)
    kept: list[tuple[int, int, int]] = []
    leads_on: set[int] = set()
    for onward in reversed(levels):
        useful = [arc for arc in onward if not is_switch[arc[1]] or arc[1] in leads_on]
        leads_on |= {tail for tail, _, _ in useful}
        kept += useful
    return kept, has_detours
