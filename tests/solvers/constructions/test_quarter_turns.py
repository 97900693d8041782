"""Quarter turns reach the lower bound on every square torus of even size, and say no to everything else."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.synthesis import synthesize
from pavane.solvers.constructions.quarter_turns import QuarterTurns
from pavane.workers.budget import Budget
from tests.problems import problem_of


@pytest.mark.parametrize("size", [4, 6, 8, 10, 12])
@pytest.mark.parametrize("rules", [Rules(), Rules(routing="any")])
def test_square_tori_are_scheduled_at_the_bound(size: int, rules: Rules) -> None:
    """A torus of n x n routers takes n^3/8 steps: every channel is busy in every step."""
    problem = problem_of(network(f"torus:{size}x{size}"), "AAS", rules)
    assert QuarterTurns().supports(problem)
    result = QuarterTurns()(problem, None, 0, Budget())
    assert result.schedule is not None
    assert result.num_steps == size**3 // 8
    assert not verify(problem, result.schedule)
    assert len(result.schedule.path_channels) == size**3 // 8 * problem.network.num_channels


def test_the_portfolio_knows_it() -> None:
    """`auto` answers a torus of 256 routers with a proof."""
    result = synthesize(problem_of(network("torus:16x16")))
    assert (result.num_steps, result.status) == (512, "optimal")
    assert result.provenance is not None
    assert result.provenance.solver == "quarter-turns"


def test_fewer_steps_are_not_promised() -> None:
    """Asked for fewer steps than the construction has, there is no schedule; for more, there is."""
    problem = problem_of(network("torus:6x6"))
    assert QuarterTurns()(problem, 26, 0, Budget()).schedule is None
    assert QuarterTurns()(problem, 30, 0, Budget()).num_steps == 27


@pytest.mark.parametrize(
    "text", ["torus:5x5", "torus:4x6", "torus:2x2", "mesh:4x4", "hypercube:6", "random-regular:16,4,1"]
)
def test_other_networks_are_refused(text: str) -> None:
    """Odd, oblong and tiny tori and what is no torus."""
    assert not QuarterTurns().supports(problem_of(network(text)))


def test_a_torus_in_disguise_is_refused() -> None:
    """Routers numbered in another order, and a torus with one channel turned into another, are not taken for one."""
    torus = network("torus:4x4")
    shuffled = np.random.default_rng(0).permutation(16)[torus.channels]
    doubled = torus.channels.copy()
    doubled[0] = doubled[1]
    assert not QuarterTurns().supports(problem_of(Network("shuffled", 16, shuffled)))
    assert not QuarterTurns().supports(problem_of(Network("doubled", 16, doubled)))


@pytest.mark.parametrize("rules", [Rules(ports=1), Rules(duplex="half"), Rules(switching="store-and-forward")])
def test_other_rules_are_refused(rules: Rules) -> None:
    """The construction needs whole paths, all ports, and both directions at once."""
    assert not QuarterTurns().supports(problem_of(network("torus:4x4"), "AAS", rules))


def test_other_collectives_are_refused() -> None:
    """It is for all-to-all scatter alone."""
    made = network("torus:4x4")
    assert not QuarterTurns().supports(Problem(made, named("AAB", made), Rules()))
