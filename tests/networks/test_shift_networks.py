"""Kautz and de Bruijn networks."""

from itertools import product

import networkx as nx
import pytest

from pavane.networks import de_bruijn, kautz
from tests.networks.graphs import digraph, is_regular

KAUTZ = [(2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)]


@pytest.mark.parametrize(("degree", "diameter"), KAUTZ)
def test_kautz(degree: int, diameter: int) -> None:
    """Kautz networks have D^K + D^(K-1) routers, D channels out of and into each, and diameter K."""
    made = kautz(degree, diameter)
    assert made.num_routers == degree**diameter + degree ** (diameter - 1)
    assert is_regular(made, degree)
    assert made.diameter == diameter


def test_names() -> None:
    """Routers of kautz:3,2 are the words of two different letters out of four, in order."""
    words = "01 02 03 10 12 13 20 21 23 30 31 32"
    assert kautz(3, 2).routers == tuple(words.split())


@pytest.mark.parametrize(("degree", "diameter"), KAUTZ)
def test_kautz_is_a_line_digraph(degree: int, diameter: int) -> None:
    """The Kautz digraph of diameter K + 1 is the line digraph of the one of diameter K."""
    small, large = kautz(degree, diameter), kautz(degree, diameter + 1)
    # The channel from x1 ... xK to x2 ... xK y stands for the word x1 ... xK y.
    word = {(a, b): small.routers[a] + small.routers[b][-1] for a, b in small.channels.tolist()}
    line = nx.relabel_nodes(nx.line_graph(nx.DiGraph(digraph(small))), word)
    assert nx.utils.graphs_equal(line, nx.relabel_nodes(nx.DiGraph(digraph(large)), dict(enumerate(large.routers))))


def test_many_letters() -> None:
    """Letters beyond 9 are a, b, c ...; beyond 36 they are numbers with dots between."""
    assert kautz(11, 2).routers[-1] == "ba"
    assert kautz(36, 2).routers[-1] == "36.35"


def test_shortest_paths_are_unique() -> None:
    """Between two routers of a Kautz network there is one shortest path."""
    made = kautz(3, 2)
    for source, target in product(range(12), repeat=2):
        assert made.num_shortest_paths(source, target) == 1


@pytest.mark.parametrize(("degree", "diameter"), [(2, 1), (2, 2), (2, 4), (3, 2), (3, 3)])
def test_de_bruijn(degree: int, diameter: int) -> None:
    """De Bruijn networks have a router for each word of K letters, and channels shift a letter in, without loops."""
    made = de_bruijn(degree, diameter)
    words = ["".join(word) for word in product("0123456789"[:degree], repeat=diameter)]
    shifts = {(a, b) for a, b in product(words, repeat=2) if a[1:] == b[:-1] and a != b}
    assert made.num_routers == len(words)
    assert {(words[a], words[b]) for a, b in made.channels.tolist()} == shifts
    assert made.num_channels == degree ** (diameter + 1) - degree
    assert made.diameter == diameter
