"""What enters blocks of routers late: numbers of steps that are refuted so, and none that a schedule has."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks.links import two_way
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers.exact import cp_sat
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.exact.late_entries import Refutation, refuted
from tests.problems import problem_of

HALF = Rules(duplex="half")


def is_refuted(problem: Problem, num_steps: int, effort: float = 1.0) -> bool:
    """Return whether a number of steps is refuted."""
    return refuted(problem, num_steps, effort, 1, Budget.of()).is_proven


def test_rings_on_a_ring() -> None:
    """Three rings of four under half duplex: 9 steps let in all messages, but the last ones come too late."""
    problem = problem_of("hierarchical-rings:4,3", "AAB", HALF)
    assert is_refuted(problem, 9)
    assert not is_refuted(problem, 10, effort=0.1)
    assert not is_refuted(problem, 9, effort=0.0)


def joined_blocks(rng: random.Random) -> Network:
    """Return two or three lines or rings of as many routers, joined in a row by a link or two."""
    size, number = rng.choice([(2, 2), (2, 3), (3, 2), (4, 2)])
    links = [(router, router + 1) for router in range(size * number) if (router + 1) % size]
    for begin in range(0, size * number, size):
        links += [(begin, begin + size - 1)] if size > 2 and rng.random() < 0.7 else []
        for _ in range(rng.choice([1, 1, 2]) if begin else 0):
            links.append((rng.randrange(begin - size, begin), rng.randrange(begin, begin + size)))
    names = [str(router) for router in range(size * number)]
    return Network("joined", names, two_way(links), list(range(len(names))))


def test_no_steps_of_a_schedule_are_refuted() -> None:
    """Of networks with bottlenecks what a schedule takes is not refuted, and one step less is for some."""
    rng, num_refuted = random.Random(5), 0
    for _ in range(12):
        rules = Rules(duplex="half", ports=rng.choice(["all", "all", 1, 2]))
        problem = problem_of(joined_blocks(rng), "AAB", rules)
        found = solve(problem, method="greedy").num_steps
        assert found is not None
        assert not is_refuted(problem, found, effort=0.3)
        num_refuted += is_refuted(problem, found - 1, effort=0.3)
    assert num_refuted > 2


@pytest.mark.parametrize(
    "changed", [{"duplex": "full"}, {"switching": "store-and-forward"}, {"routing": "any"}, {"combining": True}]
)
def test_other_rules_are_left_to_others(changed: dict[str, Any]) -> None:
    """Rules that the argument is not for refute nothing; under half duplex alone 4 steps are too few."""
    assert is_refuted(problem_of("line:6", "AAB", HALF), 4)
    assert not is_refuted(problem_of("line:6", "AAB", replace(HALF, **changed)), 4)


def test_a_refutation_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact solver then needs no program of the whole, and says which number of steps was looked through."""
    monkeypatch.setattr(cp_sat, "refuted", lambda problem, num_steps, *_: Refutation(num_steps == 13))
    monkeypatch.setattr(CpSat, "_decide", lambda *_: cp_sat._Answer())
    problem = problem_of("hierarchical-rings:4,4", "AAB", HALF)
    bounds = CpSat()(problem, 13, 0, Budget.of()).bounds
    assert max((bound.steps, bound.argument) for bound in bounds) == (14, "exhaustive")
    assert all(bound.steps < 14 for bound in CpSat()(problem, 14, 0, Budget.of()).bounds)
