"""Hops from processor to processor over pure switches, which take one step where switches pass messages on.

Under store-and-forward a hop covers one channel and ends where a message rests. Where pure switches pass (rule
`switches`), a hop continues over them to a router with processors.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Ints
from pavane.model.distances import UNREACHABLE
from pavane.model.problem import Problem

MOST_ALIKE = 16
"""Of equally short ways over switches between two routers no more are listed."""


def steps_from(problem: Problem, router: int) -> Ints:
    """Return how many steps every router is away from one under store-and-forward; UNREACHABLE where there is no way.

    Where switches pass, those on the way count as if the step ended there.
    """
    if not problem.passes_switches:
        return problem.network.distances_from(router)
    return _leaped(problem, router, problem.network.out_channels, problem.network.heads.tolist())


def steps_to(problem: Problem, router: int) -> Ints:
    """Return how many steps one router is away from every router with processors, under store-and-forward."""
    if not problem.passes_switches:
        return problem.network.distances_to(router)
    return _leaped(problem, router, problem.network.in_channels, problem.network.tails.tolist())


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
    return sorted(found)


def joins_switches(problem: Problem) -> bool:
    """Return whether some channel joins two pure switches, so that a path may lead over several."""
    is_switch, network = problem.is_switch, problem.network
    return bool((is_switch[network.tails] & is_switch[network.heads]).any())


def single_hops(problem: Problem) -> list[SwitchHop]:
    """List the channels between routers with processors, and all ways between them through one pure switch."""
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
    return found


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
