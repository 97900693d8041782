"""What one step of a broadcast can do for those who are to be informed, by maximum flows.

Minimal routing: let h be a height of routers that no channel raises by more than one. A path that rises by one on every
channel is then shortest between its own ends, because no path between them is shorter than their difference in height.
The distance from the nearest informed router is such a height, and so is the distance from a few of the informed
routers only. So flows that rise consist of shortest paths. A second flow with other heights takes what the first one
leaves of channels and ports, which lets a source reach targets that are nearer to another. Not every set of shortest
paths is found so: the search may miss schedules, but what it finds is valid.

Half duplex costs nothing: flows that meet on a link cancel, and what is left is a flow with the same ends.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.problem import Problem
from pavane.solvers.maximum_flow import MaximumFlow
from pavane.workers.budget import Budget

MOST_ROUTERS_TABLED = 1024
"""Up to this many routers the distances between all of them are kept; beyond, each search for levels walks anew."""

OVERHEAD = 1000
"""What one flow costs besides its arcs, in arcs."""

FEW = 32
"""Where no more than these are left out, or a quarter, a second flow may reach them by other shortest paths."""

PER_LEVEL = 100
"""What a level of heights costs where they are not tabled, in arcs."""

FAR = 1 << 30
"""The height of routers that are not reached."""


class OutOfEffort(Exception):
    """The flows that a search may spend, or the time, are used up."""


class StepFlow(NamedTuple):
    """A flow of one step: routers that send, channels that carry, routers that receive."""

    emitted: Longs
    """What the processors of each router send, together."""
    on_channels: Longs
    """The channels that carry one unit."""
    absorbed: Longs
    """How many processors of each router are informed."""


class Step(NamedTuple):
    """What an informed set can do in one step for those who are to be informed."""

    missing: int
    """How many are left out."""
    emitted: Longs
    absorbed: Longs
    surplus: Flags
    """The routers on the sources' side of a minimum cut: more could be sent from there, to nobody."""
    flows: tuple[StepFlow, ...]
    """Together they fit into one step; a flow takes what channels and ports those before it leave."""


class Oracle:
    """Answers what one step can do, and counts how often it is asked."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        network = problem.network
        self.problem, self.budget = problem, budget
        self.num_routers, self.num_channels = network.num_routers, network.num_channels
        self.tails = np.ascontiguousarray(network.tails, dtype=np.int32)
        self.heads = np.ascontiguousarray(network.heads, dtype=np.int32)
        self.home = network.router_of.astype(np.int64)
        self.ports = problem.injection.astype(np.int64)
        self.is_minimal = problem.rules.routing == "minimal"
        self.is_half = problem.rules.duplex == "half"
        self.size = network.num_channels + network.num_routers + OVERHEAD
        if self.is_minimal and network.num_routers > MOST_ROUTERS_TABLED:
            depth = network.distances_from(int(self.home[problem.labels[0, 0]])).max()
            self.size += PER_LEVEL * int(depth)
        self.num_flows = 0
        self.most_flows: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether the budget of the whole search is used up."""
        evaluations = self.budget.evaluations
        return self.budget.is_over or (evaluations is not None and self.num_flows >= evaluations)

    def step(
        self,
        holders: Flags,
        wanted: Flags,
        *,
        shortest: bool = False,
        again: bool = True,
        base: Longs | None = None,
    ) -> Step:
        """Return the most that the holders can inform of those who want the message.

        Heights are distances from the base, a set of routers: those of all holders if nothing else is said.
        Minimal routing, `again`: where a few are left out, the sources with ports left over make a second flow, and so
        on, each with heights of its own. So a target may hear from a source that is not the nearest.
        """
        count = self.num_routers
        supply = np.bincount(self.home[holders], self.ports[holders], count).astype(np.int64)
        demand = np.bincount(self.home[wanted], minlength=count)
        whole = int(demand.sum())
        is_free = np.ones(self.num_channels, dtype=bool)
        rising = shortest or self.is_minimal
        flow, surplus = self._flow(supply, demand, is_free, rising=rising, base=base)
        flows, emitted, absorbed = [flow], flow.emitted, flow.absorbed
        while rising and again and 0 < whole - absorbed.sum() <= max(whole // 4, FEW):
            is_free[flows[-1].on_channels] = False
            if self.is_half:
                back = self.problem.network.opposite[flows[-1].on_channels]
                is_free[back[back >= 0]] = False
            flow, _ = self._flow(supply - emitted, demand - absorbed, is_free, rising=True)
            gained, missing = int(flow.absorbed.sum()), int(whole - absorbed.sum())
            if gained:
                flows.append(flow)
                emitted, absorbed = emitted + flow.emitted, absorbed + flow.absorbed
            if not gained or (missing > FEW and 4 * gained < missing):
                break
        return Step(int(whole - absorbed.sum()), emitted, absorbed, surplus, tuple(flows))

    def _flow(
        self, supply: Longs, demand: Longs, is_free: Flags, *, rising: bool, base: Longs | None = None
    ) -> tuple[StepFlow, Flags]:
        """Return a maximum flow and the sources' side of a minimum cut."""
        if self.is_over or (self.most_flows is not None and self.num_flows >= self.most_flows):
            raise OutOfEffort
        self.num_flows += 1
        count = self.num_routers
        emitted, absorbed = np.zeros((2, count), dtype=np.int64)
        surplus = np.zeros(count + 2, dtype=bool)
        sources, sinks = np.flatnonzero(supply), np.flatnonzero(demand)
        if not (len(sources) and len(sinks)):
            surplus[sources] = True
            return StepFlow(emitted, np.zeros(0, dtype=np.int64), absorbed), surplus[:count]
        if rising:
            heights = self.heights(sources if base is None else base)
            low = heights[self.tails]
            is_free = is_free & (low + 1 == heights[self.heads]) & (low < FAR)
        usable = np.flatnonzero(is_free)
        source, sink = count, count + 1
        found = MaximumFlow(
            np.concatenate((self.tails[usable], np.full(len(sources), source), sinks)),
            np.concatenate((self.heads[usable], sources, np.full(len(sinks), sink))),
            np.concatenate((np.ones(len(usable), dtype=np.int64), supply[sources], demand[sinks])),
            source,
            sink,
        )
        flows = found.on_arcs
        emitted[sources] = flows[len(usable) : len(usable) + len(sources)]
        absorbed[sinks] = flows[len(usable) + len(sources) :]
        if absorbed.sum() < demand.sum():
            surplus = found.source_side(count + 2)
        return StepFlow(emitted, usable[flows[: len(usable)] > 0], absorbed), surplus[:count]

    def heights(self, routers: Longs) -> Longs:
        """Return the distance of every router from the nearest of the given ones."""
        if self.num_routers <= MOST_ROUTERS_TABLED:
            nearest: Longs = self._distances[routers].min(axis=0, initial=FAR).astype(np.int64)
            return nearest
        away = self.problem.network.distances_from_nearest(routers)
        return np.where(away < 0, FAR, away).astype(np.int64)

    @cached_property
    def _distances(self) -> Ints:
        table = self.problem.network.distances.astype(np.int32)
        table[table < 0] = FAR
        return table
