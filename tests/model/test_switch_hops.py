"""Hops over pure switches: what one step may cover where they pass."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings

from pavane.errors import InputError
from pavane.model.collectives import allgather, alltoall, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.switch_hops import hops, joins_switches, single_hops, steps_from, steps_to, unfolded_hops
from tests.strategies import problems

STORED, PASSED = Rules("store-and-forward"), Rules("store-and-forward", switches="pass")

ANYHOW = Rules("store-and-forward", switches="pass", routing="any")

BESIDE = Network("beside", 5, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)], [0, 1, 2])
"""Processors 0, 1 and 2 in a row, and a way from 0 to 2 over two switches, which is longer."""

TWO_SWITCHES = Network(
    "two switches", 5, [(0, 3), (3, 0), (1, 3), (3, 1), (3, 4), (4, 3), (4, 2), (2, 4), (0, 1)], [0, 1, 2]
)
"""Processors 0 and 1 at one switch, 2 at another one behind it; and a channel from 0 to 1."""


def test_hops_end_where_messages_rest() -> None:
    """Where switches hold, a hop is a channel; where they pass, it ends at the next router with processors."""
    assert [hop.path for hop in hops(Problem(TWO_SWITCHES, alltoall(TWO_SWITCHES), STORED))] == [(c,) for c in range(9)]
    passing = hops(Problem(TWO_SWITCHES, alltoall(TWO_SWITCHES), PASSED))
    assert {(hop.tail, hop.head): hop.path for hop in passing} == {
        (0, 1): (8,),
        (0, 2): (0, 4, 6),
        (1, 0): (2, 1),
        (1, 2): (2, 4, 6),
        (2, 0): (7, 5, 1),
        (2, 1): (7, 5, 3),
    }


def test_steps_are_hops() -> None:
    """Switches on the way take no step of their own where they pass."""
    held, passed = (Problem(TWO_SWITCHES, allgather(TWO_SWITCHES), rules) for rules in (STORED, PASSED))
    assert steps_from(held, 0)[[0, 1, 2]].tolist() == [0, 1, 3]
    assert steps_from(passed, 0)[[0, 1, 2]].tolist() == [0, 1, 1]
    assert steps_to(passed, 0)[[0, 1, 2]].tolist() == [0, 1, 1]


def test_a_hop_is_a_shortest_path_of_the_network() -> None:
    """Under minimal routing no hop over switches is longer than the way over a processor; under any routing it may."""
    collective = pairs([(0, 2)])
    shortest, anyhow = (Problem(BESIDE, collective, rules) for rules in (PASSED, ANYHOW))
    assert [hop.path for hop in hops(shortest)] == [(0,), (1,)]
    assert [hop.path for hop in hops(anyhow)] == [(0,), (1,), (2, 3, 4)]
    for problem, steps in ((shortest, 2), (anyhow, 1)):
        assert steps_from(problem, 0)[2] == steps_to(problem, 2)[0] == steps


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(problems(slots=False).filter(lambda problem: problem.passes_switches))
def test_unfolded_hops_are_all_hops(problem: Problem) -> None:
    """The ways of the unfolded network are the shortest paths over switches; without one the network has no others."""
    network, unfolded = problem.network, unfolded_hops(problem)
    if not problem.takes_shortest_hops:
        assert unfolded is None
        return
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from((tail, head, number) for number, (tail, head) in enumerate(network.channels.tolist()))
    homes = sorted(set(network.router_of.tolist()))
    hop_network = network if unfolded is None else unfolded.network
    channel_of = range(network.num_channels) if unfolded is None else unfolded.channel_of.tolist()
    arcs = nx.MultiDiGraph()
    arcs.add_nodes_from(range(hop_network.num_routers))
    arcs.add_edges_from((tail, head, number) for number, (tail, head) in enumerate(hop_network.channels.tolist()))
    for start, end in permutations(homes, 2):
        others = set(homes) - {start, end}
        direct = graph.subgraph(set(graph) - others)
        expected = {
            tuple(channel for *_, channel in path)
            for path in nx.all_simple_edge_paths(direct, start, end)
            if len(path) == nx.shortest_path_length(graph, start, end)
        }
        found = nx.all_simple_edge_paths(arcs.subgraph(set(arcs) - others), start, end)
        assert {tuple(channel_of[number] for *_, number in path) for path in found} == expected


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(problems(slots=False).filter(lambda problem: problem.passes_switches))
def test_steps_are_shortest_ways_of_hops(problem: Problem) -> None:
    """Against networkx: hops are arcs between routers with processors, and steps the shortest ways over them."""
    arcs = nx.DiGraph((hop.tail, hop.head) for hop in hops(problem))
    homes = sorted(set(problem.network.router_of.tolist()))
    arcs.add_nodes_from(homes)
    assert set(arcs) == set(homes)
    for start in homes:
        lengths = nx.single_source_shortest_path_length(arcs, start)
        assert {end: int(steps_from(problem, start)[end]) for end in homes if end in lengths} == dict(lengths)


def test_passing_is_about_store_and_forward() -> None:
    """Under wormhole switching there is nothing to choose, and what is neither hold nor pass is refused."""
    with pytest.raises(InputError, match="under wormhole switching messages pass every router anyway"):
        Rules(switches="pass")
    with pytest.raises(InputError, match="switches 'stop' is not known; choose hold or pass"):
        Rules("store-and-forward", switches="stop")  # type: ignore[arg-type]


def test_the_rule_is_written_where_it_is_not_the_default() -> None:
    """Files and digests of before stay what they were."""
    assert "switches" not in STORED.to_dict()
    assert PASSED.to_dict()["switches"] == "pass"
    assert "switches pass" in str(PASSED)
    ring = Network("pair", 2, [(0, 1), (1, 0)])
    assert not Problem(ring, alltoall(ring), PASSED).passes_switches  # without pure switches nothing changes


def test_single_hops_are_all_ways_over_one_switch() -> None:
    """Between neighbours there is a way through the switch only under any routing; over two switches there is none."""
    net = Network("cabled", 3, [(0, 2), (2, 0), (1, 2), (2, 1), (0, 1)], [0, 1])
    problem = Problem(net, allgather(net), PASSED)
    assert sorted(single_hops(problem)) == [((2, 1), 1, 0), ((4,), 0, 1)]
    problem = Problem(net, allgather(net), ANYHOW)
    assert sorted(single_hops(problem)) == [((0, 3), 0, 1), ((2, 1), 1, 0), ((4,), 0, 1)]
    assert not joins_switches(problem)
    assert sorted(hops(problem)) == [((2, 1), 1, 0), ((4,), 0, 1)]
    assert joins_switches(Problem(TWO_SWITCHES, allgather(TWO_SWITCHES), PASSED))
