"""Squeaky wheel optimization: broadcasts in slots that first fit serves in better and better orders."""

from __future__ import annotations

import pytest

from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.greedy import Greedy
from pavane.solvers.squeaky_wheel import SqueakyWheel
from tests.problems import problem_of

SLOTS = Rules("tdm", wrap=False)
ONE_PORT = Rules("tdm", ports=1, wrap=False)


@pytest.mark.parametrize(
    ("name", "kind", "rules", "slots"),
    [
        # cp-sat has refuted one slot less.
        ("octagon", "OAB", SLOTS, 5),
        ("octagon", "OAB", ONE_PORT, 7),
        ("octagon", "AAB", SLOTS, 6),
        ("octagon", "AAR", SLOTS, 6),
        ("ring:6", "AAB", ONE_PORT, 8),
    ],
)
def test_small_optima_are_found(name: str, kind: str, rules: Rules, slots: int) -> None:
    """Small broadcasts and reductions reach the optimum that an exhaustive search has proven."""
    assert SqueakyWheel()(problem_of(name, kind, rules), None, 0, Budget()).num_steps == slots


def test_orders_only_get_better() -> None:
    """More rounds give no more slots, and fewer than first fit serving the nearest targets first."""
    problem = problem_of("mesh:4x4", "OAB", SLOTS)
    slots = [SqueakyWheel(rounds=rounds)(problem, None, 0, Budget()).num_steps or 0 for rounds in (1, 5, 20, 80)]
    assert slots == sorted(slots, reverse=True)
    assert slots[-1] < (Greedy()(problem, None, 0, Budget()).num_steps or 0)


def test_it_stops_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """No order is tried after the requested slots, or those of the bound, are reached."""
    problem = problem_of("complete:4", "OAB", SLOTS)
    monkeypatch.setattr("pavane.solvers.squeaky_wheel._moved", None)
    assert SqueakyWheel(least_steps=3)(problem, None, 0, Budget()).num_steps == 3
    assert SqueakyWheel()(problem, 9, 0, Budget()).num_steps == 3


@pytest.mark.parametrize(
    ("kind", "rules", "is_supported"),
    [
        ("AAB", SLOTS, True),
        ("AOR", ONE_PORT, True),
        ("AAS", SLOTS, False),
        ("AAB", Rules(), False),
        ("AAB", Rules("tdm", wrap=False, routing="west-first"), False),
    ],
)
def test_what_it_supports(kind: str, rules: Rules, is_supported: bool) -> None:
    """It supports broadcasts and reductions in slots without restricted routing."""
    assert SqueakyWheel().supports(problem_of("mesh:3x3", kind, rules)) == is_supported
