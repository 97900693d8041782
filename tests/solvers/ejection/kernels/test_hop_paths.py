"""Listing the ways of messages: what is on paths of the allowed length, and nothing else."""

from functools import partial

import networkx as nx
import numpy as np
import pytest

from pavane.jit import compiled
from pavane.solvers.ejection.hop_network import HopNetwork
from pavane.solvers.ejection.kernels.hop_paths import Extent, list_hops
from tests.problems import problem_of


def _leaves(target: int, tail: int, _: int) -> bool:
    return tail != target


@pytest.mark.parametrize("detour", [0, 1, 2])
@pytest.mark.parametrize("spec", ["kautz:2,2", "mesh:3x3", "fat-octagon:2"])
def test_ways_are_those_of_all_short_paths(spec: str, detour: int) -> None:
    """A hop is listed if its distances from the origin and to the target are short enough together."""
    problem = problem_of(spec, "AAS", None, switching="store-and-forward")
    graph = HopNetwork.of(problem).graph
    ends = problem.distinct_ends.astype(np.int32)
    order = np.argsort(ends[:, 1], kind="stable")
    hops = nx.DiGraph()
    hops.add_edges_from(zip(graph.wiring.tails.tolist(), graph.wiring.heads.tolist(), strict=True))
    far = dict(nx.all_pairs_shortest_path_length(hops))
    offsets, columns = compiled(list_hops)(graph, ends, order, Extent(detour, 99, 10**6))
    for at, (origin, target) in enumerate(ends[order].tolist()):
        listed = columns[:, offsets[at] : offsets[at + 1]]
        # What lies behind the target is on no way to it.
        leaves = partial(_leaves, target)
        away = nx.single_source_shortest_path_length(nx.subgraph_view(hops, filter_edge=leaves), origin)
        expected = {
            (hop, away[tail], far[head][target])
            for hop, (tail, head) in enumerate(
                zip(graph.wiring.tails.tolist(), graph.wiring.heads.tolist(), strict=True)
            )
            if tail in away.keys() - {target}
            and head != origin
            and away[tail] + 1 + far[head][target] <= away[target] + detour
        }
        assert {(row[0], row[3], row[4]) for row in listed.T.tolist()} == expected
        assert len(expected) == listed.shape[1]


def test_machine_code_does_what_the_source_says() -> None:
    """Compiled and uncompiled list the same, also where few of a router's processors keep messages."""
    problem = problem_of("fat-octagon:3", "AAS", None, switching="store-and-forward")
    graph, ends = HopNetwork.of(problem).graph, problem.distinct_ends.astype(np.int32)
    order = np.argsort(ends[:, 1], kind="stable")
    some = Extent(1, 2, 10**6)
    (offsets, columns), (again, columns_again) = (
        make(graph, ends, order, some) for make in (list_hops, compiled(list_hops))
    )
    assert np.array_equal(offsets, again)
    assert np.array_equal(columns[:, : offsets[-1]], columns_again[:, : offsets[-1]])
