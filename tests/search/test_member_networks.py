"""Networks between members: rows of a mesh look alike, and what is scheduled there is valid on the whole."""

from __future__ import annotations

from pavane.judge.rules import verify
from pavane.model.collectives import allgather, alltoall, in_pieces
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.member_networks import own_network
from pavane.search.synthesis import solve

MESH = network("mesh:3x4")


def test_rows_have_equal_problems() -> None:
    """Two rows have the same problem on their own channels, and its schedule fits both."""
    rows = [Problem(MESH, in_pieces(allgather(range(first, first + 4)), 2, [(first, 3)])) for first in (0, 8)]
    own = [own_network(row) for row in rows]
    assert own[0] is not None
    assert own[1] is not None
    assert own[0].problem == own[1].problem
    schedule = solve(own[0].problem, method="greedy").schedule
    assert schedule is not None
    for row, each in zip(rows, own, strict=True):
        assert each is not None
        assert verify(row, each.on_the_whole(schedule)) == []


def test_switches_that_hold_keep_their_names() -> None:
    """A message that rests at a switch of the part rests at that switch of the whole."""
    rails = network("rails:2,3")
    problem = Problem(rails, alltoall([3, 4, 5]), Rules(switching="store-and-forward"))
    own = own_network(problem)
    assert own is not None
    schedule = solve(own.problem, method="greedy").schedule
    assert schedule is not None
    assert (schedule.senders < 0).any()
    assert verify(problem, own.on_the_whole(schedule)) == []


def test_no_network_of_its_own() -> None:
    """All of a network is no part of it."""
    assert own_network(Problem(MESH, alltoall(MESH))) is None
