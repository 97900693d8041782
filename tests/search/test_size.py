"""Problems whose schedules no memory holds are refused in words, before anything large is made."""

from __future__ import annotations

import pytest

from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search import size
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from tests.problems import problem_of


def test_what_fits_is_not_refused() -> None:
    """A thousand routers fit."""
    made = network("torus:8x8")
    assert size.too_large(Problem(made, alltoall(made))) is None


def test_what_does_not_fit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what a schedule takes, what there is, and what would help; the bounds by counting are there."""
    monkeypatch.setattr(size, "memory_of_machine", lambda: 8 * 2**30)
    made = network("ring:2000")
    result = solve(Problem(made, alltoall(made)), SearchOptions(seconds=0.5))
    assert result.schedule is None
    assert result.status == "unknown"
    assert result.bound is not None
    assert result.bound.steps >= 1000
    assert result.notes == (
        "every schedule of 3,998,000 messages on ring:2000 takes about 186 GiB to build and judge, and this machine "
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
    scatter, spread = problem_of("ring:8", "AAS"), problem_of("ring:8", "AAB")
    assert size.memory_of_schedule(spread) == size.BYTES_PER_HOP * 56
    assert size.memory_of_schedule(scatter) == size.BYTES_PER_HOP * 56 * 2  # the mean of 0 1 1 2 2 3 3 4
    for problem, needed in ((spread, 56), (scatter, 112)):
        monkeypatch.setattr(size, "memory_of_machine", lambda needed=needed: needed * size.BYTES_PER_HOP)
        assert size.too_large(problem) is None
        monkeypatch.setattr(size, "memory_of_machine", lambda needed=needed: needed * size.BYTES_PER_HOP - 1)
        assert size.too_large(problem) is not None


@pytest.mark.parametrize("error", [AttributeError, OSError, ValueError])
def test_some_systems_do_not_say_how_much_memory_there_is(error: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no such question, and others may have no answer."""

    def refused(_: str) -> int:
        raise error

    assert size.memory_of_machine() is not None
    monkeypatch.setattr("os.sysconf", refused)
    assert size.memory_of_machine() is None
