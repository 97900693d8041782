"""Distances counted in channels."""

from __future__ import annotations

from itertools import product
from math import inf

import networkx as nx
import numpy as np
from hypothesis import given

from pavane.model.distances import UNREACHABLE, breadth_first
from pavane.model.network import Network
from pavane.networks import network
from tests.model.multigraphs import digraph, multigraphs


@given(multigraphs())
def test_distances(made: Network) -> None:
    """Distances are the lengths of shortest paths, and -1 where there is none."""
    lengths = dict(nx.all_pairs_shortest_path_length(digraph(made)))
    for source, target in product(range(made.num_routers), repeat=2):
        assert made.distances[source, target] == lengths[source].get(target, UNREACHABLE)
    for router in range(made.num_routers):
        assert np.array_equal(made.distances_from(router), made.distances[router])
        assert np.array_equal(made.distances_to(router), made.distances[:, router])


@given(multigraphs())
def test_the_nearest_of_several(made: Network) -> None:
    """From several routers at once, the distance is that of the nearest that gets there."""
    some = np.arange(0, made.num_routers, 2)
    rows = np.where(made.distances < 0, made.num_routers, made.distances)[some].min(axis=0)
    assert np.array_equal(made.distances_from_nearest(some), np.where(rows == made.num_routers, UNREACHABLE, rows))


def test_long_ways_are_followed_router_by_router() -> None:
    """On rings and lines, and wherever few routers are reached at a time; what comes of it is the same."""
    links = [(i, i + 1) for i in range(200)] + [(200, 200 + i) for i in range(1, 40)] + [(239, 240)]
    hedge = Network("hedge", 241, links)
    for made in (network("ring:301"), network("line:150"), network("torus:3x90"), hedge):
        at_once = breadth_first(made.outgoing, made.heads, np.array([1]), most_narrow_levels=inf)
        assert np.array_equal(made.distances_from(1), at_once)
