"""The bound by crossing: narrow cuts need more start-ups."""

from __future__ import annotations

import pytest

from pavane.bounds import counted_bounds, explain
from pavane.bounds.crossing import cuts_of_start_ups
from pavane.bounds.start_ups import start_up_bounds
from pavane.judge.certificates import proven
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from tests.problems import problem_of


@pytest.mark.parametrize("kind", ["AAS", "AAB"])
def test_narrow_cuts_raise_the_start_ups(kind: str) -> None:
    """On hierarchical rings of 64 few channels leave a group of 16, so 1-port needs 8 start-ups, not log2 64 = 6."""
    problem = problem_of("hierarchical-rings:4,4,4", kind, ports=1, combining=True)
    assert counted_bounds(problem)[0].figure == 6
    best = start_up_bounds(problem)[0]
    assert (best.figure, best.argument) == (8, "crossing")
    assert proven(problem, best) == 8
    assert explain(problem, best) == (
        "768 pairs of origin and target lie across a cut around 16 routers, where 2 transfers a step can cross; "
        "in 7 steps they can serve 704"
    )


def test_a_single_router_has_no_cut() -> None:
    """Where all processors are on one router nothing crosses anything."""
    alone = Network("one router", 1, [], [0, 0, 0])
    assert list(cuts_of_start_ups(Problem(alone, alltoall(alone), Rules(ports=1, combining=True)))) == []
