"""Tables written out: at the bound on the networks that they are for, and refused elsewhere."""

from __future__ import annotations

import pytest

from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS

TDM = Rules("tdm")
CASES = (
    *(("complement-pairs", f"hypercube:{n}", Rules(), max(1, 2 ** (n - 1))) for n in range(1, 7)),
    ("complement-pairs", "hypercube:4", Rules(ports=1), 15),
    *(("transposed-pairs", f"torus:{n}x{n}", Rules(), n * (n * n - 1) // 8) for n in (7, 9, 11)),
    *(
        ("turned-orbits", spec, TDM, slots)
        for spec, slots in (("torus:3x3", 3), ("torus:6x6", 27), ("torus:5x5x5", 75))
    ),
    ("turned-orbits", "torus:5x5", Rules("tdm", wrap=False), 17),
)


@pytest.mark.parametrize(("name", "spec", "rules", "steps"), CASES)
def test_tables_are_written_out(name: str, spec: str, rules: Rules, steps: int) -> None:
    """The schedule has the steps of the table; if fewer are requested, there is none."""
    problem = Problem(network(spec), "alltoall", rules)
    assert SOLVERS[name].supports(problem)
    assert SOLVERS[name](problem, None, 0, Budget()).num_steps == steps
    assert SOLVERS[name](problem, steps - 1, 0, Budget()).schedule is None
    assert SOLVERS[name](problem, None, 0, Budget(deadline=0.0)).schedule is None


@pytest.mark.parametrize(
    ("name", "spec", "rules"),
    [
        ("complement-pairs", "octagon", Rules()),
        ("complement-pairs", "hypercube:3", Rules(duplex="half")),
        ("transposed-pairs", "torus:5x5", Rules()),
        ("transposed-pairs", "torus:7x7", Rules(ports=1)),
        ("transposed-pairs", "mesh:7x7", Rules(routing="west-first")),
        ("turned-orbits", "torus:4x5", TDM),
        ("turned-orbits", "torus:4x4", Rules("tdm", packet_slots=2)),
    ],
)
def test_other_problems_are_refused(name: str, spec: str, rules: Rules) -> None:
    """Networks without the table, and rules under which it is not valid."""
    assert not SOLVERS[name].supports(Problem(network(spec), "alltoall", rules))


def test_the_portfolio_knows_them() -> None:
    """`auto` answers with a proof, and says by which table."""
    result = solve(Problem(network("torus:11x11"), "alltoall"))
    assert (result.num_steps, result.status, result.provenance.solver) == (165, "optimal", "transposed-pairs")
