"""Graphs of NetworkX as networks, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

import pavane
from pavane.errors import InputError
from pavane.networks import FAMILIES


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_network_comes_back_from_its_graph(family: Any) -> None:
    """Routers, channels, capacities, processors and positions are kept, in their order."""
    network = pavane.network(family.example)
    assert pavane.network(network.to_networkx()) == network


def test_attributes_say_processors_positions_and_capacities() -> None:
    """An undirected edge is a link; a node without processors is a pure switch."""
    graph = networkx.Graph(name="pair on a switch")
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
    assert pavane.network(networkx.DiGraph([(0, 1), (1, 0)])).num_channels == 2
    assert pavane.network(networkx.MultiGraph([(0, 1), (0, 1)])).channels.tolist() == [[0, 1], [1, 0]] * 2
    assert pavane.network(networkx.grid_2d_graph(2, 2)).routers == ("0,0", "0,1", "1,0", "1,1")
    assert pavane.from_networkx(networkx.path_graph(3), name="three").name == "three"


def test_a_graph_is_read_as_its_file_is(tmp_path: Path) -> None:
    """Node-link JSON of a graph, read as a file, is the same network."""
    graph = networkx.random_regular_graph(3, 8, seed=1)
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        data["capacity"] = 1 + number % 3
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="edges")))
    assert pavane.read_network(path) == pavane.from_networkx(graph, name="graph")


def test_what_a_graph_says_beyond_a_network_is_told() -> None:
    """An edge without a capacity beside others with one carries one message a step, and a note says so."""
    graph = networkx.path_graph(3)
    graph.edges[0, 1]["capacity"] = 2
    with pytest.warns(UserWarning, match="1 edge without `capacity` carries 1 a step"):
        assert pavane.network(graph).capacity.tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("graph", "text"),
    [
        (
            5,
            "5 is neither a text nor a graph of NetworkX; write family:parameters, for example ring:8, or give a Graph",
        ),
        (None, "None is neither a text nor a graph"),
        ([(0, 1)], "neither a text nor a graph"),
        (networkx.Graph(), "it has no routers"),
        (networkx.Graph([(1, "1")]), "two nodes have the same name as texts"),
        (networkx.Graph([(0, 0)]), "runs from router 0 to itself"),
    ],
)
def test_what_is_no_network_is_refused(graph: Any, text: str) -> None:
    """One line says what is wrong."""
    with pytest.raises(InputError, match=text):
        pavane.network(graph)


@pytest.mark.parametrize("value", [-1, 1.5, "two", True])
def test_processors_are_whole_numbers(value: Any) -> None:
    """A node with another number of processors is refused."""
    graph = networkx.path_graph(2)
    graph.nodes[0]["processors"] = value
    with pytest.raises(InputError, match="has processors"):
        pavane.network(graph)


def test_a_network_is_itself() -> None:
    """`network` takes what is one already."""
    octagon = pavane.network("octagon")
    assert pavane.network(octagon) is octagon
