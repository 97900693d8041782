"""Dragonflies."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from pavane.networks import dragonfly
from tests.networks.graphs import is_regular, simple_graph

SHAPES = [(1, 1), (1, 3), (2, 1), (4, 2), (3, 3), (6, 3), (8, 4)]


@pytest.mark.parametrize(("group_size", "num_global"), SHAPES)
def test_dragonfly(group_size: int, num_global: int) -> None:
    """Groups are complete inside, one link runs between each two groups, and each router has H of these."""
    made = dragonfly(group_size, num_global)
    graph = simple_graph(made)
    num_groups = group_size * num_global + 1
    assert made.num_routers == group_size * num_groups
    assert is_regular(made, group_size - 1 + num_global)
    assert made.diameter <= 3
    for group in range(num_groups):
        members = range(group * group_size, (group + 1) * group_size)
        assert graph.subgraph(members).number_of_edges() == group_size * (group_size - 1) // 2
    between = Counter(
        tuple(sorted((a // group_size, b // group_size))) for a, b in graph.edges if a // group_size != b // group_size
    )
    assert set(between.values()) == {1}
    assert len(between) == num_groups * (num_groups - 1) // 2


@pytest.mark.parametrize(("group_size", "num_global"), SHAPES)
def test_turning_is_a_symmetry(group_size: int, num_global: int) -> None:
    """Moving every group one place on takes channels to channels."""
    made = dragonfly(group_size, num_global)
    turned = (made.channels + group_size) % made.num_routers
    assert {tuple(c) for c in turned.tolist()} == {tuple(c) for c in made.channels.tolist()}


def test_single_router_groups() -> None:
    """With one router a group the dragonfly is a complete network."""
    assert nx.utils.graphs_equal(simple_graph(dragonfly(1, 5)), nx.complete_graph(6))
    assert np.array_equal(dragonfly(1, 5).router_of, np.arange(6))
