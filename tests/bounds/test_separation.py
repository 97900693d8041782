"""The bound of an allreduce by a cut between members."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds.separation import narrowest
from pavane.jit import clock
from pavane.judge.certificates import proven_exactly
from pavane.model.collectives import allreduce
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network


def test_one_way_is_narrower_than_the_other() -> None:
    """In a one-way ring a sum of every piece leaves each router over one channel."""
    made = network("ring:4,oneway")
    bound = narrowest(Problem(made, allreduce(made)), 0)
    assert bound is not None
    assert bound.figure == 4


def test_no_cut_is_looked_for_when_time_is_over() -> None:
    """What is not found in time is no bound."""
    made = network("ring:4")
    assert narrowest(Problem(made, allreduce(made)), 0, clock.now() - 1) is None


@given(st.lists(st.sampled_from([(a, b) for a in range(5) for b in range(5) if a != b]), max_size=8))
def test_no_cut_is_narrower(extra: list[tuple[int, int]]) -> None:
    """Against all sets of routers, counted from the definition."""
    channels = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), *extra]
    made = Network("drawn", 5, channels)
    narrow = min(
        sum(tail in inside and head not in inside for tail, head in channels)
        for size in range(1, 5)
        for inside in combinations(range(5), size)
    )
    problem = Problem(made, allreduce(made))
    bound = narrowest(problem, 0)
    assert bound is not None
    assert bound.exact == Fraction(5, narrow) == proven_exactly(problem, bound)
