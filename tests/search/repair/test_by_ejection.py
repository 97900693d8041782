"""Mending scatter by ejection search."""

from __future__ import annotations

import pytest

from pavane.model.collectives import pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.repair.by_ejection import packed
from pavane.search.repair.timetable import Hop
from tests.problems import problem_of


@pytest.mark.parametrize("rules", [Rules(routing="any"), Rules(routing="any", ports=1)], ids=str)
def test_the_old_path_is_among_those_to_choose_from(rules: Rules) -> None:
    """A message that came the long way round keeps it, though nobody would look for such a path now."""
    ring = network("ring:5")
    ends = ring.channels.tolist()
    way_round = tuple(ends.index([a, b]) for a, b in ((0, 4), (4, 3), (3, 2), (2, 1)))
    problem = Problem(ring, pairs([(0, 1), (0, 2)]), rules)
    made = packed(problem, 2, {0: Hop(1, 0, 1, way_round)}, 0, 0, 4.0, Budget())
    assert made is not None
    (kept,) = [transfer for transfer in made if transfer.messages == (0,)]
    assert (kept.step, kept.path) == (1, way_round)


def test_time_that_is_over_leaves_nothing() -> None:
    """Messages that have no step yet make no schedule."""
    assert packed(problem_of("ring:6", "AAS"), 1, {}, 0, 0, 4.0, Budget(deadline=0.0)) is None
