"""Plan, then times."""

from typing import Any

import pytest

from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.solvers.ejection.planned import Planned
from tests.problems import problem_of


def stored(spec: str, **rules: Any) -> Problem:
    """Return all-to-all scatter under store-and-forward."""
    return problem_of(spec, "AAS", Rules("store-and-forward", **rules))


@pytest.mark.parametrize(
    ("problem", "num_steps", "detour"),
    [
        *[(stored("kautz:3,3"), 32, 2), (stored("kautz:3,3", ports=1), 93, 2)],
        *[(stored("random-regular:64,4,1"), 54, 1), (stored("mesh:8x8"), 128, 0), (stored("hypercube:5"), 16, 0)],
        *[(stored("torus:8x8"), 64, 0), (stored("mesh:4x4", ports=1), 43, 0), (stored("torus:4x4", ports=1), 32, 0)],
        *[(stored("petersen", ports=1), 15, 0), (stored("heawood", ports=1), 27, 0)],
        *[(stored("levi", ports=1), 84, 0), (stored("mesh:8x8", ports=1), 353, 2)],
        (stored("dgx-2:2", switches="pass"), 32, 0),
    ],
    ids=str,
)
def test_planned_paths_then_steps(problem: Problem, num_steps: int, detour: int) -> None:
    """Where no channel or port has more to carry than there are steps, the steps are found, with one port as well."""
    found = Planned(detour=detour)(problem, num_steps, 0, Budget())
    assert found.num_steps == num_steps  # a result has been judged


def test_as_few_steps_as_the_plan_allows() -> None:
    """Asked for no number of steps it takes those of its busiest channel, and more only where it has to."""
    found = Planned(detour=1)(stored("random-regular:64,4,1"), None, 0, Budget())
    assert found.num_steps is not None
    assert 52 <= found.num_steps <= 54


def test_a_load_above_the_steps_is_no_plan() -> None:
    """With shortest paths alone no plan for Kautz 36 fits into 32 steps."""
    assert Planned()(stored("kautz:3,3"), 32, 0, Budget()).schedule is None
