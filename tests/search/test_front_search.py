"""The search for a front: both ends as known, the same for the same seed, and what an interrupt leaves."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.effort import Effort
from pavane.search.front_search import front
from pavane.search.fronts import FrontProgress
from pavane.solvers import SOLVERS
from pavane.solvers.combining.combining import Combining
from pavane.workers.budget import Budget
from tests.checker import judge

RING = network("ring:4")
PROBLEM = Problem(RING, named("AAS", RING), Rules(ports=1, routing="any", combining=True))


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


def test_scouted_fronts_repeat() -> None:
    """Where groups of symmetries are scouted first, the effort is counted still: one process or two, the same front."""
    # A small problem that is taken for a large one, with little effort.
    little = Effort(most_private_unscouted=100, scout_work=2e6, first_work=3e5, evaluations_alone=2_000)
    made = network("mesh:4x4")
    problem = Problem(made, named("AAS", made), Rules(ports=1, routing="any", combining=True))
    told: list[FrontProgress] = []
    fronts = [front(problem, seed=1, workers=w, progress=told.append, effort=little) for w in (1, 1, 2)]
    schedules = [[p.result.schedule for p in found.points] for found in fronts]
    assert schedules[0] == schedules[1] == schedules[2]
    assert all(judge(problem, schedule) == set() for schedule in schedules[0] if schedule is not None)
    # Scouting tries one number of start-ups with several groups in a row.
    tried = [progress.tried for progress in told if progress.solver == "combining"]
    assert any(a == b is not None for a, b in pairwise(tried))


@pytest.mark.parametrize("calls", [1, 2])
def test_an_interrupt_keeps_what_was_found(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The front says that it was interrupted; it has the points of before, and no bound is looked for any more."""
    called = 0

    def interrupted(_: object, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        nonlocal called
        called += 1
        if called == calls:
            raise KeyboardInterrupt
        return SOLVERS["greedy"](problem, num_steps, seed, budget)

    monkeypatch.setattr("pavane.solvers.combining.combining.Combining.__call__", interrupted)
    mesh = network("mesh:3x3")
    found = front(Problem(mesh, named("AAB", mesh), Rules(combining=True)))
    assert called == calls
    assert found.interrupted
    assert found.points
    assert not front(PROBLEM, effort=Effort(passes=0)).interrupted


def test_an_interrupt_keeps_what_the_search_at_work_had_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that hands over its best when it is interrupted has not worked in vain."""

    def interrupted(_: object, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        found = combine(Combining(goal=11), problem, 4, seed, budget)
        assert budget.keep is not None
        assert found.schedule is not None
        budget.keep(found.schedule)
        raise KeyboardInterrupt

    combine = Combining.__call__
    monkeypatch.setattr(Combining, "__call__", interrupted)
    kautz = network("kautz:3,2")
    found = front(Problem(kautz, named("AAB", kautz), Rules(ports=1, routing="any", combining=True)))
    assert found.interrupted
    assert (found.points[0].start_ups, found.points[0].tco) == (4, 11)


def test_an_interrupt_with_nothing_found_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no front to return."""

    def interrupted(*_: object) -> Result:
        raise KeyboardInterrupt

    for solver in ("ring-rotation", "binary-jumping", "greedy"):
        monkeypatch.setattr(type(SOLVERS[solver]), "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        front(PROBLEM)


def test_an_interrupt_without_combining_keeps_what_that_search_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search without combining hands over its best, and then the front ends, too."""

    def interrupted(problem: Problem, **_: object) -> Result:
        result = SOLVERS["greedy"](problem, None, 0, Budget())
        return result.amended(interrupted=True)

    monkeypatch.setattr("pavane.search.front_search.find_fewest_steps", interrupted)
    mesh = network("mesh:3x3")
    found = front(Problem(mesh, named("AAS", mesh), Rules(ports=1, combining=True)), effort=Effort(passes=0))
    assert found.interrupted
    assert found.points


def test_refuses_what_is_no_front() -> None:
    """Without combining there is one figure, not two; and time must be given if it is limited."""
    with pytest.raises(InputError, match="combining"):
        front(Problem(RING, named("AAS", RING)))
    with pytest.raises(InputError, match="time"):
        front(PROBLEM, seconds=0)
