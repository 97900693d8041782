"""Networks from GraphML, which NetworkX reads.

NetworkX decides what the nodes, edges and attributes of a file are; `graphs` says what becomes of them. Its reader
leaves out or joins what it does not expect: such files are refused, so that no other network comes of them. Graphs in
other formats are read by NetworkX itself and given to `pavane.network`.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import network_of_graph
from pavane.io.parsing import children_of, root_of, shown, tag_of
from pavane.model.network import Network
from pavane.text import counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    import networkx

NUMBER_TYPES: Mapping[str, Callable[[str], object]] = {"int": int, "long": int, "float": float, "double": float}
"""Types of GraphML's attributes that are numbers."""


def _read(file: File) -> Network:
    import networkx

    root = root_of(file, "GraphML")  # refuses entities, too, which NetworkX would expand
    graphs = [element for element in root.iter() if tag_of(element) == "graph"]
    if len(graphs) != 1:
        raise InputError(
            f"{file}: not GraphML that can be read: {len(graphs)} graphs are in this file, where one was expected; "
            "leave one <graph>, without others inside"
        )
    default = graphs[0].get("edgedefault", "undirected")
    if default not in ("directed", "undirected"):
        raise InputError(f"{file}: `edgedefault` is {shown(default)}; write undirected or directed")
    for key in children_of(root, "key"):
        if children_of(key, "default") and key.get("for") not in ("node", "edge", "graph"):
            what = shown(key.get("for"))
            raise InputError(f"{file}: a <key> for {what} has a <default>; write one for nodes, or for edges")
    _refuse_words_for_numbers(file, root)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about types of attributes; those that matter are checked
            graph = networkx.read_graphml(io.BytesIO(file.data), force_multigraph=True)
    except Exception as error:  # the reader of NetworkX raises whatever happens inside
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"{file}: not GraphML that can be read: {reason}") from None
    _refuse_other_elements(file, root, graph)
    return network_of_graph(file, graph)


def _refuse_words_for_numbers(file: File, root: Element) -> None:
    """Refuse values that are not of the number type that their <key> declares, by node or edge and attribute."""
    keys = {key.get("id"): key for key in children_of(root, "key") if key.get("attr.type") in NUMBER_TYPES}
    places = [(f"<key> {shown(name)}", key, children_of(key, "default")) for name, key in keys.items()]
    for element in root.iter():
        if tag_of(element) in ("node", "edge"):
            ends = element.get("id") or f"{element.get('source')}-{element.get('target')}"
            place = f"{tag_of(element)} {shown(ends)}"
            values = [data for data in children_of(element, "data") if data.get("key") in keys]
            places += [(place, keys[data.get("key")], [data]) for data in values]
    for place, key, values in places:
        kind = key.get("attr.type")
        for value in values:
            try:
                NUMBER_TYPES[str(kind)](value.text or "")
            except ValueError:
                name = key.get("attr.name")
                raise InputError(
                    f"{file}: {place}: `{name}` is {shown(value.text)}, not of type {kind}, which its <key> declares"
                ) from None


def _refuse_other_elements(file: File, root: Element, graph: networkx.Graph) -> None:
    """Refuse XML whose nodes and edges are not those that NetworkX reads, because ids repeat or lead nowhere."""
    ids = [element.get("id") for element in root.iter() if tag_of(element) == "node"]
    if len(ids) != len(set(ids)) or set(ids) != {str(node) for node in graph.nodes}:
        raise InputError(
            f"{file}: NetworkX reads other nodes than the <node> of this file; give each an id of its own, and let "
            "edges join these"
        )
    listed = sum(tag_of(element) == "edge" for element in root.iter())
    if listed != graph.number_of_edges():
        raise InputError(
            f"{file}: NetworkX reads {graph.number_of_edges()} of {counted(listed, 'edge')}; give each an id of its own"
        )


GRAPHML = Format(
    "graphml",
    "GraphML: an edge is a link, or a channel if the graph is directed",
    lambda file: file.first == "<",  # after all other formats in XML
    _read,
)
