"""Hypercubes, folded hypercubes and cube-connected cycles."""

import networkx as nx
import pytest

from pavane.networks import cube_connected_cycles, folded_hypercube, hypercube
from tests.networks.graphs import is_regular, is_vertex_transitive, looks_alike_everywhere, simple_graph


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_hypercube(dimension: int) -> None:
    """Routers of a hypercube are linked where their numbers differ in one bit."""
    made = hypercube(dimension)
    for tail, head in made.channels.tolist():
        assert (tail ^ head).bit_count() == 1
    assert nx.is_isomorphic(simple_graph(made), nx.hypercube_graph(dimension))
    assert made.diameter == dimension
    assert made.sum_of_distances == dimension * 2 ** (2 * dimension - 1)


@pytest.mark.parametrize("dimension", [2, 3, 4, 5, 6])
def test_folded_hypercube(dimension: int) -> None:
    """A folded hypercube has a link more per router, to its complement, and half the diameter, rounded up."""
    made = folded_hypercube(dimension)
    simple_graph(made)
    full = 2**dimension - 1
    for tail, head in made.channels.tolist():
        assert (tail ^ head).bit_count() == 1 or tail ^ head == full
    assert is_regular(made, dimension + 1)
    assert made.diameter == (dimension + 1) // 2
    assert looks_alike_everywhere(made)


@pytest.mark.parametrize(("dimension", "diameter"), [(3, 6), (4, 8), (5, 10), (6, 13)])
def test_cube_connected_cycles(dimension: int, diameter: int) -> None:
    """Cube-connected cycles have D * 2^D routers of degree 3 and diameter 2D + floor(D/2) - 2, or 6 for D = 3."""
    made = cube_connected_cycles(dimension)
    simple_graph(made)
    assert made.num_routers == dimension * 2**dimension
    assert is_regular(made, 3)
    assert made.diameter == diameter
    assert looks_alike_everywhere(made)


def test_cube_connected_cycles_shrink_to_the_cube() -> None:
    """Cube-connected cycles with each ring drawn together are the hypercube, and look the same from every router."""
    made = cube_connected_cycles(3)
    rings = [set(range(3 * corner, 3 * corner + 3)) for corner in range(8)]
    cube = nx.quotient_graph(simple_graph(made), rings)
    assert nx.is_isomorphic(nx.Graph(cube), nx.hypercube_graph(3))
    assert is_vertex_transitive(made)
