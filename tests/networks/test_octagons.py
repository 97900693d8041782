"""The octagon and its kin."""

import networkx as nx
import numpy as np
import pytest

from pavane.networks import bridged_octagons, fat_octagon, multi_octagon, octagon, ring, spidergon
from tests.networks.graphs import is_regular, is_vertex_transitive, simple_graph


def test_octagon() -> None:
    """The octagon is a ring of 8 with chords from i to i + 4, of diameter 2 (gecco07 Fig. 8a)."""
    made = octagon()
    assert nx.utils.graphs_equal(simple_graph(made), nx.circulant_graph(8, [1, 4]))
    assert made.diameter == 2
    assert made.sum_of_distances == 88
    assert is_vertex_transitive(made)


@pytest.mark.parametrize("size", [4, 6, 8, 12, 16])
def test_spidergon(size: int) -> None:
    """A spidergon is a ring of N with chords from i to i + N/2, of diameter N/4 rounded up."""
    made = spidergon(size)
    assert nx.utils.graphs_equal(simple_graph(made), nx.circulant_graph(size, [1, size // 2]))
    assert is_regular(made, 3)
    assert made.diameter == -(-size // 4)


def test_fat_octagon() -> None:
    """Processors 2r and 2r + 1 of the fat octagon of two sit on router r (gecco07 Fig. 8b)."""
    made = fat_octagon(2)
    assert made.router_of.tolist() == [p // 2 for p in range(16)]
    assert made.channels.tolist() == octagon().channels.tolist()


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_bridged_octagons(number: int) -> None:
    """N octagons joined at N - 1 shared bridges have 7N + 1 routers and fall apart into N octagons at the bridges."""
    made = bridged_octagons(number)
    graph = simple_graph(made)
    assert made.num_routers == 7 * number + 1
    assert sorted(made.out_degrees.tolist()) == [3] * (6 * number + 2) + [6] * (number - 1)
    blocks = [graph.subgraph(block) for block in nx.biconnected_components(graph)]
    assert len(blocks) == number
    assert all(nx.is_isomorphic(block, nx.circulant_graph(8, [1, 4])) for block in blocks)
    assert set(nx.articulation_points(graph)) == set(np.flatnonzero(made.out_degrees == 6).tolist())


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_multi_octagon(number: int) -> None:
    """The N copies of each router of the octagon form a ring."""
    made = multi_octagon(number)
    linking = simple_graph(ring(number)) if number > 1 else nx.empty_graph(1)
    expected = nx.cartesian_product(linking, simple_graph(octagon()))
    expected = nx.relabel_nodes(expected, {(j, i): 8 * j + i for j, i in expected})
    assert nx.utils.graphs_equal(simple_graph(made), expected)
    assert is_regular(made, 3 + min(number - 1, 2))
