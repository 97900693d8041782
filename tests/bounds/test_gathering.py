"""The bound by gathering: its figures and its words."""

from __future__ import annotations

from tests.bounds.told import steps_of, words
from tests.problems import problem_of


def test_a_receiver_hears_from_twice_as_many_in_every_step() -> None:
    """Over one port each a receiver hears from 7 others in three steps."""
    assert steps_of(problem_of("complete:8", "AAS", ports=1, combining=True))["gathering"] == 3


def test_without_combining_it_says_nothing() -> None:
    """Where messages travel alone a receiver hears from one origin over each port, and ejection counts that."""
    assert "gathering" not in steps_of(problem_of("complete:8", "AAB", ports=1))


def test_words() -> None:
    """It says from how many a receiver must hear, and can."""
    said = "processor 0 must hear from 7 others; after 1, 2, ... steps it can from at most 1, 3, 7"
    assert words(problem_of("complete:8", "AAB", ports=1, combining=True), "gathering") == said
