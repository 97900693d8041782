"""Graphs that NetworkX reads: as they are written, and refused where NetworkX would make another network of them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import read_network
from pavane.io.files import collect_notes
from pavane.model.network import Network
from tests.io.formats.samples import DOT, GEXF, GML, PAJEK


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
        ("digraph { a -> b; b -> c -> a }", "ab bc ca"),
        ("graph { a -- b a -- b; b -- a }", "ab ab ab ba ba ba"),
        ("strict graph { a -- b; a -- b; b -- a }", "ab ba"),
        ("strict digraph { a -> b; a -> b; b -> a }", "ab ba"),
        ("graph { a -- {b c} }", "ab ba ac ca"),
        ("graph { subgraph s { a -- b; subgraph t { b -- c } } c -- a }", "ab ba bc cb ca ac"),
        ("graph { a -- b; { rank=same; b; c } c -- a }", "ab ba ac ca"),
        ('graph "with a name" { "a" -- b [label="x -- y"] }', "ab ba"),
        ("graph{a--b;graph[x=1]y=2;node[z=3];edge[w=4]}", "ab ba"),
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


REFUSED = [
    ("dot", "graph { a -- ", "not DOT that can be read"),
    ("dot", "graph {\n a -> b }", "`->` does not go with `graph`"),
    ("dot", "graph { a -- b } graph { c }", "2 graphs are in this file"),
    ("dot", "graph { a [processors=many] }", "node 'a' has processors 'many'; give a whole number"),
    ("dot", "graph { node [processors=0]; a -- b }", "`processors` is a default, which is not read"),
    ("dot", "graph { subgraph s { edge [capacity=2]; a -- b } }", "`capacity` is a default, which is not read"),
    ("dot", "graph { a -- { b -- c } }", "an edge leads to a group with edges of its own"),
    ("dot", "digraph { a -> b [dir=both] }", "an edge has dir=both; write an edge for each direction"),
    ("dot", "graph { a:p -- b }", "'a:p' is a port of a node; name the node alone"),
    ("dot", 'graph { "a":p -- b }', "is a port of a node"),
    ("dot", "graph { }", "it has no routers"),
    ("gml", GML.replace("id 20", "", 1), "node #1 has no 'id' attribute"),
    ("gml", GML.replace("id 20", "id 10", 1), "node id 10 is duplicated"),
    ("gml", GML.replace("source 10", "source 70", 1), "edge #0 has undefined source 70"),
    ("gml", GML.replace("  multigraph 1\n", ""), "edge #2 (10--30) is duplicated"),
    ("gml", GML.replace("processors 0", 'processors "0"'), "node 'hub & all' has processors '0'; give a whole"),
    ("gml", GML.rstrip()[:-1], "not GML that can be read"),
    ("gml", GML + GML, "input contains more than one graph"),
    ("gexf", GEXF.replace('source="7"', 'source="1"', 1), "NetworkX reads other nodes than the <node> of this file"),
    (
        "gexf",
        GEXF.replace('edge id="1"', 'edge id="0"').replace('target="9"', 'target="8"'),
        "NetworkX reads 1 of 2 edges; give each an id",
    ),
    ("gexf", GEXF.replace('target="8"', 'target="8" type="directed"'), "Directed edge found in undirected graph"),
    ("gexf", GEXF.replace('id="8"', 'id="7"'), "NetworkX reads other nodes than the <node> of this file"),
    ("gexf", GEXF.replace('value="0"', 'value="-1"'), "node 'switch' has processors -1; give a whole number"),
    ("gexf", "<gexf/>", "not GEXF of Gephi that can be read"),
    ("gexf", GEXF[:-9], "not GEXF that can be read"),
    ("pajek", PAJEK + "*Edges\n1 2\n", "its parts are *network *vertices *arcs *edges; read are *Vertices and one of"),
    ("pajek", PAJEK.replace("*Arcs", "*Arcslist"), "its parts are *network *vertices *arcslist"),
    ("pajek", PAJEK.replace("4 1 1\n", "5 1 1\n"), "5 vertices are named, which is not the number in *Vertices"),
    ("pajek", PAJEK.replace("3 third", "3"), "not Pajek that can be read"),
    ("pajek", "% nothing\n", "its parts are missing; read are *Vertices and one of"),
    ("graph6", ">>graph6<<Bw\nBw\n", "2 graphs are in this file, where one was expected; leave one line"),
    ("graph6", ">>graph6<<", "0 graphs are in this file"),
    ("graph6", ">>graph6<<Bww", "not graph6 or sparse6 that can be read"),
    ("graph6", ">>digraph6<<&BP_", "not graph6 or sparse6 that can be read"),
    ("graph6", ":~~~~~~~~", "large a network"),
    ("adjacency-list", "a b\nb a\n", "every edge is listed at both ends; `form=directed-adjacency-list` reads each"),
    ("adjacency-list", "0 2\n1 {'weight': 2}\n2 {}\n", "an adjacency list has no attributes in braces"),
    ("adjacency-list", "", "the file is empty"),
]


@pytest.mark.parametrize(("form", "text", "said"), REFUSED)
def test_what_would_be_another_network_is_refused(form: str, text: str, said: str, tmp_path: Path) -> None:
    """One line that begins with the file's name."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(tmp_path / "g", text, form)
    assert str(caught.value).startswith(str(tmp_path / "g"))
    assert str(caught.value).isprintable()


def test_what_is_drawn_only_is_left_out(tmp_path: Path) -> None:
    """Colours, shapes and labels of a drawing do not matter."""
    assert read(tmp_path / "g", DOT, "dot").num_routers == 3
