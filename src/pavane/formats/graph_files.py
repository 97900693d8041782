"""Networks from NetworkX node-link JSON and GraphML.

An undirected edge is a link, a directed one a channel; parallel edges are parallel channels. A router carries one
processor unless its attribute `processors` says how many (0: a pure switch). Attributes `x` and `y`, or `pos`, say
where to draw it. Other attributes are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from pavane.errors import InputError
from pavane.formats.files import File, refuse_if_large
from pavane.formats.format import Format
from pavane.formats.objects import decoded
from pavane.formats.parsing import root_of
from pavane.model.network import Network

MOST_PROCESSORS = 4_000_000


class NodeLinkFile(msgspec.Struct):
    """What is used of a node-link file; NetworkX writes `edges` or, before version 3.4, `links`."""

    nodes: list[dict[str, Any]]
    directed: bool = False
    links: list[dict[str, Any]] | None = None
    edges: list[dict[str, Any]] | None = None


def is_node_link(file: File) -> bool:
    """Tell node-link JSON: it says no format, and has nodes."""
    return file.keys is not None and file.keys.format is None and bool(file.keys.nodes)


def read_node_link(file: File) -> Network:
    """Read a network from node-link JSON."""
    refuse_if_large(file)
    found = decoded(file.data, NodeLinkFile, file)
    listed = found.edges if found.links is None else found.links
    if listed is None:
        raise InputError(f"{file}: a node-link file needs `edges` (or `links`) beside its `nodes`")
    nodes = {}
    for index, node in enumerate(found.nodes):
        if "id" not in node or isinstance(node["id"], (dict, bool, type(None))):
            raise InputError(f"{file}: nodes[{index}] has no usable `id`; give each node a name or number")
        nodes[_name(node["id"])] = node
    if len(nodes) < len(found.nodes):
        raise InputError(f"{file}: two nodes have the same `id`; give each its own")
    ends = []
    for index, edge in enumerate(listed):
        if not {"source", "target"} <= edge.keys():
            raise InputError(f"{file}: edges[{index}] needs `source` and `target`")
        ends.append((_name(edge["source"]), _name(edge["target"])))
    return _network(file, nodes, ends, found.directed)


def is_xml(file: File) -> bool:
    """Tell XML; GraphML is what is asked after all other formats in XML."""
    return file.first == "<"


def read_graphml(file: File) -> Network:
    """Read a network from GraphML."""
    import io
    import warnings
    import xml.etree.ElementTree as ElementTree

    import networkx

    root_of(file, "GraphML", len(file.data))  # refuses entities, which NetworkX would expand
    unreadable = (ElementTree.ParseError, networkx.NetworkXError, ValueError, LookupError, TypeError, StopIteration)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about types of attributes; those that matter are checked below
            graph = networkx.read_graphml(io.BytesIO(file.data), force_multigraph=True)
    except unreadable as error:
        reason = str(error).splitlines()[0] if str(error) else "no graph in it"
        raise InputError(f"{file}: not GraphML that can be read: {reason}") from None
    nodes = {_name(node): dict(data) for node, data in graph.nodes(data=True)}
    ends = [(_name(a), _name(b)) for a, b in graph.edges()]
    return _network(file, nodes, ends, graph.is_directed())


def _name(identifier: object) -> str:
    return ",".join(map(str, identifier)) if isinstance(identifier, list) else str(identifier)


def _network(
    file: File, nodes: Mapping[str, Mapping[str, Any]], ends: Iterable[tuple[str, str]], directed: bool
) -> Network:
    number = {name: index for index, name in enumerate(nodes)}
    channels = []
    for tail, head in ends:
        for end in (tail, head):
            if end not in number:
                raise InputError(f"{file}: an edge joins {end!r}, which is no node of the file")
        channels.append((number[tail], number[head]))
        if not directed:
            channels.append((number[head], number[tail]))
    router_of: list[int] = []
    for index, (name, data) in enumerate(nodes.items()):
        router_of += [index] * _processors(file, name, data)
        if len(router_of) > MOST_PROCESSORS:
            raise InputError(f"{file}: more than {MOST_PROCESSORS:,} processors; that is too large a network")
    positions = [_position(data) for data in nodes.values()]
    return Network(file.stem, tuple(nodes), channels, router_of, None if None in positions else positions)  # type: ignore[arg-type]


def _processors(file: File, name: str, data: Mapping[str, Any]) -> int:
    value = data.get("processors", 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_PROCESSORS:
        raise InputError(f"{file}: node {name!r} has processors {value!r}; give a whole number, 0 for a pure switch")
    return value


def _position(data: Mapping[str, Any]) -> tuple[float, float] | None:
    given = data.get("pos", (data.get("x"), data.get("y")))
    if isinstance(given, (list, tuple)) and len(given) == 2 and all(isinstance(v, (int, float)) for v in given):
        return float(given[0]), float(given[1])
    return None


NODE_LINK = Format(
    "node-link", "node-link JSON of NetworkX: edges are links, or channels if directed", is_node_link, read_node_link
)
GRAPHML = Format("graphml", "GraphML: edges are links, or channels if directed", is_xml, read_graphml)
