"""Rehearsals call the kernels that are to be compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pavane.formats.request import Request
from pavane.kernels.compiling import compiled
from pavane.search.rehearsals import REHEARSALS, rehearsed
from pavane.solvers import SOLVERS
from pavane.workers.hiring import Workers

CALLED = {
    "genetic algorithm": {"all_conflicts", "ga_generations"},
    "ejection": {"eject_search", "list_ways", "push_in", "reroute", "let_wait", "take_hops"},
}


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Run kernels as they are, and collect the names of those that would be compiled."""
    names: set[str] = set()

    def note_name(kernel: Callable[..., object], _: tuple[Any, ...]) -> Callable[..., object]:
        names.add(kernel.__name__)
        return kernel

    monkeypatch.setattr("pavane.kernels.compiling._machine_code", note_name)
    compiled.cache_clear()
    yield names
    compiled.cache_clear()


@pytest.mark.parametrize("name", CALLED)
def test_kernels_are_called(name: str, called: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that solvers of one kind need."""
    monkeypatch.setattr("pavane.search.rehearsals.REHEARSALS", {name: REHEARSALS[name]})
    assert list(rehearsed(Workers(), lambda _: None)) == [name]
    assert called >= CALLED[name]


@pytest.mark.parametrize("name", REHEARSALS)
def test_solvers_can_work_on_their_problems(name: str) -> None:
    """No rehearsal is refused."""
    for rehearsal in REHEARSALS[name]:
        problem = Request(rehearsal.network, rehearsal.collective, **rehearsal.rules).problem()
        assert SOLVERS[rehearsal.method].supports(problem)
