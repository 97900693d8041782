"""Networks from the anynet files of BookSim.

A line `router 0 node 0 node 1 router 1 15 router 2` puts nodes 0 and 1, which are processors, on router 0, and joins it
with routers 1 and 2; a number behind a neighbour is a latency. A line may begin with a node as well. What is joined is
joined both ways, in however many lines it stands, as BookSim reads it.
"""

from __future__ import annotations

import re
from pathlib import Path

from pavane.errors import InputError
from pavane.formats.imports.notes import note
from pavane.formats.imports.opened import head, lines_of, shown, whole
from pavane.formats.imports.sketch import Sketch
from pavane.model.network import Network

START = re.compile(r"\s*(?:router|node)\s+\d+\s+(?:router|node)\s+\d+(?:\s|$)", re.ASCII)


def recognizes(view: memoryview) -> bool:
    """Tell whether a file begins like one of this format."""
    return START.match(head(view)) is not None


def read(path: Path, view: memoryview) -> Network:
    """Read a network from an anynet file."""
    routers: set[int] = set()
    links: dict[tuple[int, int], None] = {}
    home: dict[int, int] = {}
    latencies = False
    for where, line in lines_of(path, view):
        things, some = _things(where, line)
        latencies |= some
        if not things:
            continue
        (kind, number), *others = things
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
        raise InputError(f"{path}: no router in it; an anynet file has lines like `router 0 node 0 router 1`")
    sketch = Sketch(path)
    for router in sorted(routers):
        sketch.router(str(router), 0)
    for a, b in sorted(links):
        sketch.link(sketch.number[str(a)], sketch.number[str(b)])
    if latencies:
        note(path, "latencies are left out; every channel takes one step")
    nodes = sorted(home)
    if nodes != list(range(len(nodes))):
        note(path, f"nodes are numbered with gaps; they become processors 0 to {len(nodes) - 1} in their order")
    bare = sketch.network()
    homes = [sketch.number[str(home[node])] for node in nodes]
    return Network(bare.name, bare.routers, bare.channels, homes)


def _things(where: str, line: str) -> tuple[list[tuple[str, int]], bool]:
    """Return the routers and nodes of a line, and whether latencies stand behind some."""
    words = line.partition("//")[0].split()
    things: list[tuple[str, int]] = []
    latencies = False
    place = 0
    while place < len(words):
        if words[place] not in ("router", "node"):
            raise InputError(f"{where}: {shown(words[place])}, where `router` or `node` was expected")
        if place + 1 == len(words):
            raise InputError(f"{where}: a number is missing behind `{words[place]}`")
        things.append((words[place], whole(words[place + 1], f"{where}: the number of a {words[place]}")))
        place += 2
        if place < len(words) and len(things) > 1 and words[place] not in ("router", "node"):
            latencies |= whole(words[place], f"{where}: a latency") != 1
            place += 1
    return things, latencies
