"""Circulants, Gaussian and Eisenstein networks."""

import networkx as nx
import pytest

from pavane.networks import circulant, eisenstein, gaussian, hyperx, torus
from tests.networks.graphs import is_regular, is_vertex_transitive, simple_graph


@pytest.mark.parametrize("sizes", [(13, 1, 5), (16, 1, 4), (9, 2), (8, 1, 4), (30, 1, 4, 9)])
def test_circulant(sizes: tuple[int, ...]) -> None:
    """Routers of a circulant are linked where their numbers differ by a jump."""
    made = circulant(*sizes)
    assert nx.utils.graphs_equal(simple_graph(made), nx.circulant_graph(sizes[0], list(sizes[1:])))


@pytest.mark.parametrize("sides", [(1, 2), (2, 2), (0, 3), (3, 4), (2, 4), (3, 0), (4, 3)])
def test_gaussian(sides: tuple[int, int]) -> None:
    """A Gaussian network has A^2 + B^2 routers of degree 4, and walking A to the right and B up leads back."""
    made = gaussian(*sides)
    assert made.num_routers == sides[0] ** 2 + sides[1] ** 2
    simple_graph(made)
    assert is_regular(made, 4)
    assert made.is_connected
    assert is_vertex_transitive(made)


def test_gaussian_of_neighbours_is_dense() -> None:
    """The Gaussian network of k and k + 1 has the most routers that degree 4 and diameter k allow on a grid."""
    for k in range(1, 6):
        made = gaussian(k, k + 1)
        assert (made.num_routers, made.diameter) == (2 * k * k + 2 * k + 1, k)


def test_gaussian_with_one_side_is_a_torus() -> None:
    """Modulo a whole number the grid is closed to the torus of equal sides."""
    assert nx.is_isomorphic(simple_graph(gaussian(0, 4)), simple_graph(torus(4, 4)))


def test_gaussian_without_common_factor_is_a_circulant() -> None:
    """If A and B have no common factor, the number 1 is router 1 and i is a square root of minus one."""
    made = gaussian(3, 4)
    assert 7 * 7 % 25 == 24
    assert nx.utils.graphs_equal(simple_graph(made), simple_graph(circulant(25, 1, 7)))


@pytest.mark.parametrize("sides", [(1, 2), (0, 3), (2, 2), (2, 3), (1, 3), (3, 0)])
def test_eisenstein(sides: tuple[int, int]) -> None:
    """An Eisenstein network has A^2 + AB + B^2 routers of degree 6 and looks the same from every router."""
    a, b = sides
    made = eisenstein(a, b)
    assert made.num_routers == a * a + a * b + b * b
    simple_graph(made)
    assert is_regular(made, 6)
    assert is_vertex_transitive(made)


def test_eisenstein_of_neighbours_is_a_hexagon() -> None:
    """The Eisenstein network of k and k + 1 is a hexagon of 3 k^2 + 3 k + 1 routers with diameter k."""
    for k in range(1, 5):
        made = eisenstein(k, k + 1)
        assert (made.num_routers, made.diameter) == (3 * k * k + 3 * k + 1, k)
    assert nx.is_isomorphic(simple_graph(eisenstein(1, 2)), simple_graph(hyperx(7)))
