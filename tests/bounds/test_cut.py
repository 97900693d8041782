"""The best cut of a broadcast: found where it is off the middle, checkable, and never above the truth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given

from pavane.bounds import counted_bounds, explain
from pavane.bounds.cut import best_cut, tightest_cut
from pavane.bounds.cut_loads import leaving
from pavane.judge.certificates import proven
from pavane.model.collectives import allgather, alltoall, many_to_many_broadcast
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import mi250
from tests.bounds.tiny import BROADCAST, tiny_problems

FIVE, THREE = range(5), range(5, 8)
LOPSIDED = Network(
    "lopsided",
    8,
    [(a, b) for side in (FIVE, THREE) for a in side for b in side if a != b] + [(0, 5), (5, 0)],
)
"""Five routers and three, each complete, with one link between them."""


def test_a_cut_off_the_middle_is_found() -> None:
    """Five messages must leave the larger side over one channel, which no split into halves shows."""
    problem = Problem(LOPSIDED, allgather(LOPSIDED))
    counted = counted_bounds(problem)[0].figure
    bound = best_cut(problem, counted)
    assert counted < 5
    assert bound is not None
    assert (bound.figure, bound.argument) == (5, "cut")
    assert bound.certificate == {"routers": list(FIVE)}
    assert proven(problem, bound) == 5
    assert (
        explain(problem, bound)
        == "5 messages must leave the 5 routers 0, 1, 2, 3 and 1 more (`bounds --all` names them), 1 a step"
    )


def test_only_what_must_cross_counts() -> None:
    """Messages whose receivers are all on their own side do not cross."""
    problem = Problem(LOPSIDED, many_to_many_broadcast([0, 1, 2, 5], [1, 2, 7]))
    bound = best_cut(problem, 1)
    assert bound is not None
    assert bound.figure == 3


def test_nothing_is_claimed_where_cuts_say_nothing() -> None:
    """Private messages, combining, and a bound that no cut beats give no cut."""
    assert best_cut(Problem(LOPSIDED, alltoall(LOPSIDED)), 1) is None
    assert best_cut(Problem(LOPSIDED, allgather(LOPSIDED), Rules(combining=True)), 1) is None
    assert best_cut(Problem(LOPSIDED, allgather(LOPSIDED)), 5) is None


def test_a_ratio_between_whole_steps_is_found() -> None:
    """Seven messages must leave a set over three links of a machine, whatever is rounded up."""
    bound = tightest_cut(Problem(mi250(), allgather(mi250()), Rules()), Fraction(2))
    assert bound is not None
    assert (bound.exact, bound.figure) == (Fraction(7, 3), 3)
    assert tightest_cut(Problem(mi250(), allgather(mi250()), Rules()), Fraction(7, 3)) is None


@given(tiny_problems(kinds=BROADCAST, combining=(False,)))
def test_no_set_is_tighter(problem: Problem) -> None:
    """On tiny problems no set of routers, of all that there are, has a larger ratio."""
    size = problem.network.num_routers
    masks = (np.array([number >> router & 1 for router in range(size)], dtype=bool) for number in range(2**size))
    largest = max(leaving(problem, inside).exact for inside in masks)
    bound = tightest_cut(problem, Fraction(0))
    assert (Fraction(0) if bound is None else bound.exact) == largest
