"""Attempts: in their order, whatever the workers; one that breaks costs itself and a note, never the search."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from pavane.bounds import counted_bounds
from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.parallel.pool import SerialPool
from pavane.parallel.pools import Workers
from pavane.parallel.progress import Progress
from pavane.parallel.tasks import PoolLost
from pavane.search.fewest_steps import find_or_interrupt
from pavane.search.options import SearchOptions
from pavane.search.search_run import Attempt, Search
from pavane.search.shortest import Shortest, ShortestSearch
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from pavane.solvers.supports import Supports
from tests.problems import problem_of

GREEDY = SOLVERS["greedy"]
PROBLEM = problem_of("ring:6")


@dataclass(frozen=True)
class Broken:
    """A solver that breaks in a way that is chosen."""

    how: str
    name: str = "broken"
    supports = Supports()

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Break."""
        if self.how == "raises":
            raise IndexError("of its own")
        if self.how == "asks":
            raise InputError("group 9: choose one of 0 to 3")
        if self.how == "lies":
            return Result(problem, Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0,))]))
        if self.how == "interrupts":
            assert budget.on_schedule is not None
            budget.on_schedule(_schedule(problem))
            raise KeyboardInterrupt
        if self.how == "is interrupted while it loads":
            raise ImportError("initialization failed") from KeyboardInterrupt()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def _schedule(problem: Problem) -> Schedule:
    found = GREEDY(problem, None, 0, Budget()).schedule
    assert found is not None
    return found


def _search(
    workers: int | Workers = 1, on_improvement: Callable[[Result], None] | None = None, **options: Any
) -> ShortestSearch:
    best = Shortest(PROBLEM)
    best.add_bounds(counted_bounds(PROBLEM))
    return Search(PROBLEM, best, SearchOptions(workers=workers, on_improvement=on_improvement, **options))


def _result(search: ShortestSearch) -> Result:
    return search.present(search.best.result)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("how", "text"),
    [
        ("raises", "broken at 7 with seed 1 failed: IndexError: of its own (test_search_run.py, line "),
        (
            "asks",
            "broken at 7 with seed 1 failed: InputError: group 9: choose one of 0 to 3 (test_search_run.py, line ",
        ),
        ("lies", "broken at 7 with seed 1 failed: the schedule breaks a rule (never-delivered): "),
    ],
)
def test_a_solver_that_breaks_costs_one_attempt_and_a_note(how: str, text: str, workers: int) -> None:
    """What a solver raises, and what the judge refuses, is a note; the answer of the next attempt is given."""
    search = _search(workers)
    assert search.run([Attempt(Broken(how), 7, 1), Attempt(GREEDY, None, 0)])
    assert search.best.schedule == _schedule(PROBLEM)
    (note,) = _result(search).notes
    assert note.startswith(text)


def test_a_solver_that_breaks_loses_nothing() -> None:
    """The answer at hand stays the answer."""
    search = _search()
    search.run([Attempt(GREEDY, None, 0)])
    before = search.best.result
    assert not search.run([Attempt(Broken("lies"), 3, 0)])
    assert search.best.result == before


def test_a_killed_process_costs_its_attempt() -> None:
    """A worker that the system kills is a note, too."""
    search = _search(2)
    assert search.run([Attempt(Broken("dies"), None, 0), Attempt(GREEDY, None, 0)])
    assert tuple(search.notes) == (
        "broken with seed 0 failed: its process ended with code -9; killed, or out of memory?",
    )


@dataclass(frozen=True)
class Improving:
    """A solver that tells of a schedule on the way, and then answers with a shorter one, or breaks."""

    breaks: bool = False
    name: str = "improving"
    supports = Supports()

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Tell, and answer."""
        budget.on_improvement(partial(_one_by_one, problem))
        assert not budget.is_over
        if self.breaks:
            raise IndexError("of its own")
        return GREEDY(problem, num_steps, seed, budget)


def _one_by_one(problem: Problem) -> Schedule:
    """Return a schedule with one transfer a step."""
    found = sorted(_schedule(problem), key=lambda transfer: transfer.start)
    return Schedule.from_transfers([transfer._replace(start=step) for step, transfer in enumerate(found)])


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What attempts have on the way is handed over at once."""
    monkeypatch.setattr("pavane.parallel.improvements.FIRST_AFTER", 0.0)
    monkeypatch.setattr("pavane.parallel.improvements.BETWEEN", 0.0)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("hurry")
def test_a_search_tells_of_every_better_result(workers: int) -> None:
    """What attempts have on the way is told, too, judged, with bounds; the answer is that of a search nobody hears."""
    told: list[Result] = []
    search, unheard = _search(workers, told.append), _search(workers)
    for one in (search, unheard):
        # Both have something on the way: whichever process is the quicker, that comes first.
        assert one.run([Attempt(Improving(), None, 0), Attempt(Improving(), None, 1)])
    steps = [result.num_steps or 0 for result in told]
    assert steps[0] == PROBLEM.num_deliveries
    assert steps[-1] == search.best.num_steps
    assert steps == sorted(steps, reverse=True)
    assert all(result.bounds == search.best.bounds and result.provenance.seconds >= 0 for result in told)
    assert search.best.result.schedule == unheard.best.result.schedule
    assert search.best.result.provenance == unheard.best.result.provenance


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("hurry")
def test_what_was_told_of_an_attempt_that_breaks_is_kept(workers: int) -> None:
    """It is the best there is."""
    told: list[Result] = []
    search = _search(workers, told.append)
    assert search.run([Attempt(Improving(breaks=True), None, 0), Attempt(Broken("raises"), None, 0)])
    assert _result(search).schedule == _one_by_one(PROBLEM) == told[0].schedule
    assert _result(search).provenance.solver == "improving"


def test_a_crew_that_is_gone_leaves_a_note_and_the_search_goes_on_alone() -> None:
    """What the pool has answered is not made again, and what it has not is made here."""

    class Gone(SerialPool):
        """Answers one call, and is gone."""

        def results(self, function: Any, tasks: Any, **how: Any) -> Iterator[Any]:
            yield next(super().results(function, tasks))
            raise PoolLost("the scheduler is gone")

    search = _search(Workers(2, lambda size, shared: Gone(shared)))
    assert search.run([Attempt(Broken("raises"), 7, 1), Attempt(GREEDY, None, 0), Attempt(GREEDY, None, 1)])
    assert search.best.schedule is not None
    failed, gone = tuple(search.notes)
    assert failed.startswith("broken at 7 with seed 1 failed: IndexError")
    assert gone == "the scheduler is gone; the search continues in one process"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bad_setting_is_the_users_to_mend(workers: int) -> None:
    """Of a solver that was named bad input is raised, not noted: another attempt would not be what was asked for."""
    with pytest.raises(InputError, match="group 9"):
        _search(workers).run([Attempt(Broken("asks"), None, 0, is_chosen=True), Attempt(GREEDY, None, 0)])


def test_an_interrupt_keeps_what_a_solver_hands_over() -> None:
    """Ctrl-C inside a solver: the search has its best so far, and the caller hears of the interrupt."""
    search = _search()
    with pytest.raises(KeyboardInterrupt):
        search.run([Attempt(Broken("interrupts"), None, 0)])
    assert search.best.schedule == _schedule(PROBLEM)
    assert search.best.result.provenance.solver == "broken"


def test_an_interrupt_while_a_compiled_package_loads_is_one() -> None:
    """Loading makes an import error of Ctrl-C; the search ends all the same, instead of noting a failure."""
    with pytest.raises(KeyboardInterrupt):
        _search().run([Attempt(Broken("is interrupted while it loads"), None, 0)])


def test_synthesize_says_that_it_was_interrupted() -> None:
    """An interrupted search gives its best and says so; as one of many searches it lets the interrupt through."""
    result = solve(PROBLEM, solver=Broken("interrupts"))
    assert result.interrupted
    assert result.schedule == _schedule(PROBLEM)
    assert not solve(PROBLEM, method="greedy").interrupted
    with pytest.raises(KeyboardInterrupt):
        find_or_interrupt(PROBLEM, solver=Broken("interrupts"))


def test_a_named_solver_that_breaks_leaves_a_note_and_no_schedule() -> None:
    """There is nothing to fall back on, so nothing is claimed."""
    result = solve(PROBLEM, solver=Broken("raises"))
    assert (result.schedule, result.status) == (None, "unknown")
    assert len(result.notes) == 1


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_of_equals_is_kept(workers: int) -> None:
    """Attempts count in their order, so more workers change nothing."""
    search = _search(workers)
    search.run(Attempt(GREEDY, None, seed) for seed in range(6))
    alone = [GREEDY(PROBLEM, None, seed, Budget()) for seed in range(6)]
    best = min(alone, key=lambda result: result.num_steps or 0)
    assert search.best.schedule == best.schedule


def test_progress_names_every_attempt() -> None:
    """A solver is named when it begins and when it has answered."""
    told: list[Progress] = []
    search = Search(PROBLEM, Shortest(PROBLEM), SearchOptions(on_progress=told.append))
    search.run([Attempt(GREEDY, 7, 0), Attempt(Broken("raises"), 6, 1)])
    assert [(p.activity, p.num_steps) for p in told] == [("greedy", 7), ("greedy", 7), ("broken", 6), ("broken", 6)]


def test_a_result_is_amended_without_a_second_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds and words can change; problem and schedule cannot, or the judge would have to see them."""
    result = GREEDY(PROBLEM, None, 0, Budget())
    monkeypatch.setattr("pavane.judge.result.verify", lambda *_, **__: pytest.fail("judged again"))
    amended = result.amended(bounds=counted_bounds(PROBLEM), notes=("a note",))
    assert (amended.schedule, amended.notes, amended.bounds) == (result.schedule, ("a note",), counted_bounds(PROBLEM))
    for name in ("schedule", "problem", "status"):
        with pytest.raises(TypeError):
            result.amended(**{name: None})


@dataclass(frozen=True)
class Mistaken:
    """A solver that hands over a schedule which breaks a rule, and then answers well."""

    way: str
    name: str = "mistaken"
    supports = Supports()

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Hand over what is wrong, and answer."""
        wrong = Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0,))])
        if self.way == "keeps":
            assert budget.on_schedule is not None
            budget.on_schedule(wrong)
        else:
            budget.on_improvement(lambda: wrong)
        assert not budget.is_over
        return GREEDY(problem, num_steps, seed, budget)


@pytest.mark.parametrize(("way", "num_notes"), [("keeps", 1), ("tells", 0)])
@pytest.mark.usefixtures("hurry")
def test_what_breaks_a_rule_on_the_way_is_neither_kept_nor_told(way: str, num_notes: int) -> None:
    """A schedule that is kept or told is judged, too; of one that is kept a note says what is wrong."""
    told: list[Result] = []
    search = _search(1, told.append)
    assert search.run([Attempt(Mistaken(way), None, 0)])
    assert search.best.schedule == _schedule(PROBLEM)
    assert [result.schedule for result in told] == [search.best.schedule]
    start = "mistaken with seed 0 failed: the schedule breaks a rule (never-delivered): "
    assert [note.startswith(start) for note in tuple(search.notes)] == [True] * num_notes
