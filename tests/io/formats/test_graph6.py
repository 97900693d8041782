"""graph6 and sparse6: one graph a file, with a header or without."""

from __future__ import annotations

import random
import re
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import read_network
from pavane.io.files import File
from pavane.io.formats.graph6 import GRAPH6


def links(network: object) -> list[tuple[int, int]]:
    """List the links of a network, the lower end first."""
    return sorted((a, b) for a, b in network.channels.tolist() if a < b)  # type: ignore[attr-defined]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 70), st.floats(0, 1), st.integers(0, 9), st.booleans())
def test_whatever_networkx_writes_is_read(tmp_path: Path, number: int, density: float, seed: int, header: bool) -> None:
    """Both notations, of any size and density; graph6 of 28 and 60 vertices begins like JSON."""
    graph = nx.gnp_random_graph(number, density, seed=seed)
    for write in (nx.write_graph6, nx.write_sparse6):
        write(graph, tmp_path / "f", header=header)
        found = read_network(tmp_path / "f")
        assert found.routers == tuple(map(str, range(number)))
        assert links(found) == sorted((min(edge), max(edge)) for edge in graph.edges())


@pytest.mark.parametrize("number", [28, 60, 62, 63, 64, 300])
def test_any_number_of_vertices(number: int, tmp_path: Path) -> None:
    """Numbers above 62 take more characters, and powers of two fill the last one in another way."""
    graph = nx.cycle_graph(number)
    for write in (nx.write_graph6, nx.write_sparse6):
        write(graph, tmp_path / "f", header=False)
        assert links(read_network(tmp_path / "f")) == sorted((min(edge), max(edge)) for edge in graph.edges())


def test_parallel_links_are_parallel(tmp_path: Path) -> None:
    """sparse6 lists them."""
    rng = random.Random(3)
    graph = nx.MultiGraph([rng.sample(range(12), 2) for _ in range(40)])
    graph.add_nodes_from(range(12))
    ordered = nx.MultiGraph()
    ordered.add_nodes_from(range(12))
    ordered.add_edges_from(graph.edges())
    nx.write_sparse6(ordered, tmp_path / "f")
    assert links(read_network(tmp_path / "f")) == sorted((min(a, b), max(a, b)) for a, b in ordered.edges())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"A_\nBw\n", "2 graphs are in this file, where one was expected; leave one line"),
        (b">>graph6<<A_\nBw\nBw\n", "3 graphs are in this file"),
        (b">>graph6<<", "0 graphs are in this file"),
        (
            b">>graph6<<Bww",
            "a graph of 3 vertices has 1 characters behind that in graph6, and here are 2; it may be cut",
        ),
        (b">>graph6<<~?", "'~?' is not a graph in graph6 or sparse6"),
        (b">>graph6<<a b", "'a b' is not a graph in graph6 or sparse6"),
        (b">>digraph6<<&BP_", "digraph6 is not read; write the graph as an edge list with lines like `0 > 1`"),
        (b">>graph6<<?", "it has no routers; give at least one"),
        (b">>sparse6<<:A_\xff", "is not a graph in graph6 or sparse6"),
    ],
)
def test_what_is_no_graph_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    """Several graphs, cut off ones and directed ones get one line."""
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_network(tmp_path / "f")
    assert str(caught.value).isprintable()


def test_a_number_that_is_cut_off_begins_no_graph() -> None:
    """Without a header the whole number of vertices must be there."""
    assert GRAPH6.recognizes(File.of(b"Bw", "f"))
    assert not GRAPH6.recognizes(File.of(b"~?", "f"))
