"""The ways of a message are the channels on its shortest paths, heads before tails."""

import numpy as np
import pytest

from pavane.networks import network
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric, dag_scratch, find_dag


@pytest.mark.parametrize("text", ["mesh:3x4", "hypercube:3", "kautz:2,3", "ring:5"])
def test_ways_are_the_channels_on_shortest_paths(text: str) -> None:
    """A channel is a way if the distances before and behind it add up; no way comes before those at its head."""
    net = network(text)
    units = np.arange(net.num_channels, dtype=np.int32)
    wiring = Wiring(net.tails, net.heads, *net.outgoing, *net.incoming)
    dag = dag_scratch(net.num_routers, net.num_channels)
    for source in range(net.num_routers):
        for target in range(net.num_routers):
            dag_size = find_dag(ScatterFabric(wiring, net.distances, units), None, source, target, None, 0, dag)
            around = net.distances[source][net.tails] + 1 + net.distances[net.heads, target]
            expected = np.flatnonzero(around == net.distances[source, target])
            assert sorted(dag.channels[: dag_size.num_edges]) == expected.tolist()
            assert (np.diff(dag.heads[: dag_size.num_edges]) >= 0).all()
            assert (dag.heads[: dag_size.num_edges] < dag.tails[: dag_size.num_edges]).all()
            assert dag.met[dag_size.source] == source
            assert (dag.index_of == -1).all()


def test_full_units_are_passed_over() -> None:
    """Where one of two ways round a ring is full, only the other is left."""
    net = network("ring:4")
    units = np.arange(net.num_channels, dtype=np.int32)
    fabric = ScatterFabric(Wiring(net.tails, net.heads, *net.outgoing, *net.incoming), net.distances, units)
    dag = dag_scratch(net.num_routers, net.num_channels)
    loads = np.zeros(net.num_channels, dtype=np.int32)
    assert find_dag(fabric, None, 0, 2, loads, 1, dag).num_edges == 4
    loads[(net.tails == 1) & (net.heads == 2)] = 1
    assert find_dag(fabric, None, 0, 2, loads, 1, dag).num_edges == 2
