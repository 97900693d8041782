"""Problems whose schedules no memory holds are refused in words, before anything large is made."""

from __future__ import annotations

import pytest

from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search import size
from pavane.search.synthesis import synthesize


def test_what_fits_is_not_refused() -> None:
    """A thousand routers fit."""
    made = network("torus:8x8")
    assert size.too_large(Problem(made, alltoall(made))) is None


def test_what_does_not_fit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what a schedule takes, what there is, and what would help; the bounds by counting are there."""
    monkeypatch.setattr(size, "memory_of_machine", lambda: 8 * 2**30)
    made = network("ring:2000")
    result = synthesize(Problem(made, alltoall(made)), seconds=0.5)
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
