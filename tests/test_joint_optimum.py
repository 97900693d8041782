"""The exhaustive search for the fewest steps of several collectives, against other searches and counts by hand."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from pavane.model.collectives import allgather, allreduce, alltoall, broadcast, pairs, reduce, reduce_scatter
from pavane.model.messages import Collective
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems
from tests.joint_optimum import fewest_joint_steps

STORED = Rules(switching="store-and-forward")


@given(tiny_problems())
def test_one_collective_takes_as_long_as_alone(problem: Problem) -> None:
    """Of one collective both searches find the same."""
    assume(not problem.rules.combining)
    every = fewest_steps(problem, most_tried=5_000)
    assume(every is not None)
    joint = fewest_joint_steps(Problem(problem.network, [problem.collective], problem.rules), 20_000)
    assume(joint is not None)
    assert joint == every


@pytest.mark.parametrize(
    ("spec", "collectives", "rules", "steps"),
    [
        ("line:3", (pairs([(0, 2)]), pairs([(1, 2)])), Rules(), 2),
        ("line:3", (pairs([(0, 1)]), pairs([(1, 2)])), Rules(), 1),
        ("line:3", (pairs([(0, 1)]), pairs([(2, 1)])), Rules(ports=1), 2),
        ("line:3", (pairs([(0, 1)]), pairs([(1, 0)])), Rules(duplex="half"), 2),
        ("line:4", (broadcast([0, 1]), broadcast([3, 2])), STORED, 1),
        # The channel between the halves carries a message of each broadcast.
        ("line:4", (broadcast([0, 3]), broadcast([1, 2])), STORED, 3),
        # What comes back of a sum waits for both contributions.
        ("line:3", (reduce([1, 0, 2]), broadcast([1, 0, 2])), Rules(ports=1), 2),
        ("line:2", (allreduce([0, 1]), pairs([(0, 1)])), STORED, 3),
        ("complete:3", (alltoall(range(3)), allgather(range(3))), Rules(), 2),
        ("line:2", (reduce_scatter(range(2)), allgather(range(2))), Rules(), 2),
    ],
)
def test_the_fewest_steps_by_hand(spec: str, collectives: tuple[Collective, ...], rules: Rules, steps: int) -> None:
    """Loads of all collectives add up, and those that do not meet share steps."""
    assert fewest_joint_steps(Problem(network(spec), collectives, rules), 50_000) == steps
