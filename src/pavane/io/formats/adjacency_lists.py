"""Networks from the adjacency lists of NetworkX, in one line a router or in several.

`write_adjlist` writes a line for each router: its name, then its neighbours. `write_multiline_adjlist` writes a line
with a router and how many neighbours follow, then a line for each with its attributes. Neither says whether the graph
is directed. But of an undirected one each edge is listed once, where the line of the other end is still to come; and
an edge that is listed at both ends is a link. Where neither holds, the user must name the format.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from pavane.errors import InputError
from pavane.io.capacities import EdgeCapacities
from pavane.io.files import HEAD_BYTES, File
from pavane.io.format import Format
from pavane.io.network_builder import NetworkBuilder, allow_count
from pavane.io.parsing import refuse_if_huge, shown, whole
from pavane.io.text_files import attributes_of, content_lines, join_tuples
from pavane.model.network import Network

WITH_DATA = re.compile(r"(?:\([^()]*\)|\S+)\s+\{.*\}")
"""A neighbour with its attributes, in a line of its own."""

FORBIDDEN = re.compile(r"[:>{};]|,(?=\s|$)")
"""What stands in other kinds of lists, and in no adjacency list that is recognized."""


@dataclass
class Adjacency:
    """The neighbours that a file lists."""

    attributes: EdgeCapacities
    row_of: dict[str, int] = field(default_factory=dict)
    """The index of the line that each router begins."""
    pairs: list[tuple[str, str]] = field(default_factory=list)

    def row(self, where: str, router: str) -> None:
        """Begin the line of a router."""
        if router in self.row_of:
            raise InputError(f"{where}: router {shown(router)} begins two lines; list all its neighbours in one")
        self.row_of[router] = len(self.row_of)

    def neighbour(self, where: str, router: str, other: str) -> None:
        """List a neighbour of a router."""
        self.pairs.append((router, other))
        allow_count(where, len(self.pairs))

    @property
    def is_whole(self) -> bool:
        """Whether every neighbour begins a line of its own, as every router of an adjacency list does."""
        return len(self.row_of) > 1 and all(other in self.row_of for _, other in self.pairs)

    @property
    def says_links(self) -> bool:
        """Whether no edge leads back to an earlier line, or all are listed at both ends."""
        if all(self.row_of.get(a, 0) < self.row_of.get(b, 0) for a, b in self.pairs):
            return True
        times = Counter(self.pairs)
        return all(times[b, a] == count for (a, b), count in times.items())


def _is_multiline(file: File) -> bool:
    """Return whether attributes follow neighbours, a line each, near the beginning."""
    return any(WITH_DATA.fullmatch(line.strip()) for line in file.head_lines)


def _adjacency(file: File) -> Adjacency:
    """Read what a file lists."""
    refuse_if_huge(file)
    found = Adjacency(EdgeCapacities(file))
    (_read_multiline if _is_multiline(file) else _read_rows)(file, found)
    return found


def _read_rows(file: File, found: Adjacency) -> None:
    for number, line in content_lines(file):
        where = f"{file}, line {number}"
        if FORBIDDEN.search(line):
            raise InputError(f"{where}: expected a router and its neighbours, like `0 1 2`, found {shown(line)}")
        router, *others = line.split()
        found.row(where, router)
        for other in others:
            found.neighbour(where, router, other)


def _read_multiline(file: File, found: Adjacency) -> None:
    router, remaining = "", 0
    for number, line in content_lines(file):
        where = f"{file}, line {number}"
        words = line.split(None, 1)
        if not remaining:
            if len(words) != 2:
                raise InputError(f"{where}: expected a router and its number of neighbours, found {shown(line)}")
            router, remaining = words[0], whole(words[1], f"{where}: the number of neighbours")
            found.row(where, router)
            continue
        remaining -= 1
        found.neighbour(where, router, words[0])
        if len(words) == 2:
            if not WITH_DATA.fullmatch(line):
                raise InputError(f"{where}: expected a neighbour and its attributes in braces, found {shown(line)}")
            found.attributes.see(len(found.pairs) - 1, attributes_of(words[1]))
    if remaining:
        raise InputError(f"{file}: {remaining} neighbours of router {shown(router)} are missing; it may be cut off")


def _may_be(file: File) -> bool:
    """Return quickly whether a file may be an adjacency list; one with two names in each line is an edge list."""
    if _is_multiline(file):
        return True
    if any(FORBIDDEN.search(join_tuples(line.partition("#")[0].strip())) for line in file.head_lines):
        return False
    last = bytes(file.data[-HEAD_BYTES:]).decode(errors="replace").rstrip().rpartition("\n")[2]
    return bool({len(line.partition("#")[0].split()) for line in (*file.head_lines, last)} - {0, 2})


def _recognized(file: File) -> Adjacency | None:
    if not _may_be(file):
        return None
    try:
        found = _adjacency(file)
    except InputError:
        return None
    return found if found.pairs and found.is_whole else None


def recognizes(file: File) -> bool:
    """Return whether a file is an adjacency list: every router begins one line, and its edges are clearly links."""
    found = _recognized(file)
    return found is not None and found.says_links


def is_unclear(file: File) -> bool:
    """Return whether a file is an adjacency list that may be of a directed graph."""
    found = _recognized(file)
    return found is not None and not found.says_links


def read(file: File) -> Network:
    """Read a network of links from an adjacency list; a link that is listed at both ends is one."""
    found = _adjacency(file)
    listed: dict[tuple[str, str], list[int]] = {}
    for index, pair in enumerate(found.pairs):
        listed.setdefault(pair, []).append(index)
    ways: list[tuple[str, str]] = []
    edges: list[int] = []
    for (a, b), here in listed.items():
        there = listed.get((b, a), [])
        if a == b or not there or found.row_of.get(a, 0) < found.row_of.get(b, 0):
            for edge in max(here, there, key=len):
                ways += [(a, b), (b, a)]
                edges += [edge, edge]
    return _network(file, found, ways, edges)


def read_directed(file: File) -> Network:
    """Read a network of channels from an adjacency list."""
    found = _adjacency(file)
    return _network(file, found, found.pairs, list(range(len(found.pairs))))


def refuse(file: File) -> Network:
    """Refuse an adjacency list whose edges may be links or channels."""
    raise InputError(
        f"{file}: this adjacency list does not say whether its edges go both ways; `form=adjacency-list` reads links, "
        "`form=directed-adjacency-list` channels"
    )


def _network(file: File, found: Adjacency, ways: list[tuple[str, str]], edges: list[int]) -> Network:
    """Make a network of channels, each with the number of the edge that it is of."""
    if not ways:
        raise InputError(
            f"{file}: no channels in it; an adjacency list has lines like `0 1 2`, a router and neighbours"
        )
    builder = NetworkBuilder(file)
    for name in (*found.row_of, *(other for _, other in found.pairs)):
        builder.router(name)
    capacities = found.attributes.capacities(len(found.pairs))
    for (a, b), edge in zip(ways, edges, strict=True):
        builder.channel(builder.number[a], builder.number[b], capacities[edge])
    return builder.network(in_order=True)


ADJACENCY_LIST = Format(
    "adjacency-list",
    "adjacency list of NetworkX: a line `0 1 2` lists the neighbours of router 0, once a link",
    recognizes,
    read,
)
DIRECTED_ADJACENCY_LIST = Format(
    "directed-adjacency-list",
    "adjacency list of a directed graph: a line `0 1 2` gives the channels from router 0",
    lambda file: False,  # looks like any adjacency list
    read_directed,
)
UNCLEAR_ADJACENCY_LIST = Format("unclear-adjacency-list", "an adjacency list of either kind", is_unclear, refuse)
