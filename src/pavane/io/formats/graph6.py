"""Networks from graph6 and sparse6 files, the compact notations of nauty.

One line is one graph, undirected and without names; routers are numbered from 0, and an edge is a link. Characters from
`?` to `~` stand for six bits each (http://users.cecs.anu.edu.au/~bdm/data/formats.txt).
"""

from __future__ import annotations

import re

import numpy as np

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import allow_count
from pavane.io.parsing import MOST_BYTES, refuse_if_huge, shown
from pavane.model.arrays import Flags
from pavane.model.network import Network

HEADER = re.compile(rb"\s*>>(graph6|sparse6|digraph6)<<\s*")
LINE = re.compile(rb"[:;&]?[?-~]+")


def _lines(file: File) -> list[bytes]:
    """Return the graphs of a file, without its header."""
    return [line.strip() for line in HEADER.sub(b"", bytes(file.data), count=1).split(b"\n") if line.strip()]


def recognizes(file: File) -> bool:
    """Return whether a file is graph6 or sparse6: by its header, or because it has exactly the right number of bits."""
    head = bytes(file.data[:64])
    if HEADER.match(head):
        return True
    if not LINE.match(head.lstrip()[:2]) or b" " in head.strip() or len(file.data) > MOST_BYTES:
        return False
    return all(_is_graph(line) for line in _lines(file))


def _is_graph(line: bytes) -> bool:
    if not LINE.fullmatch(line) or line[:1] in b";&":
        return False
    size = _size(line.removeprefix(b":"))
    if size is None:
        return False
    number, bits = size
    if line.startswith(b":"):
        return True
    return len(bits) == _num_characters(number)


def _num_characters(number: int) -> int:
    """Return how many characters hold the adjacency of this many vertices in graph6, six pairs each."""
    return (number * (number - 1) // 2 + 5) // 6


def _size(line: bytes) -> tuple[int, bytes] | None:
    """Return the number of vertices and the bits behind it; None where they are cut off."""
    length = 1 if line[:1] != b"~" else 3 if line[:2] != b"~~" else 6
    start = {1: 0, 3: 1, 6: 2}[length]
    digits = line[start : start + length]
    if len(digits) < length:
        return None
    number = 0
    for digit in digits:
        number = number << 6 | digit - 63
    return number, line[start + length :]


def _bits(characters: bytes) -> Flags:
    """Return the bits of some characters, the highest of each first."""
    values = np.frombuffer(characters, dtype=np.uint8) - 63
    return np.unpackbits(values[:, None], axis=1)[:, 2:].reshape(-1).astype(np.bool_)


def read(file: File) -> Network:
    """Read a network from a graph6 or sparse6 file with one graph in it."""
    refuse_if_huge(file)
    header = HEADER.match(bytes(file.data[:64]))
    lines = _lines(file)
    if (header and header[1] == b"digraph6") or (lines and lines[0].startswith(b"&")):
        raise InputError(f"{file}: digraph6 is not read; write the graph as an edge list with lines like `0 > 1`")
    if len(lines) != 1:
        raise InputError(f"{file}: {len(lines)} graphs are in this file, where one was expected; leave one line")
    line = lines[0]
    size = _size(line.removeprefix(b":")) if LINE.fullmatch(line) and not line.startswith(b";") else None
    if size is None:
        raise InputError(f"{file}: {shown(line[:40].decode(errors='replace'))} is not a graph in graph6 or sparse6")
    number, rest = size
    allow_count(file, number, "vertices")
    links = _sparse(number, rest) if line.startswith(b":") else _dense(file, number, rest)
    allow_count(file, 2 * len(links))
    return Network(file.stem, number, [way for a, b in links for way in ((a, b), (b, a))])


def _dense(file: File, number: int, rest: bytes) -> list[tuple[int, int]]:
    """Read graph6: the upper triangle of the adjacency matrix, column by column."""
    wanted = number * (number - 1) // 2
    if len(rest) != _num_characters(number):
        raise InputError(
            f"{file}: a graph of {number} vertices has {_num_characters(number)} characters behind that in graph6, "
            f"and here are {len(rest)}; it may be cut off"
        )
    at = np.flatnonzero(_bits(rest)[:wanted]) if rest else np.zeros(0, dtype=np.int64)
    # Column c holds the bits c (c - 1) / 2 and on; rounding may miss it by one.
    columns = ((1 + np.sqrt(1 + 8 * at.astype(np.float64))) / 2).astype(np.int64)
    columns -= columns * (columns - 1) // 2 > at
    columns += columns * (columns + 1) // 2 <= at
    rows = at - columns * (columns - 1) // 2
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _sparse(number: int, rest: bytes) -> list[tuple[int, int]]:
    """Read sparse6: units of a bit, which moves on to the next vertex, and a vertex, to jump to or to join."""
    width = max(number - 1, 0).bit_length()
    bits = _bits(rest) if rest else np.zeros(0, dtype=np.bool_)
    count = len(bits) // (width + 1)
    units = bits[: count * (width + 1)].reshape(count, width + 1)
    powers = 1 << np.arange(width, dtype=np.int64)[::-1]
    links = []
    vertex = 0
    for moves_on, other in zip(units[:, 0].tolist(), (units[:, 1:] @ powers).tolist(), strict=True):
        vertex += moves_on
        if vertex >= number or other >= number:
            break  # what fills up the last character
        if other > vertex:
            vertex = other
        else:
            links.append((other, vertex))
    return links


GRAPH6 = Format("graph6", "graph6 or sparse6 of nauty, one graph: an edge is a link", recognizes, read)
