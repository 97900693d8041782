"""A reduction and a broadcast, joined to an allreduce."""

import pytest

from pavane.judge.rules import verify
from pavane.model.allreduce import phases
from pavane.model.problem import Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.allreduce_phases import is_symmetric, join_schedules, reduction_of
from tests.problems import problem_of


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("name", ["ring:5", "mesh:2x3", "dgx-1"])
def test_a_broadcast_turned_round_is_the_reduction(name: str, switching: str) -> None:
    """Over the channels back, and both together are the allreduce."""
    problem = problem_of(name, "ALLREDUCE", Rules(switching))  # type: ignore[arg-type]
    gathering, spreading = phases(problem)
    spread = SOLVERS["greedy"](spreading, None, 0, Budget()).schedule
    assert spread is not None
    gathered = reduction_of(spreading, spread)
    assert verify(gathering, gathered) == []
    whole = join_schedules(gathered, spread)
    assert whole.num_steps == gathered.num_steps + spread.num_steps
    assert verify(problem, whole) == []


def test_who_is_symmetric() -> None:
    """One-way channels, different speeds both ways and forbidden turns make the way back another one."""
    assert is_symmetric(problem_of("mesh:2x3", "ALLREDUCE"))
    assert not is_symmetric(problem_of("ring:4,oneway", "ALLREDUCE"))
    assert not is_symmetric(problem_of("mesh:2x3", "ALLREDUCE", Rules(routing="dimension-order")))
    assert not is_symmetric(problem_of(network("ndv2:2"), "ALLREDUCE"))


@pytest.mark.parametrize("routing", ["dimension-order", "west-first", "north-last"])
def test_phases_under_restricted_routing(routing: str) -> None:
    """Both are searched for, each with its own turns."""
    problem = problem_of("mesh:2x3", "ALLREDUCE", Rules(routing=routing))  # type: ignore[arg-type]
    found = SOLVERS["greedy"](problem, None, 0, Budget())
    assert found.schedule is not None
