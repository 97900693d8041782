"""Networks from NetworkX node-link JSON and GraphML: an undirected edge is a link, a directed one a channel."""

from __future__ import annotations

from typing import Any

import msgspec

from pavane.errors import InputError
from pavane.formats.attributed_graphs import Edge, network_of
from pavane.formats.files import File, refuse_if_large
from pavane.formats.format import Format
from pavane.formats.objects import decoded
from pavane.formats.parsing import root_of
from pavane.model.network import Network


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
    edges = []
    for index, edge in enumerate(listed):
        if not {"source", "target"} <= edge.keys():
            raise InputError(f"{file}: edges[{index}] needs `source` and `target`")
        edges.append(Edge(_name(edge["source"]), _name(edge["target"]), not found.directed, edge))
    return network_of(file, nodes, edges)


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
    is_link = not graph.is_directed()
    return network_of(file, nodes, (Edge(_name(a), _name(b), is_link, data) for a, b, data in graph.edges(data=True)))


def _name(identifier: object) -> str:
    return ",".join(map(str, identifier)) if isinstance(identifier, list) else str(identifier)


NODE_LINK = Format(
    "node-link", "node-link JSON of NetworkX: edges are links, or channels if directed", is_node_link, read_node_link
)
GRAPHML = Format("graphml", "GraphML: edges are links, or channels if directed", is_xml, read_graphml)
