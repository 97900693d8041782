"""Transposed pairs reach the lower bound on square tori of odd size, and say no to everything else."""

from __future__ import annotations

import pytest

from pavane.judge.rules import verify
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers.constructions.torus.transposed_pairs import TransposedPairs
from tests.problems import problem_of


@pytest.mark.parametrize("size", [7, 9, 11, 13, 15, 17, 19, 21])
def test_odd_squares_are_scheduled_at_the_bound(size: int) -> None:
    """A torus of n x n routers takes n (n^2 - 1) / 8 steps, whatever n is modulo 8: every channel is always busy."""
    problem = problem_of(network(f"torus:{size}x{size}"))
    assert TransposedPairs().supports(problem)
    result = TransposedPairs()(problem, None, 0, Budget())
    assert result.schedule is not None
    assert result.num_steps == size * (size * size - 1) // 8
    assert not verify(problem, result.schedule)
    assert len(result.schedule.path_channels) == result.num_steps * problem.network.num_channels


def test_the_portfolio_knows_it() -> None:
    """`auto` answers with a proof, and says by what."""
    result = solve(problem_of(network("torus:11x11")))
    assert (result.num_steps, result.status) == (165, "optimal")
    assert result.provenance is not None
    assert result.provenance.solver == "transposed-pairs"


def test_fewer_steps_are_not_promised() -> None:
    """Asked for fewer steps than the construction has, there is no schedule; for more, there is."""
    problem = problem_of(network("torus:7x7"))
    assert TransposedPairs()(problem, 41, 0, Budget()).schedule is None
    assert TransposedPairs()(problem, 50, 0, Budget()).num_steps == 42


@pytest.mark.parametrize("text", ["torus:5x5", "torus:8x8", "torus:7x9", "torus:7x7x7", "mesh:7x7", "ring:7"])
def test_other_networks_are_refused(text: str) -> None:
    """Smaller, even and oblong tori, those of more dimensions, and what is no torus."""
    assert not TransposedPairs().supports(problem_of(network(text)))


@pytest.mark.parametrize("rules", [Rules(ports=1), Rules(switching="store-and-forward"), Rules(routing="west-first")])
def test_other_rules_are_refused(rules: Rules) -> None:
    """The construction needs whole paths with turns of its own, and all ports."""
    made = network("torus:7x7" if rules.routing == "minimal" else "mesh:7x7")
    assert not TransposedPairs().supports(Problem(made, problem_of(made).collective, rules))
