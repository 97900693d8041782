"""Networks from the anynet files of BookSim.

A line `router 0 node 0 node 1 router 1 15 router 2` puts nodes 0 and 1, which are processors, on router 0, and joins it
with routers 1 and 2; a number behind a neighbour is a latency. A line may begin with a node as well. What is joined is
joined both ways, in however many lines it stands, as BookSim reads it.
"""

from __future__ import annotations

import re

from pavane.errors import InputError
from pavane.io.file_notes import note
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.formats.network_builder import NetworkBuilder
from pavane.io.parsing import lines_of, shown, whole
from pavane.model.network import Network

START = re.compile(r"\s*(?:router|node)\s+\d+\s+(?:router|node)\s+\d+(?:\s|$)", re.ASCII)


def recognizes(file: File) -> bool:
    """Tell whether a file begins like one of this format."""
    return START.match(file.head) is not None


def read(file: File) -> Network:
    """Read a network from an anynet file."""
    routers: set[int] = set()
    links: dict[tuple[int, int], None] = {}
    home: dict[int, int] = {}
    latencies = False
    for where, line in lines_of(file):
        things, some = _things(where, line)
        latencies |= some
        if not things:
            continue
        (kind, number), *others = things
        if kind == "node" and not others:
            raise InputError(f"{where}: node {number} sits on no router; write `node {number} router 0`")
        routers |= {other for what, other in things if what == "router"}
        for what, other in others:
            if what == kind == "router":
                if other == number:
                    raise InputError(f"{where}: router {number} is joined with itself; leave that out")
                links[min(number, other), max(number, other)] = None
                continue
            if what == kind:
                raise InputError(f"{where}: node {number} is joined with node {other}; nodes sit on routers")
            node, router = (other, number) if kind == "router" else (number, other)
            if home.setdefault(node, router) != router:
                raise InputError(f"{where}: node {node} sits on router {router}, and on router {home[node]} before")
    if not routers:
        raise InputError(f"{file}: no router in it; an anynet file has lines like `router 0 node 0 router 1`")
    builder = NetworkBuilder(file)
    for router in sorted(routers):
        builder.router(str(router), 0)
    for a, b in sorted(links):
        builder.link(builder.number[str(a)], builder.number[str(b)])
    if latencies:
        note(file, "latencies are left out; every channel takes one step")
    nodes = sorted(home)
    if nodes != list(range(len(nodes))):
        note(file, f"nodes are numbered with gaps; they become processors 0 to {len(nodes) - 1} in their order")
    bare = builder.network()
    homes = [builder.number[str(home[node])] for node in nodes]
    return Network(bare.name, bare.routers, bare.channels, homes)


def _things(where: str, line: str) -> tuple[list[tuple[str, int]], bool]:
    """Return the routers and nodes of a line, and whether latencies stand behind some."""
    words = line.partition("//")[0].split()
    things: list[tuple[str, int]] = []
    latencies = False
    index = 0
    while index < len(words):
        if words[index] not in ("router", "node"):
            raise InputError(f"{where}: {shown(words[index])}, where `router` or `node` was expected")
        if index + 1 == len(words):
            raise InputError(f"{where}: a number is missing behind `{words[index]}`")
        things.append((words[index], whole(words[index + 1], f"{where}: the number of a {words[index]}")))
        index += 2
        if index < len(words) and len(things) > 1 and words[index] not in ("router", "node"):
            latencies |= whole(words[index], f"{where}: a latency") != 1
            index += 1
    return things, latencies


ANYNET = Format(
    "anynet",
    "anynet file of BookSim: its routers are routers, its nodes processors",
    recognizes,
    read,
)
