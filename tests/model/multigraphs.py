"""Small networks drawn at random, and how networkx sees a network."""

from __future__ import annotations

import networkx as nx
from hypothesis import strategies as st

from pavane.model.network import Network


@st.composite
def multigraphs(draw: st.DrawFn, min_routers: int = 1, max_routers: int = 7) -> Network:
    """Draw a small network with one-way and parallel channels, fat routers and pure switches."""
    size = draw(st.integers(min_routers, max_routers))
    router = st.integers(0, size - 1)
    pair = st.tuples(router, router).filter(lambda ends: ends[0] != ends[1])
    channels = draw(st.lists(pair, max_size=16)) if size > 1 else []
    return Network("drawn", size, channels, draw(st.lists(router, max_size=6)))


def digraph(made: Network) -> nx.MultiDiGraph:
    """Return the routers and channels as networkx sees them."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(made.num_routers))
    graph.add_edges_from(made.channels.tolist())
    return graph
