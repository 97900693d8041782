"""Meshes, tori and HyperX."""

import math

import networkx as nx
import pytest

from pavane.networks import hyperx, mesh, ring, torus
from tests.networks.graphs import is_regular, looks_alike_everywhere, simple_graph

SIZES = [(4,), (4, 4), (2, 3), (3, 1, 4), (2, 3, 4), (2, 2, 2, 2)]


def row_major(graph: nx.Graph, sizes: tuple[int, ...]) -> nx.Graph:
    """Number the routers of a product of graphs row by row."""

    def number(place: int | tuple[int, ...]) -> int:
        digits = place if isinstance(place, tuple) else (place,)
        total = 0
        for digit, size in zip(digits, sizes, strict=True):
            total = total * size + digit
        return total

    return nx.relabel_nodes(graph, number)


def flat(place: object) -> tuple[int, ...]:
    """Return the coordinates inside nested pairs, as networkx names routers of products of products."""
    if isinstance(place, tuple):
        return tuple(digit for part in place for digit in flat(part))
    assert isinstance(place, int)
    return (place,)


def product(factors: list[nx.Graph]) -> nx.Graph:
    """Return the Cartesian product of graphs, routers named by their coordinates."""
    graph = factors[0]
    for factor in factors[1:]:
        graph = nx.cartesian_product(graph, factor)
    return nx.relabel_nodes(graph, {place: flat(place) for place in graph})


@pytest.mark.parametrize("sizes", SIZES)
def test_mesh(sizes: tuple[int, ...]) -> None:
    """A mesh is the product of lines, its routers numbered row by row."""
    expected = row_major(product([nx.path_graph(size) for size in sizes]), sizes)
    made = mesh(*sizes)
    assert nx.utils.graphs_equal(simple_graph(made), expected)
    assert made.diameter == sum(size - 1 for size in sizes)


@pytest.mark.parametrize("sizes", SIZES)
def test_torus(sizes: tuple[int, ...]) -> None:
    """A torus is the product of rings; a dimension of size 2 gives one link and one of size 1 none."""
    cycles = [nx.cycle_graph(size) if size > 2 else nx.path_graph(size) for size in sizes]
    made = torus(*sizes)
    assert nx.utils.graphs_equal(simple_graph(made), row_major(product(cycles), sizes))
    assert made.diameter == sum(size // 2 for size in sizes)
    assert looks_alike_everywhere(made)


@pytest.mark.parametrize("sizes", SIZES)
def test_hyperx(sizes: tuple[int, ...]) -> None:
    """HyperX is the product of complete networks, so its diameter is the number of dimensions larger than 1."""
    expected = row_major(product([nx.complete_graph(size) for size in sizes]), sizes)
    made = hyperx(*sizes)
    assert nx.utils.graphs_equal(simple_graph(made), expected)
    assert made.diameter == sum(size > 1 for size in sizes)
    assert is_regular(made, sum(size - 1 for size in sizes))
    assert made.num_routers == math.prod(sizes)


def test_torus_of_one_dimension() -> None:
    """A torus of one dimension is a ring."""
    assert nx.utils.graphs_equal(simple_graph(torus(7)), simple_graph(ring(7)))


def test_mesh_is_drawn_row_by_row() -> None:
    """Columns of a mesh run to the right and rows down."""
    assert mesh(2, 3).positions is not None
    assert mesh(2, 3).positions.tolist() == [[0, 0], [1, 0], [2, 0], [0, -1], [1, -1], [2, -1]]  # type: ignore[union-attr]
