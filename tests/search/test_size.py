"""Problems whose schedules no memory holds are refused in words, before anything large is made."""

from __future__ import annotations

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search import search_run, size
from pavane.search.options import SearchOptions
from pavane.search.shortest import Shortest
from pavane.search.synthesis import solve
from pavane.solvers.supports import Supports
from tests.problems import problem_of


def test_what_does_not_fit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what a schedule takes, what there is, and what would help; the bounds by counting are there."""
    monkeypatch.setattr(size, "memory_of_machine", lambda: 8 * 2**30)
    made = network("line:2000")
    result = solve(Problem(made, alltoall(made)), SearchOptions(seconds=0.5))
    assert result.schedule is None
    assert result.status == "unknown"
    assert result.bound is not None
    assert result.bound.figure >= 1000
    assert result.notes == (
        "every schedule of 3,998,000 messages on line:2000 takes about 27 GiB to build and judge, and this machine "
        "has 8 GiB; no time limit would do, fewer senders or receivers would",
    )


def test_a_machine_that_does_not_say_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the size of memory is not known, what comes is tried."""
    monkeypatch.setattr(size, "memory_of_machine", lambda: None)
    made = network("ring:2000")
    assert size.too_large(Problem(made, alltoall(made))) is None


def test_what_fits_into_the_memory_there_is_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule is estimated by its messages and their paths; a broadcast by its arrivals, one channel each."""
    monkeypatch.setattr(size, "LEAST_MESSAGES_MEASURED", 1)
    scatter, spread, reduced, summed = (problem_of("ring:8", kind) for kind in ("AAS", "AAB", "AAR", "allreduce"))
    monkeypatch.setattr(size, "BYTES_PER_MESSAGE", 100)
    monkeypatch.setattr(size, "BYTES_PER_PARTIAL", 200)
    monkeypatch.setattr(size, "BYTES_PER_SUM", 300)
    assert size.memory_of_schedule(summed) == 112 * (300 + size.BYTES_PER_HOP)
    assert size.memory_of_schedule(reduced) == 56 * (200 + size.BYTES_PER_HOP)
    assert size.num_hops(spread) == 56
    assert size.num_hops(scatter) == 56 * 2  # the mean of 0 1 1 2 2 3 3 4
    for problem, needed in ((spread, 5600 + 56 * size.BYTES_PER_HOP), (scatter, 5600 + 112 * size.BYTES_PER_HOP)):
        assert size.memory_of_schedule(problem) == needed
        monkeypatch.setattr(size, "memory_of_machine", lambda needed=needed: needed)
        assert size.too_large(problem) is None
        monkeypatch.setattr(size, "memory_of_machine", lambda needed=needed: needed - 1)
        assert size.too_large(problem) is not None


@pytest.mark.parametrize("error", [AttributeError, OSError, ValueError])
def test_some_systems_do_not_say_how_much_memory_there_is(error: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no such question, and others may have no answer."""

    def refused(_: str) -> int:
        raise error

    assert size.memory_of_machine() is not None
    monkeypatch.setattr("os.sysconf", refused)
    assert size.memory_of_machine() is None


def test_the_seconds_of_a_schedule_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrivals, of messages, partial results or sums, and channels of paths have their prices; small ones none."""
    scatter, spread, reduced, summed = (problem_of("ring:8", kind) for kind in ("AAS", "AAB", "AAR", "allreduce"))
    assert size.seconds_of_schedule(scatter) == size.seconds_of_file(scatter) == 0.0
    monkeypatch.setattr(size, "LEAST_MESSAGES_MEASURED", 1)
    monkeypatch.setattr(size, "SECONDS_PER_MESSAGE", 2.0)
    monkeypatch.setattr(size, "SECONDS_PER_PARTIAL", 3.0)
    monkeypatch.setattr(size, "SECONDS_PER_SUM", 4.0)
    monkeypatch.setattr(size, "SECONDS_PER_HOP", 1.0)
    monkeypatch.setattr(size, "SECONDS_PER_MESSAGE_WRITTEN", 3.0)
    monkeypatch.setattr(size, "SECONDS_PER_HOP_WRITTEN", 0.5)
    assert size.seconds_of_schedule(scatter) == 56 * (2 + 2)
    assert size.seconds_of_schedule(spread) == 56 * (2 + 1)
    assert size.seconds_of_schedule(reduced) == 56 * (3 + 1)
    assert size.seconds_of_schedule(summed) == 112 * (4 + 1)
    assert size.seconds_of_file(scatter) == 56 * (3 + 2 * 0.5)
    combining = problem_of("ring:8", "AAS", combining=True)
    assert size.seconds_of_schedule(combining) == size.seconds_of_file(combining) == 0.0


def test_what_takes_little_longer_than_the_limit_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command may take two seconds more than its limit: within these a schedule is better than none."""
    monkeypatch.setattr(size, "LEAST_MESSAGES_MEASURED", 1)
    monkeypatch.setattr(size, "SECONDS_PER_MESSAGE", 2.0)
    monkeypatch.setattr(size, "SECONDS_PER_HOP", 1.0)
    monkeypatch.setattr("pavane.jit.clock.now", lambda: 1000.0)
    problem = problem_of("star:8", "AAB")
    assert size.too_long(problem, 167.0) is size.too_long(problem, 166.0) is None
    assert size.too_long(problem, 165.9) is not None
    assert solve(problem, SearchOptions(seconds=167)).schedule is not None


def test_what_takes_longer_than_the_limit_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """No solver runs, the bounds by counting are there, and a note says how long it would take."""
    monkeypatch.setattr(size, "LEAST_MESSAGES_MEASURED", 1)
    monkeypatch.setattr(size, "SECONDS_PER_MESSAGE", 2.0)
    monkeypatch.setattr(size, "SECONDS_PER_HOP", 1.0)
    monkeypatch.setattr("pavane.jit.clock.now", lambda: 1000.0)
    problem = problem_of("star:8", "AAB")
    result = solve(problem, SearchOptions(seconds=100))
    assert (result.schedule, result.status) == (None, "unknown")
    assert result.bound is not None
    assert result.notes == (
        "every schedule of 56 messages on star:8 takes about 168 s to build and judge, and 100 s are left; give more "
        "time (`seconds`)",
    )
    assert solve(problem, SearchOptions(seconds=168)).is_optimal
    assert solve(problem).is_optimal


def test_time_to_build_and_judge_is_reserved_before_it_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts end so much earlier; without a time limit they have no deadline."""
    problem = problem_of("ring:8", "AAB")
    monkeypatch.setattr("pavane.jit.clock.now", lambda: 1000.0)
    monkeypatch.setattr(search_run, "seconds_reserved", lambda _: 30.0)
    deadlines: list[float | None] = []
    for seconds in (100, None):
        search = search_run.Search(problem, Shortest(problem), SearchOptions(seconds=seconds))
        solver = Noted(deadlines)
        search.run([search_run.Attempt(solver, None, 0)])
    assert deadlines == [1070.0, None]


class Noted:
    """A solver that notes its deadline."""

    name = "noted"

    def __init__(self, deadlines: list[float | None]) -> None:
        self.deadlines = deadlines

    supports = Supports()

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Note the deadline, and find nothing."""
        self.deadlines.append(budget.deadline)
        return Result(problem, None)
