"""The bound by volume: its figures and its words."""

from __future__ import annotations

import pytest

from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(("duplex", "steps"), [("full", 4), ("half", 7)])
def test_every_message_enters_every_router(duplex: str, steps: int) -> None:
    """Eight messages enter seven routers of a ring each, over 16 channels or 8 links."""
    problem = problem_of("ring:8", "AAB", duplex=duplex)
    assert steps_of(problem)["volume"] == steps
    assert bound_of(problem, "volume").certificate == {}


def test_words() -> None:
    """It says how often routers must be entered."""
    said = "messages must enter routers 56 times in all, and a step has 8 channels"
    assert words(problem_of("ring:8", "AAB", duplex="half"), "volume") == said
