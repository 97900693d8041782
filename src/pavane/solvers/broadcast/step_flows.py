"""The flows of one step of a broadcast, from the senders to the routers to be informed.

In small networks distances come from a table and flows from a library. In large ones compiled kernels find both; they
take a second to load, and then each flow takes a tenth of the time, less where most of an earlier flow can be kept.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.network import Network
from pavane.solvers.broadcast.kernels.unit_flows import (
    BUSY,
    FREE,
    SHUT,
    Terms,
    UnitFlow,
    fill_flow,
    keep_flow,
    mark_surplus,
    measure_heights,
    room_for_flows,
    shut_all_but_rising,
)
from pavane.solvers.kernels.wiring import Wiring

FAR = 1 << 30
"""The height of routers that are not reached."""


class StepFlow(NamedTuple):
    """A flow of one step: routers that send, channels that carry, routers that receive."""

    emitted: Longs
    """What the processors of each router send, together."""
    on_channels: Longs
    """The channels that carry one unit."""
    absorbed: Longs
    """How many processors of each router are informed."""


class StepDemand(NamedTuple):
    """The demand of a flow of one step, and what it may use."""

    supply: Longs
    """The most that the processors of each router send, together."""
    demand: Longs
    """How many processors of each router are to be informed."""
    is_free: Flags
    """Whether a channel may be used."""
    heights: Longs | None = None
    """The height of each router; a flow runs over channels that rise by one, or without heights over all."""


class LibraryFlows:
    """Flows of small networks, computed from scratch every time."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def heights(self, routers: Longs) -> Longs:
        """Return the distance of every router from the nearest of the given ones."""
        nearest: Longs = self._distances[routers].min(axis=0, initial=FAR).astype(np.int64)
        return nearest

    def maximum(self, request: StepDemand, _: StepFlow | None = None) -> tuple[StepFlow, Flags]:
        """Return a maximum flow, and the sources' side of a minimum cut where some are left out."""
        network, count = self.network, self.network.num_routers
        emitted, absorbed = np.zeros((2, count), dtype=np.int64)
        surplus = np.zeros(count + 2, dtype=bool)
        sources, sinks = np.flatnonzero(request.supply), np.flatnonzero(request.demand)
        is_free, heights = request.is_free, request.heights
        if heights is not None:
            low = heights[network.tails]
            is_free = is_free & (low + 1 == heights[network.heads]) & (low < FAR)
        usable = np.flatnonzero(is_free)
        source, sink = count, count + 1
        found = MaximumFlow(
            np.concatenate((network.tails[usable], np.full(len(sources), source), sinks)),
            np.concatenate((network.heads[usable], sources, np.full(len(sinks), sink))),
            np.concatenate((np.ones(len(usable), dtype=np.int64), request.supply[sources], request.demand[sinks])),
            source,
            sink,
        )
        flows = found.on_arcs
        emitted[sources] = flows[len(usable) : len(usable) + len(sources)]
        absorbed[sinks] = flows[len(usable) + len(sources) :]
        if absorbed.sum() < request.demand.sum():
            surplus = found.source_side(count + 2)
        return StepFlow(emitted, usable[flows[: len(usable)] > 0], absorbed), surplus[:count]

    @cached_property
    def _distances(self) -> Ints:
        table = self.network.distances.astype(np.int32)
        table[table < 0] = FAR
        return table


class CompiledFlows:
    """Flows of large networks, each from what is left of an earlier one."""

    def __init__(self, network: Network) -> None:
        self.num_routers, self.num_channels = network.num_routers, network.num_channels
        tails, heads = network.tails.copy(), network.heads.copy()  # of one type, whatever the network
        self.wiring = Wiring(tails, heads, *network.outgoing, *network.incoming)
        self.scratch = room_for_flows(network.num_routers)

    def heights(self, routers: Longs) -> Longs:
        """Return the distance of every router from the nearest of the given ones."""
        heights = np.full(self.num_routers, FAR, dtype=np.int64)
        compiled(measure_heights)(self.wiring, routers, heights, self.scratch.queue)
        return heights

    def maximum(self, request: StepDemand, earlier: StepFlow | None = None) -> tuple[StepFlow, Flags]:
        """Return a maximum flow, and the sources' side of a minimum cut where some are left out."""
        states = np.where(request.is_free, np.int8(FREE), np.int8(SHUT))
        if request.heights is not None:
            compiled(shut_all_but_rising)(self.wiring, request.heights, states)
        terms = Terms(request.supply, request.demand)
        if earlier is None:
            flow = UnitFlow(states, *np.zeros((2, self.num_routers), dtype=np.int64))
        else:
            flow = UnitFlow(states, earlier.emitted.copy(), earlier.absorbed.copy())
            compiled(keep_flow)(self.wiring, terms, flow, earlier.on_channels)
        compiled(fill_flow)(self.wiring, terms, flow, self.scratch)
        surplus = np.zeros(self.num_routers, dtype=bool)
        if flow.absorbed.sum() < request.demand.sum():
            compiled(mark_surplus)(self.wiring, terms, flow, self.scratch.queue, surplus)
        return StepFlow(flow.emitted, np.flatnonzero(states == BUSY), flow.absorbed), surplus
