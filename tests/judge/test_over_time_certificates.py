"""Certificates of flows over time, by hand and forged."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem
from tests.problems import problem_of


def line(kind: str = "OAB", pieces: int = 3, **rules: Any) -> Problem:
    """Return a collective in pieces on a line of four, under store-and-forward."""
    whole = problem_of("line:4", kind, **({"switching": "store-and-forward"} | rules))
    return Problem(whole.network, in_pieces(whole.collective, pieces), whole.rules)


def proven_steps(problem: Problem, joining: Any, receiver: Any = 3) -> int:
    """Return the steps that a certificate proves."""
    return proven(problem, Bound(9, "flow-over-time", {"receiver": receiver, "joining": joining}))


@pytest.mark.parametrize(
    ("joining", "steps"),
    [
        # One moment only: three pieces are not there at once.
        ([[0]], 1),
        # Two steps over the channel from 0 to 1 carry two of three pieces.
        ([[0], [], []], 3),
        # The side follows the first piece: of four steps two are left for the last channel.
        ([[0], [1], [2], [], []], 5),
    ],
)
def test_sides_of_a_line_counted_by_hand(joining: list[list[int]], steps: int) -> None:
    """Sides that grow along a line prove what one counts by hand."""
    assert proven_steps(line(), joining) == steps
    assert proven_steps(line("AOR"), joining) == steps
    assert proven_steps(line(duplex="half"), joining) == steps


@pytest.mark.parametrize(
    ("joining", "receiver", "said"),
    [
        ([[0], [1], [2], [], [], []], 3, "all that it counts can arrive in time"),
        ([[1], []], 3, "all that it counts can arrive in time"),
        ([[0], [1, 2, 3]], 3, "its receiver is on the origins' side"),
        ([], 3, "its receiver is on the origins' side"),
        ([[0, 4]], 3, "it names routers that do not exist"),
        ([[0, -1]], 3, "it names routers that do not exist"),
        ([[0.0]], 3, "0.0 is not a whole number"),
        ([0], 3, "not iterable"),
        (None, 3, "not iterable"),
        ([[0]], 0, "processor 0 is not a receiver"),
        ([[0]], 99, "processor 99 is not a receiver"),
        ([[0]], "3", "'3' is not a whole number"),
    ],
)
def test_sides_that_prove_nothing(joining: Any, receiver: Any, said: str) -> None:
    """A side that lets out enough, has the receiver, or cannot be, is refused in words."""
    with pytest.raises(InputError, match=re.escape(said)):
        proven_steps(line(), joining, receiver)


def test_a_side_cannot_shrink() -> None:
    """What is on the side stays there, however often it is listed: a shorter list proves no more."""
    assert proven_steps(line(), [[0], [0], [0]]) == 3


def test_capacities_and_ports() -> None:
    """Channels let out what they carry, and ports what they let through, at whichever end is narrower."""
    wide = Network("wide", 3, [(0, 1), (0, 1), (1, 2), (0, 2)], capacities=[2, 1, 4, 1])
    whole = problem_of(wide, "OAB", switching="store-and-forward")
    problem = Problem(wide, in_pieces(whole.collective, 9), whole.rules)
    assert proven_steps(problem, [[0], [], []], 2) == 3
    with pytest.raises(InputError, match="in time"):
        proven_steps(problem, [[0], [], [], []], 2)
    one_port = Problem(wide, problem.collective, problem_of(wide, "OAB", switching="store-and-forward", ports=1).rules)
    assert proven_steps(one_port, [[0], *[[]] * 8], 2) == 9


def test_only_stored_broadcasts_flow_over_time() -> None:
    """Wormholes cover many channels in a step; private messages and combining have other bounds."""
    for problem, said in (
        (line(switching="wormhole"), "flows over time are about store-and-forward"),
        (line("OAS"), "not steps of private messages"),
        (line(combining=True), "not start-ups of broadcasts"),
    ):
        with pytest.raises(InputError, match=said):
            proven_steps(problem, [[0]])
