"""Graphs of NetworkX, node-link JSON and GraphML become networks, and networks graphs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import pavane
from pavane.errors import InputError
from pavane.io import Note, read_network
from pavane.io.files import collect_notes
from pavane.networks import FAMILIES


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_network_comes_back_from_its_graph(family: Any) -> None:
    """Routers, channels, capacities, processors and positions are kept, in their order."""
    network = pavane.network(family.example)
    assert pavane.network(network.to_networkx()) == network


def test_attributes_say_processors_positions_and_capacities() -> None:
    """An undirected edge is a link; a node without processors is a pure switch."""
    graph = nx.Graph(name="pair on a switch")
    graph.add_node("a", pos=(0, 0))
    graph.add_node("b", pos=np.array([2.0, 0.5]), processors=np.int64(2))
    graph.add_node("s", x=1, y=1, processors=0)
    graph.add_edge("a", "s", capacity=np.int32(4))
    graph.add_edge("s", "b", capacity=2.0)
    network = pavane.network(graph)
    assert repr(network) == "<Network pair on a switch: 3 routers, 4 channels, 3 processors>"
    assert network.router_of.tolist() == [0, 1, 1]
    assert network.capacity.tolist() == [4, 4, 2, 2]
    assert network.positions is not None
    assert network.positions.tolist() == [[0, 0], [2, 0.5], [1, 1]]


def test_directed_and_parallel_edges_are_channels() -> None:
    """A directed edge is one channel; parallel ones are several; nodes may be numbers or tuples."""
    assert pavane.network(nx.DiGraph([(0, 1), (1, 0)])).num_channels == 2
    assert pavane.network(nx.MultiGraph([(0, 1), (0, 1)])).channels.tolist() == [[0, 1], [1, 0]] * 2
    assert pavane.network(nx.grid_2d_graph(2, 2)).routers == ("0,0", "0,1", "1,0", "1,1")
    assert pavane.from_networkx(nx.path_graph(3), name="three").name == "three"


@pytest.mark.parametrize(
    ("graph", "text"),
    [
        (
            5,
            "5 is neither a text nor a graph of NetworkX; write family:parameters, for example ring:8, or give a Graph",
        ),
        (nx.Graph(), "it has no routers"),
        (nx.Graph([(1, "1")]), "two nodes have the same name as texts"),
        (nx.from_dict_of_dicts({0: {1: {"capacity": 0}}}), "give numbers above 0"),
    ],
)
def test_what_is_no_network_is_refused(graph: Any, text: str) -> None:
    """One line says what is wrong; what is a network already is taken."""
    octagon = pavane.network("octagon")
    assert pavane.network(octagon) is octagon
    with pytest.raises(InputError, match=text):
        pavane.network(graph)


def test_edges_from_a_node_to_itself_are_left_out() -> None:
    """A loop is no channel; a note says how many there were, and the capacities stay with their edges."""
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 0, 5), (0, 1, 2), (1, 1, 5), (1, 2, 1)], weight="capacity")
    with pytest.warns(Note, match="2 edges from a node to itself left out"):
        found = pavane.network(graph)
    assert found.channels.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert found.capacity.tolist() == [2, 2, 1, 1]


def as_json(graph: Any, path: Path) -> Path:
    """Write a graph as node-link JSON."""
    path.write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    return path


def as_graphml(graph: Any, path: Path) -> Path:
    """Write a graph as GraphML."""
    nx.write_graphml_xml(graph, path)
    return path


@pytest.mark.parametrize("form", ["json", "graphml"])
def test_processors_and_positions_are_attributes(form: str, tmp_path: Path) -> None:
    """`processors` says how many a router carries, 0 for a pure switch; `x` and `y` say where it is drawn."""
    graph = nx.Graph()
    graph.add_node("hub", processors=0, x=0.0, y=0.0, colour="red")
    graph.add_node("fat", processors=2, x=1.0, y=0.5, colour="blue")
    graph.add_node("slim", x=-1.0, y=2.0, colour="blue")
    graph.add_edges_from([("hub", "fat", {"bandwidth": 3.5}), ("hub", "slim", {"bandwidth": 1.0})])
    path = tmp_path / f"star.{form}"
    with pytest.warns(Note, match=re.escape(f"{path}: `bandwidth` 1 and 3.5 became capacities 2 and 7")):
        found = read_network(as_json(graph, path) if form == "json" else as_graphml(graph, path))
    assert found.routers == ("hub", "fat", "slim")
    assert found.router_of.tolist() == [1, 1, 2]
    assert found.capacity.tolist() == [7, 7, 2, 2]
    assert found.positions is not None
    assert found.positions.tolist() == [[0.0, 0.0], [1.0, 0.5], [-1.0, 2.0]]


def test_positions_of_some_routers_only_are_left_alone(tmp_path: Path) -> None:
    """A drawing needs a place for every router."""
    graph = nx.path_graph(2)
    graph.nodes[0].update(x=0.0, y=0.0)
    assert read_network(as_json(graph, tmp_path / "g.json")).positions is None


# -- refusals


NAMESPACE = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
COUNTS = (
    '<key id="p" for="node" attr.name="processors" attr.type="int"><default>2</default></key>'
    '<key id="c" for="edge" attr.name="capacity" attr.type="int"><default>3</default></key>'
)
KEYS = "".join(f'<key id="{axis}" for="node" attr.name="{axis}" attr.type="double"/>' for axis in "xy")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"nodes": [{"id": 0}]}, "a node-link file needs `edges` (or `links`) beside its `nodes`"),
        ({"nodes": [{"name": 0}], "edges": []}, "nodes[0] has no usable `id`; give each node a name or number"),
        ({"nodes": [{"id": 0}, {"id": "0"}], "edges": []}, "two nodes have the same `id`; give each its own"),
        ({"nodes": [{"id": 0}], "edges": [{"source": 0}]}, "edges[0] needs `source` and `target`"),
        ({"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 5}]}, "edge[0] joins '5', which is not a node of"),
        ({"nodes": [{"id": 0, "processors": 1.5}], "edges": []}, "node '0' has processors 1.5; give a whole number"),
        (
            {"nodes": [{"id": i, "processors": 4_000_000} for i in range(100)], "edges": []},
            "more than 4,000,000 processors; that is too large a network",
        ),
        ({"nodes": [], "edges": []}, "it has no routers; give at least one"),
        ({"nodes": 5, "edges": []}, "expected `array`, got `int`"),
        ("<", "not GraphML that can be read"),
        ('<?xml version="1.0" encoding="martian"?><graphml/>', "unknown encoding: martian"),
        ("<graphml/>", "not GraphML that can be read: 0 graphs are in this file"),
        ("<graphml><graph><hyperedge/></graph></graphml>", "doesn't support hyperedges"),
        (
            f'<graphml {NAMESPACE}>{KEYS}<graph edgedefault="undirected"><node id="0"><data key="x">inf</data>'
            '<data key="y">nan</data></node></graph></graphml>',
            "positions must be 1 pairs of finite numbers",
        ),
        (
            f'<graphml {NAMESPACE}><graph edgedefault="undirected"><node id="a"><graph edgedefault="undirected">'
            '<node id="b"/></graph></node></graph></graphml>',
            "2 graphs are in this file, where one was expected",
        ),
        (
            f'<graphml {NAMESPACE}>{COUNTS}<graph edgedefault="undirected"><node id="a"/><node id="b"/>'
            '<edge source="a" target="b"><data key="c">many</data></edge></graph></graphml>',
            "edge 'a-b': `capacity` is 'many', not of type int, which its <key> declares",
        ),
        (
            f'<graphml {NAMESPACE}>{COUNTS.replace("2<", "two<")}<graph edgedefault="undirected"/></graphml>',
            "<key> 'p': `processors` is 'two', not of type int, which its <key> declares",
        ),
        ("<graphml>" + "<a>" * 100_000 + "</a>" * 100_000 + "</graphml>", "not GraphML that can be read"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_graph_is_refused(content: dict[str, Any] | str, text: str, tmp_path: Path) -> None:
    """JSON and XML that is broken, too deep or about something else gets one line: what is wrong, and where."""
    path = tmp_path / "g.graphml"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=re.escape(text)) as caught:
        read_network(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_defaults_of_graphml_count(tmp_path: Path) -> None:
    """A node or an edge without an attribute has the <default> of its <key>."""
    path = tmp_path / "g.graphml"
    path.write_text(
        f'<graphml {NAMESPACE}>{COUNTS}<graph edgedefault="undirected"><node id="a"/>'
        '<node id="b"><data key="p">0</data></node><node id="c"/>'
        '<edge source="a" target="b"><data key="c">5</data></edge><edge source="b" target="c"/></graph></graphml>'
    )
    network = read_network(path)
    assert [len(each) for each in network.processors_on] == [2, 0, 2]
    assert network.capacity.tolist() == [5, 5, 3, 3]


def test_attributes_that_are_not_read_are_named(tmp_path: Path) -> None:
    """A misspelt attribute is named in a note; attributes of drawings are not."""
    graph = nx.path_graph(3)
    graph.nodes[0].update(processor=2, shape="box")
    graph.edges[0, 1].update(color="red", lanes=3, owner="me")
    path = as_graphml(graph, tmp_path / "g.graphml")
    with collect_notes() as notes:
        assert read_network(path).num_processors == 3
    assert notes == [f"{path}: attributes that are not read: `processor` of nodes; `lanes`, `owner` of edges"]


def test_the_name_of_a_file_does_not_unpack_it(tmp_path: Path) -> None:
    """GraphML is GraphML, even where a name ends in gz."""
    path = as_graphml(nx.path_graph(2), tmp_path / "g.graphml")
    path = path.rename(tmp_path / "g.gz")
    assert read_network(path).num_channels == 2


def test_attributes_without_a_type_are_left_alone(tmp_path: Path) -> None:
    """What NetworkX would warn about is no business of the user."""
    path = tmp_path / "g.graphml"
    path.write_text(
        f'<graphml {NAMESPACE}><key id="c" for="node" attr.name="colour"/><graph edgedefault="undirected">'
        '<node id="0"><data key="c">red</data></node><node id="1"/><edge source="0" target="1"/></graph></graphml>'
    )
    assert read_network(path).num_channels == 2


def test_graphs_say_which_machine_a_router_is_in() -> None:
    """`box` at every node is kept both ways; at some nodes only it is left out, with a note."""
    made = pavane.network("rails:2,2")
    graph = made.to_networkx()
    found = pavane.network(graph)
    assert found.boxes is not None
    assert made.boxes is not None
    assert found.boxes.tolist() == made.boxes.tolist()
    del graph.nodes["0.0"]["box"]
    with collect_notes() as notes:
        assert pavane.network(graph).boxes is None
    assert notes == [
        "rails:2,2: `box` is left out: it is the number of a machine at some nodes only, and needed at all"
    ]
