"""Networks from GEXF, the format of Gephi.

A node is a router, called by its label if all labels differ and otherwise by its id; an edge is a link, or a channel if
it is directed. Attributes that the file declares are those of other formats: `processors`, `x`, `y`; the position of a
drawing (`viz:position`) counts, too. What begins and ends in time is there all the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import GraphEdge, network_of
from pavane.io.parsing import begins_with_element, root_of, shown
from pavane.model.network import Network

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

KINDS = ("undirected", "mutual", "directed")


def _tag(element: Element) -> str:
    """Return the name of an element without its namespace, which changes with versions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _inside(element: Element, tag: str) -> list[Element]:
    return [each for each in element if _tag(each) == tag]


def read(file: File) -> Network:
    """Read a network from GEXF."""
    root = root_of(file, "GEXF")
    graphs = _inside(root, "graph") if _tag(root) == "gexf" else []
    if len(graphs) != 1:
        raise InputError(f"{file}: not GEXF that can be read: it has no <graph>, or several")
    graph = graphs[0]
    nodes = [node for group in _inside(graph, "nodes") for node in group.iter() if _tag(node) == "node"]
    identifiers = [node.get("id", "") for node in nodes]
    if not all(identifiers) or len(set(identifiers)) < len(nodes):
        raise InputError(f"{file}: a <node> has no id, or the id of another; give each its own")
    labels = [node.get("label", "") for node in nodes]
    names = labels if all(labels) and len(set(labels)) == len(labels) else identifiers
    name_of = dict(zip(identifiers, names, strict=True))
    if graph.get("mode") == "dynamic":
        file.note("when nodes and edges come and go is left out; all are there all the time")
    edges = _edges(file, graph, name_of)
    titles = _titles(graph, "node")
    return network_of(file, {name: _attributes(node, titles) for name, node in zip(names, nodes, strict=True)}, edges)


def _edges(file: File, graph: Element, name_of: dict[str, str]) -> list[GraphEdge]:
    usual = graph.get("defaultedgetype", "undirected")
    titles = _titles(graph, "edge")
    edges = []
    for edge in (each for group in _inside(graph, "edges") for each in _inside(group, "edge")):
        ends = [edge.get("source", ""), edge.get("target", "")]
        for end in ends:
            if end not in name_of:
                raise InputError(f"{file}: an <edge> joins {shown(end)}, which is no <node> of the file")
        kind = edge.get("type", usual)
        if kind not in KINDS:
            raise InputError(f"{file}: an <edge> is of type {shown(kind)}; write undirected or directed")
        edges.append(GraphEdge(name_of[ends[0]], name_of[ends[1]], kind != "directed", _attributes(edge, titles)))
    return edges


def _titles(graph: Element, kind: str) -> dict[str, tuple[str, str]]:
    """Return the name and the type of each attribute that the file declares for nodes, or for edges."""
    return {
        each.get("id", ""): (each.get("title", ""), each.get("type", ""))
        for group in _inside(graph, "attributes")
        for each in _inside(group, "attribute")
        if group.get("class") == kind
    }


def _attributes(element: Element, titles: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Return what is said of a node or an edge, by the names that the file gives it."""
    said: dict[str, Any] = {key: value for key, value in element.items() if key in ("weight", "label")}
    for group in _inside(element, "attvalues"):
        for each in _inside(group, "attvalue"):
            title, kind = titles.get(each.get("for", each.get("id", "")), ("", ""))
            if title:
                said[title] = _value(each.get("value", ""), kind)
    for drawn in _inside(element, "position"):
        said |= {axis: _value(drawn.get(axis, ""), "double") for axis in "xy"}
    return said


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
