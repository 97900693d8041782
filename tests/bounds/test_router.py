"""The bound by one router: its figures and its words."""

from __future__ import annotations

import pytest

from pavane.judge.certificates import proven
from pavane.model.collectives import pairs
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "steps"),
    [("star:8", "AAS", Rules(), 7), ("octagon*2", "AAS", Rules(ports=1), 12), ("mesh:3x3", "AAB", Rules(), 4)],
)
def test_figures(spec: str, kind: str, rules: Rules, steps: int) -> None:
    """What must leave, enter or pass one router takes its channels a number of steps."""
    assert steps_of(problem_of(spec, kind, rules))["router"] == steps


def test_fat_routers_share_their_channels() -> None:
    """Four processors on a router with one channel out need a step for each message that leaves it."""
    fat = Network("pair", 2, [(0, 1), (1, 0)], [0, 0, 0, 0, 1])
    found = steps_of(Problem(fat, pairs([(p, 4) for p in range(4)]), Rules(ports=4)))
    assert found["router"] == 4
    assert found["ejection"] == 1


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "steps"),
    [
        ("rails:16,2", "AAS", Rules("store-and-forward", switches="pass"), 30),
        ("dgx-a100:4", "AAS", Rules(), 24),
        ("dgx-a100:8", "AAB", Rules(), 7),
        ("dgx-a100:8", "AAR", Rules(), 7),
    ],
)
def test_switch_with_its_processors(spec: str, kind: str, rules: Rules, steps: int) -> None:
    """What must leave or enter a box, a switch and the GPUs on it, takes the channels around it a number of steps."""
    problem = problem_of(spec, kind, rules)
    assert steps_of(problem)["router"] == steps
    assert proven(problem, bound_of(problem, "router")) == steps


def test_many_slim_routers_are_not_looked_at_one_by_one() -> None:
    """On more than 256 routers with a processor each the ports say nearly the same."""
    assert "router" not in steps_of(problem_of("ring:257", "OAS"))
    assert "router" in steps_of(problem_of("ring:256", "OAS"))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("AAB", "8 messages must leave the rest for router 0, 2 a step"),
        ("OAS", "8 messages must leave or pass router 0, 2 a step"),
        ("AOG", "8 messages must enter or pass router 0, 2 a step"),
    ],
)
def test_words(kind: str, said: str) -> None:
    """It says what must leave or enter which router."""
    assert words(problem_of("mesh:3x3", kind), "router") == said


def test_words_of_a_switch_with_its_processors() -> None:
    """It says over which channels messages must leave."""
    said = "8 messages must pass from routers 0.0, 0.1 to routers R0, R1, 2 a step"
    assert words(problem_of("rails:3,2", "AAS"), "router") == said
