"""Cheapest paths, what they cost and what they load."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest

from pavane.kernels import compiled
from pavane.kernels.priced_loads import Demand, Tariff, Wiring, add_loads
from pavane.model.network import Network
from pavane.networks import network

Longs = npt.NDArray[np.int64]

NETWORKS = ["ring:5", "kautz:2,2", "mesh:3x4", "dgx-1", "fat-octagon:2"]


def buy(
    kernel: Callable[..., int], net: Network, demand: Longs, prices: Longs, minimal: bool
) -> tuple[int, npt.NDArray[np.float64]]:
    """Call the kernel for all routers as sources."""
    wiring = Wiring(*net.outgoing, *net.incoming, np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads))
    loads = np.zeros(net.num_channels)
    surcharge = int(prices.max()) * net.num_routers + 1 if minimal else 0
    sources = np.arange(net.num_routers, dtype=np.int32)
    return kernel(Demand(sources, demand), wiring, Tariff(prices, surcharge), loads), loads


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
        paid, loads = buy(add_loads, net, demand, prices, minimal)
        paid_fast, loads_fast = buy(compiled(add_loads), net, demand, prices, minimal)
        assert paid == paid_fast
        assert np.allclose(loads, loads_fast)


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


def test_equal_paths_share() -> None:
    """On a ring of 4 half of what goes to the far router takes either side."""
    net = network("ring:4")
    demand = np.zeros((4, 4), dtype=np.int64)
    demand[0, 2] = 6
    paid, loads = buy(add_loads, net, demand, np.ones(net.num_channels, dtype=np.int64), True)
    assert paid == 12
    assert sorted(loads.tolist()) == [0, 0, 0, 0, 3, 3, 3, 3]
