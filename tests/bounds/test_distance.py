"""The bound by distance: its figures and its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.bounds.distance import longest_way
from pavane.judge.verdict import Verdict
from pavane.model.bound import Bound
from pavane.model.collectives import broadcast, pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.networks import network
from tests.bounds.told import steps_of, words
from tests.problems import problem_of

STORED = Rules("store-and-forward")


@pytest.mark.parametrize(
    ("kind", "rules"), [("AAS", STORED), ("AOR", Rules("store-and-forward", combining=True)), ("OAB", STORED)]
)
def test_a_channel_a_step(kind: str, rules: Rules) -> None:
    """From corner to corner of a mesh of 9 it is 4 channels, with combining or without."""
    assert steps_of(problem_of("mesh:3x3", kind, rules))["distance"] == 4


def test_a_wormhole_needs_one_step() -> None:
    """A wormhole runs any path in one step."""
    assert "distance" not in steps_of(problem_of("mesh:3x3"))


@pytest.mark.parametrize(("routing", "steps"), [("minimal", 2), ("any", 1)])
def test_hops_over_switches_are_shortest_under_minimal_routing(routing: Routing, steps: int) -> None:
    """A way over two switches saves no step where the way over a processor has fewer channels."""
    beside = Network("beside", 5, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)], [0, 1, 2])
    problem = Problem(beside, pairs([(0, 2)]), Rules("store-and-forward", switches="pass", routing=routing))
    bound = longest_way(problem)
    assert bound.figure == steps
    assert Verdict(problem, bound, None).is_proven
    assert Verdict(problem, replace(bound, figure=steps + 1), None).objection


def test_only_messages_count() -> None:
    """The longest way is that of a message, not the diameter."""
    line = network("line:6")
    assert longest_way(Problem(line, pairs([(0, 1), (2, 4)]), STORED)) == Bound(2, "distance", {"from": 2, "to": 4})


def test_words() -> None:
    """It says who is how far away; processors of one router are no channel apart."""
    said = "processor 8 is 4 channels away from processor 0, and a step covers one channel"
    assert words(problem_of("mesh:3x3", "OAB", STORED), "distance") == said
    alone = Network("one router", 1, [], [0, 0])
    problem = Problem(alone, broadcast(alone, 0, [0, 1]), Rules("store-and-forward", ports=1))
    assert words(problem, "distance") == "processor 1 must receive from processor 0, which takes a step"
