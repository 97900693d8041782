"""The twisted ladder."""

import networkx as nx
import pytest

from pavane.networks import spidergon, twisted_ladder
from tests.networks.graphs import simple_graph


@pytest.mark.parametrize("size", [4, 6, 8, 10, 16])
def test_twisted_ladder(size: int) -> None:
    """A twisted ladder has two rails and rungs between them, and its rails are closed crosswise."""
    half = size // 2
    ladder = nx.ladder_graph(half)
    ladder.add_edges_from([(half - 1, half), (size - 1, 0)])
    assert nx.utils.graphs_equal(simple_graph(twisted_ladder(size)), ladder)


def test_twisted_ladder_is_a_spidergon() -> None:
    """The Moebius ladder is the same graph as the spidergon, and is not the prism."""
    graph = simple_graph(twisted_ladder(8))
    assert nx.is_isomorphic(graph, simple_graph(spidergon(8)))
    assert not nx.is_isomorphic(graph, nx.circular_ladder_graph(4))
