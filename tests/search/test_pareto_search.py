"""The search for a front: both ends as known, the same for the same seed, and what an interrupt leaves."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest

from pavane.bounds.occupancy import occupancy_bound
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules, Switching
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.best_points import BestPoints
from pavane.search.options import SearchOptions
from pavane.search.pareto_search import pareto_front
from pavane.search.synthesis import solve
from pavane.search.tuning import Effort
from pavane.solvers import SOLVERS
from pavane.solvers.combining.combining import Combining
from pavane.solvers.supports import Supports
from tests.checker import judge
from tests.problems import problem_of
from tests.scripted import interrupt_at, put

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
    found = pareto_front(problem)
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


@pytest.mark.parametrize(("spec", "kind", "passes"), [("mesh:4x4", "AAS", 2), ("kautz:3,2", "AAB", 1)])
def test_scouted_fronts_repeat(spec: str, kind: str, passes: int) -> None:
    """Where groups of symmetries are scouted first, the effort is counted still: one process or two, the same front."""
    # A small problem that is taken for a large one, with little effort.
    little = Effort(passes, 3e5, evaluations_alone=2_000)
    little = replace(little, most_unscouted=50)
    problem = problem_of(spec, kind, ports=1, routing="any", combining=True)
    told: list[Progress] = []
    fronts = [
        pareto_front(problem, SearchOptions(seed=1, workers=w, on_progress=told.append), effort=little)
        for w in (1, 1, 2)
    ]
    schedules = [[p.result.schedule for p in found.points] for found in fronts]
    assert schedules[0] == schedules[1] == schedules[2]
    assert all(judge(problem, schedule) == set() for schedule in schedules[0] if schedule is not None)
    # Scouting tries one number of start-ups with several groups in a row.
    tried = [progress.num_steps for progress in told if progress.activity == "combining"]
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
    found = pareto_front(Problem(mesh, named("AAB", mesh), Rules(combining=True)))
    assert called == calls
    assert found.interrupted
    assert found.points
    assert not pareto_front(PROBLEM, effort=Effort(passes=0)).interrupted


def test_an_interrupt_with_nothing_found_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no front to return."""
    put(monkeypatch, "greedy", interrupt_at(1))
    with pytest.raises(KeyboardInterrupt):
        pareto_front(PROBLEM)


def test_an_interrupt_without_combining_keeps_what_that_search_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search without combining hands over its best, and then the front ends, too."""

    def interrupted(problem: Problem, *_: object, **__: object) -> Result:
        result = SOLVERS["greedy"](problem, None, 0, Budget())
        return result.amended(interrupted=True)

    monkeypatch.setattr("pavane.search.pareto_search.find_fewest_steps", interrupted)
    mesh = network("mesh:3x3")
    found = pareto_front(Problem(mesh, named("AAS", mesh), Rules(ports=1, combining=True)), effort=Effort(passes=0))
    assert found.interrupted
    assert found.points


LITTLE = Effort(passes=1, first_work=2e5, evaluations_alone=500)
"""Enough for an answer, and no more."""
OPEN = problem_of("kautz:2,2", "AAB", ports=1, combining=True)
"""A problem that no construction closes."""


@pytest.mark.parametrize(
    ("where", "kind", "root", "lowest"),
    [("star:4", "OAS", 1, 2), ("levi", "OAS", 0, 5), ("star:8", "AAS", None, 3)],
)
def test_a_refuted_number_of_start_ups_is_not_the_end(where: str, kind: str, root: int | None, lowest: int) -> None:
    """Growth and distance together may allow less than each alone: the search begins above what they refute."""
    problem = problem_of(where, kind, Rules("store-and-forward", 1, combining=True), root=root)
    best = BestPoints(problem, Budget(), LITTLE)
    assert best.lowest == lowest < best.fewest_tried
    with pytest.raises(InputError, match=f"no schedule has {lowest} start-ups"):
        occupancy_bound(problem, lowest)
    found = pareto_front(problem, effort=LITTLE)
    assert found.points
    assert found.points[0].start_ups >= best.fewest_tried


@pytest.mark.parametrize("where", ["star:4", "mesh:2x2*2", "fat-tree:2"])
@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
def test_whatever_can_be_solved_has_a_front(where: str, switching: Switching) -> None:
    """Every collective has an answer under combining, whatever the ports and the duplex, on networks of many sorts."""
    none = Effort(passes=1, first_work=1e4, first_moves=50, evaluations_alone=1)
    made = network(where)
    ports: list[int | Literal["all"]] = [1, "all"]
    for kind, root in [("OAB", 1), ("OAS", 1), ("AOG", 1), ("AOR", 1), ("AAB", None), ("AAS", None), ("AAR", None)]:
        for rules in (Rules(switching, ports[0], "half", combining=True), Rules(switching, ports[1], combining=True)):
            found = pareto_front(problem_of(made, kind, rules, root=root), effort=none)
            assert found.points, (kind, rules)
            assert found.notes == (), (kind, rules)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_solver_that_breaks_costs_its_own_part(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others have found stays, and a note says who failed and why."""

    def broken(*_: object) -> Result:
        raise RuntimeError("no luck")

    monkeypatch.setattr(Combining, "__call__", broken)
    found = pareto_front(OPEN, SearchOptions(workers=workers), effort=LITTLE)
    assert found.points
    assert any(text.startswith("combining at ") and "RuntimeError: no luck" in text for text in found.notes)
    assert any("no luck" in text for text in solve(OPEN, SearchOptions(evaluations=5)).notes)


@pytest.mark.parametrize(
    ("broken", "called"),
    [("as_product", "product"), ("find_fewest_steps", "auto without combining"), ("free_groups", "scouting")],
)
def test_a_part_of_the_search_that_breaks_costs_itself(
    broken: str, called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and columns, scouting, and the search without combining: what the others find stays."""

    def raises(*_: object, **__: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr(f"pavane.search.pareto_search.{broken}", raises)
    scouted = replace(LITTLE, most_unscouted=0)
    found = pareto_front(problem_of("mesh:2x3", "AAS", ports=1, combining=True), effort=scouted)
    assert found.points
    assert any(text.startswith(f"{called} failed: RuntimeError: no luck") for text in found.notes)


def test_a_bound_that_breaks_ends_the_search_and_leaves_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found by then is the front; nothing is claimed of its TCO."""

    def raises(*_: object, **__: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr("pavane.search.best_points.occupancy_bound", raises)
    found = pareto_front(OPEN, effort=LITTLE)
    assert not found.interrupted
    assert found.points
    assert not any(point.optimal_tco for point in found.points)
    assert found.notes[-1].startswith("the search ended early: RuntimeError: no luck")


def test_where_nothing_else_is_found_first_fit_is() -> None:
    """A search that finds nothing with combining, in whatever time, still has an answer."""
    none = replace(LITTLE, passes=0, most_deliveries_bounded=0)
    assert pareto_front(OPEN, effort=none).points
    assert pareto_front(OPEN, SearchOptions(seconds=1e-6), effort=none).points


def test_evaluations_are_counted() -> None:
    """The same few evaluations give the same front for any number of workers."""
    fronts = [pareto_front(OPEN, SearchOptions(evaluations=40, workers=workers)) for workers in (1, 1, 2)]
    schedules = [[point.result.schedule for point in found.points] for found in fronts]
    assert schedules[0] == schedules[1] == schedules[2]
    with pytest.raises(InputError, match="evaluations 0"):
        pareto_front(PROBLEM, SearchOptions(evaluations=0))


def test_refuses_what_is_no_front() -> None:
    """Without combining there is one figure, not two; and time must be given if it is limited."""
    with pytest.raises(InputError, match="combining"):
        pareto_front(Problem(RING, named("AAS", RING)))
    with pytest.raises(InputError, match="time"):
        pareto_front(PROBLEM, SearchOptions(seconds=0))


def test_the_front_of_an_allreduce_is_made_of_its_phases() -> None:
    """Schedules of both phases are joined, whole sums exchanged for few start-ups; nothing fails on the way."""
    made = network("hypercube:2")
    problem = Problem(made, named("allreduce", made), Rules(combining=True))
    found = pareto_front(problem, effort=Effort(passes=1, first_work=1e6))
    assert found.notes == ()
    assert (found.points[0].start_ups, found.points[0].tco) == (2, 8)
    assert found.points[-1].tco <= 3
    for point in found.points:
        assert point.result.schedule is not None
        assert not judge(problem, point.result.schedule)


# -- pools


def test_a_bound_that_breaks_before_anything_is_found_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no front that could be returned instead."""

    def raises(_: Problem) -> bool:
        raise RuntimeError("no luck")

    monkeypatch.setattr(Combining, "supports", Supports(holds=raises))
    with pytest.raises(RuntimeError, match="no luck"):
        pareto_front(OPEN, effort=LITTLE)


# -- reductions of rows and columns, and broadcasts that are scouted


def test_rows_and_columns_make_reductions_too() -> None:
    """A reduction on a product is its broadcast turned round: as good in both figures, and valid."""
    only_lines = Effort(passes=0, most_deliveries_bounded=0)
    fronts = {}
    for kind in ("AAB", "AAR"):
        told: list[Result] = []
        problem = problem_of("torus:3x4", kind, ports=1, combining=True)
        pareto_front(problem, SearchOptions(on_improvement=told.append), effort=only_lines)
        made = [result.schedule for result in told if result.provenance.solver == "product"]
        assert all(schedule is not None and not judge(problem, schedule) for schedule in made)
        fronts[kind] = [(schedule.num_steps, schedule.tco) for schedule in made if schedule is not None]
    assert fronts["AAR"] == fronts["AAB"] != []
