"""Hops over pure switches: what one step may cover where they pass."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings

from pavane.errors import InputError
from pavane.model.collectives import allgather, alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.switch_hops import hops, joins_switches, single_hops, steps_from, steps_to
from tests.strategies import problems

STORED, PASSED = Rules("store-and-forward"), Rules("store-and-forward", switches="pass")

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


@settings(max_examples=60)
@given(problems().filter(lambda problem: problem.passes_switches))
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
    """Between neighbours there is a way through the switch, too; over two switches there is none."""
    net = Network("cabled", 3, [(0, 2), (2, 0), (1, 2), (2, 1), (0, 1)], [0, 1])
    problem = Problem(net, allgather(net), PASSED)
    assert sorted(single_hops(problem)) == [((0, 3), 0, 1), ((2, 1), 1, 0), ((4,), 0, 1)]
    assert not joins_switches(problem)
    assert sorted(hops(problem)) == [((2, 1), 1, 0), ((4,), 0, 1)]
    assert joins_switches(Problem(TWO_SWITCHES, allgather(TWO_SWITCHES), PASSED))
