"""Cheapest paths, what they cost and what they load."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest

from pavane.bounds.kernels.priced_loads import PricedDemand, PricedPaths, PricingGraph, Tariff, add_loads, list_ways
from pavane.jit import compiled
from pavane.model.network import Network
from pavane.networks import network

Longs = npt.NDArray[np.int64]

NETWORKS = ["ring:5", "kautz:2,2", "mesh:3x4", "dgx-1", "fat-octagon:2"]


def wiring_of(net: Network) -> PricingGraph:
    """Return the channels of a network as kernels want them."""
    return PricingGraph(*net.outgoing, *net.incoming, np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads))


def ways_of(net: Network, kernel: Callable[..., int] = list_ways) -> PricedPaths:
    """List the channels of shortest paths from every router."""
    room = PricedPaths(
        np.zeros(net.num_routers + 1, dtype=np.int64), np.empty(net.num_routers * net.num_channels, np.int32)
    )
    end = kernel(np.arange(net.num_routers, dtype=np.int32), wiring_of(net), room)
    return room._replace(channels=room.channels[:end])


def buy(
    kernel: Callable[..., int], net: Network, demand: Longs, prices: Longs, minimal: bool, sharpness: float = 100.0
) -> tuple[int, npt.NDArray[np.float64]]:
    """Call the kernel for all routers as sources."""
    loads = np.zeros(net.num_channels)
    sources = np.arange(net.num_routers, dtype=np.int32)
    ways = ways_of(net) if minimal else PricedPaths(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    return kernel(PricedDemand(sources, demand), wiring_of(net), ways, Tariff(prices, sharpness), loads), loads


def drawn(text: str, seed: int) -> tuple[Network, Longs, Longs]:
    """Return a network with random demand and prices."""
    net, rng = network(text), np.random.default_rng(seed)
    demand = rng.integers(0, 3, (net.num_routers, net.num_routers))
    np.fill_diagonal(demand, 0)
    return net, demand, rng.integers(1, 9, net.num_channels)


each_routing = pytest.mark.parametrize("minimal", [True, False], ids=["minimal", "any"])
each_network = pytest.mark.parametrize("text", NETWORKS)


@each_network
@each_routing
def test_compiled_equals_uncompiled(text: str, minimal: bool) -> None:
    """Machine code and plain Python pay and load the same."""
    for seed in range(3):
        net, demand, prices = drawn(text, seed)
        for sharpness in (100.0, 0.3):
            paid, loads = buy(add_loads, net, demand, prices, minimal, sharpness)
            paid_fast, loads_fast = buy(compiled(add_loads), net, demand, prices, minimal, sharpness)
            assert paid == paid_fast
            assert np.allclose(loads, loads_fast)
    listed, listed_fast = ways_of(net), ways_of(net, compiled(list_ways))
    assert all(np.array_equal(one, other) for one, other in zip(listed, listed_fast, strict=True))


@each_network
@each_routing
def test_pays_the_cheapest_paths(text: str, minimal: bool) -> None:
    """What is paid is the cheapest admissible path of every message, found by another library."""
    net, demand, prices = drawn(text, 5)
    graph = nx.MultiDiGraph()
    for channel, (tail, head) in enumerate(net.channels.tolist()):
        # Minimal routing: channels first, price second.
        graph.add_edge(tail, head, weight=int(prices[channel]) + (10**6 if minimal else 0))
    costs = dict(nx.all_pairs_dijkstra_path_length(graph))
    asked = np.argwhere(demand > 0).tolist()
    expected = sum(int(demand[s, t]) * (costs[s][t] % 10**6 if minimal else costs[s][t]) for s, t in asked)
    paid, loads = buy(add_loads, net, demand, prices, minimal)
    assert paid == expected
    assert loads @ prices == pytest.approx(paid)
    if minimal:
        assert loads.sum() == pytest.approx(sum(int(demand[s, t]) * net.distances[s, t] for s, t in asked))


def test_dearer_paths_are_rarer() -> None:
    """One of two paths that costs 2 more is taken exp(-2 * sharpness) times as often, and all arrive all the same."""
    net = network("ring:4")
    demand = np.zeros((4, 4), dtype=np.int64)
    demand[0, 2] = 6
    prices = np.ones(net.num_channels, dtype=np.int64)
    prices[net.channels.tolist().index([0, 1])] = 3
    paid, loads = buy(add_loads, net, demand, prices, True, 0.5)
    assert paid == 12
    dear, cheap = (loads[net.channels.tolist().index([0, router])] for router in (1, 3))
    assert dear / cheap == pytest.approx(np.exp(-1))
    assert dear + cheap == pytest.approx(6)


@each_network
def test_ways_are_those_of_shortest_paths(text: str) -> None:
    """Listed are the channels that lead one hop away from the source, those into a router before those out of it."""
    net = network(text)
    ways = ways_of(net)
    for source in range(net.num_routers):
        mine = ways.channels[ways.offsets[source] : ways.offsets[source + 1]].tolist()
        away = net.distances[source]
        expected = [c for c, (tail, head) in enumerate(net.channels.tolist()) if away[head] == away[tail] + 1]
        assert sorted(mine) == expected
        levels = away[net.tails[mine]].tolist()
        assert levels == sorted(levels)


@each_network
def test_soft_loads_bring_everything(text: str) -> None:
    """However soft the choice, what enters a router less what leaves it is what ends there less what begins."""
    net, demand, prices = drawn(text, 3)
    for minimal in (True, False):
        _, loads = buy(add_loads, net, demand, prices, minimal, 0.1)
        kept = np.bincount(net.heads, loads, net.num_routers) - np.bincount(net.tails, loads, net.num_routers)
        assert np.allclose(kept, demand.sum(axis=0) - demand.sum(axis=1))
