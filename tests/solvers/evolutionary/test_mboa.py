"""MBOA: it has the parameters of gecco07 section 5, and finds the schedules of small networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.model.arrays import Ints
from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary import mboa
from pavane.solvers.evolutionary.mboa import MBOA, default_population, default_tournament, population_by_trial
from pavane.solvers.evolutionary.reproduction import Reproduction
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "kind", "num_steps"),
    [
        ("hypercube:3", "OAB", 2),
        ("hypercube:4", "OAB", 2),
        ("hypercube:3", "OAS", 3),
        ("hypercube:4", "OAS", 4),
        ("octagon", "OAS", 3),
        ("petersen", "OAB", 2),
        ("hypercube:3", "AOG", 3),
        ("hypercube:3", "AOR", 2),
    ],
)
@pytest.mark.parametrize("accelerate", [False, True])
def test_small_collectives_reach_the_bound(spec: str, kind: str, num_steps: int, accelerate: bool) -> None:
    """One-to-all and all-to-one collectives on networks of 8 to 16 processors are solved in the least steps."""
    result = MBOA(accelerate=accelerate)(problem_of(spec, kind), num_steps, 0, Budget())
    assert result.num_steps == num_steps
    assert result.run is not None
    assert result.run.trace[-1][1] == 0


def test_without_a_number_of_steps_it_walks_up() -> None:
    """From the bound it goes on to the next number of steps when the evaluations for one are used up."""
    result = MBOA(most_evaluations=300)(problem_of("hypercube:3", "AAS"), None, 0, Budget())
    assert result.num_steps is not None
    assert result.run is not None
    # Four steps leave no channel idle, which takes longer than this; each failure costs all its evaluations.
    assert result.num_steps > 4
    assert result.run.evaluations > 300
    assert [made for made, _ in result.run.trace if made % 300 == 1][:2] == [1, 301]


@pytest.mark.parametrize("evaluations", [0, 1, 99, 100, 101, 777])
@pytest.mark.parametrize("solver", [MBOA(), MBOA(patience=200), MBOA(accelerate=True)])
def test_the_budget_is_respected_exactly(evaluations: int, solver: MBOA) -> None:
    """It makes as many evaluations as it may, not one more or less, where it finds nothing."""
    result = solver(problem_of("hypercube:3", "AAS"), 3, 0, Budget(evaluations=evaluations))
    assert result.schedule is None
    assert result.run is not None
    assert result.run.evaluations == evaluations


def test_a_passed_deadline_gives_nothing() -> None:
    """With the deadline over it evaluates nothing and says so."""
    result = MBOA()(problem_of("hypercube:3", "AAS"), None, 0, Budget(deadline=0.0))
    assert (result.schedule, result.run and result.run.evaluations) == (None, 0)


@pytest.mark.parametrize("solver", [MBOA(), MBOA(replacement="restricted", most_candidates=5)])
def test_same_seed_same_answer(solver: MBOA) -> None:
    """The same seed gives the same schedule and the same trace; another seed another trace."""
    asked = problem_of("kautz:2,2", "AAS")
    one, same, other = (solver(asked, None, seed, Budget(evaluations=3000)) for seed in (3, 3, 4))
    assert (one.schedule, one.run) == (same.schedule, same.run)
    assert one.run != other.run


def test_the_trace_gets_better() -> None:
    """The trace starts with the first evaluation, and evaluations rise while conflicts fall."""
    run = MBOA()(problem_of("octagon", "AAS"), 4, 0, Budget(evaluations=3000)).run
    assert run is not None
    made, left = zip(*run.trace, strict=True)
    assert made[0] == 1
    assert list(made) == sorted(set(made))
    assert list(left) == sorted(set(left), reverse=True)
    assert made[-1] <= run.evaluations


def test_conflicts_are_pairs_as_in_the_paper() -> None:
    """The fitness counts pairs in conflict; counted by transfers too many the same chromosome has fewer."""
    asked, one = problem_of("hypercube:3", "AAS"), Budget(evaluations=1)
    pairs, excess = (MBOA(conflicts=what)(asked, 4, 0, one).run for what in ("pairs", "excess"))
    assert pairs is not None
    assert excess is not None
    assert pairs == MBOA()(asked, 4, 0, one).run
    assert pairs.trace[0][1] > excess.trace[0][1] > 0


def test_negative_periods_are_refused() -> None:
    """A period without improvement is a number of evaluations."""
    with pytest.raises(InputError, match="patience -5: expected a number of evaluations, or none"):
        MBOA(patience=-5)
    with pytest.raises(InputError, match="new_path_after -5: expected a number of evaluations, or none"):
        MBOA(new_path_after=-5)


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


def test_the_default_population_grows_with_the_genes() -> None:
    """More genes never mean a smaller population or smaller tournaments, which stay smaller than the population."""
    for default in (default_population, default_tournament):
        sizes = [default(genes) for genes in range(1, 500)]
        assert sizes == sorted(sizes)
        assert sizes[0] < sizes[-1]
    assert all(default_tournament(genes) < default_population(genes) for genes in range(1, 500))


def test_what_the_encodings_do_not_know_is_not_supported() -> None:
    """Combining is not for it; scatters, broadcasts and reductions are."""
    solver = MBOA()
    for kind in ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR"):
        assert solver.supports(problem_of("ring:4", kind))
        assert not solver.supports(problem_of("ring:4", kind, replace(Rules(), combining=True)))
