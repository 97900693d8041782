"""The bound of an allreduce by its first step."""

from __future__ import annotations

import pytest

from pavane.bounds.first_step import make
from pavane.bounds.steps import explain
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import allreduce, reduce_broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.problems import problem_of


def test_more_contributions_than_ports_take_two_steps() -> None:
    """Eight GPUs with eight parts would each receive 56 contributions in one step, and have 18 ports."""
    problem = problem_of("nvl:8", "allreduce")
    (bound,) = make(problem)
    assert (bound.figure, bound.certificate) == (2, {"processor": 0})
    assert proven(problem, bound) == 2
    assert explain(problem, bound) == (
        "in one step processor 0 would send and receive 56 contributions, and it has 18 ports"
    )


def test_where_one_step_may_be_enough_there_is_no_bound() -> None:
    """Eight GPUs with one part receive seven contributions each over 18 ports; and combining joins any number."""
    made = network("nvl:8")
    assert not [*make(Problem(made, reduce_broadcast(made), Rules()))]
    assert not [*make(Problem(made, allreduce(made), Rules(combining=True)))]


def test_a_certificate_is_counted_again() -> None:
    """Where the ports are enough it proves one step, and a processor that contributes nothing proves nothing."""
    made = network("nvl:8")
    assert proven(Problem(made, reduce_broadcast(made), Rules()), Bound(2, "first-step", {"processor": 3})) == 1
    with pytest.raises(InputError, match="processor 0 contributes nothing"):
        proven(Problem(made, allreduce(made, [1, 2]), Rules()), Bound(2, "first-step", {"processor": 0}))
