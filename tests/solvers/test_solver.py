"""What every solver needs, once: reading backwards, the walk over steps, the Result. A toy solver shows each."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from pavane.bounds import counted_bounds
from pavane.errors import InvalidSchedule
from pavane.judge.result import Run
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.greedy import Greedy
from pavane.solvers.solver import Finding, seed_of
from pavane.solvers.solving import solve_by_steps, solve_once
from pavane.solvers.supports import Supports
from tests.checker import judge
from tests.problems import problem_of


@dataclass(frozen=True)
class Toy:
    """First fit, that is asked once."""

    name: str = "toy"
    supports = Supports()

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return what first fit does."""
        assert problem.pattern != "reduction"
        return Greedy().find(problem, num_steps, rng, budget)

    __call__ = solve_once


@dataclass(frozen=True)
class Walker:
    """First fit, that says no to less than a number of steps, counts, and proves what it likes."""

    succeeds_at: int
    name: str = "walker"
    supports = Supports()
    most_evaluations: int = 10
    per_call: int = 4
    is_final: bool = False
    asked: list[tuple[int, int | None]] = field(default_factory=list, compare=False)

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Finding:
        """Remember what was asked, and answer."""
        self.asked.append((num_steps, budget.evaluations))
        run = Run(self.per_call, ((1, num_steps),))
        if num_steps < self.succeeds_at:
            refuted = Bound(num_steps + 1, "exhaustive", {"method": "walker", "steps": num_steps})
            return Finding(None, (refuted,), run, is_final=self.is_final)
        return Finding(Greedy()(problem, None, 0, budget).schedule, run=run)

    __call__ = solve_by_steps


@pytest.mark.parametrize("kind", ["OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR"])
@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
def test_reductions_are_read_backwards(kind: str, switching: str) -> None:
    """A solver sees private messages and broadcasts only, and its answer is of the problem that was asked."""
    problem = problem_of("kautz:2,2", kind, switching=switching)
    result = Toy()(problem, None, 3, Budget())
    assert result.problem is problem
    assert result.schedule is not None
    assert not judge(problem, result.schedule)
    assert (result.provenance.solver, result.provenance.seed, result.requested_steps) == ("toy", 3, None)


def test_a_schedule_of_more_steps_than_asked_is_none() -> None:
    """A number of steps means at most that many."""
    problem = problem_of("ring:6")
    found = Toy()(problem, None, 0, Budget()).num_steps
    assert found is not None
    assert Toy()(problem, found, 0, Budget()).num_steps == found
    fewer = Toy()(problem, found - 1, 0, Budget())
    assert (fewer.schedule, fewer.requested_steps, fewer.provenance.solver) == (None, found - 1, "toy")


def test_a_walk_begins_at_the_bound_and_ends_with_the_first_schedule() -> None:
    """None means one number of steps after the other; what was counted and proven on the way is kept."""
    problem = problem_of("ring:6")
    bound = counted_bounds(problem)[0].figure
    walker = Walker(bound + 2)
    result = walker(problem, None, 0, Budget())
    assert [steps for steps, _ in walker.asked] == [bound, bound + 1, bound + 2]
    assert result.schedule is not None
    assert result.run == Run(12, ((1, bound), (5, bound + 1), (9, bound + 2)))
    assert [b.figure for b in result.bounds if b.argument == "exhaustive"] == [bound + 1, bound + 2]


def test_a_walk_shares_the_evaluations() -> None:
    """Each number of steps gets what is left, and no more than the solver's own limit; then the walk ends."""
    problem = problem_of("ring:6")
    walker = Walker(100)
    assert walker(problem, None, 0, Budget(evaluations=11)).schedule is None
    assert [left for _, left in walker.asked] == [10, 7, 3]
    asked = Walker(100)
    asked(problem, 7, 0, Budget(evaluations=1000))
    assert asked.asked == [(7, 1000)]


def test_a_walk_ends_where_more_steps_do_not_help() -> None:
    """A solver may say that there is no use in going on; an endless one is ended by its budget."""
    problem = problem_of("ring:6")
    final = Walker(100, is_final=True)
    assert final(problem, None, 0, Budget()).schedule is None
    assert len(final.asked) == 1
    over = Walker(100)
    assert over(problem, None, 0, Budget(deadline=0.0)).schedule is None
    assert not over.asked


def test_the_judge_refuses_what_a_solver_made_up() -> None:
    """An invalid schedule makes no result, whoever found it."""

    @dataclass(frozen=True)
    class Liar:
        name: str = "liar"
        supports = Supports()

        def find(self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget) -> Schedule:
            return Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0,))])

        __call__ = solve_once

    with pytest.raises(InvalidSchedule):
        Liar()(problem_of("ring:4"), None, 0, Budget())


def test_what_is_kept_at_an_interrupt_is_read_backwards_too() -> None:
    """What a solver hands over when it is interrupted is a schedule of the problem that was asked."""
    problem = problem_of("ring:5", "AOR")
    kept: list[Schedule] = []

    @dataclass(frozen=True)
    class Interrupted:
        name: str = "interrupted"
        supports = Supports()

        def find(self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget) -> Schedule:
            found = Greedy()(problem, num_steps, 0, budget).schedule
            assert budget.on_schedule is not None
            assert found is not None
            budget.on_schedule(found)
            raise KeyboardInterrupt

        __call__ = solve_once

    with pytest.raises(KeyboardInterrupt):
        Interrupted()(problem, None, 0, Budget(on_schedule=kept.append))
    assert not judge(problem, kept[0])


def test_a_generator_knows_its_seed() -> None:
    """Libraries that take a number get the one that the user gave."""
    assert seed_of(np.random.default_rng(17)) == 17


def test_a_walk_counts_and_reports_as_one_run() -> None:
    """Reports of a later number of steps count from the evaluations before; a walk that makes none says so."""
    told: list[tuple[int, int]] = []
    problem = problem_of("ring:8")
    budget = Budget(evaluations=1000, on_conflicts=lambda evaluations, conflicts: told.append((evaluations, conflicts)))
    result = UMDA(most_evaluations=300)(problem, None, 0, budget)
    assert result.run is not None
    assert told == list(result.run.trace)
    assert {1, 301, 601} <= {evaluations for evaluations, _ in told}
    assert UMDA()(problem, None, 0, Budget(deadline=0.0)).run == Run(0)
