"""Networks from GEXF, the format of Gephi.

A node is a router, called by its label if all labels differ and otherwise by its id; an edge is a link, or a channel if
it is directed. Attributes that the file declares are those of other formats: `processors`, `x`, `y`; the position of a
drawing (`viz:position`) counts, too. What begins and ends in time is there all the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import GraphEdge, network_of
from pavane.io.parsing import begins_with_element, children_of, root_of, shown, tag_of
from pavane.model.network import Network

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

KINDS = ("undirected", "mutual", "directed")


def read(file: File) -> Network:
    """Read a network from GEXF."""
    root = root_of(file, "GEXF")
    graphs = children_of(root, "graph") if tag_of(root) == "gexf" else []
    if len(graphs) != 1:
        raise InputError(f"{file}: not GEXF that can be read: it has no <graph>, or several")
    graph = graphs[0]
    nodes = [node for group in children_of(graph, "nodes") for node in group.iter() if tag_of(node) == "node"]
    if not all(node.get("id") for node in nodes):
        raise InputError(f"{file}: a <node> has no id; give each its own")
    if graph.get("mode") == "dynamic":
        file.note("when nodes and edges come and go is left out; all are there all the time")
    titles = _titles(graph, "node")
    attributes = [(node.get("id", ""), _attributes(node, titles)) for node in nodes]
    return network_of(file, attributes, _edges(file, graph), [node.get("label", "") for node in nodes])


def _edges(file: File, graph: Element) -> Iterator[GraphEdge]:
    default = graph.get("defaultedgetype", "undirected")
    titles = _titles(graph, "edge")
    for edge in (edge for group in children_of(graph, "edges") for edge in children_of(group, "edge")):
        kind = edge.get("type", default)
        if kind not in KINDS:
            raise InputError(f"{file}: an <edge> is of type {shown(kind)}; write undirected or directed")
        ends = edge.get("source", ""), edge.get("target", "")
        yield GraphEdge(*ends, kind != "directed", _attributes(edge, titles))


def _titles(graph: Element, kind: str) -> dict[str, tuple[str, str]]:
    """Return the name and the type of each attribute that the file declares for nodes, or for edges."""
    return {
        each.get("id", ""): (each.get("title", ""), each.get("type", ""))
        for group in children_of(graph, "attributes")
        for each in children_of(group, "attribute")
        if group.get("class") == kind
    }


def _attributes(element: Element, titles: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the attributes of a node or an edge, by the names that the file declares."""
    attributes: dict[str, Any] = {key: value for key, value in element.items() if key in ("weight", "label")}
    for group in children_of(element, "attvalues"):
        for each in children_of(group, "attvalue"):
            title, kind = titles.get(each.get("for", each.get("id", "")), ("", ""))
            if title:
                attributes[title] = _value(each.get("value", ""), kind)
    for drawn in children_of(element, "position"):
        attributes |= {axis: _value(drawn.get(axis, ""), "double") for axis in "xy"}
    return attributes


def _value(text: str, kind: str) -> str | int | float:
    """Return a value of a declared type; text if it is not of that type."""
    try:
        if kind in ("integer", "int", "long", "short", "byte"):
            return int(text) if len(text) <= 18 else text
        return float(text) if kind in ("float", "double") else text
    except ValueError:
        return text


GEXF = Format(
    "gexf", "GEXF of Gephi: an edge is a link, or a channel if it is directed", begins_with_element("gexf"), read
)
