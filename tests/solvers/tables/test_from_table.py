"""Tables written out: at the bound on the networks that they are for, and refused elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from tests.problems import problem_of

TDM = Rules("tdm")
CASES = (
    *[("hypercube:1", Rules(), 1), ("hypercube:6", Rules(), 32), ("hypercube:4", Rules(ports=1), 15)],
    *[("torus:6x10", Rules(), 75), ("torus:2x2x2x2x4", Rules(), 32), ("torus:4x10", Rules(routing="any"), 50)],
    *[("torus:6x6", TDM, 27), ("torus:5x5x5", TDM, 75), ("torus:5x5", Rules("tdm", wrap=False), 17)],
)


@pytest.mark.parametrize(("spec", "rules", "steps"), CASES)
def test_tables_are_written_out(spec: str, rules: Rules, steps: int) -> None:
    """The schedule has the steps of the table; if fewer are requested, there is none."""
    problem = Problem(network(spec), "alltoall", rules)
    assert SOLVERS["table"].supports(problem)
    assert SOLVERS["table"](problem, None, 0, Budget()).num_steps == steps
    assert SOLVERS["table"](problem, steps - 1, 0, Budget()).schedule is None


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        *[(spec, Rules()) for spec in ("octagon", "torus:4x5", "mesh:4x4")],
        *[("torus:4x4", Rules(routing="dimension-order")), ("torus:4x5", TDM)],
    ],
)
def test_other_problems_are_refused(spec: str, rules: Rules) -> None:
    """Networks without the table, and rules under which it is not valid."""
    assert not SOLVERS["table"].supports(Problem(network(spec), "alltoall", rules))


def test_the_portfolio_knows_them() -> None:
    """`auto` answers with a proof; when the time is over at once, with the schedule."""
    problem = Problem(network("torus:6x10"), "alltoall")
    result, hasty = solve(problem), solve(problem, SearchOptions(seconds=1e-9))
    assert (result.num_steps, result.status, result.provenance.solver) == (75, "optimal", "table")
    assert (hasty.num_steps, hasty.provenance.solver) == (75, "table")


def test_a_torus_is_known_by_its_channels() -> None:
    """The name and the order of the channels say nothing; a torus with one channel turned is none."""
    torus = network("torus:4x6")
    turned = np.random.default_rng(0).permutation(torus.channels)
    assert SOLVERS["table"](problem_of(Network("any", 24, turned)), None, 0, Budget()).num_steps == 18
    turned[0] = turned[1]
    assert not SOLVERS["table"].supports(problem_of(Network("doubled", 24, turned)))


def test_sizes_and_capacities_are_refused() -> None:
    """Every message has as many pieces, and every channel takes one message a step."""
    plain = problem_of("torus:4x4")
    sized = replace(plain, collectives=(replace(plain.collective, sizes=((0, 1, 2),)),))
    wide = Network("wide", 16, plain.network.channels, capacities=[2] * plain.network.num_channels)
    assert not SOLVERS["table"].supports(sized)
    assert not SOLVERS["table"].supports(problem_of(wide))
