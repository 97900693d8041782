"""The shortest paths of one message as a directed acyclic graph, found by a search backwards from the target.

An edge is a channel that lies on some shortest path of the message. Edges are listed nearest to the target first,
between routers numbered as they are met: a loop over the edges so reaches the head of a channel before its tail, as
dynamic programming from the target needs it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pavane.jit.compiling import inlined
from pavane.solvers.kernels.wiring import Wiring

Array = np.ndarray[Any, Any]


class ScatterFabric(NamedTuple):
    """The network that paths use; read-only."""

    wiring: Wiring
    distances: Array
    """int16 or int32 [router, router]: channels from the first to the second; below 0 where there is no path."""
    unit_of: Array
    """int32 [channel]: the unit of capacity that a channel draws on: itself, its link, or its orbit."""
    capacity: Array | None = None
    """int32 [unit]: the most messages through it in one step; None: one through each."""


class Messages(NamedTuple):
    """Messages from router to router; read-only."""

    sources: Array
    """int32 [message]."""
    targets: Array
    """int32 [message]."""
    path_offsets: Array
    """int64 [message + 1]: paths[path_offsets[m]:path_offsets[m + 1]] are the channels of message m, in order."""
    ports: Array
    """int32 [message, 2]: its injection port and its ejection port."""


class PathDag(NamedTuple):
    """Working memory for the shortest paths of one message."""

    met: Array
    """int32 [router]: the routers on shortest paths, the target first."""
    index_of: Array
    """int32 [router]: the index of a router in `met`; -1 between two searches."""
    tails: Array
    """int32 [edge]: its tail, as an index of `met`."""
    heads: Array
    """int32 [edge]: its head, as an index of `met`."""
    channels: Array
    """int32 [edge]."""
    units: Array
    """int32 [edge]."""
    best: Array
    """int32 [router met]: the edge by which the chosen path leaves it."""


class DagSize(NamedTuple):
    """The part of a `PathDag` that one message uses."""

    num_met: int
    num_edges: int
    source: int
    """The index of the message's source in `met`."""


def dag_scratch(num_routers: int, num_channels: int) -> PathDag:
    """Return working memory for any message."""
    return PathDag(
        np.empty(num_routers, dtype=np.int32),
        np.full(num_routers, -1, dtype=np.int32),
        np.empty(num_channels, dtype=np.int32),
        np.empty(num_channels, dtype=np.int32),
        np.empty(num_channels, dtype=np.int32),
        np.empty(num_channels, dtype=np.int32),
        np.zeros(num_routers, dtype=np.int32),
    )


@inlined
def find_dag(
    fabric: ScatterFabric,
    capacity: Array | None,
    source: int,
    target: int,
    loads: Array | None,
    most_load: int,
    dag: PathDag,
) -> DagSize:
    """List the edges of the shortest paths from a source to a target.

    A unit whose load, divided by its capacity, has reached `most_load` is skipped; without `loads` none is. The
    capacity is the fabric's: an argument that may be None must stand alone for numba to leave out its branches.
    """
    in_offsets, in_channels, tails = fabric.wiring.in_offsets, fabric.wiring.in_channels, fabric.wiring.tails
    unit_of, away = fabric.unit_of, fabric.distances[source]
    met, index_of = dag.met, dag.index_of
    edge_tails, edge_heads, edge_channels, edge_units = dag.tails, dag.heads, dag.channels, dag.units
    met[0] = target
    index_of[target] = 0
    num_met, num_edges, here = 1, 0, 0
    while here < num_met:
        head = met[here]
        nearer = away[head] - 1
        if nearer >= 0:
            for at in range(in_offsets[head], in_offsets[head + 1]):
                channel = in_channels[at]
                tail = tails[channel]
                if away[tail] != nearer:
                    continue
                unit = unit_of[channel]
                if loads is not None:
                    if capacity is None:
                        if loads[unit] >= most_load:
                            continue
                    elif loads[unit] // capacity[unit] >= most_load:
                        continue
                if index_of[tail] < 0:
                    index_of[tail] = num_met
                    met[num_met] = tail
                    num_met += 1
                edge_tails[num_edges] = index_of[tail]
                edge_heads[num_edges] = here
                edge_channels[num_edges] = channel
                edge_units[num_edges] = unit
                num_edges += 1
        here += 1
    start = index_of[source]
    for index in range(num_met):
        index_of[met[index]] = -1
    return DagSize(num_met, num_edges, start)


@inlined
def write_path(dag: PathDag, dag_size: DagSize, path: Array) -> None:
    """Write the channels of the path that takes the best edge from every router."""
    here = dag_size.source
    for hop in range(len(path)):
        edge = dag.best[here]
        path[hop] = dag.channels[edge]
        here = dag.heads[edge]
