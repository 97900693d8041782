"""Networks from GML, GEXF, Pajek, graph6, sparse6, adjacency lists and DOT: a bridge to the readers of NetworkX.

NetworkX decides what the nodes, edges and attributes of a file are; `graphs` says what becomes of them. Where one of
its readers would leave a part out, the file is refused.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import network_of_graph
from pavane.io.network_builder import allow_count
from pavane.io.parsing import lines_of, root_of, shown, tag_of
from pavane.model.network import Network

if TYPE_CHECKING:
    import networkx

MOST_BYTES_OF_DOT = 2**20
"""Larger DOT files are refused: pydot takes a millisecond for an edge."""

READ_OF_DOT = ("processors", "box", "pos", "capacity", "bandwidth")
"""Attributes whose defaults would be missed."""

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')

HEAD = 4096
"""Bytes at the beginning by which a format is recognized."""

LINKS = "an edge is a link, or a channel if the graph is directed"


def _text(file: File) -> str:
    return "\n".join(line for _, line in lines_of(file))


def _gml(file: File) -> networkx.Graph:
    import networkx

    graph = networkx.parse_gml(_text(file), label="id")
    labels = {node: str(label) for node, label in graph.nodes(data="label") if label is not None}
    if len(set(labels.values())) == graph.number_of_nodes():
        graph = networkx.relabel_nodes(graph, labels)
    for _, data in graph.nodes(data=True):
        drawn = data.pop("graphics", None)
        data.update({key: drawn[key] for key in "xy" if key in drawn} if isinstance(drawn, dict) else {})
    return graph


def _gexf(file: File) -> networkx.Graph:
    import networkx

    root = root_of(file, "GEXF")  # refuses entities, too, which NetworkX would expand
    graph = networkx.read_gexf(io.BytesIO(file.data))
    counts = [sum(tag_of(element) == tag for element in root.iter()) for tag in ("node", "edge")]
    if counts != [graph.number_of_nodes(), graph.number_of_edges()]:
        raise InputError(f"{file}: NetworkX joins nodes or edges of this file; give each an id of its own")
    for _, data in graph.nodes(data=True):
        data.update(data.pop("viz", {}).get("position", {}))
    return graph


def _pajek(file: File) -> networkx.Graph:
    import networkx

    text = _text(file)
    parts = [part.lower() for part in re.findall(r"(?m)^\s*\*(\w+)", text)]
    others = [part for part in parts if part not in ("network", "vertices")]
    if parts.count("vertices") != 1 or others not in ([], ["arcs"], ["edges"], ["matrix"]):
        listed = " ".join(f"*{part}" for part in parts[:8]) or "missing"
        raise InputError(f"{file}: its parts are {listed}; read are *Vertices and one of *Edges, *Arcs and *Matrix")
    graph = networkx.parse_pajek(text)
    count = re.search(r"(?mi)^\s*\*vertices\s+(\d{1,9})\s*$", text)
    if count is None or graph.number_of_nodes() != int(count[1]):
        raise InputError(f"{file}: {graph.number_of_nodes()} vertices are named, which is not the number in *Vertices")
    return graph


def _graph6(file: File) -> networkx.Graph:
    import networkx
    from networkx.readwrite.graph6 import data_to_n

    words = _text(file).replace(">>graph6<<", "").replace(">>sparse6<<", "").split()
    if len(words) != 1:
        raise InputError(f"{file}: {len(words)} graphs are in this file, where one was expected; leave one line")
    data = words[0].encode()
    is_sparse = data.startswith(b":")
    allow_count(file, data_to_n([byte - 63 for byte in data.removeprefix(b":")])[0], "vertices")
    return (networkx.from_sparse6_bytes if is_sparse else networkx.from_graph6_bytes)(data)


def _adjacency_list(file: File) -> networkx.Graph:
    import networkx

    lines = _text(file).splitlines()
    rows = [line.partition("#")[0].split() for line in lines]
    pairs = {(row[0], other) for row in rows for other in row[1:]}
    if pairs and all((b, a) in pairs for a, b in pairs):
        raise InputError(f"{file}: every edge is listed at both ends; list it at one, or write `0 > 1` in an edge list")
    return networkx.parse_adjlist(lines, create_using=networkx.MultiGraph)


def _dot(file: File) -> networkx.Graph:
    try:
        import pydot
    except ImportError:
        raise InputError(f"{file}: DOT is read by pydot, which is missing; `pip install pydot` brings it") from None
    import networkx

    if len(file.data) > MOST_BYTES_OF_DOT:
        raise InputError(f"{file}: DOT is read up to 1 MiB; write an edge list")
    with redirect_stdout(io.StringIO()) as said:
        drawings = pydot.graph_from_dot_data(_text(file)) or []
    if len(drawings) != 1:
        reason = " ".join(said.getvalue().split())[-120:] or f"{len(drawings)} graphs, where one was expected"
        raise InputError(f"{file}: not DOT that can be read: {reason}")
    (whole,) = drawings
    if refused := next(_refused_in_dot(whole), None):
        raise InputError(f"{file}: {refused}; write nodes and edges one by one")
    graph = networkx.nx_pydot.from_pydot(whole)
    for data in (data for *_, data in (*graph.nodes(data=True), *graph.edges(data=True))):
        data.pop("weight", None)  # for drawing
        data.update({key: _value(str(value).strip('"')) for key, value in data.items()})
    return graph


def _refused_in_dot(whole: Any) -> Iterator[str]:
    """Yield what NetworkX would leave out of a drawing."""
    if whole.get_subgraphs():
        yield "it has subgraphs, which are not read"
    for default in (*whole.get_node_defaults(), *whole.get_edge_defaults()):
        yield from (f"`{name}` is a default, which is not read" for name in default if name in READ_OF_DOT)
    is_directed = whole.get_type() == "digraph"
    for edge in whole.get_edges():
        ends = (edge.get_source(), edge.get_destination())
        if not all(isinstance(end, str) and ":" not in QUOTED.sub("", end) for end in ends):
            yield f"an edge joins groups or ports of nodes, {shown(ends)}"
        if is_directed and str(edge.get("dir") or "forward").strip('"') != "forward":
            yield "an edge has a `dir`"


def _value(text: str) -> int | tuple[float, ...] | str:
    """Return a value of DOT as a whole number or as a position, where it is one."""
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        return int(text)
    found = re.fullmatch(r"(-?\d{1,9}(?:\.\d{1,9})?),(-?\d{1,9}(?:\.\d{1,9})?)!?", text, re.ASCII)
    return (float(found[1]), float(found[2])) if found else text


def _format(name: str, about: str, start: str | None, reader: Callable[[File], networkx.Graph]) -> Format:
    """Return a format that is recognized by how a file begins; without a start only by its name."""
    pattern = None if start is None else re.compile(start, re.IGNORECASE | re.DOTALL)

    def recognizes(file: File) -> bool:
        return pattern is not None and pattern.match(bytes(file.data[:HEAD]).decode(errors="replace")) is not None

    def read(file: File) -> Network:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about types of attributes
                graph = reader(file)
        except InputError:
            raise
        except Exception as error:  # readers of NetworkX raise whatever happens inside
            reason = " ".join(str(error).split())[:120] or type(error).__name__
            raise InputError(f"{file}: not {about.partition(':')[0]} that can be read: {reason}") from None
        return network_of_graph(file, graph)

    return Format(name, about, recognizes, read)


SPACE = r"(?:\s|//[^\n]*\n|/\*.*?\*/|#[^\n]*\n)*+"

NETWORKX_FILES = (
    _format("dot", f"DOT of Graphviz: {LINKS}", SPACE + r"(?:strict\s+)?(?:di)?graph\b[^{\n;\[]*\{", _dot),
    _format("gml", f"GML: {LINKS}", r"(?:\s|#[^\n]*\n|Creator[^\n]*\n|Version[^\n]*\n)*+graph\s*\[", _gml),
    _format("gexf", f"GEXF of Gephi: {LINKS}", r"\s*(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<(?:\w+:)?gexf\b", _gexf),
    _format("pajek", "Pajek: `*Edges` are links, `*Arcs` channels", r"\s*\*\w", _pajek),
    _format("graph6", "graph6 or sparse6: an edge is a link", r">>(?:graph|sparse)6<<", _graph6),
    _format("adjacency-list", "an adjacency list: a line `0 1 2` links 0 with 1 and 2", None, _adjacency_list),
)
"""The formats of NetworkX's readers besides GraphML and node-link JSON."""
