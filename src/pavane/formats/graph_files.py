"""Networks from NetworkX node-link JSON and GraphML.

An undirected edge is a link, a directed one a channel; parallel edges are parallel channels. A router carries one
processor unless its attribute `processors` says how many (0: a pure switch). Attributes `x` and `y`, or `pos`, say
where to draw it. Other attributes are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pavane.errors import InputError
from pavane.formats.files import stem
from pavane.formats.objects import decoded
from pavane.model.network import Network

MOST_PROCESSORS = 4_000_000


class NodeLinkFile(msgspec.Struct):
    """What is used of a node-link file; NetworkX writes `edges` or, before version 3.4, `links`."""

    nodes: list[dict[str, Any]]
    directed: bool = False
    links: list[dict[str, Any]] | None = None
    edges: list[dict[str, Any]] | None = None


def read_node_link(path: Path, view: memoryview) -> Network:
    """Read a network from node-link JSON."""
    file = decoded(view, NodeLinkFile, path)
    listed = file.edges if file.links is None else file.links
    if listed is None:
        raise InputError(f"{path}: a node-link file needs `edges` (or `links`) beside its `nodes`")
    nodes = {}
    for place, node in enumerate(file.nodes):
        if "id" not in node or isinstance(node["id"], (dict, bool, type(None))):
            raise InputError(f"{path}: nodes[{place}] has no usable `id`; give each node a name or number")
        nodes[_name(node["id"])] = node
    if len(nodes) < len(file.nodes):
        raise InputError(f"{path}: two nodes have the same `id`; give each its own")
    ends = []
    for place, edge in enumerate(listed):
        if not {"source", "target"} <= edge.keys():
            raise InputError(f"{path}: edges[{place}] needs `source` and `target`")
        ends.append((_name(edge["source"]), _name(edge["target"])))
    return _network(path, nodes, ends, file.directed)


def read_graphml(path: Path, view: memoryview) -> Network:
    """Read a network from GraphML."""
    import io
    import warnings
    import xml.etree.ElementTree as ElementTree

    import networkx

    from pavane.formats.imports.opened import root_of

    root_of(path, view, "GraphML", len(view))  # refuses entities, which NetworkX would expand
    unreadable = (ElementTree.ParseError, networkx.NetworkXError, ValueError, LookupError, TypeError, StopIteration)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about types of attributes; those that matter are checked below
            graph = networkx.read_graphml(io.BytesIO(view), force_multigraph=True)
    except unreadable as error:
        reason = str(error).splitlines()[0] if str(error) else "no graph in it"
        raise InputError(f"{path}: not GraphML that can be read: {reason}") from None
    nodes = {_name(node): dict(data) for node, data in graph.nodes(data=True)}
    ends = [(_name(a), _name(b)) for a, b in graph.edges()]
    return _network(path, nodes, ends, graph.is_directed())


def _name(identifier: object) -> str:
    return ",".join(map(str, identifier)) if isinstance(identifier, list) else str(identifier)


def _network(
    path: Path, nodes: Mapping[str, Mapping[str, Any]], ends: Iterable[tuple[str, str]], directed: bool
) -> Network:
    number = {name: place for place, name in enumerate(nodes)}
    channels = []
    for tail, head in ends:
        for end in (tail, head):
            if end not in number:
                raise InputError(f"{path}: an edge joins {end!r}, which is no node of the file")
        channels.append((number[tail], number[head]))
        if not directed:
            channels.append((number[head], number[tail]))
    router_of: list[int] = []
    for place, (name, data) in enumerate(nodes.items()):
        router_of += [place] * _processors(path, name, data)
        if len(router_of) > MOST_PROCESSORS:
            raise InputError(f"{path}: more than {MOST_PROCESSORS:,} processors; that is too large a network")
    positions = [_position(data) for data in nodes.values()]
    return Network(stem(path), tuple(nodes), channels, router_of, None if None in positions else positions)  # type: ignore[arg-type]


def _processors(path: Path, name: str, data: Mapping[str, Any]) -> int:
    value = data.get("processors", 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_PROCESSORS:
        raise InputError(f"{path}: node {name!r} has processors {value!r}; give a whole number, 0 for a pure switch")
    return value


def _position(data: Mapping[str, Any]) -> tuple[float, float] | None:
    place = data.get("pos", (data.get("x"), data.get("y")))
    if isinstance(place, (list, tuple)) and len(place) == 2 and all(isinstance(v, (int, float)) for v in place):
        return float(place[0]), float(place[1])
    return None
