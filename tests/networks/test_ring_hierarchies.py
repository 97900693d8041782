"""Hierarchical rings."""

import networkx as nx
import pytest

from pavane.errors import InputError
from pavane.networks import hierarchical_rings, ring
from tests.networks.graphs import simple_graph


def test_rings_of_rings() -> None:
    """Level-0 rings hold consecutive routers, and the first router of each sits on the ring above."""
    expected = nx.Graph()
    for first in (0, 3, 6, 9):
        nx.add_cycle(expected, [first, first + 1, first + 2])
    nx.add_cycle(expected, [0, 3, 6, 9])
    assert nx.utils.graphs_equal(simple_graph(hierarchical_rings(3, 4)), expected)


@pytest.mark.parametrize("sizes", [(4, 4), (4, 4, 4), (3, 5), (2, 3, 2)])
def test_counts(sizes: tuple[int, ...]) -> None:
    """Each level has a ring for every ring of the level above times its size."""
    made = hierarchical_rings(*sizes)
    links, members = 0, 1
    for size in reversed(sizes):
        links += members * (size if size > 2 else 1)
        members *= size
    assert made.num_routers == members
    assert made.num_channels == 2 * links
    assert made.is_connected


def test_one_level() -> None:
    """A hierarchy of one level is a ring."""
    assert nx.utils.graphs_equal(simple_graph(hierarchical_rings(5)), simple_graph(ring(5)))


def test_no_level_is_refused() -> None:
    """From Python, too, there is at least one size."""
    with pytest.raises(InputError, match="no ring sizes; give one for each level, for example hierarchical-rings:4,4"):
        hierarchical_rings()
