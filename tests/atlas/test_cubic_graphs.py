"""All connected cubic graphs: as many as are known, each once."""

from __future__ import annotations

import networkx as nx
import pytest

from pavane.atlas.cubic_graphs import all_cubic


@pytest.mark.parametrize(("size", "count"), [(4, 1), (6, 2), (8, 5), pytest.param(10, 19, marks=pytest.mark.slow)])
def test_there_are_as_many_as_are_known(size: int, count: int) -> None:
    """The numbers of connected cubic graphs (OEIS A002851); all are cubic, connected and different."""
    found = all_cubic(size)
    assert len(found) == count
    graphs = [nx.Graph(one.channels.tolist()) for one in found]
    assert all(nx.is_connected(graph) and set(dict(graph.degree).values()) == {3} for graph in graphs)
    assert not any(nx.is_isomorphic(a, b) for number, a in enumerate(graphs) for b in graphs[:number])
