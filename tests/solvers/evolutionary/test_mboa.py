"""MBOA: it has the parameters of gecco07 section 5, and finds the schedules of small networks."""

import numpy as np
import pytest

from pavane.model.arrays import Ints
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary import mboa
from pavane.solvers.evolutionary.mboa import MBOA, default_population, population_by_trial
from pavane.solvers.evolutionary.reproduction import Reproduction
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "kind", "num_steps"),
    [
        *[("hypercube:3", "OAB", 2), ("hypercube:4", "OAB", 2), ("hypercube:3", "OAS", 3), ("hypercube:4", "OAS", 4)],
        *[("octagon", "OAS", 3), ("petersen", "OAB", 2), ("hypercube:3", "AOG", 3), ("hypercube:3", "AOR", 2)],
    ],
)
@pytest.mark.parametrize("accelerate", [False, True])
def test_small_collectives_reach_the_bound(spec: str, kind: str, num_steps: int, accelerate: bool) -> None:
    """One-to-all and all-to-one collectives on networks of 8 to 16 processors are solved in the least steps."""
    result = MBOA(accelerate=accelerate)(problem_of(spec, kind), num_steps, 0, Budget())
    assert result.num_steps == num_steps
    assert result.run is not None
    assert result.run.trace[-1][1] == 0


def test_another_path_is_drawn_after_a_period_without_improvement() -> None:
    """Until then a run is as without it; a period of 0 begins with the first offspring."""
    asked, budget = problem_of("hypercube:3", "AAS"), Budget(evaluations=2_000)
    never, late, soon = (MBOA(new_path_after=after)(asked, 4, 0, budget).run for after in (None, 10**6, 0))
    assert never is not None
    assert soon is not None
    assert never == late
    assert never.trace != soon.trace
    founded = default_population(56)
    assert [row for row in never.trace if row[0] <= founded] == [row for row in soon.trace if row[0] <= founded]


@pytest.mark.parametrize(("patience", "is_anew"), [(None, False), (200, True)])
def test_a_stuck_run_is_a_failure_unless_it_has_patience(
    monkeypatch: pytest.MonkeyPatch, patience: int | None, is_anew: bool
) -> None:
    """There is one population, as in the paper; with patience another is drawn when nothing gets better."""
    drawn: list[int] = []
    founders = Reproduction.founders

    def counted(reproduction: Reproduction, size: int, rng: np.random.Generator) -> Ints:
        drawn.append(size)
        return founders(reproduction, size, rng)

    monkeypatch.setattr(Reproduction, "founders", counted)
    assert MBOA().patience is None
    MBOA(population=8, patience=patience)(problem_of("hypercube:3", "AAS"), 3, 0, Budget(evaluations=4000))
    assert (len(drawn) > 1) == is_anew


def test_the_population_follows_from_the_rule_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """By trial one size after the other is tried until half of the runs succeed; where none can, there is no size."""
    monkeypatch.setattr(mboa, "SIZES", (8, 16, 32))
    easy, few = problem_of("hypercube:3", "OAS"), Budget(evaluations=3000)
    assert population_by_trial(easy, 3, MBOA(), few) in (8, 16, 32)
    assert population_by_trial(easy, 2, MBOA(), Budget(evaluations=300)) is None
    assert population_by_trial(easy, 2, MBOA(), Budget(deadline=0.0)) is None


def test_a_population_by_trial_is_the_same_for_all_seeds() -> None:
    """By trial the population is the one that the rule gives, and the runs are as if it had been set."""
    easy, few = problem_of("hypercube:4", "OAS"), Budget(evaluations=1500)
    size = population_by_trial(easy, 4, MBOA(), few)
    assert size is not None
    assert size != default_population(15)
    for seed in (0, 1):
        by_trial, sized = (MBOA(population=which)(easy, 4, seed, few) for which in ("by-trial", size))
        assert (by_trial.schedule, by_trial.run) == (sized.schedule, sized.run)
    # Where no run of any size succeeds, the population is the usual one.
    none, one = (MBOA(population=which)(easy, 3, 0, Budget(evaluations=150)) for which in ("by-trial", None))
    assert none.run == one.run
