"""Graphs that NetworkX reads: as they are written, and refused where NetworkX would make another network of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.io import read_network
from pavane.io.files import collect_notes
from pavane.model.network import Network
from tests.io.formats.samples import GEXF


def joined(network: Network) -> Counter[tuple[str, str]]:
    """Return the channels by the names of their ends."""
    return Counter((network.routers[a], network.routers[b]) for a, b in network.channels.tolist())


def read(path: Path, text: str, form: str) -> Network:
    """Read a network in a format."""
    path.write_text(text)
    with collect_notes():
        return read_network(path, form)


@pytest.mark.parametrize(
    ("text", "channels"),
    [
        ("graph { a -- b }", "ab ba"),
        ("graph { a -- b a -- b; b -- a }", "ab ab ab ba ba ba"),
        ("strict graph { a -- b; a -- b; b -- a }", "ab ba"),
        ("graph { a -- {b c} }", "ab ba ac ca"),
        ("graph { subgraph s { a -- b; subgraph t { b -- c } } c -- a }", "ab ba bc cb ca ac"),
        ("graph { a -- b; { rank=same; b; c } c -- a }", "ab ba ac ca"),
        ('graph { a -- b [label=<<b>bold</b>>, color="red"] }', "ab ba"),
    ],
)
def test_edges_of_dot_become_channels(text: str, channels: str, tmp_path: Path) -> None:
    """An edge of a graph is a link, of a digraph a channel; those of subgraphs count, and repetitions are parallel."""
    assert joined(read(tmp_path / "g", text, "dot")) == Counter((way[0], way[1]) for way in channels.split())


def test_attributes_of_dot(tmp_path: Path) -> None:
    """`processors` counts, `capacity` says what an edge carries, and `pos` places where every node has one."""
    found = read(
        tmp_path / "g",
        'graph { s [pos="1,2!", processors=0]; a [processors="2" pos="3,4"]; s -- a [capacity="3"] }',
        "dot",
    )
    assert found.router_of.tolist() == [1, 1]
    assert found.capacity.tolist() == [3, 3]
    assert found.positions is not None
    assert found.positions.tolist() == [[1, 2], [3, 4]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 70), st.floats(0, 1), st.integers(0, 9))
def test_graph6_and_sparse6(tmp_path: Path, number: int, density: float, seed: int) -> None:
    """Both notations, of any size and density, with a header or named."""
    graph = nx.gnp_random_graph(number, density, seed=seed)
    for write in (nx.write_graph6, nx.write_sparse6):
        for header in (True, False):
            write(graph, tmp_path / "f", header=header)
            found = read_network(tmp_path / "f", None if header else "graph6")
            assert found.routers == tuple(map(str, range(number)))
            assert joined(found) == Counter((str(a), str(b)) for pair in graph.edges() for a, b in (pair, pair[::-1]))


def test_a_default_of_gexf_counts(tmp_path: Path) -> None:
    """An attribute that a node or an edge does not have is the default of the file."""
    text = GEXF.replace('type="integer"/>', 'type="integer"><default>2</default></attribute>')
    assert read(tmp_path / "g", text, "gexf").router_of.tolist() == [1, 1, 2, 2]
