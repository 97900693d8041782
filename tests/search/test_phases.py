"""The search for an allreduce: two phases, then trees, and what named methods do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import SearchOptions
from pavane.search.phases import join_phases
from pavane.search.search_run import Search
from pavane.search.shortest import Shortest
from pavane.search.tuning import TUNING
from pavane.solvers import SOLVERS
from pavane.solvers.supports import Supports
from tests.checker import judge


def allreduce(spec: str, pieces: int = 1, kind: str = "allreduce") -> Problem:
    """Return an allreduce under store-and-forward."""
    made = network(spec)
    return Problem(made, in_pieces(named(kind, made), pieces), Rules("store-and-forward"))


def test_auto_tries_trees_after_the_phases() -> None:
    """Where two phases do not reach the bound of the whole, trees may."""
    result = find_fewest_steps(allreduce("ring:8"))
    assert (result.num_steps, result.status, result.provenance.solver) == (7, "optimal", "trees")
    assert result.schedule == find_fewest_steps(allreduce("ring:8")).schedule


def test_phases_that_reach_the_bound_are_enough() -> None:
    """Then no trees are looked for."""
    result = find_fewest_steps(allreduce("ring:12", 2))
    assert result.status == "optimal"
    assert result.provenance.solver.endswith("in two phases")


def test_a_named_solver_of_broadcasts_does_the_phases() -> None:
    """Who names greedy gets two phases of it, overlapped, and no trees."""
    problem = allreduce("mesh:2x3")
    result = find_fewest_steps(problem, method="greedy")
    assert result.provenance.solver == "greedy in two phases"
    assert result.schedule is not None
    assert not judge(problem, result.schedule)


def test_trees_by_name() -> None:
    """Trees take an allreduce as a whole, and nothing else."""
    result = find_fewest_steps(allreduce("star:5"), SearchOptions(evaluations=50), method="trees")
    assert (result.num_steps, result.provenance.solver) == (6, "trees")
    made = network("star:5")
    with pytest.raises(InputError, match="method trees cannot work on"):
        find_fewest_steps(Problem(made, named("allgather", made)), method="trees")


def test_one_way_networks_have_phases_alone() -> None:
    """Where channels have none back, both phases are searched for."""
    problem = allreduce("ring:5,oneway")
    result = find_fewest_steps(problem)
    assert result.schedule is not None
    assert not judge(problem, result.schedule)


def test_one_part_is_exchanged() -> None:
    """One part is exchanged between groups in as few steps as the farthest are away, not gathered and spread."""
    result = find_fewest_steps(allreduce("hypercube:3", kind="reduce-broadcast"))
    assert (result.num_steps, result.status, result.provenance.solver) == (3, "optimal", "exchange")


@pytest.mark.parametrize(
    ("spec", "seconds", "grown", "steps", "has_trees"),
    [("ring:8", 60, TUNING.grown, 7, True), ("torus:3x4", 60, 100, 6, False), ("torus:3x4", None, 100, 6, False)],
)
def test_what_large_allreduces_try(
    spec: str, seconds: float | None, grown: int, steps: int, has_trees: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phases may take longer than there is time, so trees come first; the largest have none, with a limit or without.

    A tree for each of thousands of parts takes minutes to grow.
    """
    for module in ("stages", "phases"):
        monkeypatch.setattr(f"pavane.search.{module}.TUNING", replace(TUNING, few=50, grown=grown))
    tried: list[str] = []
    result = find_fewest_steps(
        allreduce(spec), SearchOptions(seconds=seconds, on_progress=lambda now: tried.append(now.activity))
    )
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert ("trees" in tried) == has_trees
    assert not has_trees or set(tried) == {"trees"}


# -- what goes wrong


@dataclass
class Scripted:
    """A solver that asks first fit, and at some calls finds nothing, breaks, or is interrupted with what it has."""

    script: str
    name: str = "scripted"
    calls: int = 0
    supports = Supports(patterns=("broadcast", "reduction"))

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Do what the script says for this call."""
        does = self.script.split()[self.calls]
        self.calls += 1
        found = SOLVERS["greedy"](problem, num_steps, seed, Budget())
        if does == "breaks":
            raise IndexError("of its own")
        if does == "kept":
            assert budget.on_schedule is not None
            assert found.schedule is not None
            budget.on_schedule(found.schedule)
        if does in ("kept", "interrupted"):
            raise KeyboardInterrupt
        return found if does == "finds" else Result(problem, None, notes=("no luck",))


@pytest.mark.parametrize(
    ("spec", "script", "note"),
    [
        ("ring:5", "nothing", "no luck"),
        ("ring:5,oneway", "nothing", "no luck"),
        ("ring:5,oneway", "finds nothing", "no luck"),
        ("ring:5", "breaks", "scripted with seed 0 failed: IndexError: of its own"),
        ("ring:5,oneway", "finds breaks", "scripted with seed 0 failed: IndexError: of its own"),
    ],
)
def test_a_phase_without_a_schedule_leaves_none_of_the_whole(spec: str, script: str, note: str) -> None:
    """Nothing is claimed then; what the phase has to say is told."""
    solver = Scripted(script)
    result = find_fewest_steps(allreduce(spec), solver=solver)
    assert (result.schedule, result.status) == (None, "unknown")
    assert result.notes[0].startswith(note)
    assert solver.calls == len(script.split())


@pytest.mark.parametrize(("spec", "script"), [("ring:5", "kept"), ("ring:5,oneway", "finds kept")])
def test_an_interrupt_of_the_last_phase_keeps_what_both_make(spec: str, script: str) -> None:
    """Both phases have a schedule then, and so has the whole."""
    problem = allreduce(spec)
    result = find_fewest_steps(problem, solver=Scripted(script))
    assert result.interrupted
    assert result.schedule is not None
    assert not judge(problem, result.schedule)


@pytest.mark.parametrize(
    ("spec", "script"),
    [("ring:5", "interrupted"), ("ring:5,oneway", "kept"), ("ring:5,oneway", "finds interrupted")],
)
def test_an_interrupt_that_leaves_a_phase_without_a_schedule_goes_on(spec: str, script: str) -> None:
    """One phase alone is no schedule of the whole."""
    solver = Scripted(script)
    with pytest.raises(KeyboardInterrupt):
        find_fewest_steps(allreduce(spec), solver=solver)
    assert solver.calls == len(script.split())


def test_overlapping_that_breaks_costs_no_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """The phases one after the other stay the answer, and a note says what failed."""

    def broken(*_: object) -> None:
        raise IndexError("of its own")

    monkeypatch.setattr("pavane.search.phases.overlap_phases", broken)
    problem = allreduce("mesh:2x3")
    result = find_fewest_steps(problem, method="greedy")
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    (note,) = result.notes
    assert note.startswith("letting phases overlap failed: IndexError: of its own")


def test_phases_leave_time_to_judge_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten seconds, four of which building and judging an allreduce would take, each phase has six at most."""
    monkeypatch.setattr(
        "pavane.search.search_run.seconds_reserved", lambda problem: 4.0 if problem.pattern == "allreduce" else 0.0
    )
    left: list[float | None] = []
    problem = allreduce("ring:4")
    join_phases(
        Search(problem, Shortest(problem), SearchOptions(seconds=10.0)),
        lambda phase: left.append(phase.budget.seconds_left),
    )
    assert left
    assert all(seconds is not None and seconds <= 6.0 for seconds in left)
