"""The best schedule so far: what improves it, and what is known about it."""

from __future__ import annotations

from pavane.bounds import counted_bounds
from pavane.bounds.registry import Work
from pavane.judge.result import Result
from pavane.model.bound import Bound
from pavane.model.problem import Rules
from pavane.parallel.budget import Budget
from pavane.search.search_run import Search
from pavane.search.shortest import Shortest, prove, start_from
from pavane.search.synthesis import solve
from pavane.solvers import SOLVERS
from tests.problems import problem_of

PROBLEM = problem_of("octagon", "AAS")


def found(seed: int = 0) -> Result:
    """Return a result of first fit."""
    return SOLVERS["greedy"](PROBLEM, None, seed, Budget())


def test_fewer_steps_are_better() -> None:
    """A schedule of as many steps is covered, and improves nothing."""
    best, result = Shortest(PROBLEM), found()
    assert result.schedule is not None
    assert best.is_improved_by(result.schedule)
    best.add(result)
    assert best.covers(result.schedule)
    assert not best.is_improved_by(result.schedule)
    assert best.progress == {"best": result.num_steps, "bound": 0}


def test_bounds_settle_a_search() -> None:
    """A schedule that meets the bound, or a request below it, leaves nothing to find."""
    search = Search(PROBLEM, Shortest(PROBLEM, requested_steps=3))
    prove(search, Work.SPLIT)
    assert search.best.is_impossible
    assert search.best.is_settled
    free = Search(PROBLEM, Shortest(PROBLEM))
    prove(free, Work.SPLIT)
    assert not free.best.is_settled
    free.add(solve(PROBLEM))
    assert free.best.has_fewest_steps
    assert free.present(free.best.result).is_optimal


def test_a_refutation_is_replaced_by_a_certificate() -> None:
    """Where only an exhaustive search proves the fewest steps, a bound that is checked at once is looked for, too."""
    problem = problem_of("line:4", "AAS", Rules("store-and-forward", ports=1))
    search = Search(problem, Shortest(problem))
    search.add(Result(problem, solve(problem).schedule))
    search.best.add_bounds([Bound(7, "exhaustive", {"method": "cp-sat", "steps": 6})])
    assert search.best.has_fewest_steps
    prove(search, Work.SEARCH)
    assert [bound.argument for bound in search.best.bounds if bound.figure == 7] == ["channel-prices", "exhaustive"]
    known = search.best.bounds
    search.best.proven.clear()
    prove(search, Work.SEARCH)
    assert search.best.bounds == known


def test_a_start_keeps_its_provenance() -> None:
    """The result from which a search starts is presented as found by its own solver, with all bounds."""
    search = Search(PROBLEM, Shortest(PROBLEM, seed=7))
    start = found()
    start_from(search, start.amended(bounds=counted_bounds(PROBLEM)))
    result = search.present(search.best.result)
    assert (result.provenance.solver, result.provenance.seed) == ("greedy", 0)
    assert result.bounds == counted_bounds(PROBLEM)
