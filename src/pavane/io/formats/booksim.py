"""Reads and writes anynet files of BookSim 2, which have networks and no schedules.

A line `router 0 node 0 node 1 router 1 15 router 2` puts nodes 0 and 1, which are processors, on router 0, and joins it
with routers 1 and 2; a number after a neighbour is a latency. A line may also begin with a node. Each link is two-way,
in however many lines it appears, as in BookSim.
"""

from __future__ import annotations

import re

import numpy as np

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.formats.export import Export
from pavane.io.network_builder import NetworkBuilder
from pavane.io.parsing import begins_with, lines_of, shown, whole
from pavane.model.network import Network

START = re.compile(r"\s*(?:router|node)\s+\d+\s+(?:router|node)\s+\d+(?:\s|$)", re.ASCII)


def read(file: File) -> Network:
    """Read a network from an anynet file."""
    routers: set[int] = set()
    links: dict[tuple[int, int], None] = {}
    home: dict[int, int] = {}
    latencies = False
    for where, line in lines_of(file):
        things, has_latencies = _things(where, line)
        latencies |= has_latencies
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
        file.note("latencies are left out; every channel takes one step")
    nodes = sorted(home)
    if nodes != list(range(len(nodes))):
        file.note(f"nodes are numbered with gaps; they become processors 0 to {len(nodes) - 1} in their order")
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
    begins_with(START),
    read,
)


def _refuse_network(network: Network) -> str | None:
    if network.capacities is not None:
        wide = int(network.capacities.argmax())
        tail, head = network.channels[wide].tolist()
        return (
            f"the channel from router {network.routers[tail]} to {network.routers[head]} has capacity "
            f"{network.capacities[wide]}, and all channels of anynet are alike"
        )
    alone = np.flatnonzero(network.opposite < 0)
    seen: set[tuple[int, int]] = set()
    for tail, head in network.channels.tolist():
        names = f"{network.routers[tail]} to {network.routers[head]}"
        if (tail, head) in seen:
            return f"there are parallel channels from router {names}, and anynet joins two routers once"
        seen.add((tail, head))
    if len(alone):
        tail, head = network.channels[alone[0]].tolist()
        names = f"{network.routers[tail]} to {network.routers[head]}"
        return f"the channel from router {names} is one-way, and anynet makes every channel two-way"
    return None


def _render_network(network: Network) -> str:
    lines = []
    for router in range(network.num_routers):
        words = [f"router {router}"]
        words += [f"node {processor}" for processor in network.processors_on[router]]
        words += [f"router {network.heads[channel]}" for channel in network.out_channels[router]]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


BOOKSIM = Export(
    "booksim",
    "The network as an anynet file for BookSim 2; the schedule itself cannot be carried.",
    ".anynet",
    lambda result, _: _render_network(result.problem.network),
    lambda result: _refuse_network(result.problem.network),
    render_network=_render_network,
    refuses_network=_refuse_network,
)
