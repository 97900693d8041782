"""Ejection search reaches proven optima."""

from __future__ import annotations

import pytest

from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.ejection.ejection import Ejection
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "steps", "rules"),
    [
        ("heawood", 9, Rules()),
        ("spidergon:16", 16, Rules()),
        ("mesh:4x4", 16, Rules()),
        ("mesh:4x4", 16, Rules(ports=1)),
        ("coated-mesh:4x4", 16, Rules(ports=1)),
        ("fat-octagon:2", 16, Rules(ports=1)),
        ("kautz:3,3", 34, Rules()),
        ("ring:8", 16, Rules(duplex="half")),
        ("hierarchical-rings:4,4", 32, Rules(ports=1)),
    ],
)
def test_ejection_reaches_the_optimum(spec: str, steps: int, rules: Rules) -> None:
    """The proven optima that the papers missed are found."""
    assert Ejection()(problem_of(spec, "AAS", rules), steps, 0, Budget()).num_steps == steps


@pytest.mark.parametrize("name", ["ejection", "quotient", "routed", "translation", "first-fit"])
def test_seeds_do_not_change_the_number_of_steps(name: str) -> None:
    """Where the bound is reached it is reached from every seed."""
    problem = problem_of("torus:4x4")
    assert {SOLVERS[name](problem, 10, seed, Budget()).schedule is not None for seed in range(5)} == {True}
