"""Star graphs."""

import networkx as nx
import pytest

from pavane.networks import ring, star_graph
from tests.networks.graphs import is_regular, is_vertex_transitive, simple_graph


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_star_graph(size: int) -> None:
    """A star graph has N! routers of degree N - 1 and diameter floor(3 (N - 1) / 2)."""
    made = star_graph(size)
    simple_graph(made)
    assert is_regular(made, size - 1)
    assert made.diameter == 3 * (size - 1) // 2


def test_links_exchange_the_first_symbol() -> None:
    """Routers are permutations in the order of a dictionary; a link exchanges the first symbol and another one."""
    made = star_graph(4)
    assert made.routers == tuple(sorted(made.routers))
    for tail, head in made.channels.tolist():
        one, other = made.routers[tail], made.routers[head]
        assert sum(a != b for a, b in zip(one, other, strict=True)) == 2
        assert one[0] != other[0]


def test_small_ones() -> None:
    """Three symbols make a ring of six, and four a network that looks the same from every router."""
    assert nx.is_isomorphic(simple_graph(star_graph(3)), simple_graph(ring(6)))
    assert is_vertex_transitive(star_graph(4))
