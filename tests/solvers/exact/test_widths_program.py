"""Exact answers under combining: start-ups and TCO."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.exact.widths_program import Decision, decide
from pavane.workers.budget import Budget

HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])


def combined(spec: str | Network, kind: str, pieces: int = 1, **rules: Any) -> Problem:
    """Return a problem of combining under store-and-forward."""
    made = network(spec) if isinstance(spec, str) else spec
    return Problem(made, named(kind, made, pieces=pieces), Rules("store-and-forward", combining=True, **rules))


def decided(problem: Problem, num_steps: int, tco: int) -> Decision:
    """Decide with enough effort."""
    return decide(problem, num_steps, tco, effort=20.0, seed=0, budget=Budget())


@pytest.mark.parametrize(
    ("problem", "num_steps", "tco"),
    [
        (combined("dgx-1", "AAB"), 2, 2),
        (combined("dgx-1", "AAB", 2), 2, 3),
        (combined("dgx-1", "AAS"), 2, 3),
        (combined("dgx-1", "AAS", 3), 2, 8),
        (combined("dgx-1", "OAS", 6), 2, 7),
        (combined("ring:8", "AAB"), 4, 4),
        (combined("ring:8", "AAB", 2), 4, 7),
        (combined("ring:8", "AAS"), 4, 8),
        (combined(HUB, "AAB"), 2, 3),
        (combined(HUB, "AAS"), 2, 4),
    ],
    ids=str,
)
def test_what_there_is(problem: Problem, num_steps: int, tco: int) -> None:
    """The figures of SCCL's tables, and messages that rest at a pure switch."""
    schedule = decided(problem, num_steps, tco).schedule
    assert schedule is not None
    assert not verify(problem, schedule)
    assert schedule.num_steps <= num_steps
    assert schedule.tco <= tco


@pytest.mark.parametrize(
    ("problem", "num_steps", "tco"),
    [
        (combined("dgx-1", "AAB", 3), 2, 4),
        (combined("dgx-1", "AAB", 6), 2, 8),
        (combined("dgx-1", "AAS", 3), 2, 7),
        (combined("kautz:3,2", "AAB", 3), 2, 11),
        (combined("ring:4", "AAS"), 2, 1),
        (combined(HUB, "AAS"), 2, 3),
    ],
    ids=str,
)
def test_what_there_is_not(problem: Problem, num_steps: int, tco: int) -> None:
    """Whatever the widths, there is no schedule: the search says so, and that it is sure."""
    assert decided(problem, num_steps, tco).is_refuted


def test_a_parallel_channel_is_a_unit_of_capacity() -> None:
    """Two parallel channels and one of capacity 2 carry the same."""
    double = Network("double", 2, [(0, 1), (0, 1), (1, 0)], [0, 1])
    wide = Network("wide", 2, [(0, 1), (1, 0)], [0, 1], capacities=[2, 1])
    for made in (double, wide):
        problem = combined(made, "OAS", 4)
        assert decided(problem, 1, 1).is_refuted
        schedule = decided(problem, 1, 2).schedule
        assert schedule is not None
        assert schedule.payloads.tolist() == [2, 2]
