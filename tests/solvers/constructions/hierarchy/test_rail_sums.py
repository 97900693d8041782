"""Allreduce on boxes with rails whose switches add and copy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavane.model.collectives import allreduce, in_pieces
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.hierarchy.rail_sums import RailSums
from tests.checker import judge

COPY = Rules("store-and-forward", switches="copy")


def sums(spec: str, pieces: int = 1, rules: Rules = COPY) -> Problem:
    """Return an allreduce of all GPUs."""
    made = network(spec)
    return Problem(made, in_pieces(allreduce(made), pieces), rules)


@pytest.mark.parametrize(
    ("spec", "pieces", "steps"),
    [
        ("rails:2,2", 1, 3),
        ("rails:2,3", 2, 13),
        ("rails:3,5", 1, 14),
        ("rails:4,4", 1, 14),
        ("rails:4,8", 1, 25),
        ("rails:8,8", 1, 40),
    ],
)
def test_rails(spec: str, pieces: int, steps: int) -> None:
    """Square and oblong, odd and even: 64 GPUs take 4 steps more than the 36 that their links must carry."""
    problem = sums(spec, pieces)
    result = RailSums()(problem, None, 1, Budget())
    assert result.num_steps == steps
    assert result.schedule is not None
    if problem.num_messages <= 16:  # the second judge is slow
        assert judge(problem, result.schedule) == set()


def test_a_number_of_steps_is_a_limit() -> None:
    """With fewer steps than it takes there is no schedule; with as many there is."""
    assert RailSums()(sums("rails:4,4"), 13, 1, Budget()).schedule is None
    assert RailSums()(sums("rails:4,4"), 14, 1, Budget()).num_steps == 14


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("rails:3,3", replace(COPY, switches="pass")),
        ("rails:3,3", replace(COPY, ports=1)),
        ("rails:3,3", replace(COPY, duplex="half")),
        ("rails:3,3,2,1", COPY),
        ("nvl:4", COPY),
        ("dgx-a100:2", COPY),
    ],
)
def test_other_machines_are_refused(spec: str, rules: Rules) -> None:
    """Links of one capacity, all ports, and a rail for each position are part of the construction."""
    assert not RailSums().supports(sums(spec, rules=rules))


def test_all_gpus_take_part() -> None:
    """A sum of some GPUs is left to other solvers."""
    made = network("rails:3,3")
    assert not RailSums().supports(Problem(made, allreduce(made, [0, 4, 8]), COPY))
