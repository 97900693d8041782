"""The bound by ejection: its figures and its words."""

from __future__ import annotations

import pytest

from pavane.model.problem import Rules
from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("kind", "rules", "steps", "said"),
    [
        ("AOG", Rules(ports=1), 8, "processor 0 must receive 8 messages, 1 a step"),
        ("OAB", Rules(ports=1), 1, "processor 1 must receive 1 message, 1 a step"),
        ("AAB", Rules(), 4, "processor 0 must receive 8 messages, 2 a step"),
    ],
)
def test_figures_and_words(kind: str, rules: Rules, steps: int, said: str) -> None:
    """The busiest receiver takes its messages over its ports, rounded up, and the words say so."""
    problem = problem_of("mesh:3x3", kind, rules)
    assert steps_of(problem)["ejection"] == steps
    assert words(problem, "ejection") == said


def test_certificates() -> None:
    """Private messages have a price on one port, broadcasts a processor; under combining there is neither."""
    private = bound_of(problem_of("mesh:3x3", "AOG", ports=1), "ejection")
    assert private.certificate == {"channels": [], "injection": [], "ejection": [[1, 0]]}
    assert bound_of(problem_of("mesh:3x3", "AAB"), "ejection").certificate == {"processor": 0}
    assert "ejection" not in steps_of(problem_of("mesh:3x3", "AAB", combining=True))
