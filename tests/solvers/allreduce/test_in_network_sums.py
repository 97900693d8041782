"""Allreduce through switches that add and copy, domain by domain."""

import pytest

from pavane import solve
from pavane.model.collectives import allreduce, in_pieces
from pavane.model.problem import Problem, Rules
from pavane.model.switch_domains import domains_of
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce.in_network_sums import InNetworkSums
from tests.checker import judge

STORED = Rules("store-and-forward", switches="copy")


def sums(spec: str, pieces: int = 1, rules: Rules = STORED) -> Problem:
    """Return an allreduce on a network of the catalogue."""
    made = network(spec)
    return Problem(made, in_pieces(allreduce(made), pieces), rules)


@pytest.mark.parametrize(
    ("spec", "pieces", "steps", "bound"),
    [
        *[("nvl:8", 1, 1, 1), ("dgx-h100", 9, 8, 8), ("rails:2,2", 1, 3, 3)],
        *[("dgx-h100:4", 1, 6, 5), ("dgx-a100:2", 1, 4, 3)],
    ],
)
def test_boxes_are_at_most_a_step_above_their_bounds(spec: str, pieces: int, steps: int, bound: int) -> None:
    """One switch takes one pass of each sum; boxes on rails need a step more than the prices of their channels show."""
    result = solve(sums(spec, pieces))
    assert result.bound is not None
    assert (result.num_steps, result.bound.figure) == (steps, bound)


@pytest.mark.parametrize(
    ("spec", "pieces", "most"), [("rails:8,8", 1, 47), ("rails:8,8", 8, 303), ("rails:4,8", 1, 26)]
)
def test_rails(spec: str, pieces: int, most: int) -> None:
    """Boxes and rails of one capacity share the sums; in 8 pieces 64 GPUs are within 1.05 of the bound, 289 steps."""
    steps = InNetworkSums(most_effort=60_000)(sums(spec, pieces), None, 1, Budget()).num_steps
    assert steps is not None
    assert steps <= most


def test_domains_are_joined_switches_and_what_is_beside_them() -> None:
    """Rails have a domain for each switch; multicast makes one of all routers."""
    made = network("rails:2,3")
    assert [len(one.processors) for one in domains_of(sums("rails:2,3"))] == [3, 3, 2, 2, 2]
    (whole,) = domains_of(Problem(made, "ALLREDUCE", Rules(multicast=True)))
    assert (len(whole.routers), len(whole.processors)) == (made.num_routers, 6)


def test_members_may_be_few() -> None:
    """Members in different boxes and on different rails are joined by GPUs that contribute nothing."""
    made = network("rails:3,3")
    problem = Problem(made, allreduce(made, [0, 4, 8]), STORED)
    result = InNetworkSums(most_effort=1_000)(problem, None, 1, Budget())
    assert result.schedule is not None
    assert judge(problem, result.schedule) == set()
