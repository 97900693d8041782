"""Networks from Pajek files.

`*Vertices n` begins the vertices, numbered from 1, each perhaps with a name and a position; a vertex is a router. Then
`*Edges` are links and `*Arcs` channels, two numbers and a weight a line; `*Edgeslist` and `*Arcslist` have one vertex
and all its neighbours a line; `*Matrix` has a row of weights for each vertex, and what is not 0 is a channel. `%`
starts a comment line.
"""

from __future__ import annotations

import re

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.graphs import GraphEdge, network_of
from pavane.io.network_builder import allow_count
from pavane.io.parsing import begins_with, lines_of, shown, whole
from pavane.model.network import Network

START = re.compile(r"(?>\s+|%[^\n]*\n)*+\*(?:vertices|network)\b", re.IGNORECASE)
WORD = re.compile(r'"([^"]*)"|(\S+)')
FIGURE = re.compile(r"[+-]?\d{0,15}\.?\d{1,20}", re.ASCII)
SECTIONS = ("vertices", "network", "edges", "arcs", "edgeslist", "arcslist", "matrix")


class PajekParser:
    """Reads one network, line by line."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.names: list[str] = []
        self.attributes: list[dict[str, float]] = []
        self.edges: list[GraphEdge] = []
        self.section = ""
        self.rows = 0
        self.skipped: set[str] = set()

    def line(self, where: str, line: str) -> None:
        """Read a line."""
        if line.startswith("*"):
            self.begin(where, line)
        elif self.section == "vertices":
            self.vertex(where, line)
        elif self.section in ("edges", "arcs"):
            words = line.split()
            if len(words) < 2:
                raise InputError(f"{where}: expected two vertices and a weight, found {shown(line)}")
            self.edge(where, words[0], words[1], words[2] if len(words) > 2 else "")
        elif self.section in ("edgeslist", "arcslist"):
            first, *others = line.split()
            for other in others:
                self.edge(where, first, other, "")
        elif self.section == "matrix":
            self.row(where, line.split())
        elif self.section != "skipped":
            raise InputError(f"{where}: {shown(line)} comes before `*Vertices`")

    def begin(self, where: str, line: str) -> None:
        """Begin a section."""
        words = line[1:].split()
        name = words[0].lower().rstrip(":") if words else ""
        if name == "vertices":
            if self.names:
                raise InputError(f"{where}: a second network begins; leave one in the file")
            count = whole(words[1] if len(words) > 1 else None, f"{where}: the number of vertices")
            allow_count(where, count, "vertices")
            self.names = [str(number) for number in range(1, count + 1)]
            self.attributes = [{} for _ in range(count)]
        elif name not in SECTIONS:
            self.skipped.add(name)
            name = "skipped"
        self.section = name

    def number(self, where: str, word: str) -> int:
        """Return the number of a vertex, from 1."""
        number = whole(word, f"{where}: a vertex", 1)
        if number > len(self.names):
            raise InputError(f"{where}: there is no vertex {number}; they go from 1 to {len(self.names)}")
        return number

    def vertex(self, where: str, line: str) -> None:
        """Read a vertex: number, name, x and y."""
        words = [found[1] if found[1] is not None else found[2] for found in WORD.finditer(line)]
        index = self.number(where, words[0]) - 1
        if len(words) > 1:
            self.names[index] = words[1]
        figures = [float(word) for word in words[2:4] if FIGURE.fullmatch(word)]
        if len(figures) == 2:
            self.attributes[index] = {"x": figures[0], "y": figures[1]}

    def edge(self, where: str, a: str, b: str, weight: str) -> None:
        """Add a link or a channel."""
        ends = str(self.number(where, a)), str(self.number(where, b))
        self.edges.append(GraphEdge(*ends, self.section.startswith("edges"), {"weight": weight} if weight else {}))
        allow_count(where, len(self.edges))

    def row(self, where: str, words: list[str]) -> None:
        """Read a row of the matrix."""
        if len(words) != len(self.names) or self.rows == len(self.names):
            raise InputError(f"{where}: a matrix of {len(self.names)} vertices has that many rows and columns")
        self.rows += 1
        for column, word in enumerate(words):
            if word.strip("0.") or not word:
                self.edge(where, str(self.rows), str(column + 1), word)


def read(file: File) -> Network:
    """Read a network from a Pajek file."""
    parser = PajekParser(file)
    for where, line in lines_of(file):
        if line.strip() and not line.startswith("%"):
            parser.line(where, line.strip())
    if not parser.names:
        raise InputError(f"{file}: no vertices in it; a Pajek file begins with a line like `*Vertices 8`")
    if len(set(parser.names)) < len(parser.names) or not all(parser.names):
        file.note("a vertex has no name, or that of another; routers are called by the numbers of vertices")
    if parser.skipped:
        sections = ", ".join(f"*{name[:20]}" for name in sorted(parser.skipped)[:4])
        file.note(f"{sections}: this part of the file is left out")
    # NetworkX puts all vertices on one spot.
    is_drawn = len({tuple(attributes.items()) for attributes in parser.attributes}) > 1
    nodes = [(str(number), attributes if is_drawn else {}) for number, attributes in enumerate(parser.attributes, 1)]
    return network_of(file, nodes, parser.edges, parser.names)


PAJEK = Format("pajek", "Pajek file: `*Edges` are links, `*Arcs` channels", begins_with(START), read)
