"""The bound by the busiest channel: its figures and its words."""

from __future__ import annotations

import pytest

from pavane.bounds.busiest_channel import make
from pavane.judge.certificates import proven
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


def test_dimension_order_loads_one_channel_most() -> None:
    """On a mesh of 4 by 4 every message has one path, and a channel across the middle carries 16 of them."""
    problem = problem_of("mesh:4x4", routing="dimension-order")
    assert steps_of(problem)["busiest-channel"] == 16
    ((price, _),) = bound_of(problem, "busiest-channel").certificate["channels"]
    assert price == 1
    assert words(problem, "busiest-channel").endswith(" must carry 16 messages in all, 1 a step")


def test_where_messages_have_a_choice_it_says_nothing() -> None:
    """Under minimal routing, and on a torus of even size, messages choose; broadcasts are not counted."""
    assert "busiest-channel" not in steps_of(problem_of("mesh:4x4"))
    assert "busiest-channel" not in steps_of(problem_of("torus:4x4", routing="dimension-order"))
    assert "busiest-channel" not in steps_of(problem_of("mesh:4x4", "AAB", routing="dimension-order"))


TWO_CLIQUES = [(a, b) for first in (0, 11) for a in range(first, first + 11) for b in range(a + 1, first + 11)]


@pytest.mark.parametrize(("duplex", "steps"), [("full", 121), ("half", 242)])
@pytest.mark.parametrize("routing", ["minimal", "any"])
def test_a_bridge_carries_what_goes_between(duplex: str, routing: str, steps: int) -> None:
    """The one link between two cliques carries all that goes from one to the other."""
    channels = [way for a, b in [*TWO_CLIQUES, (0, 11)] for way in ((a, b), (b, a))]
    network = Network("two cliques", 22, channels)
    problem = Problem(network, alltoall(network), Rules(duplex=duplex, routing=routing))  # type: ignore[arg-type]
    bound = max(make(problem), key=lambda bound: bound.figure)
    assert (bound.figure, bound.argument) == (steps, "busiest-channel")
    assert proven(problem, bound) == steps


def test_parallel_channels_are_one_place() -> None:
    """Two links side by side carry half each."""
    channels = [way for a, b in [*TWO_CLIQUES, (0, 11), (0, 11)] for way in ((a, b), (b, a))]
    network = Network("two cliques, two links", 22, channels)
    bound = max(make(Problem(network, alltoall(network))), key=lambda bound: bound.figure)
    assert bound.figure == 61


def test_an_even_network_has_no_narrow_place() -> None:
    """Where no channel must carry more than its share the sum of distances says as much."""
    for spec in ("torus:5x5", "mesh:5x5", "star:30"):
        assert not list(make(problem_of(spec)))
