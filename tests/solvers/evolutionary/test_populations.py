"""UMDA and the genetic algorithm, called as solvers."""

from typing import Any

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.ga import GA
from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.umda import UMDA
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import IN_PIECES

SOLVERS = [UMDA(), GA(), UMDA(polish=2, units=True)]
each_solver = pytest.mark.parametrize("solver", SOLVERS, ids=["umda", "ga", "polished"])


@each_solver
@pytest.mark.parametrize(
    ("spec", "kind", "steps"),
    [
        ("octagon", "OAS", 3),
        ("kautz:3,2", "OAS", 4),
        ("petersen", "OAB", 2),
        ("octagon", "AAB", 3),
        ("ring:4", "AAR", 2),
    ],
)
def test_the_papers_step_counts(solver: UMDA | GA, spec: str, kind: str, steps: int) -> None:
    """Asked for no number of steps, small problems come out at the lower bound (gecco08 Table 6)."""
    result = solver(problem_of(spec, kind), None, 1, Budget(evaluations=20_000))
    assert result.num_steps == steps


@pytest.mark.parametrize("solver", [UMDA(), GA(), MBOA()], ids=["umda", "ga", "mboa"])
@pytest.mark.parametrize(("asked", "num_steps"), IN_PIECES, ids=[f"{p.collective.kind}-{n}" for p, n in IN_PIECES])
def test_pieces_sizes_and_capacities(solver: UMDA | GA | MBOA, asked: Problem, num_steps: int) -> None:
    """Pieces travel as messages do, and wide channels as parallel ones."""
    found = solver(asked, num_steps, 0, Budget(evaluations=30_000)).schedule
    assert found is not None


@pytest.mark.parametrize("solver", [*SOLVERS, MBOA(), MBOA(patience=200), MBOA(accelerate=True)])
@pytest.mark.parametrize("evaluations", [1, 59, 60, 61, 1234])
@pytest.mark.parametrize("steps", [3, None])
def test_the_budget_is_kept_exactly(solver: UMDA | GA | MBOA, evaluations: int, steps: int | None) -> None:
    """A search that fails makes as many evaluations as it may, and not one more."""
    result = solver(problem_of("ring:8", "AAS"), steps, 0, Budget(evaluations=evaluations))
    assert result.schedule is None
    assert result.run is not None
    assert result.run.evaluations == evaluations


@each_solver
def test_the_trace_tells_every_improvement(solver: UMDA | GA) -> None:
    """The trace begins with the first evaluation, gets better with every line, and ends at success with none left."""
    result = solver(problem_of("octagon", "AAS"), 6, 0, Budget(evaluations=50_000))
    assert result.run is not None
    made, left = zip(*result.run.trace, strict=True)
    assert made[0] == 1
    assert list(made) == sorted(set(made))
    assert list(left) == sorted(set(left), reverse=True)
    assert (made[-1], left[-1]) == (result.run.evaluations, 0)


def test_patience_draws_a_new_population() -> None:
    """A population that does not get better gives way, and the trace stays that of the best."""
    asked = problem_of("ring:8", "AAS")
    short, long = (UMDA(patience=patience)(asked, 7, 0, Budget(evaluations=5000)) for patience in (300, 0))
    for result in (short, long):
        assert result.run is not None
        assert result.run.evaluations == 5000
        left = [conflicts for _, conflicts in result.run.trace]
        assert left == sorted(set(left), reverse=True)
    assert short.run != long.run


def test_a_symmetry_halves_the_work() -> None:
    """On the quotient by a symmetry of order two a schedule is found and lifted; where there is none, nothing is."""
    halved = UMDA(polish=2, symmetric=True)
    assert halved(problem_of("hypercube:3", "AAS"), 5, 0, Budget(evaluations=20_000)).schedule is not None
    assert halved(problem_of("star:4", "AAS"), 9, 0, Budget(evaluations=100)).schedule is None
    assert not halved.supports(problem_of("hypercube:3", "AAB"))
    # Half a turn of a directed ring takes a path of three channels to one that meets it.
    assert halved(problem_of("ring:4,oneway", "AAS"), 9, 0, Budget(evaluations=100)).schedule is None


@pytest.mark.parametrize(
    ("solver", "wrong", "text"),
    [
        (UMDA, {"population": 1}, "at least 2 chromosomes"),
        *[(each, {"patience": -1}, "patience -1: at least 0") for each in (UMDA, GA)],
        *[(GA, {name: 0}, "both need at least 1 chromosome") for name in ("population", "tournament")],
        *[(MBOA, {name: -5}, f"{name} -5: expected a number of eval") for name in ("patience", "new_path_after")],
    ],
)
def test_settings_that_find_nothing_are_refused(solver: Any, wrong: dict[str, int], text: str) -> None:
    """A population has two halves, tournaments have members, and patience is a number of evaluations."""
    with pytest.raises(InputError, match=text):
        solver(**wrong)


@pytest.mark.parametrize("solver", [UMDA(), GA()])
def test_no_step_no_schedule(solver: UMDA | GA) -> None:
    """And no evaluation is made for none."""
    found = solver.find(problem_of("ring:4"), 0, np.random.default_rng(0), Budget())
    assert (found.schedule, found.is_final) == (None, False)
    assert found.run is not None
    assert found.run.evaluations == 0
