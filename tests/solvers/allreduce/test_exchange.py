"""Exchange between groups: few steps for one part, where networks let groups merge."""

import pytest

from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce.exchange import Exchange
from tests.checker import judge

STORED = Rules("store-and-forward")


@pytest.mark.parametrize(
    ("spec", "pieces", "rules", "steps"),
    [
        pytest.param("hypercube:4", 3, STORED, 4, id="doubling in three orders of dimensions at once"),
        pytest.param("torus:4x4", 2, STORED, 4, id="doubling that positions do not tell"),
        pytest.param("complete:6", 1, STORED, 1, id="one family of all"),
        pytest.param("complete:8", 1, Rules("store-and-forward", ports=1), 3, id="pairs, with one port"),
        pytest.param("dgx-1", 2, STORED, 2, id="families of four, then pairs"),
        pytest.param("dgx-a100:2", 1, Rules("store-and-forward", switches="pass"), 2, id="over switches"),
        pytest.param("hypercube:3", 1, Rules(ports=1), 3, id="wormhole"),
        pytest.param("hypercube:3", 8, Rules("store-and-forward", combining=True), 3, id="all pieces together"),
    ],
)
def test_few_steps(spec: str, pieces: int, rules: Rules, steps: int) -> None:
    """One part takes as few steps as groups can merge in."""
    made = network(spec)
    problem = Problem(made, in_pieces(named("reduce-broadcast", made), pieces), rules)
    schedule = Exchange()(problem, None, 0, Budget()).schedule
    assert schedule is not None
    assert schedule.num_steps == steps
    assert not judge(problem, schedule)


def test_where_groups_cannot_merge() -> None:
    """On a ring of eight pairs of pairs are no neighbours throughout, and there is no schedule."""
    made = network("ring:8")
    assert Exchange()(Problem(made, named("reduce-broadcast", made), STORED), None, 0, Budget()).schedule is None
