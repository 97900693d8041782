"""The front: points of which none is better in both, and the sizes of messages for which each is the fastest."""

from __future__ import annotations

import importlib
from itertools import pairwise
from math import inf

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.fronts import Front, FrontProgress, Point, front
from tests.checker import judge

RING = network("ring:4")
PROBLEM = Problem(RING, named("AAS", RING), Rules(ports=1, routing="any", combining=True))


def made_of(*pairs: tuple[int, int]) -> Front:
    """Make a front of figures alone."""
    return Front(PROBLEM, tuple(Point(Result(PROBLEM, None), s, t, False, False) for s, t in pairs))


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


@pytest.mark.parametrize(
    ("spec", "kind", "ends"),
    [
        ("ring:4", "AAS", [(2, 4), (3, 3)]),
        ("ring:4", "AAB", [(2, 3)]),
        ("hypercube:3", "AAS", [(3, 12), (7, 7)]),
        ("kautz:3,2", "AAB", [(4, 11)]),
    ],
)
def test_ends_of_known_fronts(spec: str, kind: str, ends: list[tuple[int, int]]) -> None:
    """A front runs from the fewest start-ups to the least TCO, strictly; both ends are proven, and all is valid."""
    made = network(spec)
    problem = Problem(made, named(kind, made), Rules(ports=1, routing="any", combining=True))
    found = front(problem)
    figures = [(p.start_ups, p.tco) for p in found.points]
    assert [figures[0], figures[-1]] == [ends[0], ends[-1]]
    assert all(a < c and b > d for (a, b), (c, d) in pairwise(figures))
    assert found.points[0].optimal_start_ups
    assert found.points[-1].optimal_tco
    for point in found.points:
        schedule = point.result.schedule
        assert schedule is not None
        assert (schedule.num_steps, schedule.tco) == (point.start_ups, point.tco)
        assert judge(problem, schedule) == set()


def test_workers_change_nothing_and_progress_is_told() -> None:
    """Two processes give the front of one."""
    told: list[FrontProgress] = []
    one, two = front(PROBLEM, progress=told.append), front(PROBLEM, workers=2)
    assert [p.result.schedule for p in one.points] == [p.result.schedule for p in two.points]
    assert told


def test_scouted_fronts_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where groups of symmetries are scouted first, the effort is counted still: one process or two, the same front."""
    module = importlib.import_module("pavane.search.fronts")
    # A small problem that is taken for a large one, with little effort.
    for name, value in (("FEW_MESSAGES", 100), ("SCOUT_WORK", 2e6), ("FIRST_WORK", 3e5), ("EVALUATIONS", 2_000)):
        monkeypatch.setattr(module, name, value)
    made = network("mesh:4x4")
    problem = Problem(made, named("AAS", made), Rules(ports=1, routing="any", combining=True))
    told: list[FrontProgress] = []
    fronts = [front(problem, seed=1, workers=w, progress=told.append) for w in (1, 1, 2)]
    schedules = [[p.result.schedule for p in found.points] for found in fronts]
    assert schedules[0] == schedules[1] == schedules[2]
    assert all(judge(problem, schedule) == set() for schedule in schedules[0] if schedule is not None)
    # Scouting tries one number of start-ups with several groups in a row.
    tried = [progress.tried for progress in told if progress.solver == "combining"]
    assert any(a == b is not None for a, b in pairwise(tried))


def test_refuses_what_is_no_front() -> None:
    """Without combining there is one figure, not two; and time must be given if it is limited."""
    with pytest.raises(InputError, match="combining"):
        front(Problem(RING, named("AAS", RING)))
    with pytest.raises(InputError, match="time"):
        front(PROBLEM, seconds=0)
    with pytest.raises(InputError, match="no schedule"):
        Front(PROBLEM, ()).best(1, 1)
