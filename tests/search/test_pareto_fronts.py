"""The front: points of which none is better in both, and the sizes of messages for which each is the fastest."""

from __future__ import annotations

from math import inf

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.pareto_fronts import ParetoFront, Point

RING = network("ring:4")
PROBLEM = Problem(RING, named("AAS", RING), Rules(ports=1, routing="any", combining=True))


def made_of(*pairs: tuple[int, int]) -> ParetoFront:
    """Make a front of figures alone."""
    return ParetoFront(PROBLEM, tuple(Point(Result(PROBLEM, None), s, t, False, False) for s, t in pairs))


def test_ranges_by_hand() -> None:
    """4/32 and 5/29 take as long where 4 + 32 x = 5 + 29 x, at x = 1/3; 16/16 takes over at 11/13."""
    assert made_of((4, 32), (5, 29), (16, 16)).ranges() == ((0.0, 1 / 3), (1 / 3, 11 / 13), (11 / 13, inf))


def test_points_above_the_hull_are_never_fastest() -> None:
    """2/10 and 10/2 beat 7/9 for every size; a point that only ties somewhere is not the fastest either."""
    assert made_of((2, 10), (7, 9), (10, 2)).ranges() == ((0.0, 1.0), None, (1.0, inf))
    assert made_of((2, 10), (6, 6), (10, 2)).ranges() == ((0.0, 1.0), None, (1.0, inf))
    assert made_of((3, 7)).ranges() == ((0.0, inf),)


def test_best_follows_the_sizes() -> None:
    """Dear start-ups want few of them, long messages want little TCO."""
    some = made_of((4, 32), (5, 29), (16, 16))
    assert [some.best(*times).start_ups for times in ((1, 0.0), (1, 0.5), (0, 1))] == [4, 5, 16]


def test_nothing_found_has_no_best() -> None:
    """A front without points says so."""
    with pytest.raises(InputError, match="no schedule"):
        ParetoFront(PROBLEM, ()).best(1, 1)


def test_its_short_form_names_the_points() -> None:
    """Some of them, where there are many."""
    about = f"{PROBLEM.collective.title} on {PROBLEM.network.name}"
    assert repr(made_of((2, 10), (10, 2))) == f"<ParetoFront: {about}, start-ups/TCO 2/10 10/2>"
    assert repr(made_of(*((i, 20 - i) for i in range(2, 12)))).endswith(" 7/13 ...>")
    assert repr(ParetoFront(PROBLEM, ())) == f"<ParetoFront: no schedule of {about}>"
