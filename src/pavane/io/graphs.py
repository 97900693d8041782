"""Networks from graphs with attributes: those of NetworkX and node-link JSON; and graphs of networks.

An undirected edge is a link, a directed one a channel; parallel edges are parallel channels. A router carries one
processor unless its attribute `processors` gives another number (0: a pure switch); `box` is the machine that it is in,
-1 for a switch between machines. Attributes `x` and `y`, or `pos`, are its position. An edge's `capacity`, or else its
`bandwidth`, becomes the capacity of its channels. Other attributes are not read, and a note names them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pavane.errors import InputError, shortened
from pavane.io.capacities import LOOKS, EdgeCapacities, note_unread
from pavane.io.files import File, refuse_if_large
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder
from pavane.io.objects import decode
from pavane.io.parsing import shown
from pavane.model.network import Network
from pavane.text import counted

if TYPE_CHECKING:
    import networkx

MOST_PROCESSORS = 4_000_000

NODE_KEYS = LOOKS | {"id", "name", "label", "processors", "box", "x", "y", "z"}
"""Attributes of nodes that are read, name a node, or are about its looks."""

Attributes = Mapping[str, Any]


class GraphEdge(NamedTuple):
    """An edge between nodes, given by their ids."""

    tail: str
    head: str
    is_link: bool
    """Whether it goes both ways."""
    attributes: Attributes


def network_of(
    file: File,
    nodes: Sequence[tuple[str, Attributes]],
    edges: Iterable[GraphEdge],
    called: str | None = None,
) -> Network:
    """Return the network of a graph whose nodes are given by id, named after the file unless a name is given."""
    number = {identifier: index for index, (identifier, _) in enumerate(nodes)}
    if len(number) < len(nodes):
        raise InputError(f"{file}: two nodes have the same `id`; give each its own")
    builder, of_nodes = NetworkBuilder(file), Counter[str]()
    for name, data in nodes:
        builder.router(name, _processors(file, name, data))
        of_nodes.update(key for key in data if key.lower() not in NODE_KEYS)
    attributes = EdgeCapacities(file)
    ways: list[int] = []
    num_loops = 0
    for edge in edges:
        if edge.tail == edge.head and edge.tail in number:
            num_loops += 1
            continue
        for end in (edge.tail, edge.head):
            if end not in number:
                raise InputError(f"{file}: edge[{len(ways)}] joins {shown(end)}, which is not a node of the file")
        (builder.link if edge.is_link else builder.channel)(number[edge.tail], number[edge.head])
        attributes.see(len(ways), edge.attributes)
        ways.append(2 if edge.is_link else 1)
    if num_loops:
        file.note(f"{counted(num_loops, 'edge')} from a node to itself left out; a processor needs no network for that")
    capacities = zip(attributes.capacities(len(ways)), ways, strict=True)
    builder.capacities = [capacity for capacity, count in capacities for _ in range(count)]
    note_unread(file, {"nodes": of_nodes, "edges": attributes.unread})
    positions = [position for _, data in nodes if (position := _position(data)) is not None]
    return builder.network(
        positions if len(positions) == len(nodes) else None,
        name=called,
        boxes=_boxes(file, [data for _, data in nodes]),
    )


def _boxes(file: File, nodes: Sequence[Attributes]) -> list[int] | None:
    """Return the machine of each router; None where the nodes do not say it."""
    boxes = [data["box"] for data in nodes if isinstance(data.get("box"), int)]
    if len(boxes) == len(nodes):
        return boxes
    if any("box" in data for data in nodes):
        file.note("`box` is left out: it is the number of a machine at some nodes only, and needed at all")
    return None


def _processors(file: File, name: str, data: Attributes) -> int:
    value = data.get("processors", 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_PROCESSORS:
        raise InputError(
            f"{file}: node {shown(name)} has processors {shown(value)}; give a whole number, 0 for a pure switch"
        )
    return value


def _position(data: Attributes) -> tuple[float, float] | None:
    given = data.get("pos", (data.get("x"), data.get("y")))
    if isinstance(given, (list, tuple)) and len(given) == 2 and all(isinstance(v, (int, float)) for v in given):
        return float(given[0]), float(given[1])
    return None


def from_networkx(graph: networkx.Graph, name: str | None = None) -> Network:
    """Return the network that a graph of NetworkX describes; `pavane.network` takes graphs, too.

    Args:
        graph: A Graph, DiGraph, MultiGraph or MultiDiGraph. An undirected edge is a link, a directed one a channel,
            and parallel edges are parallel channels. The `nodes` may have `processors` (1 unless given, 0 for a pure
            switch) and positions (`pos`, or `x` and `y`), edges `capacity`; the graph attribute `gpus` marks a machine
            of GPUs.
        name: The name of the network; that of the graph unless given.

    Returns:
        The network. Its routers are the `nodes`, in their order, and bear their names.

    Example:
        >>> import networkx
        >>> pavane.from_networkx(networkx.petersen_graph())
        <Network Petersen Graph: 10 routers, 30 channels, 10 processors>
    """
    if not is_graph(graph):
        raise InputError(
            f"{shortened(graph)} is neither a text nor a graph of NetworkX; write family:parameters, for example "
            "ring:8, or give a Graph"
        )
    called = name if name is not None else str(graph.graph.get("name") or "graph")
    # Errors and notes use this name; there are no bytes.
    network = network_of_graph(File(called, memoryview(b"")), graph, called=called)
    return network.of_gpus() if graph.graph.get("gpus") is True else network


def network_of_graph(file: File, graph: networkx.Graph, called: str | None = None) -> Network:
    """Return the network that a graph of NetworkX describes, perhaps with the defaults of a GraphML file."""
    names = {node: _router_name(node) for node in graph.nodes}
    of_nodes, of_edges = (_plain(graph.graph.get(f"{each}_default") or {}) for each in ("node", "edge"))
    nodes = [(names[node], of_nodes | _plain(data)) for node, data in graph.nodes(data=True)]
    if len(set(names.values())) < len(names):
        raise InputError(f"{file}: two nodes have the same name as texts, like 1 and '1'; rename one of them")
    is_link = not graph.is_directed()
    edges = (
        GraphEdge(names[tail], names[head], is_link, of_edges | _plain(data)) for tail, head, data in _in_order(graph)
    )
    return network_of(file, nodes, edges, called)


def to_networkx(network: Network) -> networkx.MultiDiGraph:
    """Return a network as a graph of NetworkX; `Network.to_networkx` is this.

    Args:
        network: The network.

    Returns:
        A MultiDiGraph with one of its `nodes` for each router, by its name, and an edge for each channel, whose key is
        its number. The `nodes` have `processors`, and `pos` where there are positions; edges have `capacity`.

    Example:
        >>> graph = pavane.to_networkx(pavane.network("octagon"))
        >>> pavane.network(graph) == pavane.network("octagon")
        True
    """
    import networkx

    graph = networkx.MultiDiGraph(name=network.name, **({"gpus": True} if network.has_gpus else {}))
    positions = [None] * network.num_routers if network.positions is None else network.positions.tolist()
    for router, at in enumerate(positions):
        drawn = {} if at is None else {"pos": tuple(at)}
        boxed = {} if network.boxes is None else {"box": int(network.boxes[router])}
        graph.add_node(network.routers[router], processors=len(network.processors_on[router]), **drawn, **boxed)
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        ends = network.routers[tail], network.routers[head]
        graph.add_edge(*ends, key=channel, capacity=int(network.capacity[channel]))
    return graph


def _in_order(graph: networkx.Graph) -> list[tuple[Any, Any, dict[Any, Any]]]:
    """Return the edges as the graph lists them; where their keys number them all, as in our own graphs, by these."""
    if not graph.is_multigraph():
        return list(graph.edges(data=True))
    edges = list(graph.edges(keys=True, data=True))
    if {key for _, _, key, _ in edges} == set(range(len(edges))):
        edges.sort(key=lambda edge: edge[2])
    return [(tail, head, data) for tail, head, _, data in edges]


def is_graph(value: Any) -> bool:
    """Return whether a value is a graph of NetworkX, by its attributes, without importing NetworkX."""
    return all(hasattr(value, name) for name in ("nodes", "edges", "is_directed", "is_multigraph", "graph"))


def _router_name(node: object) -> str:
    """Return the name of a router: texts as they are, a pair like (0, 1) as 0,1."""
    return ",".join(map(str, node)) if isinstance(node, list | tuple) else str(node)


def _plain(attributes: dict[Any, Any]) -> dict[str, Any]:
    """Return attributes with numbers of numpy as plain ones, by names that are texts."""
    return {str(key): _plain_value(value) for key, value in attributes.items()}


def _plain_value(value: Any) -> Any:
    listed = value.tolist() if hasattr(value, "tolist") else value
    return tuple(map(_plain_value, listed)) if isinstance(listed, list | tuple) else listed


class NodeLinkFile(msgspec.Struct):
    """What is used of a node-link file; NetworkX writes `edges` or, before version 3.4, `links`."""

    nodes: list[dict[str, Any]]
    directed: bool = False
    links: list[dict[str, Any]] | None = None
    edges: list[dict[str, Any]] | None = None


def is_node_link(file: File) -> bool:
    """Return whether a file is node-link JSON: it names no format and has nodes."""
    return file.keys is not None and file.keys.format is None and bool(file.keys.nodes)


def read_node_link(file: File) -> Network:
    """Read a network from node-link JSON."""
    refuse_if_large(file)
    found = decode(file.data, NodeLinkFile, file)
    listed = found.edges if found.links is None else found.links
    if listed is None:
        raise InputError(f"{file}: a node-link file needs `edges` (or `links`) beside its `nodes`")
    nodes = []
    for index, node in enumerate(found.nodes):
        if "id" not in node or isinstance(node["id"], (dict, bool, type(None))):
            raise InputError(f"{file}: nodes[{index}] has no usable `id`; give each node a name or number")
        nodes.append((_router_name(node["id"]), node))
    edges = []
    for index, edge in enumerate(listed):
        if not {"source", "target"} <= edge.keys():
            raise InputError(f"{file}: edges[{index}] needs `source` and `target`")
        edges.append(GraphEdge(_router_name(edge["source"]), _router_name(edge["target"]), not found.directed, edge))
    return network_of(file, nodes, edges)


NODE_LINK = Format(
    "node-link", "node-link JSON of NetworkX: edges are links, or channels if directed", is_node_link, read_node_link
)
