"""The method `auto`: which solvers are tried, and what comes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.search.tuning import TUNING
from pavane.solvers.broadcast.rarest_first import RarestFirst
from pavane.solvers.ejection.planned import Planned
from pavane.solvers.ejection.repetition import Repetition
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.solver import Finding
from pavane.solvers.supports import Supports
from tests.checker import judge
from tests.problems import problem_of
from tests.scripted import put


def test_a_broadcast_under_restricted_routing_is_decided() -> None:
    """A square that lost a side is told in two steps, which first fit does not find."""
    torn = network("torus:2x2").without(links=[(1, 3)])
    rules = Rules(ports=1, duplex="half", routing="north-last")
    result = solve(Problem(torn, named("OAB", torn, root=1), rules))
    assert (result.num_steps, result.status) == (2, "optimal")


@pytest.mark.parametrize(
    ("name", "kind", "rules", "steps"),
    [
        ("mesh:3x4", "OAB", {"routing": "west-first"}, 2),
        ("mesh:3x4", "OAB", {"routing": "dimension-order", "ports": 1}, 4),
        ("mesh:2x4", "AAB", {"routing": "north-last", "duplex": "half"}, 6),
        ("torus:3x3", "AOR", {"routing": "north-last", "ports": 1}, 4),
        ("hierarchical-rings:4,4", "AAB", {}, 8),
    ],
)
def test_small_broadcasts_are_proven_optimal(name: str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Small broadcasts and reductions end with as many steps as are proven to be needed."""
    result = solve(problem_of(name, kind, **rules))
    assert (result.num_steps, result.status) == (steps, "optimal")


@pytest.mark.parametrize("kind", ["AAB", "AAR"])
def test_many_pieces_of_broadcasts_are_spread_a_few_at_a_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What 2 pieces do in 7 steps on a ring of 8, 500 do in 1,750: rarest first never sees more than 12 of each."""
    seen: list[int] = []
    find = RarestFirst.find

    def noted(solver: RarestFirst, problem: Problem, *rest: Any) -> Schedule | None:
        seen.append(problem.num_messages)
        return find(solver, problem, *rest)

    monkeypatch.setattr(RarestFirst, "find", noted)
    ring = network("ring:8")
    result = solve(Problem(ring, named(kind, ring, pieces=500)))
    assert (result.num_steps, result.status) == (1_750, "optimal")
    assert max(seen) <= 12 * 8


# -- who answers first


@pytest.mark.parametrize(("network", "steps"), [("spidergon:16", 5), ("levi", 10), ("hypercube:7", 19)])
@pytest.mark.parametrize("kind", ["AAB", "AAR"])
def test_rarest_first_needs_nobody_before(network: str, steps: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An allgather, or a reduce-scatter, that rarest first settles takes neither first fit nor a cycle."""
    others = [put(monkeypatch, name) for name in ("greedy", "rotation")]
    result = solve(problem_of(network, kind))
    assert (result.num_steps, result.status, result.provenance.solver) == (steps, "optimal", "rarest-first")
    assert [solver.seeds for solver in others] == [[], []]


def test_a_time_limit_wants_an_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pass of first fit comes before kernels that may have to be compiled, so there is always an answer."""
    greedy = put(monkeypatch, "greedy")
    assert solve(problem_of("spidergon:16", "AAB"), SearchOptions(seconds=0.001)).schedule is not None
    assert greedy.seeds == [0]


def test_a_handful_of_arrivals_is_left_to_first_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pass, where nothing is quicker; more of them only where the bound is not met."""
    greedy = put(monkeypatch, "greedy")
    assert solve(problem_of("octagon", "AAB")).provenance.solver == "greedy"
    assert greedy.seeds == [0]


def test_rotation_goes_first_where_it_is_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one port an allgather of P processors takes P - 1 steps, and nothing is searched for."""
    others = [put(monkeypatch, name) for name in ("greedy", "rarest-first", "translated-trees")]
    result = solve(problem_of("hypercube:5", "AAB", ports=1))
    assert (result.num_steps, result.provenance.solver) == (31, "rotation")
    assert [solver.seeds for solver in others] == [[]] * 3


def tune(monkeypatch: pytest.MonkeyPatch, **numbers: int) -> None:
    """Let a search take small problems for large ones."""
    monkeypatch.setattr("pavane.search.stages.TUNING", replace(TUNING, **numbers))


# -- what large problems come to, on small ones that are taken for large


def test_a_large_scatter_without_time_for_a_first_schedule_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is tried where first fit in haste would take longer than there is time."""
    tune(monkeypatch, few=10)
    monkeypatch.setattr(CpSat, "supports", Supports(patterns=()))
    monkeypatch.setattr(FirstFit, "find", lambda *_: Finding(None, needs=5000.0))
    others = [put(monkeypatch, name) for name in ("greedy", "translation", "packing")]
    result = solve(problem_of("mesh:3x3"), SearchOptions(seconds=100))
    assert result.schedule is None
    assert any("first-fit takes about" in note for note in result.notes)
    assert [solver.seeds for solver in others] == [[]] * 3


def test_a_large_scatter_on_a_network_with_translations_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they meet the bound nothing else is tried."""
    tune(monkeypatch, few=10)
    packing = put(monkeypatch, "packing")
    result = solve(problem_of("octagon"))
    assert (result.status, result.provenance.solver) == ("optimal", "translation")
    assert packing.seeds == []


def test_a_large_scatter_under_restricted_routing_is_pushed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packing goes along any shortest paths; where not all are allowed ejection search goes on from first fit."""
    tune(monkeypatch, few=10)
    problem = problem_of("mesh:3x3", "AAS", routing="west-first")
    result = solve(problem)
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    assert result.num_steps == solve(problem, method="ejection").num_steps


def test_a_large_stored_scatter_is_planned_before_better_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick plan comes first; many pieces are tried a few at a time, and what they do is repeated."""
    tune(monkeypatch, small=10, few=10)
    tried: list[str] = []
    made = network("mesh:2x3")
    problem = Problem(made, named("AAS", made, pieces=6), Rules("store-and-forward"))
    result = solve(problem, SearchOptions(on_progress=lambda now: tried.append(now.activity)))
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    assert tried[0] == "planned"


def test_a_stored_scatter_without_a_plan_has_first_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where plans come to nothing there is an answer all the same."""
    tune(monkeypatch, few=10)
    monkeypatch.setattr(Planned, "find", lambda *_: None)
    greedy = put(monkeypatch, "greedy")
    problem = problem_of("mesh:2x3", "AAS", switching="store-and-forward")
    result = solve(problem)
    assert result.schedule is not None
    assert greedy.seeds == [0]


def test_pieces_that_do_not_fit_at_the_bound_get_more_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few pieces at a time are tried with one step more, then two, four and so on."""
    asked: list[int] = []
    find = Repetition.find

    def noted(solver: Repetition, problem: Problem, num_steps: int, *rest: Any) -> Schedule | None:
        asked.append(num_steps)
        return find(solver, problem, num_steps, *rest) if len(asked) > 3 else None

    monkeypatch.setattr(Repetition, "find", noted)
    tune(monkeypatch, few=10)
    made = network("ring:4")
    assert solve(Problem(made, named("AAS", made, pieces=6))).schedule is not None
    assert [steps - asked[0] for steps in asked] == [0, 1, 2, 4]
