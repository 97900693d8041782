"""Networks from NetworkX node-link JSON and GraphML: an undirected edge is a link, a directed one a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pavane.errors import InputError
from pavane.io.attributed_graphs import Edge, network_of
from pavane.io.files import File, refuse_if_large
from pavane.io.format import Format
from pavane.io.objects import decoded
from pavane.io.parsing import root_of, shown
from pavane.model.network import Network

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


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

    _refuse_loose(file, root_of(file, "GraphML", len(file.data)))  # entities, too, which NetworkX would expand
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


def _refuse_loose(file: File, root: Element) -> None:
    """Refuse what NetworkX reads as something else: more graphs than one, and nodes and edges without their names."""
    graphs = [part for part in root if _tag(part) == "graph"]
    if len(graphs) > 1:
        raise InputError(f"{file}: {len(graphs)} graphs are in this file, where one was expected; leave one <graph>")
    for graph in graphs:
        default = graph.get("edgedefault", "undirected")
        if default not in ("directed", "undirected"):
            raise InputError(f"{file}: `edgedefault` is {shown(default)}; write undirected or directed")
        names = [part.get("id") for part in graph if _tag(part) == "node"]
        if None in names or len(set(names)) < len(names):
            raise InputError(f"{file}: a <node> has no id, or the id of another; give each its own")
        known = set(names)
        for edge in graph:
            for end in (edge.get("source"), edge.get("target")) if _tag(edge) == "edge" else ():
                if end not in known:
                    raise InputError(f"{file}: an <edge> joins {shown(end)}, which is no <node> of the file")


def _tag(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _name(identifier: object) -> str:
    return ",".join(map(str, identifier)) if isinstance(identifier, list) else str(identifier)


NODE_LINK = Format(
    "node-link", "node-link JSON of NetworkX: edges are links, or channels if directed", is_node_link, read_node_link
)
GRAPHML = Format("graphml", "GraphML: edges are links, or channels if directed", is_xml, read_graphml)
