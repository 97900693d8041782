"""Whatever NetworkX writes of a graph is read as that graph, channel for channel."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import Note, parse_network
from pavane.io.files import collect_notes
from pavane.model.network import Network


def named_channels(network: Network) -> Counter[tuple[str, str]]:
    """Count the channels of a network between the names of routers."""
    return Counter((network.routers[tail], network.routers[head]) for tail, head in network.channels.tolist())


def named_edges(graph: Any) -> Counter[tuple[str, str]]:
    """Count the channels that a graph stands for."""
    ends = [(str(a), str(b)) for a, b in graph.edges()]
    return Counter(ends if graph.is_directed() else ends + [(b, a) for a, b in ends])


def as_json(graph: Any, file: io.BytesIO, edges: str = "edges") -> None:
    """Write a graph as node-link JSON, with the key of today or of before NetworkX 3.4."""
    file.write(json.dumps(nx.node_link_data(graph, edges=edges)).encode())


WRITERS: dict[str, tuple[Callable[..., None], str]] = {
    "edge list": (nx.write_edgelist, "edge-list"),
    "edge list without data": (lambda graph, file: nx.write_edgelist(graph, file, data=False), "edge-list"),
    "graphml": (nx.write_graphml_xml, "graphml"),
    "node-link": (as_json, "node-link"),
    "node-link of before": (partial(as_json, edges="links"), "node-link"),
}
"""Each way to write a graph, and the format that it is; lists do not say whether the graph is directed."""

WITHOUT_DATA = ("edge list without data",)


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Draw a graph of any kind: directed or not, with parallel edges or not, names or numbers, bandwidths or not."""
    kind = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
    number = draw(st.integers(2, 8))
    named = draw(st.booleans())
    names: list[Any] = [f"r{i}" if named else i for i in draw(st.permutations(range(number)))]
    has_speeds = draw(st.booleans())
    graph = kind()
    graph.add_nodes_from(names)
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda pair: pair[0] != pair[1])
    for a, b in draw(st.lists(ends, min_size=1, max_size=14)):
        speed = {"bandwidth": draw(st.sampled_from([1, 2, 5, 12.5, 25.0]))} if has_speeds else {}
        graph.add_edge(a, b, **speed)
    return graph


def written(graph: Any, write: Callable[..., None]) -> bytes:
    """Return what a writer writes."""
    file = io.BytesIO()
    write(graph, file)
    return file.getvalue()


def read(data: bytes, form: str | None) -> tuple[Any, list[str]]:
    """Read a network, and return it with the notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Note)
        found = parse_network(data, "f", form)
    return found, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("how", WRITERS)
@given(graph=graphs())
def test_with_the_format_named(how: str, graph: Any) -> None:
    """Routers and channels are those of the graph; a note says what bandwidths became."""
    write, form = WRITERS[how]
    is_list = form.endswith("-list")
    found, notes = read(written(graph, write), f"directed-{form}" if is_list and graph.is_directed() else form)
    assert named_channels(found) == named_edges(graph)
    lone = {str(node) for node in graph if not graph.degree(node)}
    assert set(found.routers) == set(map(str, graph)) - (lone if form == "edge-list" else set())
    speeds = [speed for _, _, speed in graph.edges(data="bandwidth") if speed is not None]
    if how not in WITHOUT_DATA and len(set(speeds)) > 1:
        assert any("`bandwidth`" in text and "became capacities" in text for text in notes)
        assert found.capacity.max() / found.capacity.min() == max(speeds) / min(speeds)
    elif form != "edge-list":
        assert not notes


@pytest.mark.parametrize("how", WRITERS)
@given(graph=graphs())
def test_recognized(how: str, graph: Any) -> None:
    """A file that says all is read without a word of the user; of the others none of an undirected graph is misread."""
    write, form = WRITERS[how]
    if form.endswith("-list") and graph.is_directed():
        return
    assert named_channels(read(written(graph, write), None)[0]) == named_edges(graph)


def test_grids_of_networkx_are_read() -> None:
    """Their nodes are tuples, which lists write with a space inside."""
    grid = nx.grid_2d_graph(3, 4)
    expected = Counter({("".join(f"{a}".split()), "".join(f"{b}".split())): 1 for a, b in grid.edges()})
    for how in ("edge list", "edge list without data"):
        found, notes = read(written(grid, WRITERS[how][0]), None)
        assert named_channels(found) == expected + Counter({(b, a): 1 for a, b in expected}), how
        assert not notes


def test_names_that_networkx_escapes() -> None:
    """Spaces, quotes and letters beyond ASCII come back as they were, where the format can hold them."""
    graph = nx.Graph([("a b", "\u00fc&<"), ("\u00fc&<", "c")])
    found = read(written(graph, WRITERS["graphml"][0]), None)[0]
    assert Counter(found.routers) == Counter(map(str, graph))


def as_dot(graph: Any, file: io.BytesIO) -> None:
    """Write a graph by pydot."""
    file.write(nx.nx_pydot.to_pydot(graph).to_string().encode())


BRIDGE = {
    "dot": as_dot,
    "gml": nx.write_gml,
    "gexf": nx.write_gexf,
    "graph6": nx.write_graph6,
    "pajek": nx.write_pajek,
    "adjacency-list": nx.write_adjlist,
}


@pytest.mark.parametrize("form", BRIDGE)
def test_other_files_of_networkx_are_the_graphs_that_it_wrote(form: str) -> None:
    """A graph with numbers for names, recognized by how the file begins; an adjacency list by its name."""
    file = io.BytesIO()
    BRIDGE[form](nx.petersen_graph(), file)
    with collect_notes():  # of the weights and names that only drawings have
        network = parse_network(file.getvalue(), "graph", form=form if form == "adjacency-list" else None)
    assert named_channels(network) == named_edges(nx.petersen_graph())


def test_attributes_of_other_files_count() -> None:
    """Labels of GML are names, and `processors` and `capacity` are read from GML and DOT alike."""
    nodes = b'node [ id 3 label "hub" processors 0 ] node [ id 5 label "a" ]'
    gml = b"graph [ " + nodes + b" edge [ source 3 target 5 capacity 2 ] ]"
    dot = b'graph "net" { node [shape=box]; hub [processors=0]; hub -- a [capacity=2]; }'
    for data in (gml, dot):
        network = parse_network(data, "graph")
        assert (network.routers, network.router_of.tolist(), network.capacity.tolist()) == (("hub", "a"), [1], [2, 2])


GEXF = """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected">
<nodes><node id="0"/><node id="0"/><node id="1"/></nodes><edges><edge id="0" source="0" target="1"/></edges>
</graph></gexf>"""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"graph { subgraph s { a -- b } b -- c }", "it has subgraphs"),
        (b"graph { node [processors=2]; a -- b }", "`processors` is a default"),
        (b"graph { a:left -- b }", "groups or ports"),
        (b"digraph { a -> b [dir=both] }", "an edge has a `dir`"),
        (b"graph { a -- }", "not DOT that can be read"),
        (b"graph [ node [ id 1 ] node [ id 1 ] ]", "not GML that can be read"),
        (b"*Vertices 2\n1 a\n2 b\n*Arcs\n1 2\n*Edges\n1 2\n", "read are *Vertices and one of"),
        (b"*Vertices 3\n1 a\n2 b\n3 a\n*Edges\n1 2\n", "which is not the number in *Vertices"),
        (b">>graph6<<A_\nA_\n", "2 graphs are in this file"),
        (b">>graph6<<~~~~~~~~~~", "graph"),
        (GEXF.encode(), "give each an id of its own"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><gexf>&a;</gexf>", "declares entities"),
    ],
)
def test_what_networkx_would_leave_out_is_refused(data: bytes, text: str) -> None:
    """In one line, instead of another network."""
    with pytest.raises(InputError, match=re.escape(text)):
        parse_network(data, "graph")
