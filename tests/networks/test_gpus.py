"""GPU machines."""

from collections import Counter

import networkx as nx

from pavane.networks import dgx_1
from tests.networks.graphs import digraph, is_regular


def test_dgx_1() -> None:
    """Each of 8 GPUs has 6 links, two to each of two neighbours and one to each of two others."""
    made = dgx_1()
    assert made.num_routers == made.num_processors == 8
    assert is_regular(made, 6)
    count = Counter(tuple(channel) for channel in made.channels.tolist())
    assert all(count[tail, head] == count[head, tail] for tail, head in count)
    for gpu in range(8):
        assert sorted(count[gpu, other] for other in range(8)) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert made.diameter == 2


def test_hybrid_cube_mesh() -> None:
    """Each half of the machine is complete, and one link or a doubled one joins each GPU with its counterpart."""
    graph = nx.Graph(digraph(dgx_1()))
    for half in (range(4), range(4, 8)):
        assert graph.subgraph(half).number_of_edges() == 6
    assert {tuple(sorted(e)) for e in graph.edges if min(e) < 4 <= max(e)} == {(0, 4), (1, 5), (2, 6), (3, 7)}


def test_doubled_links_form_a_ring() -> None:
    """The doubled links join all 8 GPUs into one ring."""
    count = Counter(tuple(channel) for channel in dgx_1().channels.tolist())
    doubled = nx.Graph([channel for channel, number in count.items() if number == 2])
    assert nx.is_isomorphic(doubled, nx.cycle_graph(8))
