"""The bound by relays: its figures and its words."""

from __future__ import annotations

from tests.bounds.told import steps_of, words
from tests.problems import problem_of


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
