"""Allreduce on boxes with rails whose switches add and copy."""

from dataclasses import replace

import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import allreduce, in_pieces
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from pavane.solvers.allreduce.rail_sums import sums_over_rails
from tests.checker import judge

COPY = Rules("store-and-forward", switches="copy")


def sums(spec: str, pieces: int = 1, rules: Rules = COPY) -> Problem:
    """Return an allreduce of all GPUs."""
    made = network(spec)
    return Problem(made, in_pieces(allreduce(made), pieces), rules)


@pytest.mark.parametrize(
    ("spec", "pieces", "steps"),
    [
        *[("rails:2,2", 1, 3), ("rails:2,3", 2, 13), ("rails:3,5", 1, 14), ("rails:4,4", 1, 14)],
        *[("rails:4,8", 1, 25), ("rails:8,8", 1, 40)],
    ],
)
def test_rails(spec: str, pieces: int, steps: int) -> None:
    """Square and oblong, odd and even: 64 GPUs take 4 steps more than the 36 that their links must carry."""
    problem = sums(spec, pieces)
    transfers = sums_over_rails(problem, None, Budget())
    assert transfers is not None
    schedule = Schedule.from_transfers(transfers)
    assert schedule.num_steps == steps
    assert not verify(problem, schedule)
    if problem.num_messages <= 16:  # the second judge is slow
        assert judge(problem, schedule) == set()


def test_a_number_of_steps_is_a_limit() -> None:
    """With fewer steps than it takes there is no schedule; with as many there is."""
    assert sums_over_rails(sums("rails:4,4"), 13, Budget()) is None
    assert sums_over_rails(sums("rails:4,4"), 14, Budget()) is not None


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
    assert sums_over_rails(sums(spec, rules=rules), None, Budget()) is None


def test_all_gpus_take_part() -> None:
    """A sum of some GPUs is left to other solvers."""
    made = network("rails:3,3")
    assert sums_over_rails(Problem(made, allreduce(made, [0, 4, 8]), COPY), None, Budget()) is None


def test_a_sum_begins_with_the_construction() -> None:
    """Restarts that level the loads of hubs need seven steps more than it on 64 GPUs."""
    assert SOLVERS["in-network-sums"](sums("rails:8,8"), None, 0, Budget()).num_steps == 40
