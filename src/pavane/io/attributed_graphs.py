"""Networks from graphs whose nodes and edges have attributes, in whatever notation they were written.

An edge is a link or a channel; parallel edges are parallel channels. A router carries one processor unless its
attribute `processors` says how many (0: a pure switch). Attributes `x` and `y`, or `pos`, say where to draw it. An
edge's `capacity`, or else its `bandwidth` or `weight`, becomes the capacity of its channels. Other attributes are left
alone; where an edge has one that says how fast it is, a note tells so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from pavane.errors import InputError
from pavane.io.edge_capacities import EdgeCapacities
from pavane.io.files import File
from pavane.io.parsing import shown
from pavane.model.network import Network
from pavane.networks.limits import MOST_CHANNELS

MOST_PROCESSORS = 4_000_000

Attributes = Mapping[str, Any]


class Edge(NamedTuple):
    """An edge between named nodes."""

    tail: str
    head: str
    is_link: bool
    """Whether it goes both ways."""
    attributes: Attributes


def network_of(
    file: File, nodes: Mapping[str, Attributes], edges: Iterable[Edge], called: str | None = None
) -> Network:
    """Return the network that a graph describes; it bears the name of the file unless another is given."""
    number = {name: index for index, name in enumerate(nodes)}
    said = EdgeCapacities(file)
    channels: list[tuple[int, int]] = []
    ways: list[int] = []
    for edge in edges:
        for end in (edge.tail, edge.head):
            if end not in number:
                raise InputError(f"{file}: an edge joins {shown(end)}, which is no node of the file")
        tail, head = number[edge.tail], number[edge.head]
        channels.append((tail, head))
        if edge.is_link:
            channels.append((head, tail))
        if edge.attributes:
            said.see(len(ways), edge.attributes)
        ways.append(2 if edge.is_link else 1)
        if len(channels) > MOST_CHANNELS:
            raise InputError(f"{file}: more than {MOST_CHANNELS:,} channels; that is too large a network")
    router_of: list[int] = []
    for index, (name, data) in enumerate(nodes.items()):
        router_of += [index] * _processors(file, name, data)
        if len(router_of) > MOST_PROCESSORS:
            raise InputError(f"{file}: more than {MOST_PROCESSORS:,} processors; that is too large a network")
    positions = [_position(data) for data in nodes.values()]
    capacities = said.made(len(ways))
    return Network(
        file.stem if called is None else called,
        tuple(nodes),
        channels,
        router_of,
        None if None in positions else positions,  # type: ignore[arg-type]
        capacities=None if capacities is None else np.repeat(capacities, ways),
    )


def _processors(file: File, name: str, data: Attributes) -> int:
    value = data.get("processors", 1)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_PROCESSORS:
        raise InputError(
            f"{file}: node {shown(name)} has processors {shown(value)}; give a whole number, 0 for a pure switch"
        )
    return value


def _position(data: Attributes) -> tuple[float, float] | None:
    given = data.get("pos", (data.get("x"), data.get("y")))
    if isinstance(given, (list, tuple)) and len(given) == 2 and all(isinstance(v, (int, float)) for v in given):
        return float(given[0]), float(given[1])
    return None
