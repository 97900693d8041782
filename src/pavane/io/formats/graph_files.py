"""Graphs in files that NetworkX reads: GraphML, DOT, GML, GEXF, Pajek, graph6, sparse6 and adjacency lists.

NetworkX decides what the nodes, edges and attributes of a file are; `graphs` says what becomes of them. Some of its
readers leave out or join what they do not expect: such files are refused, so that no other network comes of them.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io.capacities import kind_of_attribute
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import network_of_graph
from pavane.io.network_builder import allow_count
from pavane.io.parsing import begins_with, begins_with_element, children_of, root_of, shown, tag_of, text_of
from pavane.model.network import Network
from pavane.text import counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    import networkx

MOST_DOT_BYTES = 2**20
"""Larger DOT files are refused: pydot takes a millisecond for an edge."""

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|^#[^\n]*', re.DOTALL | re.MULTILINE)
"""Texts and comments in DOT."""

NUMBER_TYPES: Mapping[str, Callable[[str], object]] = {"int": int, "long": int, "float": float, "double": float}
"""Types of GraphML's attributes that are numbers."""

Names = Sequence[str]


def _dot(file: File) -> tuple[networkx.Graph, Names]:
    try:
        import pydot
    except ImportError:
        raise InputError(f"{file}: DOT is read by pydot, which is missing; `pip install pydot` brings it") from None
    import networkx

    text = text_of(file, MOST_DOT_BYTES)
    with redirect_stdout(io.StringIO()) as said:
        drawings = pydot.graph_from_dot_data(text)
    if not drawings:
        raise InputError(f"{file}: not DOT that can be read: {' '.join(said.getvalue().split())[-120:]}")
    if len(drawings) > 1:
        raise InputError(f"{file}: {len(drawings)} graphs are in this file, where one was expected; leave one")
    (whole,) = drawings
    other = "--" if whole.get_type() == "digraph" else "->"  # pydot takes either for an edge
    if other in QUOTED.sub("", text):
        raise InputError(f"{file}: `{other}` does not go with `{whole.get_type()}`")
    for part in _parts(whole):
        of_nodes = [name for default in part.get_node_defaults() for name in default if name == "processors"]
        of_edges = [name for default in part.get_edge_defaults() for name in default if _is_about_speed(name)]
        for name in (*of_nodes, *of_edges):
            raise InputError(f"{file}: `{name}` is a default, which is not read; write it at each node or edge")
        if part is not whole:
            for inner in (*part.get_nodes(), *part.get_edges()):
                (whole.add_node if isinstance(inner, pydot.Node) else whole.add_edge)(inner)
    count = 0
    for edge in whole.get_edges():
        ends = (edge.get_source(), edge.get_destination())
        count += math.prod(len(end.get("nodes", ())) if isinstance(end, Mapping) else 1 for end in ends)
        allow_count(file, count, "edges")
        for end in ends:
            if isinstance(end, Mapping) and end.get("edges"):
                raise InputError(f"{file}: an edge leads to a group with edges of its own; write these apart")
            if isinstance(end, str) and ":" in QUOTED.sub("", end):
                raise InputError(f"{file}: {shown(end)} is a port of a node; name the node alone")
        direction = str(edge.get("dir") or "forward").strip('"')
        if whole.get_type() == "digraph" and direction != "forward":
            raise InputError(f"{file}: an edge has dir={direction}; write an edge for each direction")
    graph = networkx.nx_pydot.from_pydot(whole)
    for _, data in graph.nodes(data=True):
        data.update({key: _number(value) for key, value in data.items()})
    for _, _, data in graph.edges(data=True):
        data.update({key: value.strip('"') for key, value in data.items()})
        data.pop("weight", None)  # for drawing
    return graph, ()


def _is_about_speed(name: str) -> bool:
    return name != "weight" and kind_of_attribute(name) == "speed"


def _parts(graph: Any) -> list[Any]:
    """Return a drawing of pydot and all its subgraphs."""
    return [graph, *(inner for part in graph.get_subgraphs() for inner in _parts(part))]


def _number(text: str) -> int | tuple[float, ...] | str:
    """Return a value of DOT as a whole number or as a position, where it is one."""
    plain = text.strip('"')
    if re.fullmatch(r"\d{1,9}", plain, re.ASCII):
        return int(plain)
    found = re.fullmatch(r"(-?\d{1,9}(?:\.\d{1,9})?),(-?\d{1,9}(?:\.\d{1,9})?)!?", plain, re.ASCII)
    return (float(found[1]), float(found[2])) if found else plain


def _gml(file: File) -> tuple[networkx.Graph, Names]:
    import networkx

    graph = networkx.parse_gml(text_of(file), label="id")
    for _, data in graph.nodes(data=True):
        drawn = data.get("graphics")
        data.update({key: drawn[key] for key in "xy" if key in drawn} if isinstance(drawn, dict) else {})
    return graph, [str(label) for _, label in graph.nodes(data="label", default="")]


def _graphml(file: File) -> tuple[networkx.Graph, Names]:
    import networkx

    root = root_of(file, "GraphML", len(file.data))  # refuses entities, too, which NetworkX would expand
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
    graph = networkx.read_graphml(io.BytesIO(file.data), force_multigraph=True)
    _refuse_other_elements(file, root, graph)
    return graph, ()


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


def _gexf(file: File) -> tuple[networkx.Graph, Names]:
    import networkx

    root = root_of(file, "GEXF")
    graph = networkx.read_gexf(io.BytesIO(file.data))
    _refuse_other_elements(file, root, graph)
    for _, data in graph.nodes(data=True):
        data.update(data.get("viz", {}).get("position", {}))
    return graph, [label or "" for _, label in graph.nodes(data="label")]


def _pajek(file: File) -> tuple[networkx.Graph, Names]:
    import networkx

    text = text_of(file)
    parts = [part.lower() for part in re.findall(r"(?m)^\s*\*(\w+)", text)]
    others = [part for part in parts if part not in ("network", "vertices")]
    if parts.count("vertices") != 1 or len(others) > 1 or others[:1] not in ([], ["arcs"], ["edges"], ["matrix"]):
        listed = " ".join(f"*{part}" for part in parts[:8])
        raise InputError(
            f"{file}: its parts are {listed or 'missing'}; read are *Vertices and one of *Edges, *Arcs and *Matrix"
        )
    count = re.search(r"(?mi)^\s*\*vertices\s+(\d{1,9})\s*$", text)
    graph = networkx.parse_pajek(text)
    if count is None or graph.number_of_nodes() != int(count[1]):
        raise InputError(f"{file}: {graph.number_of_nodes()} vertices are named, which is not the number in *Vertices")
    return graph, ()


def _graph6(file: File) -> tuple[networkx.Graph, Names]:
    import networkx
    from networkx.readwrite.graph6 import data_to_n

    lines = text_of(file).replace(">>graph6<<", "").replace(">>sparse6<<", "").split()
    if len(lines) != 1:
        raise InputError(f"{file}: {len(lines)} graphs are in this file, where one was expected; leave one line")
    data = lines[0].encode()
    is_sparse = data.startswith(b":")
    allow_count(file, data_to_n([byte - 63 for byte in data.removeprefix(b":")])[0], "vertices")
    return (networkx.from_sparse6_bytes if is_sparse else networkx.from_graph6_bytes)(data), ()


def _adjacency_list(file: File, *, is_directed: bool = False) -> tuple[networkx.Graph, Names]:
    import networkx

    lines = text_of(file).splitlines()
    rows = [line.partition("#")[0].split() for line in lines]
    if any(word[0] in "{}" for row in rows for word in row):
        raise InputError(f"{file}: an adjacency list has no attributes in braces; write the graph as an edge list")
    pairs = {(row[0], other) for row in rows if row for other in row[1:]}
    if not is_directed and pairs and all((b, a) in pairs for a, b in pairs):
        raise InputError(
            f"{file}: every edge is listed at both ends; `form=directed-adjacency-list` reads each as a channel"
        )
    return networkx.parse_adjlist(lines, create_using=networkx.MultiDiGraph if is_directed else networkx.MultiGraph), ()


def _read(file: File, what: str, reader: Callable[[File], tuple[networkx.Graph, Names]]) -> Network:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about types of attributes; those that matter are checked
            graph, labels = reader(file)
    except InputError:
        raise
    except Exception as error:  # readers of NetworkX raise whatever happens inside
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"{file}: not {what} that can be read: {reason}") from None
    if graph.graph.get("mode") == "dynamic":
        file.note("when nodes and edges come and go is left out; all of them are there")
    return network_of_graph(file, graph, labels)


def _format(
    name: str, about: str, recognizes: Callable[[File], bool], reader: Callable[[File], tuple[Any, Names]]
) -> Format:
    return Format(name, about, recognizes, lambda file: _read(file, about.partition(":")[0], reader))


def _never(_: File) -> bool:
    return False


DOT_START = re.compile(
    r"(?>\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)*+(?:strict\s+)?(?:di)?graph\b[^{\n;]*\{", re.IGNORECASE | re.DOTALL
)
GML_START = re.compile(r"(?:\s|#[^\n]*\n|Creator[^\n]*\n|Version[^\n]*\n)*+graph\s*\[", re.IGNORECASE)
LINKS = "an edge is a link, or a channel if the graph is directed"

GRAPHML = _format("graphml", f"GraphML: {LINKS}", lambda file: file.first == "<", _graphml)
"""Recognized after all other formats in XML."""

GRAPH_FILES = (
    _format("dot", f"DOT of Graphviz: {LINKS}", begins_with(DOT_START), _dot),
    _format("gml", f"GML: {LINKS}", begins_with(GML_START), _gml),
    _format("gexf", f"GEXF of Gephi: {LINKS}", begins_with_element("gexf"), _gexf),
    _format("pajek", "Pajek: `*Edges` are links, `*Arcs` channels", begins_with(re.compile(r"\s*\*\w")), _pajek),
    _format("graph6", "graph6 or sparse6: an edge is a link", begins_with(re.compile(r">>(graph|sparse)6<<")), _graph6),
    _format("adjacency-list", "an adjacency list: a line `0 1 2` links 0 with 1 and 2", _never, _adjacency_list),
    _format(
        "directed-adjacency-list",
        "an adjacency list of a directed graph: a line `0 1 2` is a channel from 0 to each",
        _never,
        partial(_adjacency_list, is_directed=True),
    ),
)
"""The formats, all of which NetworkX reads."""
