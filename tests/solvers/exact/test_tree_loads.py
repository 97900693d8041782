"""What trees of transfers use in the constraint program: its answers are the optima that trying everything finds."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from fuzzing.problems import drawn_trees
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pavane.model.collectives import in_pieces, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.search.stages import DECIDED
from pavane.solvers.exact.cp_sat import CpSat
from tests.checker import judge
from tests.problems import problem_of
from tests.tree_optimum import fewest_steps_of_trees

COPY: dict[str, Any] = {"switching": "store-and-forward", "switches": "copy"}
HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
PAIRS = Network("pairs", 3, [(0, 2), (2, 0), (1, 2), (2, 1)], [0, 0, 1, 1], capacities=[2, 2, 2, 2])
"""Two routers of two processors each, which do not copy, on a switch that does; links carry two messages."""


@pytest.mark.parametrize(
    ("made", "kind", "rules", "steps"),
    [
        (HUB, "AAB", COPY, 2),
        (HUB, "AAR", COPY, 2),
        (HUB, "OAB", {"switches": "copy"}, 1),
        (PAIRS, "OAB", COPY, 2),
        ("ring:4", "AAB", {"multicast": True}, 2),
        ("ring:3", "AAR", {"multicast": True, "ports": 1}, 2),
        ("mesh:2x2", "OAB", {"multicast": True, "routing": "any"}, 1),
    ],
)
def test_small_problems_are_decided(made: Network | str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Broadcasts and reductions are optimal, and proven, without any other solver."""
    problem = problem_of(made, kind, **rules)
    result = CpSat()(problem, None, 1, Budget())
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert result.schedule is not None
    assert judge(problem, result.schedule) == set()


def test_detours_are_listed() -> None:
    """Where any path is allowed, two pieces leave a router by its two channels, one of them by a detour."""
    made = Network("detour", 3, [(0, 1), (0, 2), (2, 1)], [0, 1])
    problem = Problem(made, in_pieces(named("OAB", made), 2), Rules(multicast=True, routing="any"))
    assert CpSat()(problem, None, 1, Budget()).num_steps == fewest_steps_of_trees(problem, 10_000) == 1


def test_fewer_steps_are_refuted() -> None:
    """Where no argument proves the optimum a search through all trees does."""
    result = CpSat()(problem_of(PAIRS, "OAB", **COPY), 1, 1, Budget())
    assert result.status == "impossible"


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_drawn_problems_have_their_optimum(number: int) -> None:
    """No problem takes more steps, or fewer, than trying everything says."""
    problem, solver = drawn_trees(1, number), CpSat(most_variables=2_000, effort=1.0)
    assume(solver.decides(problem))
    steps = fewest_steps_of_trees(problem, 5_000)
    if steps is None:
        return
    result = solver(problem, None, 1, Budget())
    assert result.num_steps is None or result.num_steps >= steps
    if result.status == "optimal":
        assert result.num_steps == steps
    if result.schedule is not None:
        assert judge(problem, result.schedule) == set()


def test_large_problems_are_solved_without_trees() -> None:
    """A program that is too large with trees may be small enough without; then nothing is proven."""
    problem = problem_of("ring:4", "AAB", multicast=True, ports=1)
    solver = CpSat(most_variables=400)
    assert solver.supports(problem)
    assert not solver.decides(problem)
    result = solver(problem, 3, 1, Budget())
    assert result.schedule is not None
    plain = Problem(problem.network, problem.collective, replace(problem.rules, multicast=False))
    assert judge(plain, result.schedule) == set()


def test_auto_decides_small_problems_with_trees() -> None:
    """The last stages of `auto` leave small problems to it, and no large ones."""
    for spec, is_small in (("rails:2,2", True), ("rails:8,8", False)):
        search: Any = SimpleNamespace(problem=problem_of(spec, "AAB", **COPY))
        assert DECIDED.holds(search) == is_small
