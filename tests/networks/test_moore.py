"""Moore graphs and generalized Moore graphs."""

import networkx as nx
import pytest

from pavane.model.network import Network
from pavane.networks import heawood, hoffman_singleton, levi, petersen, utility
from tests.networks.graphs import is_regular, is_vertex_transitive, simple_graph

KNOWN = [
    # network, order, degree, diameter, girth, another construction
    (petersen(), 10, 3, 2, 5, nx.petersen_graph()),
    (utility(), 6, 3, 2, 4, nx.complete_bipartite_graph(3, 3)),
    (heawood(), 14, 3, 3, 6, nx.heawood_graph()),
    (levi(), 30, 3, 4, 8, nx.LCF_graph(30, [-13, -9, 7, -7, 9, 13], 5)),
    (hoffman_singleton(), 50, 7, 2, 5, nx.hoffman_singleton_graph()),
]
known = pytest.mark.parametrize(
    ("network", "order", "degree", "diameter", "girth", "other"), KNOWN, ids=[row[0].name for row in KNOWN]
)


@known
def test_parameters(network: Network, order: int, degree: int, diameter: int, girth: int, other: nx.Graph) -> None:
    """Order, degree, diameter and girth are those of gecco08 section 2, and the graph is as others construct it."""
    assert network.num_routers == order
    assert is_regular(network, degree)
    assert network.diameter == diameter
    assert nx.girth(simple_graph(network)) == girth
    assert network.is_slim
    assert nx.is_isomorphic(simple_graph(network), other)


@pytest.mark.parametrize("network", [petersen(), utility(), heawood(), levi()], ids=lambda network: network.name)
def test_symmetry(network: Network) -> None:
    """Every router looks like every other."""
    assert is_vertex_transitive(network)
