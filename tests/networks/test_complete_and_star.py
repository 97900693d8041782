"""Complete networks and stars."""

import networkx as nx
import pytest

from pavane.networks import complete, star
from tests.networks.graphs import is_regular, simple_graph


@pytest.mark.parametrize("size", [2, 3, 8])
def test_complete(size: int) -> None:
    """In a complete network each router is linked with each other."""
    made = complete(size)
    assert nx.utils.graphs_equal(simple_graph(made), nx.complete_graph(size))
    assert is_regular(made, size - 1)
    assert made.diameter == 1


@pytest.mark.parametrize("size", [2, 3, 8])
def test_star(size: int) -> None:
    """A star of N routers has router 0 as its hub and N - 1 leaves."""
    made = star(size)
    assert nx.utils.graphs_equal(simple_graph(made), nx.star_graph(size - 1))
    assert made.num_routers == size
