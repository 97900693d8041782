"""The bound by injection: its figures and its words."""

from __future__ import annotations

import pytest

from pavane.model.collectives import scatter
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.told import bound_of, steps_of, words
from tests.problems import problem_of


@pytest.mark.parametrize(("ports", "steps"), [(1, 8), (2, 4), (3, 3)])
def test_a_root_sends_over_its_ports(ports: int, steps: int) -> None:
    """The root of a scatter to 8 others needs 8 / k steps, rounded up."""
    assert steps_of(problem_of("mesh:3x3", "OAS", ports=ports))["injection"] == steps


def test_the_certificate_is_a_price_on_one_port() -> None:
    """The certificate prices the injection of the busiest processor, and nothing else."""
    bound = bound_of(problem_of("mesh:3x3", "OAS", ports=1), "injection")
    assert bound.certificate == {"channels": [], "injection": [[1, 0]], "ejection": []}


def test_broadcasts_and_combining_have_none() -> None:
    """What is sent once to many, or many at once, is not counted by messages."""
    assert "injection" not in steps_of(problem_of("ring:4", "OAB"))
    assert "injection" not in steps_of(problem_of("ring:4", "OAS", combining=True))


def test_processors_of_one_router_need_a_step_all_the_same() -> None:
    """Processors on a router without channels are bounded by their ports alone."""
    alone = Network("one router", 1, [], [0, 0, 0])
    problem = Problem(alone, scatter(alone), Rules(ports=1))
    assert steps_of(problem) == {"injection": 2, "ejection": 1}
    assert fewest_steps(problem) == 2


def test_words() -> None:
    """It says who must send how much."""
    assert words(problem_of("mesh:3x3", "OAS", ports=1), "injection") == "processor 0 must send 8 messages, 1 a step"
