"""Networks from graphs of NetworkX, and graphs of networks.

A graph is read as its file would be: an edge of an undirected graph is a link, one of a directed graph a channel, and
attributes say what `attributed_graphs` tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pavane.errors import InputError, shortened
from pavane.io.attributed_graphs import Edge, network_of
from pavane.io.files import File
from pavane.model.network import Network

if TYPE_CHECKING:
    import networkx


def from_networkx(graph: networkx.Graph, name: str | None = None) -> Network:
    """Return the network that a graph of NetworkX describes; `pavane.network` takes graphs, too.

    Args:
        graph: A Graph, DiGraph, MultiGraph or MultiDiGraph. An undirected edge is a link, a directed one a channel,
            and parallel edges are parallel channels. The `nodes` may have `processors` (1 unless given, 0 for a pure
            switch) and positions (`pos`, or `x` and `y`), edges `capacity`.
        name: The name of the network; that of the graph unless given.

    Returns:
        The network. Its routers are the `nodes`, in their order, and bear their names.

    Example:
        >>> import networkx
        >>> pavane.from_networkx(networkx.petersen_graph())
        <Network Petersen Graph: 10 routers, 30 channels, 10 processors>
    """
    if not is_graph(graph):
        raise InputError(
            f"{shortened(graph)} is neither a text nor a graph of NetworkX; write family:parameters, for example "
            "ring:8, or give a Graph"
        )
    called = name if name is not None else str(graph.graph.get("name") or "graph")
    # What errors and notes call it; there are no bytes.
    file = File(called, memoryview(b""))
    names = {node: _name(node) for node in graph.nodes}
    nodes = {names[node]: _plain(data) for node, data in graph.nodes(data=True)}
    if len(nodes) < len(names):
        raise InputError(f"{file}: two nodes have the same name as texts, like 1 and '1'; rename one of them")
    is_link = not graph.is_directed()
    edges = [Edge(names[tail], names[head], is_link, _plain(data)) for tail, head, data in _in_order(graph)]
    return network_of(file, nodes, edges, called)


def to_networkx(network: Network) -> networkx.MultiDiGraph:
    """Return a network as a graph of NetworkX; `Network.to_networkx` is this.

    Args:
        network: The network.

    Returns:
        A MultiDiGraph with one of its `nodes` for each router, by its name, and an edge for each channel, whose key is
        its number. The `nodes` have `processors`, and `pos` where there are positions; edges have `capacity`.

    Example:
        >>> graph = pavane.to_networkx(pavane.network("octagon"))
        >>> pavane.network(graph) == pavane.network("octagon")
        True
    """
    import networkx

    graph = networkx.MultiDiGraph(name=network.name)
    positions = [None] * network.num_routers if network.positions is None else network.positions.tolist()
    for router, at in enumerate(positions):
        drawn = {} if at is None else {"pos": tuple(at)}
        graph.add_node(network.routers[router], processors=len(network.processors_on[router]), **drawn)
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        ends = network.routers[tail], network.routers[head]
        graph.add_edge(*ends, key=channel, capacity=int(network.capacity[channel]))
    return graph


def _in_order(graph: networkx.Graph) -> list[tuple[Any, Any, dict[Any, Any]]]:
    """Return the edges as the graph lists them; where their keys number them all, as in our own graphs, by these."""
    if not graph.is_multigraph():
        return list(graph.edges(data=True))
    edges = list(graph.edges(keys=True, data=True))
    if {key for _, _, key, _ in edges} == set(range(len(edges))):
        edges.sort(key=lambda edge: edge[2])
    return [(tail, head, data) for tail, head, _, data in edges]


def is_graph(value: Any) -> bool:
    """Tell a graph of NetworkX by what it can do, without importing NetworkX."""
    return all(hasattr(value, name) for name in ("nodes", "edges", "is_directed", "is_multigraph", "graph"))


def _name(node: object) -> str:
    """Return the name of a router: texts as they are, a pair like (0, 1) as 0,1."""
    if isinstance(node, tuple):
        return ",".join(map(str, node))
    return str(node)


def _plain(attributes: dict[Any, Any]) -> dict[str, Any]:
    """Return attributes with numbers of numpy as plain ones, by names that are texts."""
    return {str(key): _plain_value(value) for key, value in attributes.items()}


def _plain_value(value: Any) -> Any:
    listed = value.tolist() if hasattr(value, "tolist") else value
    return tuple(map(_plain_value, listed)) if isinstance(listed, list | tuple) else listed
