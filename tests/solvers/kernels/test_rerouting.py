"""Rerouting finds the cheapest of all paths that are not too long, and keeps loads and prices right."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pavane.jit import compiled
from pavane.networks import network
from pavane.solvers.kernels.rerouting import ArcNetwork, Choices, MessagePaths, Prices, list_arcs, longer, reroute
from pavane.solvers.kernels.wiring import Wiring

NETWORKS = ["ring:6", "mesh:3x3", "kautz:2,3", "hypercube:3", "random-regular:12,3,2", "dgx-1"]

BOTH = pytest.mark.parametrize(
    "kernels", [(list_arcs, reroute), (compiled(list_arcs), compiled(reroute))], ids=["plain", "compiled"]
)

Kernels = tuple[Callable[..., Any], Callable[..., Any]]


def test_what_grows_keeps_what_it_has() -> None:
    """A list that is too short for what comes becomes more than twice as long, and begins as it was."""
    made = longer(np.array([4, 7, 1, 0], dtype=np.int32), 3, 2)
    assert made.dtype == np.int32
    assert made[:3].tolist() == [4, 7, 1]
    assert len(made) >= 3 + 2
    assert len(made) >= 8


class Table:
    """One message between any two routers; a channel draws on itself and on a port at each of its ends."""

    def __init__(self, text: str, slack: int, kernels: Kernels) -> None:
        self.net, self.slack, self.kernels = network(text), slack, kernels
        net, size = self.net, self.net.num_routers
        tails, heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
        channels = np.arange(net.num_channels)
        self.units_of = np.stack((channels, net.num_channels + tails, net.num_channels + size + heads), axis=1)
        self.ground = ArcNetwork(
            Wiring(tails, heads, *net.outgoing, *net.incoming),
            net.distances,
            (3 * np.arange(net.num_channels + 1)).astype(np.int32),
            self.units_of.reshape(-1).astype(np.int32),
        )
        pairs = np.array([pair for pair in itertools.product(range(size), repeat=2) if pair[0] != pair[1]])
        self.sources, self.targets = (np.ascontiguousarray(pairs[:, side], dtype=np.int32) for side in (0, 1))
        listed = kernels[0](self.ground, self.sources, self.targets, slack, 10**9)
        self.choices = Choices(self.sources, self.targets, *listed)
        self.room = net.distances[self.sources, self.targets].astype(np.int64) + slack
        offsets = np.concatenate(([0], np.cumsum(self.room)))
        count = len(pairs)
        self.paths = MessagePaths(
            np.arange(count, dtype=np.int32),
            offsets,
            np.zeros(count, dtype=np.int32),
            np.zeros(int(offsets[-1]), dtype=np.int32),
        )
        num_units = net.num_channels + 2 * size
        sharpness = np.random.default_rng(1).uniform(0.1, 2.0, num_units)
        self.prices = Prices(np.zeros(num_units, dtype=np.int64), sharpness, 3.0, np.full(num_units, math.exp(-3.0)))

    def run(self, order: np.ndarray[Any, Any]) -> None:
        """Move messages in an order."""
        self.kernels[1](order, self.ground, self.choices, self.paths, self.slack, self.prices)

    def path(self, message: int) -> list[int]:
        """Return the path of a message."""
        begin = int(self.paths.offsets[message])
        return [int(channel) for channel in self.paths.arcs[begin : begin + int(self.paths.lengths[message])]]

    def simple_paths(self, message: int) -> list[list[int]]:
        """Return all paths of a message that are short enough, found by another program."""
        graph = nx.MultiDiGraph()
        for channel, (tail, head) in enumerate(self.net.channels.tolist()):
            graph.add_edge(tail, head, key=channel)
        ends = int(self.sources[message]), int(self.targets[message])
        found = nx.all_simple_edge_paths(graph, *ends, cutoff=int(self.room[message]))
        return [[edge[2] for edge in path] for path in found]

    def cost(self, path: list[int]) -> float:
        """Return what a path costs."""
        return float(sum(self.prices.prices[self.units_of[channel]].sum() for channel in path))


@BOTH
@pytest.mark.parametrize("slack", [0, 1, 2])
@pytest.mark.parametrize("text", NETWORKS)
def test_ways_are_those_of_all_paths(kernels: Kernels, text: str, slack: int) -> None:
    """Every channel of a path that is not too long is among the ways; shortest paths need no others."""
    table = Table(text, slack, kernels)
    for message in range(0, len(table.sources), 5):
        first, last = table.choices.way_offsets[message : message + 2]
        ways = table.choices.ways[first:last].tolist()
        needed = {channel for path in table.simple_paths(message) for channel in path}
        assert len(set(ways)) == len(ways)
        assert needed <= set(ways)
        if slack == 0:
            assert needed == set(ways)
            assert (table.choices.detours[first:last] == 0).all()


@BOTH
@pytest.mark.parametrize("slack", [0, 1, 2])
@pytest.mark.parametrize("text", NETWORKS)
def test_messages_move_to_their_cheapest_paths(kernels: Kernels, text: str, slack: int) -> None:
    """With its own load taken off, no path that is short enough is cheaper than the one a message moved to."""
    table = Table(text, slack, kernels)
    everybody = np.random.default_rng(2).permutation(len(table.sources))
    table.run(everybody)
    for message in everybody[:12]:
        table.run(np.array([message]))
        path = table.path(message)
        assert path in table.simple_paths(message)
        own = table.units_of[path].reshape(-1).astype(np.int64)
        np.add.at(table.prices.loads, own, -1)
        exponents = table.prices.loads * table.prices.sharpness - table.prices.zero
        table.prices.prices[:] = np.exp(exponents)
        least = min(table.cost(other) for other in table.simple_paths(message))
        assert table.cost(path) == pytest.approx(least, rel=1e-6)
        np.add.at(table.prices.loads, own, 1)
        table.prices.prices[:] = np.exp(table.prices.loads * table.prices.sharpness - table.prices.zero)


@BOTH
@pytest.mark.parametrize("slack", [0, 2])
def test_loads_and_prices_are_those_of_the_paths(kernels: Kernels, slack: int) -> None:
    """After many moves loads and prices are what counting the paths anew gives."""
    table, rng = Table("random-regular:12,3,2", slack, kernels), np.random.default_rng(3)
    for _ in range(5):
        table.run(rng.permutation(len(table.sources)))
    paths = [channel for message in range(len(table.sources)) for channel in table.path(message)]
    loads = np.bincount(table.units_of[paths].reshape(-1), minlength=len(table.prices.loads))
    assert (loads == table.prices.loads).all()
    assert table.prices.prices == pytest.approx(np.exp(loads * table.prices.sharpness - table.prices.zero))


def test_compiled_equals_uncompiled() -> None:
    """Machine code lists the same ways and makes the same moves as the plain functions."""
    plain = Table("mesh:3x3", 2, (list_arcs, reroute))
    fast = Table("mesh:3x3", 2, (compiled(list_arcs), compiled(reroute)))
    for table in (plain, fast):
        table.run(np.random.default_rng(4).permutation(len(table.sources)))
    assert (plain.choices.ways == fast.choices.ways).all()
    assert (plain.paths.arcs == fast.paths.arcs).all()


@BOTH
def test_too_many_ways_are_not_listed(kernels: Kernels) -> None:
    """Where the limit is passed, the offsets of the last pairs say so."""
    table = Table("hypercube:3", 0, kernels)
    offsets, ways, _ = kernels[0](table.ground, table.sources, table.targets, 0, 20)
    assert offsets[-1] == -1
    assert len(ways) <= 20 + table.net.num_channels
