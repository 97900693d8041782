"""Schedules of one problem for some sizes: searches stop where nothing is left to gain."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.campaign.workload_model import ways
from pavane.campaign.workload_model.ways import Aim, WorkloadSearch, is_cut_so, search_ways
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.timing import Costs, predicted

COSTS = Costs(startup=1e-6, per_byte=1e-9)


def test_nothing_more_is_searched_for_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one step is all that is needed, neither pieces nor combining are tried."""

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("a front was searched for")

    monkeypatch.setattr(ways, "pareto_front", never)
    found = search_ways(
        Problem(network("complete:4"), "alltoall"), Aim(COSTS, (10.0,)), WorkloadSearch(), Budget.of(3600)
    )
    assert [each.about.num_steps for each in found.found] == [1]
    assert found.bound.seconds(COSTS, 10) == predicted(COSTS, 10, found.found[0].about)


def test_small_and_large_messages_have_ways_of_their_own() -> None:
    """Asked for two sizes, the search keeps what is the fastest at each, and all has passed the judge."""
    problem = Problem(network("line:4"), "gather", Rules(ports=1))
    found = search_ways(
        problem, Aim(COSTS, (1.0, 1e6)), WorkloadSearch(SearchOptions(evaluations=20_000)), Budget.of(6, 20_000)
    )
    few, many = found.best(COSTS, 1.0), found.best(COSTS, 1e6)
    assert few is not None
    assert many is not None
    assert few.about.num_steps <= many.about.num_steps
    for size in (1.0, 1e6):
        best = found.best(COSTS, size)
        assert best is not None
        assert found.bound.seconds(COSTS, size) <= predicted(COSTS, size, best.about)


def test_pieces_have_a_byte_at_least() -> None:
    """A message of 3 bytes is not cut into 4; whole messages may be of any size."""
    assert is_cut_so(4, 4)
    assert not is_cut_so(3, 4)
    assert is_cut_so(0, 1)


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule of whole messages stays where the search for combined ones is ended."""

    def ended(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ways, "pareto_front", ended)
    problem = Problem(network("line:4"), "gather", Rules(ports=1))
    found = search_ways(problem, Aim(COSTS, (1.0,)), WorkloadSearch(), Budget.of(3600))
    assert found.interrupted
    assert found.best(COSTS, 1.0) is not None
