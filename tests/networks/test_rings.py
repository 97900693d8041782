"""Rings and lines."""

import networkx as nx
import pytest

from pavane.networks import line, ring
from tests.networks.graphs import digraph, is_regular, simple_graph


@pytest.mark.parametrize("size", [2, 3, 4, 7, 8])
def test_ring(size: int) -> None:
    """A ring is the cycle of its routers, a channel each way."""
    made = ring(size)
    assert nx.utils.graphs_equal(simple_graph(made), nx.cycle_graph(size))
    assert made.diameter == size // 2
    assert made.is_slim


@pytest.mark.parametrize("size", [2, 3, 8])
def test_oneway_ring(size: int) -> None:
    """In a one-way ring a channel runs from each router to the next, so the distances are 1 to N - 1."""
    made = ring(size, oneway=True)
    assert nx.is_isomorphic(digraph(made), nx.cycle_graph(size, create_using=nx.MultiDiGraph))
    assert is_regular(made, 1)
    assert made.diameter == size - 1
    assert made.sum_of_distances == size * size * (size - 1) // 2


@pytest.mark.parametrize("size", [2, 3, 8])
def test_line(size: int) -> None:
    """A line is the path of its routers."""
    made = line(size)
    assert nx.utils.graphs_equal(simple_graph(made), nx.path_graph(size))
    assert made.diameter == size - 1
