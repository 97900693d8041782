"""Cheapest ways from many routers at once, held against another library."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from pavane.judge.cheapest_ways import FAR, along_paths, anyhow
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem
from tests.problems import problem_of


@pytest.mark.parametrize("spec", ["ring:7,oneway", "kautz:2,3", "mesh:3x4", "dgx-1", "random-regular:20,3,1"])
def test_ways_of_any_length(spec: str) -> None:
    """Whatever the prices, the ways are those that Dijkstra's algorithm finds; a stop costs whoever goes on."""
    problem = problem_of(spec, "AAS", routing="any")
    net, rng = problem.network, np.random.default_rng(3)
    prices, stops = rng.integers(0, 9, net.num_channels), rng.integers(0, 5, net.num_routers)
    graph = nx.MultiDiGraph()
    for channel, (tail, head) in enumerate(net.channels.tolist()):
        graph.add_edge(tail, head, weight=int(prices[channel] + stops[head]))
    sources = np.arange(net.num_routers)
    costs = anyhow(problem, prices, sources, stops)
    for source, lengths in nx.all_pairs_dijkstra_path_length(graph):
        for target, length in lengths.items():
            assert costs[target, source] == (length - stops[target] if target != source else 0)


@pytest.mark.parametrize("spec", ["kautz:2,3", "mesh:3x4", "dgx-1", "random-regular:20,3,1"])
def test_shortest_paths_come_first(spec: str) -> None:
    """Under minimal routing the cheapest of the shortest paths is taken, though longer ones cost less."""
    problem = problem_of(spec, "AAS")
    net, rng = problem.network, np.random.default_rng(4)
    prices = rng.integers(0, 99, net.num_channels)
    graph = nx.MultiDiGraph()
    for channel, (tail, head) in enumerate(net.channels.tolist()):
        graph.add_edge(tail, head, weight=10**6 + int(prices[channel]))
    costs = along_paths(problem, prices, np.arange(net.num_routers))
    for source, lengths in nx.all_pairs_dijkstra_path_length(graph):
        for target, length in lengths.items():
            assert costs[target, source] == length % 10**6


def test_what_cannot_be_reached_is_far() -> None:
    """From the end of a one-way line nothing is reached."""
    line = Network("one way", 3, [(0, 1), (1, 2)])
    problem = Problem(line, pairs([(0, 2)]))
    costs = along_paths(problem, np.array([2, 3]), np.array([0, 2]))
    assert costs.tolist() == [[0, FAR], [2, FAR], [5, 0]]
