"""The bound by bisection: its figures and its words."""

from __future__ import annotations

import pytest

from pavane.model.problem import Rules
from tests.bounds.told import steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "steps"),
    [
        ("complete:8", "AAS", Rules(), 1),
        ("line:8", "AAB", Rules(), 4),
        ("line:8", "AAB", Rules(duplex="half"), 8),
    ],
)
def test_figures(spec: str, kind: str, rules: Rules, steps: int) -> None:
    """What must cross between the halves is divided by the channels between them."""
    assert steps_of(problem_of(spec, kind, rules))["bisection"] == steps


def test_large_networks_are_bounded_without_their_bisection() -> None:
    """A network of more than 1024 routers is not bisected, and the other bounds remain."""
    found = steps_of(problem_of("ring:1100", "OAS"))
    assert "bisection" not in found
    assert found["injection"] == 550


@pytest.mark.parametrize(
    ("spec", "kind", "said"),
    [
        (
            "mesh:4x4",
            "AAS",
            "messages must cross between two halves 128 times in all, 8 times a step; "
            "8 channels join them, at routers 10, 11, 4, 5 and 4 more (`bounds --all` names them)",
        ),
        (
            "line:4",
            "OAS",
            "messages must cross between two halves 2 times in all, 1 time a step; 1 channel joins them, at router 1",
        ),
        ("line:8", "AAB", "4 messages must leave the 4 routers 4, 5, 6, 7, 1 a step"),
    ],
)
def test_words(spec: str, kind: str, said: str) -> None:
    """It says how often messages must cross, and where."""
    assert words(problem_of(spec, kind), "bisection") == said
