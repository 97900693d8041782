"""Networks from METIS graph files.

The first line says how many vertices and edges there are, and which weights follow; then there is a line for each
vertex with its neighbours, counted from 1. `%` starts a comment line. Every edge stands in two lines and is a link.
The weight of an edge is read as its speed, of which the ratios are the capacities, unless the lines of its two ends
disagree. Sizes and weights of vertices are left out, with a note.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from pavane.errors import InputError
from pavane.io.capacities import EdgeCapacities
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder, allow_count
from pavane.io.parsing import MOST_BYTES, shown, text_of, whole
from pavane.io.text_files import LEAST_BYTES, both_ways
from pavane.model.network import Network
from pavane.networks.limits import MOST_CHANNELS

Ends = defaultdict[tuple[int, int], list[str]]
"""For each vertex and neighbour, the weights of the edges between them as they stand, empty without."""

HEADER = re.compile(r"\s*(\d{1,9})\s+(\d{1,9})(?:\s+([01]{1,3})(?:\s+(\d{1,3}))?)?\s*", re.ASCII)

OTHER_THAN_NEIGHBOURS = re.compile(r"[^0-9 \t\n]|\d{10}|\b0\d", re.ASCII)


@dataclass(frozen=True)
class Header:
    """The first line."""

    num_vertices: int
    num_edges: int
    num_before: int
    """Figures of a vertex before its neighbours: size and weights."""
    weighted: bool
    """Whether each neighbour is followed by the weight of the edge."""

    @classmethod
    def of(cls, line: str) -> Header | None:
        """Read a header; None if the line is not a header."""
        found = HEADER.fullmatch(line)
        if found is None:
            return None
        sizes, weights, edges = (flag == "1" for flag in (found[3] or "0").zfill(3))
        count = int(found[4] or 1) if weights else 0
        return cls(int(found[1]), int(found[2]), count + sizes, edges)


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines but for comments, with their numbers; empty ones count, as vertices without neighbours."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if not line.startswith("%")]
    while lines and not lines[-1][1].strip():
        lines.pop()
    return lines


def recognizes(file: File) -> bool:
    """Return whether a file is METIS and not an edge list: its header counts its lines and numbers.

    No edge list is taken for one: of two numbers in each line there are 2n where the header implies 2m, or fewer where
    lines at the end are empty, and n = m in the header is a channel from a router to itself.
    """
    if len(file.data) > MOST_BYTES:
        return False
    first = next((line for line in file.head.splitlines() if not line.startswith("%")), "")
    header = Header.of(first)
    if header is None or not header.num_vertices or header.num_vertices > MOST_CHANNELS:
        return False
    lines = _lines(bytes(file.data).decode(errors="replace"))[1:]
    # Empty lines at the end may be vertices without neighbours.
    if not len(lines) <= header.num_vertices <= len(lines) + bytes(file.data[-4096:]).count(b"\n"):
        return False
    counts = [len(line.split()) for _, line in lines]
    if header.num_vertices != header.num_edges and set(counts) == {2}:
        return False
    wanted = header.num_vertices * header.num_before + 2 * header.num_edges * (2 if header.weighted else 1)
    return sum(counts) == wanted


def read(file: File) -> Network:
    """Read a network from a METIS graph file."""
    lines = _lines(text_of(file))
    header = Header.of(lines[0][1]) if lines else None
    if header is None:
        raise InputError(f"{file}: a METIS file begins with the numbers of vertices and edges, like `8 12`")
    count = header.num_vertices
    allow_count(file, count, "vertices")
    if len(lines) - 1 > count:
        number, line = lines[count + 1]
        raise InputError(f"{file}, line {number}: {shown(line)} comes after the last of {count} vertices; see line 1")
    if (plain := _read_at_once(file, header, [line for _, line in lines[1:]])) is not None:
        return plain
    builder = NetworkBuilder(file)
    for vertex in range(1, count + 1):
        builder.router(str(vertex))
    ends: Ends = defaultdict(list)
    for vertex, (number, line) in enumerate(lines[1:]):
        words = line.split()[header.num_before :]
        step = 2 if header.weighted else 1
        if len(words) % step:
            raise InputError(f"{file}, line {number}: each neighbour is followed by a weight; one is missing")
        for at, word in enumerate(words[::step]):
            neighbour = whole(word, f"{file}, line {number}: a neighbour", 1)
            if neighbour > count:
                raise InputError(f"{file}, line {number}: there is no vertex {neighbour}; they go from 1 to {count}")
            ends[vertex, neighbour - 1].append(words[2 * at + 1] if header.weighted else "")
    listed = sum(map(len, ends.values()))
    if listed != 2 * header.num_edges:
        raise InputError(
            f"{file}: its first line says {header.num_edges} edges, but {listed} neighbours are listed, "
            "where each edge is listed twice; the file may be cut off"
        )
    _join(file, builder, ends)
    if header.num_before:
        file.note("sizes and weights of vertices are left out; every vertex is a router with one processor")
    return builder.network()


def _read_at_once(file: File, header: Header, lines: list[str]) -> Network | None:
    """Read a large file of neighbours alone; None where it is another, or must be read to say what is wrong with it."""
    count, text = header.num_vertices, "\n".join(lines)
    is_plain = not (header.weighted or header.num_before or OTHER_THAN_NEIGHBOURS.search(text))
    if not is_plain or len(text) < LEAST_BYTES or 2 * header.num_edges > MOST_CHANNELS:
        return None
    heads = np.fromstring(text, dtype=np.int64, sep=" ") - 1
    tails = np.repeat(np.arange(len(lines)), [len(line.split()) for line in lines])
    if len(heads) != 2 * header.num_edges or heads.min() < 0 or heads.max() >= count or (heads == tails).any():
        return None
    there, back = np.sort(tails * count + heads), np.sort(heads * count + tails)
    if not np.diff(there).all() or (there != back).any():
        return None  # of several edges between two vertices the builder says which belong together
    is_first = tails < heads
    links = np.stack((tails[is_first], heads[is_first]), axis=1)
    return Network(file.stem, [str(vertex) for vertex in range(1, count + 1)], both_ways(links))


def _join(file: File, builder: NetworkBuilder, ends: Ends) -> None:
    """Add a link for each edge, which stands in the lines of both its ends."""
    for a, b in list(ends):
        if len(ends[b, a]) != len(ends[a, b]):
            raise InputError(f"{file}: vertex {a + 1} lists {b + 1} as a neighbour, but not the other way round")
    edges = [(a, b, weight) for (a, b), weights in ends.items() if a <= b for weight in weights]
    attributes = EdgeCapacities(file)
    if all(sorted(ends[b, a]) == sorted(weights) for (a, b), weights in ends.items()):
        for number, (_, _, weight) in enumerate(edges):
            if weight:
                attributes.see(number, {"weight": weight})
    else:
        file.note("weights of edges are left out: the lines of two ends disagree about one")
    for (a, b, _), capacity in zip(edges, attributes.capacities(len(edges)), strict=True):
        builder.link(a, b, capacity)


METIS = Format(
    "metis",
    "METIS graph file: an edge is a link, its weight the speed",
    recognizes,
    read,
)
