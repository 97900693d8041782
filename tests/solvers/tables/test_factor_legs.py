"""Tables of products: runs of the tables of their factors."""

from __future__ import annotations

import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.tables import solve_by_table
from tests.checker import judge
from tests.solvers.tables.judged import judged_table

STORED = Rules("store-and-forward")


@pytest.mark.parametrize("text", ["star-graph:4+ring:4", "star-graph:4+ring:3", "star-graph:4+line:2"])
def test_both_judges_accept(text: str) -> None:
    """The table is valid, and so is the schedule that it gives, for the second judge as well."""
    problem = Problem(network(text), "alltoall", STORED)
    table = judged_table("product-legs", problem)
    assert not judge(problem, table.expand(problem))


def test_close_to_the_bound() -> None:
    """Both factors are busy all the time, but for the few messages whose legs would overlap."""
    found = solve_by_table(Problem(network("star-graph:5+ring:9"), "alltoall", STORED))
    assert found is not None
    assert found.bound is not None
    assert (found.num_steps, found.bound.steps, found.provenance.solver) == (1211, 1200, "product-legs")


def test_three_factors() -> None:
    """A factor may be a product."""
    found = solve_by_table(Problem(network("star-graph:4+hypercube:2"), "alltoall", STORED))
    assert found is not None
    assert found.provenance.solver == "product-legs"


@pytest.mark.parametrize(
    "rules", [Rules(), Rules("store-and-forward", ports=1), Rules("store-and-forward", duplex="half")]
)
def test_other_rules(rules: Rules) -> None:
    """Whole paths, few ports and shared links have no such table."""
    found = solve_by_table(Problem(network("star-graph:4+ring:3"), "alltoall", rules))
    assert found is None or found.provenance.solver != "product-legs"


@pytest.mark.parametrize("text", ["star-graph:4+ring:5", "cube-connected-cycles:3+hypercube:2"])
def test_allgathers(text: str) -> None:
    """Trees need only the translations: an allgather is at its bound."""
    found = solve_by_table(Problem(network(text), "allgather"))
    assert found is not None
    assert found.is_optimal
