"""What is looked for where nobody says more: the fewest steps, or under combining a point of the front."""

from __future__ import annotations

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
from pavane.networks import network
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions
from pavane.search.pareto_search import pareto_front
from pavane.search.synthesis import is_front_wanted, solve
from pavane.solvers import SOLVERS
from tests.problems import problem_of

RING = network("ring:4")


def aas(*, combining: bool = False) -> Problem:
    """Return an all-to-all on a ring of 4 with one port."""
    return problem_of(RING, "AAS", ports=1, routing="any", combining=combining)


@pytest.mark.parametrize(("routing", "steps"), [("minimal", 4), ("any", 2)])
@pytest.mark.parametrize("method", ["auto", "cp-sat", "flow"])
def test_minimal_routing_takes_shortest_ways_over_switches(routing: Routing, steps: int, method: str) -> None:
    """Of two ways over switches, of two channels and of three, only any routing takes both; both optima are proven."""
    net = Network("two ways", 5, [(0, 2), (2, 1), (0, 3), (3, 4), (4, 1)], [0, 1])
    rules = Rules("store-and-forward", switches="pass", routing=routing)
    result = solve(Problem(net, in_pieces(named("OAS", net), 4), rules), method=method)
    assert (result.num_steps, result.status) == (steps, "optimal")


def test_a_front_is_wanted_under_combining_alone() -> None:
    """A method or a number of steps asks for one schedule."""
    assert is_front_wanted(aas(combining=True), "auto", None)
    assert not is_front_wanted(aas(), "auto", None)
    assert not is_front_wanted(aas(combining=True), "combining", None)
    assert not is_front_wanted(aas(combining=True), "auto", 2)


def test_under_combining_the_fastest_point_of_the_front_is_the_result() -> None:
    """It is the schedule that the command line writes: the fastest where a message takes as long as a start-up."""
    told: list[Progress] = []
    problem = aas(combining=True)
    result = solve(problem, SearchOptions(on_progress=told.append))
    assert result.schedule is not None
    chosen = pareto_front(problem).best(1.0, 1.0)
    assert (result.num_steps, result.schedule.tco) == (chosen.start_ups, chosen.tco)
    assert result.schedule == chosen.result.schedule
    assert result.bounds == chosen.result.bounds
    assert told
    assert all(now.bound == 2 for now in told)


def test_a_method_or_a_number_of_steps_finds_one_schedule() -> None:
    """As without combining."""
    problem = aas(combining=True)
    assert solve(problem, num_steps=2).num_steps == 2
    assert solve(problem, solver=SOLVERS["greedy"]).provenance.solver == "greedy"
    assert solve(problem, method="greedy").provenance.solver == "greedy"


def test_under_combining_ever_faster_schedules_are_told() -> None:
    """Each is faster than the one before where a message takes as long as a start-up, and the last is the result."""
    told: list[Result] = []
    problem = problem_of("mesh:2x3", "AAS", ports=1, combining=True)
    result = solve(problem, SearchOptions(evaluations=10, on_improvement=told.append))
    times = [one.schedule.num_steps + one.schedule.tco for one in told if one.schedule is not None]
    assert len(times) == len(told) > 1
    assert times == sorted(times, reverse=True)
    assert told[-1].schedule == result.schedule


def test_a_front_without_points_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no schedule then; bounds and notes are there."""

    def broken(*_: object, **__: object) -> Result:
        raise MemoryError("too large")

    constructions = [name for name, solver in SOLVERS.items() if solver.supports.procedure == "construction"]
    for solver in [*constructions, "greedy", "combining"]:
        monkeypatch.setattr(type(SOLVERS[solver]), "__call__", broken)
    monkeypatch.setattr("pavane.search.pareto_search.find_fewest_steps", broken)
    result = solve(aas(combining=True))
    assert (result.schedule, result.status) == (None, "unknown")
    assert result.bound is not None
    assert result.bound.figure == 2
    assert all("MemoryError: too large" in note for note in result.notes)
