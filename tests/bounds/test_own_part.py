"""The bound of an allreduce by one member's ports."""

from __future__ import annotations

import pytest

from pavane.bounds.own_part import make
from pavane.errors import InputError
from pavane.judge.certificates import proven_exactly
from pavane.model.bound import Bound
from pavane.model.collectives import allreduce, in_pieces
from pavane.model.problem import Problem
from pavane.networks import network


def test_the_member_with_the_fewest_ports() -> None:
    """At the end of a line a member sends its contribution to every piece over one channel."""
    made = network("line:4")
    problem = Problem(made, in_pieces(allreduce(made), 3))
    (bound,) = make(problem)
    assert (bound.figure, bound.certificate) == (12, {"processor": 0})
    assert proven_exactly(problem, bound) == 12


def test_who_does_not_take_part_proves_nothing() -> None:
    """A processor that contributes nothing has nothing to send."""
    made = network("line:4")
    with pytest.raises(InputError, match="contributes nothing"):
        proven_exactly(Problem(made, allreduce(made, [1, 2])), Bound(9, "own-part", {"processor": 0}))
