"""All connected cubic graphs of some number of vertices, each once: 1, 2, 5, 19 and 85 of 4, 6, 8, 10 and 12 vertices.

Grown from one vertex: whatever still lacks links is given all that it lacks, in every way. Of what has been grown so
far only one of each kind is extended, identified by its canonical form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.networks.links import two_way
from pavane.symmetry.canonical_form import canonical_order

DEGREE = 3


@cache
def all_cubic(num_vertices: int) -> tuple[Network, ...]:
    """Return all connected cubic graphs of that many vertices, in one order on all machines."""
    start = np.zeros((num_vertices, num_vertices), dtype=np.int64)
    grown, whole = {start.tobytes(): start}, dict[bytes, Longs]()
    while grown:
        bigger: dict[bytes, Longs] = {}
        for graph in grown.values():
            for more in _grown(graph):
                is_whole = bool((more.sum(axis=1) == DEGREE).all())
                order = canonical_order(np.zeros(num_vertices, dtype=np.int64), more)
                assert order is not None
                form = more[np.ix_(order, order)]
                (whole if is_whole else bigger)[form.tobytes()] = form
        grown = bigger
    return tuple(_network(whole[key], number) for number, key in enumerate(sorted(whole), 1))


def _grown(graph: Longs) -> Iterator[Longs]:
    """Yield the graph with all links that one of its vertices lacks, in every way; nothing where a part is closed."""
    degrees = graph.sum(axis=1)
    reached = np.flatnonzero((degrees > 0) & (degrees < DEGREE))
    if not len(reached):
        if degrees.any():
            return
        reached = np.array([0])
    vertex = int(reached[np.argmax(degrees[reached])])
    lacking = DEGREE - int(degrees[vertex])
    open_ones = [v for v in np.flatnonzero(degrees < DEGREE).tolist() if v != vertex and not graph[vertex, v]]
    # Vertices without a link are alike: they are taken in their order.
    fresh = [v for v in open_ones if degrees[v] == 0]
    for others in combinations(open_ones, lacking):
        taken = [v for v in others if degrees[v] == 0]
        if taken == fresh[: len(taken)]:
            more = graph.copy()
            more[vertex, list(others)] = more[list(others), vertex] = 1
            yield more


def _network(graph: Longs, number: int) -> Network:
    links = [(a, b) for a, b in zip(*np.nonzero(graph), strict=True) if a < b]
    return Network(f"cubic-{len(graph)}-{number}", len(graph), two_way([(int(a), int(b)) for a, b in links]))
