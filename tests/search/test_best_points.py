"""The best points so far: none is better in both figures, and what fewer start-ups reach is not searched for again."""

from __future__ import annotations

from math import inf

from pavane.judge.certificates import proven
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.best_points import BestPoints, tco_of
from pavane.search.tuning import Effort
from pavane.solvers import SOLVERS
from pavane.solvers.combining.combining import Combining
from tests.problems import problem_of

RING = network("ring:4")
PROBLEM = Problem(RING, named("AAS", RING), Rules(ports=1, routing="any", combining=True))


def test_only_what_is_better_is_taken_in() -> None:
    """Start-ups and TCO of ring:4: 2/4 is the one end, and what has more of both is no point."""
    best = BestPoints(PROBLEM, Budget(), Effort())
    assert best.tco() == inf
    assert best.start_ups == []
    first = SOLVERS["greedy"](PROBLEM, None, 0, Budget())
    assert first.schedule is not None
    assert best.is_improved_by(first.schedule)
    best.add(first)
    assert best.covers(first.schedule)
    assert not best.is_improved_by(first.schedule)
    before = best.figures
    best.add(Combining(goal=4)(PROBLEM, 2, 0, Budget()))
    assert best.figures[0] == (2, 4)
    assert best.fewest == 2
    assert best.tco(2) == 4
    assert best.tco() <= before[0][1]
    assert best.is_met(2)
    assert [tco_of(result) for result in best.results] == [tco for _, tco in best.figures]


def test_bounds_are_not_looked_for_where_only_known_ones_count() -> None:
    """After an interrupt a point is proven only if that was known before."""
    best = BestPoints(PROBLEM, Budget(), Effort())
    best.add(Combining(goal=4)(PROBLEM, 2, 0, Budget()))
    (point,) = best.points(known_only=True)
    assert (point.optimal_start_ups, point.optimal_tco) == (True, False)
    assert point.result.occupancy_bound is None
    (point,) = best.points()
    assert point.optimal_tco
    assert point.result.optimal == ("start-ups", "TCO")
    bound = point.result.occupancy_bound
    assert bound is not None
    assert proven(PROBLEM, bound) == bound.figure == point.tco


def test_large_problems_are_tried_from_the_bound_on() -> None:
    """Where growth and distance together would take long to count, no number of start-ups is refuted by them."""
    problem = problem_of("star:8", "AAS", Rules("store-and-forward", 1, combining=True))
    best, large = (BestPoints(problem, Budget(), effort) for effort in (Effort(), Effort(most_deliveries_bounded=0)))
    assert large.fewest_tried == large.lowest == best.lowest < best.fewest_tried
