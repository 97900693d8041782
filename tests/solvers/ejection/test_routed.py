"""Paths picked by an integer program, steps by ejection search."""

from __future__ import annotations

import numpy as np

from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.routed import Routed
from tests.problems import problem_of


def test_route_then_colour_beats_shortest_paths() -> None:
    """With detours Kautz 36 needs 32 steps; shortest paths need 34."""
    assert Routed()(problem_of("kautz:3,3", routing="any"), 32, 0, Budget()).num_steps == 32


def test_pieces_share_out_their_paths() -> None:
    """The pieces of a message take the paths that the integer program gives them: Kautz 12 in 30 pieces, 198 steps."""
    made = network("kautz:3,2")
    problem = Problem(made, named("AAS", made, pieces=30), Rules(routing="any"))
    result = Routed()(problem, 198, 0, Budget())
    assert result.schedule is not None
    assert not verify(problem, result.schedule)


def test_capacities_leave_more_room() -> None:
    """A ring whose channels carry two messages takes half the steps, paths picked or not."""
    ring = network("ring:8")
    wide = Network("wide", ring.routers, ring.channels, capacities=np.full(ring.num_channels, 2))
    assert Routed()(Problem(wide, named("AAS", wide), Rules(routing="any")), 4, 0, Budget()).num_steps == 4
