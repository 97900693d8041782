"""The bounds by equal prices: their figures and their words."""

from __future__ import annotations

import pytest

from pavane.model.collectives import permutation
from pavane.model.problem import Problem
from pavane.networks import network
from tests.bounds.told import steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(("duplex", "steps"), [("full", 6), ("half", 12)])
def test_channel_uses_over_channels(duplex: str, steps: int) -> None:
    """All distances together are divided by all channels together; under half duplex by all links."""
    assert steps_of(problem_of("mesh:3x3", "AAS", duplex=duplex))["sum-of-distances"] == steps


def test_a_permutation_is_bounded_by_its_distances() -> None:
    """The shift by half a one-way ring of 8 uses every channel 4 times."""
    ring = network("ring:8,oneway")
    problem = Problem(ring, permutation([(p + 4) % 8 for p in range(8)]))
    assert steps_of(problem)["sum-of-distances"] == 4


def test_every_hop_takes_a_port() -> None:
    """On a one-port ring of 8 all hops together, 128, are sent over 8 ports."""
    problem = problem_of("ring:8", "AAS", switching="store-and-forward", ports=1)
    assert steps_of(problem)["relays"] == 16
    said = "messages must be sent by processors 128 times in all, and a step has 8 ports"
    assert words(problem, "relays") == said


def test_a_wormhole_passes_by() -> None:
    """Only store-and-forward stops on the way, and only private messages are counted."""
    assert "relays" not in steps_of(problem_of("ring:8", "AAS", ports=1))
    assert "relays" not in steps_of(problem_of("ring:8", "AAB", switching="store-and-forward", ports=1))


def test_words() -> None:
    """It says how many channels there are to cover."""
    said = "the messages need 57,344 channel uses in all, and a step offers 896"
    assert words(problem_of("hypercube:7"), "sum-of-distances") == said
