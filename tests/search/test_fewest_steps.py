"""One search for few steps: bounds first, then solvers, until the best schedule meets the best bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

import pavane
from pavane.bounds import counted_bounds, lower_bounds
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.parallel.progress import Progress
from pavane.search.fewest_steps import solver_named
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from pavane.solvers.supports import Supports
from tests.checker import judge
from tests.problems import problem_of
from tests.scripted import Scripted, interrupt_at, put


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    """Put a scripted solver in the place of first fit."""
    return partial(put, monkeypatch, "greedy")


# -- answers


@pytest.mark.parametrize("kind", ["OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR"])
@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
def test_every_collective_is_answered(kind: str, switching: str) -> None:
    """Every collective gets a valid schedule, with its bounds and where it came from."""
    ring = network("ring:5")
    problem = Problem(ring, named(kind, ring), Rules(switching=switching))  # type: ignore[arg-type]
    result = solve(problem, SearchOptions(seed=3))
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    assert result.bounds == counted_bounds(problem)
    assert result.status in ("optimal", "feasible")
    assert result.provenance.seed == 3
    assert result.provenance.solver in SOLVERS
    assert result.provenance.version == pavane.__version__
    assert result.provenance.seconds >= 0


def test_impossible_without_a_search(scripted: Callable[..., Scripted]) -> None:
    """Fewer steps than a bound allows are impossible, and no solver is asked."""
    solver = scripted()
    seen: list[Progress] = []
    result = solve(problem_of("ring:8,oneway"), SearchOptions(on_progress=seen.append), num_steps=27)
    assert (result.status, result.schedule, result.requested_steps) == ("impossible", None, 27)
    assert solver.calls == []
    assert seen == []


def test_an_optimal_schedule_ends_the_search(scripted: Callable[..., Scripted]) -> None:
    """The search stops with the first schedule that meets the bound."""
    solver = scripted()
    result = solve(problem_of("ring:8,oneway"), SearchOptions(seed=5))
    assert (result.status, result.num_steps) == ("optimal", 28)
    assert solver.calls == [(None, 5)]


def test_the_best_of_several_passes_is_kept(scripted: Callable[..., Scripted]) -> None:
    """Passes with other seeds follow as long as the bound is not met, and the shortest schedule is kept."""
    solver = scripted()
    problem = problem_of("heawood")
    result = solve(problem, SearchOptions(seed=7))
    seeds = solver.seeds
    assert seeds == list(range(7, 7 + len(seeds)))
    assert len(seeds) > 1
    steps = [solver.inner(problem, None, seed, Budget()).num_steps or 0 for seed in seeds]
    assert result.num_steps is not None
    assert result.num_steps <= min(steps)


def test_steps_asked_for_are_not_exceeded() -> None:
    """With a number of steps the answer has at most so many, or there is none."""
    problem = problem_of("heawood")
    enough = solve(problem, num_steps=12)
    assert enough.num_steps is not None
    assert enough.num_steps <= 12
    tight = solve(problem, num_steps=9)
    assert (tight.status, tight.num_steps, tight.requested_steps) == ("optimal", 9, 9)
    short = solve(problem, num_steps=9, method="greedy")
    assert (short.status, short.num_steps, short.requested_steps) == ("unknown", None, 9)


def test_workers_change_the_time_not_the_answer() -> None:
    """One worker and two give the same schedule for the same seed."""
    problem = problem_of("heawood")
    alone, both = (solve(problem, SearchOptions(seed=1, workers=workers)) for workers in (1, 2))
    assert alone.schedule == both.schedule
    assert alone.schedule is not None
    assert alone.provenance.solver == both.provenance.solver


def test_a_method_by_name(scripted: Callable[..., Scripted]) -> None:
    """A named method is asked once, with the steps and the seed of the user."""
    solver = scripted()
    result = solve(problem_of("octagon"), SearchOptions(seed=4), method="greedy", num_steps=9)
    assert solver.calls == [(9, 4)]
    assert result.provenance.solver == "greedy"


def test_time_that_is_over_ends_the_search(scripted: Callable[..., Scripted]) -> None:
    """When the time is over the search ends with the first schedule."""
    solver = scripted()
    result = solve(problem_of("heawood"), SearchOptions(seconds=1e-9))
    assert result.schedule is not None
    assert len(solver.calls) == 1


def test_a_time_limit_leaves_the_exact_solver_its_turn() -> None:
    """With time to spare a small problem is still settled, here by a refutation of fewer steps."""
    result = solve(problem_of("petersen", "AAS", Rules(ports=1, duplex="half")), SearchOptions(seconds=300))
    assert (result.num_steps, result.status) == (12, "optimal")
    assert result.bound is not None
    assert result.bound.argument == "exhaustive"


# -- progress and interrupts


def test_progress_sees_bound_and_best() -> None:
    """Progress tells the bound from the start and the best steps so far, which never grow."""
    seen: list[Progress] = []
    problem = problem_of("heawood")
    result = solve(problem, SearchOptions(on_progress=seen.append, seconds=100))
    assert seen[0].best is None
    assert seen[0].activity == "greedy"
    assert {p.bound for p in seen} == {9}
    bests = [p.best for p in seen[1:] if p.best is not None]
    assert len(bests) == len(seen) - 1
    assert bests == sorted(bests, reverse=True)
    assert bests[-1] == result.num_steps
    assert all(p.seconds_left is not None and 0 <= p.seconds_left <= 100 for p in seen)
    assert all(p.seconds >= 0 and p.num_steps in (None, 9) for p in seen)


def test_progress_without_a_limit() -> None:
    """Without a limit no time is left to tell; the steps asked for are told."""
    seen: list[Progress] = []
    solve(problem_of("octagon"), SearchOptions(on_progress=seen.append), num_steps=20)
    assert all(p.seconds_left is None and p.num_steps == 20 for p in seen)


def test_an_interrupt_keeps_the_best(scripted: Callable[..., Scripted]) -> None:
    """Ctrl-C after a first schedule ends the search and keeps it."""
    solver = scripted(interrupt_at(3))
    result = solve(problem_of("heawood"))
    assert result.schedule is not None
    assert result.status == "feasible"
    assert result.bounds
    assert len(solver.calls) == 3


def test_an_interrupt_before_any_schedule_goes_on(scripted: Callable[..., Scripted]) -> None:
    """Ctrl-C before there is anything to keep is the user's wish to stop."""
    scripted(interrupt_at(1))
    with pytest.raises(KeyboardInterrupt):
        solve(problem_of("heawood"))


# -- refusals


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("gredy", "unknown method 'gredy'; did you mean greedy?"),
        ("xyzzy", "unknown method 'xyzzy'; choose auto or "),
        ("", "unknown method ''; choose auto or "),
    ],
)
def test_an_unknown_method_is_refused(method: str, text: str) -> None:
    """An unknown method is refused with near matches, or else with the list."""
    for refused in (lambda: solve(problem_of("ring:4"), method=method), lambda: solver_named(method)):
        with pytest.raises(InputError) as refusal:
            refused()
        assert text in str(refusal.value)


def test_a_method_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A named method that does not support the problem is refused before any search, and says why."""
    solver = put(monkeypatch, "flow")
    text = r"method flow cannot work on broadcast \(OAB\) .*: broadcast, this solver needs private; try `method='auto'`"
    with pytest.raises(InputError, match=text):
        solve(Problem("ring:4", "broadcast"), method="flow")
    assert solver.calls == []


# -- a first answer, whatever the time, and the best bound that it allows


@pytest.mark.parametrize("method", ["auto", "greedy", "first-fit"])
def test_solve_knows_what_bounds_knows(method: str) -> None:
    """Whatever the method, the best bound of the result is the best of all arguments."""
    channels = [way for a in range(7) for b in (a + 1, a + 2) if b < 7 for way in ((a, b), (b, a))]
    line = Network("thick line with a tail", 9, [*channels, (6, 7), (7, 6), (7, 8), (8, 7)])
    problem = Problem(line, named("AAS", line))
    result = solve(problem, method=method)
    assert result.bound is not None
    assert result.bound.figure == lower_bounds(problem)[0].figure


def test_an_answer_at_hand_survives_what_comes_after() -> None:
    """A solver that hands over a schedule and then breaks costs itself a note, and the schedule stays."""

    @dataclass(frozen=True)
    class Breaking:
        name: str = "breaking"
        supports = Supports()

        def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
            found = SOLVERS["greedy"](problem, num_steps, seed, Budget()).schedule
            assert found is not None
            budget.report_first(lambda: found)
            raise RuntimeError("out of luck")

    result = solve(problem_of("heawood"), SearchOptions(seconds=1000), solver=Breaking())
    assert result.schedule is not None
    assert result.provenance.solver == "breaking"
    assert any("out of luck" in note for note in result.notes)


# -- what is known


def known_result(problem: Problem, *, is_good: bool) -> Result:
    """Return a result that somebody else has found before: the best, or one of a pass of first fit."""
    found = solve(problem, SearchOptions(seed=0 if is_good else 5), method="auto" if is_good else "greedy")
    about = Provenance("theirs", 7, 9.0, "0.0.1", True)
    return Result(problem, found.schedule, found.bounds if is_good else (), about)


def test_a_search_starts_from_what_is_known(scripted: Callable[..., Scripted]) -> None:
    """Where schedule and bound meet nothing is searched for, and the result says who found it."""
    known = known_result(problem_of("octagon", "AAS"), is_good=True)
    first_fit = scripted()
    result = solve(known.problem, start=known)
    assert result.schedule is known.schedule
    assert result.status == "optimal"
    about = result.provenance
    assert (about.solver, about.seed, about.version, about.is_claimed) == ("theirs", 7, "0.0.1", True)
    assert first_fit.calls == []


def test_what_is_found_is_not_said_to_be_known() -> None:
    """A better schedule has its own solver, seed and version; a known bound stays beside it."""
    known = known_result(problem_of("mesh:3x3", "AAS"), is_good=False)
    result = solve(known.problem, SearchOptions(seed=3), start=known)
    assert result.num_steps is not None
    assert known.num_steps is not None
    assert result.num_steps <= known.num_steps
    assert result.status == "optimal"
    if result.schedule is not known.schedule:
        about = result.provenance
        assert (about.seed, about.version, about.is_claimed) == (3, pavane.__version__, False)
        assert about.solver != "theirs"


def test_what_is_known_does_not_answer_what_was_not_asked() -> None:
    """A known schedule of more steps than are asked for is no answer, but its bound counts."""
    known = known_result(problem_of("octagon", "AAS"), is_good=True)
    result = solve(known.problem, start=known, num_steps=3)
    assert (result.schedule, result.status) == (None, "impossible")


@pytest.mark.parametrize(
    ("spec", "kind", "rules"),
    [
        ("line:2", "AAS", Rules("store-and-forward")),
        ("ring:4", "AAS", Rules("store-and-forward", ports=2)),
        ("mesh:2x3", "AAB", Rules(ports=1)),
        ("star:4", "AAR", Rules(combining=True)),
        ("ring:5", "allreduce", Rules()),
        ("ring:4,oneway", "allreduce", Rules("store-and-forward", combining=True)),
    ],
)
def test_a_small_problem_has_an_answer_even_when_its_time_is_over_at_once(spec: str, kind: str, rules: Rules) -> None:
    """A busy machine may let nothing begin in time; late is better than never."""
    problem = problem_of(spec, kind, rules)
    result = solve(problem, SearchOptions(seconds=1e-9))
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    assert result.num_steps is not None
    assert all(bound.figure <= result.num_steps for bound in result.bounds)


def test_a_late_answer_has_no_more_steps_than_were_asked_for() -> None:
    """First fit needs more than the four steps of this alltoall, and says so."""
    problem = problem_of("ring:4", "AAS", Rules("store-and-forward", ports=1))
    late = solve(problem, SearchOptions(seconds=1e-9), num_steps=lower_bounds(problem)[0].figure)
    assert late.schedule is None or late.num_steps == lower_bounds(problem)[0].figure


def test_no_late_answer_of_a_named_solver() -> None:
    """Whoever names a solver wants no other's schedule."""
    assert solve(problem_of("ring:8", "AAS"), SearchOptions(seconds=1e-9), method="umda").provenance.solver == "umda"


def test_a_solver_of_ones_own_is_registered_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a method by its name as long as it stands in the registry."""
    problem = problem_of("ring:4")
    SOLVERS["mine"] = Scripted(SOLVERS["greedy"], name="mine")
    try:
        assert solve(problem, method="mine").schedule is not None
    finally:
        del SOLVERS["mine"]
    with pytest.raises(InputError, match="unknown method 'mine'"):
        solve(problem, method="mine")
