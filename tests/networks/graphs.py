"""Networks as networkx sees them, and facts of graph theory about them."""

import networkx as nx
import numpy as np

from pavane.model.network import Network


def digraph(network: Network) -> nx.MultiDiGraph:
    """Return the routers and channels as a directed multigraph."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(network.channels.tolist())
    return graph


def simple_graph(network: Network) -> nx.Graph:
    """Return the links as a simple graph, having checked that every channel is half of a link without a parallel."""
    channels = [tuple(channel) for channel in network.channels.tolist()]
    assert len(set(channels)) == len(channels)
    assert {(head, tail) for tail, head in channels} == set(channels)
    graph = nx.Graph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(channels)
    return graph


def is_regular(network: Network, degree: int) -> bool:
    """Whether `degree` channels leave and enter every router."""
    return bool((network.out_degrees == degree).all() and (network.in_degrees == degree).all())


def looks_alike_everywhere(network: Network) -> bool:
    """Whether every router counts the same number of routers at each distance."""
    rows = np.sort(network.distances, axis=1)
    return bool((rows == rows[0]).all())


def is_vertex_transitive(network: Network) -> bool:
    """Whether some automorphism takes router 0 to any other router; for small networks."""
    graph = digraph(network)
    for target in range(1, network.num_routers):
        marked, other = graph.copy(), graph.copy()
        nx.set_node_attributes(marked, {r: r == 0 for r in marked}, "mark")
        nx.set_node_attributes(other, {r: r == target for r in other}, "mark")
        matcher = nx.isomorphism.MultiDiGraphMatcher(
            marked, other, node_match=nx.isomorphism.categorical_node_match("mark", False)
        )
        if not matcher.is_isomorphic():
            return False
    return True
