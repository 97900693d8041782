"""Cheapest ways from many routers at once, held against another library."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.judge.cheapest_ways import FAR, along_paths, anyhow, by_hops
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.problems import problem_of
from tests.strategies import channel_graph, problems


def graph_of(net: Network, weights: list[int]) -> nx.MultiDiGraph:
    """Return a network whose channels have weights, for another library."""
    graph = nx.MultiDiGraph()
    for (tail, head), weight in zip(net.channels.tolist(), weights, strict=True):
        graph.add_edge(tail, head, weight=weight)
    return graph


@pytest.mark.parametrize("spec", ["ring:7,oneway", "kautz:2,3", "mesh:3x4", "dgx-1", "random-regular:20,3,1"])
def test_ways_of_any_length_and_shortest_ones(spec: str) -> None:
    """Ways are those of Dijkstra; a stop costs whoever goes on, and minimal routing looks at length first."""
    problem = problem_of(spec, "AAS", routing="any")
    net, rng = problem.network, np.random.default_rng(3)
    prices, stops = rng.integers(0, 9, net.num_channels), rng.integers(0, 5, net.num_routers)
    sources = np.arange(net.num_routers)
    costs = anyhow(problem, prices, sources, stops)
    for source, lengths in nx.all_pairs_dijkstra_path_length(graph_of(net, (prices + stops[net.heads]).tolist())):
        for target, length in lengths.items():
            assert costs[target, source] == (length - stops[target] if target != source else 0)
    costs = along_paths(problem_of(spec, "AAS"), prices, sources)
    for source, lengths in nx.all_pairs_dijkstra_path_length(graph_of(net, (prices + 10**6).tolist())):
        for target, length in lengths.items():
            assert costs[target, source] == length % 10**6


PASSING = Rules("store-and-forward", ports=1, switches="pass")


@given(problems().map(lambda problem: replace(problem, rules=PASSING)), st.integers(0, 2**32 - 1))
def test_ways_of_hops_over_switches(problem: Problem, seed: int) -> None:
    """Where switches pass, a way is made of shortest paths over them, and a stop costs whoever goes on."""
    net, rng = problem.network, np.random.default_rng(seed)
    prices, stops = rng.integers(0, 9, net.num_channels), rng.integers(0, 5, net.num_routers)
    graph, hops = channel_graph(net), nx.DiGraph()
    homes = np.unique(net.router_of)
    for start, end in permutations(homes.tolist(), 2):
        over = graph.subgraph(set(graph) - set(homes.tolist()) | {start, end})
        paths = nx.all_simple_edge_paths(over, start, end) if start in over and end in over else ()
        shortest = [path for path in paths if len(path) == nx.shortest_path_length(graph, start, end)]
        if shortest:
            hops.add_edge(start, end, weight=stops[end] + min(sum(prices[c] for *_, c in path) for path in shortest))
    costs = by_hops(problem, prices, homes.astype(np.int64), stops)
    hops.add_nodes_from(homes.tolist())
    for source, lengths in nx.all_pairs_dijkstra_path_length(hops):
        for target, length in lengths.items():
            expected = length - stops[target] if target != source else 0
            assert costs[target, homes.tolist().index(source)] == expected


def test_what_cannot_be_reached_is_far() -> None:
    """From the end of a one-way line nothing is reached."""
    line = Network("one way", 3, [(0, 1), (1, 2)])
    problem = Problem(line, pairs([(0, 2)]))
    costs = along_paths(problem, np.array([2, 3]), np.array([0, 2]))
    assert costs.tolist() == [[0, FAR], [2, FAR], [5, 0]]
