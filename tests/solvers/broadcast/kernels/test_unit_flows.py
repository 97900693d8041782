"""Flows of unit channels are as large as can be, from nothing and from what is left of another flow."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.network import Network
from pavane.networks import network
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

by_whom = pytest.mark.parametrize("how", [compiled, lambda kernel: kernel], ids=["compiled", "as it is"])
texts = pytest.mark.parametrize("text", ["mesh:5x6", "hypercube:5", "kautz:3,3", "random-regular:40,3,1", "star:9"])


def wiring_of(net: Network) -> Wiring:
    """Return the channels as kernels see them."""
    return Wiring(np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads), *net.outgoing, *net.incoming)


def drawn_terms(net: Network, rng: np.random.Generator) -> Terms:
    """Draw who sends how much and who wants how much; some do both, some neither."""
    size = net.num_routers
    supply = rng.integers(1, 5, size) * (rng.random(size) < 0.2)
    demand = rng.integers(1, 3, size) * (rng.random(size) < 0.6)
    return Terms(supply.astype(np.int64), demand.astype(np.int64))


def nothing(net: Network, is_open: np.ndarray[Any, Any]) -> UnitFlow:
    """Return the flow of nothing over open channels."""
    states = np.where(is_open, np.int8(FREE), np.int8(SHUT))
    return UnitFlow(states, *np.zeros((2, net.num_routers), dtype=np.int64))


def check(net: Network, terms: Terms, flow: UnitFlow, is_open: np.ndarray[Any, Any]) -> None:
    """Hold a flow against its terms, and its value against another program's."""
    busy = flow.states == BUSY
    assert not (busy & ~is_open).any()
    assert ((flow.states == SHUT) == ~is_open).all()
    assert (flow.emitted >= 0).all()
    assert (flow.emitted <= terms.supply).all()
    assert (flow.absorbed >= 0).all()
    assert (flow.absorbed <= terms.demand).all()
    came = np.bincount(net.heads[busy], minlength=net.num_routers) + flow.emitted
    went = np.bincount(net.tails[busy], minlength=net.num_routers) + flow.absorbed
    assert (came == went).all()
    graph = nx.DiGraph()
    graph.add_nodes_from(["from", "to"])
    for tail, head in zip(net.tails[is_open].tolist(), net.heads[is_open].tolist(), strict=True):
        room = graph.edges[tail, head]["capacity"] if graph.has_edge(tail, head) else 0
        graph.add_edge(tail, head, capacity=room + 1)
    for router in range(net.num_routers):
        graph.add_edge("from", router, capacity=int(terms.supply[router]))
        graph.add_edge(router, "to", capacity=int(terms.demand[router]))
    assert flow.absorbed.sum() == nx.maximum_flow_value(graph, "from", "to")


@by_whom
@texts
def test_flows_are_as_large_as_can_be(how: Callable[[Any], Any], text: str) -> None:
    """A flow from nothing, and one that goes on from a flow under other terms, both are maximum flows."""
    net, rng = network(text), np.random.default_rng(1)
    wiring, room = wiring_of(net), room_for_flows(net.num_routers)
    earlier: UnitFlow | None = None
    for _ in range(12):
        terms, is_open = drawn_terms(net, rng), rng.random(net.num_channels) < 0.8
        flow = nothing(net, is_open)
        how(fill_flow)(wiring, terms, flow, room)
        check(net, terms, flow, is_open)
        if earlier is not None:
            flow = UnitFlow(nothing(net, is_open).states, earlier.emitted.copy(), earlier.absorbed.copy())
            how(keep_flow)(wiring, terms, flow, np.flatnonzero(earlier.states == BUSY))
            how(fill_flow)(wiring, terms, flow, room)
            check(net, terms, flow, is_open)
        earlier = flow


@by_whom
def test_surplus_is_a_minimum_cut(how: Callable[[Any], Any]) -> None:
    """What is allowed across the border of the sources' side is as much as flows."""
    net, rng = network("mesh:6x6"), np.random.default_rng(3)
    wiring, room = wiring_of(net), room_for_flows(net.num_routers)
    for _ in range(10):
        terms = drawn_terms(net, rng)
        is_open = rng.random(net.num_channels) < 0.6
        flow = nothing(net, is_open)
        how(fill_flow)(wiring, terms, flow, room)
        inside = np.zeros(net.num_routers, dtype=bool)
        how(mark_surplus)(wiring, terms, flow, room.queue, inside)
        crossing = is_open & inside[net.tails] & ~inside[net.heads]
        assert flow.absorbed.sum() == crossing.sum() + terms.supply[~inside].sum() + terms.demand[inside].sum()


@by_whom
@texts
def test_heights_are_distances_and_only_rising_channels_stay_open(how: Callable[[Any], Any], text: str) -> None:
    """A channel that rises by one leads from a router to one that is farther from the nearest start."""
    net = network(text)
    wiring, starts = wiring_of(net), np.array([1, net.num_routers - 1])
    heights = np.full(net.num_routers, FAR, dtype=np.int64)
    how(measure_heights)(wiring, starts, heights, room_for_flows(net.num_routers).queue)
    assert (heights == net.distances[starts].min(axis=0)).all()
    states = np.full(net.num_channels, FREE, dtype=np.int8)
    states[0] = SHUT
    how(shut_all_but_rising)(wiring, heights, states)
    rises = heights[net.tails] + 1 == heights[net.heads]
    assert ((states == FREE) == (rises & (np.arange(net.num_channels) > 0))).all()
