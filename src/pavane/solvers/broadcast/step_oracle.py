"""How many routers one step of a broadcast can inform, by maximum flows.

Minimal routing: let h be a height of routers that no channel raises by more than one. A path that rises by one on every
channel is then shortest between its own ends, because no path between them is shorter than their difference in height.
The distance from the nearest informed router is such a height, and so is the distance from a few of the informed
routers only. So flows that rise consist of shortest paths. A second flow with other heights takes what the first one
leaves of channels and ports, which lets a source reach targets that are nearer to another. Not every set of shortest
paths is found so: the search may miss schedules, but what it finds is valid.

Half duplex is no restriction: flows that meet on a link cancel, and what is left is a flow with the same ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Longs
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.step_flows import CompiledFlows, LibraryFlows, StepDemand, StepFlow

MOST_ROUTERS_TABLED = 1024
"""Up to this many routers the distances between all of them are kept; beyond, flows and distances are compiled."""

SPEED_COMPILED = 10
"""How many times as fast compiled flows are."""

OVERHEAD = 1000
"""The effort of one flow besides its arcs, in arcs."""

FEW = 32
"""Where no more than these are left out, or a quarter, a second flow may reach them by other shortest paths."""


class OutOfEffort(Exception):
    """The flows that a search may spend, or the time, are used up."""


class OracleStep(NamedTuple):
    """What an informed set can do in one step."""

    missing: int
    """How many are left out."""
    emitted: Longs
    absorbed: Longs
    surplus: Flags
    """The routers on the sources' side of a minimum cut: more could be sent from there, but to no target."""
    flows: tuple[StepFlow, ...]
    """Together they fit into one step; a flow takes what channels and ports those before it leave."""


class Oracle:
    """Computes what one step can do, and counts its calls."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        network = problem.network
        self.problem, self.budget = problem, budget
        self.num_routers, self.num_channels = network.num_routers, network.num_channels
        self.home = network.router_of.astype(np.int64)
        self.ports = problem.injection.astype(np.int64)
        self.is_minimal = problem.rules.routing == "minimal"
        self.is_half = problem.rules.duplex == "half"
        self.size = network.num_channels + network.num_routers + OVERHEAD
        self.flows: LibraryFlows | CompiledFlows = LibraryFlows(network)
        self.is_compiled = network.num_routers > MOST_ROUTERS_TABLED
        if self.is_compiled:
            self.flows = CompiledFlows(network)
            self.size //= SPEED_COMPILED
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
        like: OracleStep | None = None,
    ) -> OracleStep:
        """Return the most targets that the holders can inform.

        Heights are distances from the base, a set of routers: those of all holders if nothing else is said.
        Minimal routing, `again`: where a few are left out, the sources with ports left over make a second flow, and so
        on, each with heights of its own. So a target may receive from a source that is not the nearest.
        `like` is what was found for sets that differ little: the search continues from there where that is quicker.
        """
        count = self.num_routers
        supply = np.bincount(self.home[holders], self.ports[holders], count).astype(np.int64)
        demand = np.bincount(self.home[wanted], minlength=count)
        whole = int(demand.sum())
        is_free = np.ones(self.num_channels, dtype=bool)
        rising = shortest or self.is_minimal
        earlier = None if like is None else like.flows[0]
        flow, surplus = self._flow(StepDemand(supply, demand, is_free), rising=rising, base=base, earlier=earlier)
        flows, emitted, absorbed = [flow], flow.emitted, flow.absorbed
        while rising and again and 0 < whole - absorbed.sum() <= max(whole // 4, FEW):
            is_free[flows[-1].on_channels] = False
            if self.is_half:
                back = self.problem.network.opposite[flows[-1].on_channels]
                is_free[back[back >= 0]] = False
            flow, _ = self._flow(StepDemand(supply - emitted, demand - absorbed, is_free), rising=True)
            gained, missing = int(flow.absorbed.sum()), int(whole - absorbed.sum())
            if gained:
                flows.append(flow)
                emitted, absorbed = emitted + flow.emitted, absorbed + flow.absorbed
            if not gained or (missing > FEW and 4 * gained < missing):
                break
        return OracleStep(int(whole - absorbed.sum()), emitted, absorbed, surplus, tuple(flows))

    def _flow(
        self, request: StepDemand, *, rising: bool, base: Longs | None = None, earlier: StepFlow | None = None
    ) -> tuple[StepFlow, Flags]:
        """Return a maximum flow, and the sources' side of a minimum cut where some are left out."""
        if self.is_over or (self.most_flows is not None and self.num_flows >= self.most_flows):
            raise OutOfEffort
        self.num_flows += 1
        if not (request.supply.any() and request.demand.any()):
            nothing = np.zeros(self.num_routers, dtype=np.int64)
            return StepFlow(nothing, np.zeros(0, dtype=np.int64), nothing), request.supply > 0
        if rising:
            request = request._replace(heights=self.heights(np.flatnonzero(request.supply) if base is None else base))
        return self.flows.maximum(request, earlier)

    def heights(self, routers: Longs) -> Longs:
        """Return the distance of every router from the nearest of the given ones."""
        return self.flows.heights(routers)
