"""CP-SAT decides small allreduces: it finds what there is and refutes what there is not."""

from math import inf
from typing import Any

import pytest
from fuzzing.problems import drawn_problem

from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, reduce_broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.fewest_steps import find_fewest_steps
from pavane.search.options import SearchOptions
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.exact.sums_program import num_sums
from tests.checker import judge
from tests.optimum import optimum
from tests.problems import problem_of

STORED: dict[str, Any] = {"switching": "store-and-forward"}
ENOUGH = Budget(evaluations=200_000)
"""More than any test here needs; it ends what would go on for ever, the same on every machine."""


def decided(problem: Problem) -> int:
    """Return the number of steps of a schedule that a second judge accepts, one less being refuted."""
    result = CpSat()(problem, None, 0, ENOUGH)
    assert result.schedule is not None
    assert result.bound is not None
    assert result.schedule.num_steps == result.bound.figure
    assert not judge(problem, result.schedule)
    return result.schedule.num_steps


@pytest.mark.parametrize(
    ("where", "kind", "rules", "steps"),
    [
        ("ring:4", "allreduce", {}, 3),
        ("complete:4", "allreduce", {}, 2),
        ("star:5", "allreduce", {}, 6),
        ("star:4", "reduce-broadcast", {}, 2),
        ("ring:5", "reduce-broadcast", {"ports": 1}, 4),
        ("ring:3", "reduce-broadcast", {"ports": 1}, 3),
        ("hypercube:2", "reduce-broadcast", {"ports": 1}, 2),
        ("line:3", "allreduce", STORED, 4),
        ("line:3", "allreduce", {"combining": True}, 2),
        ("mesh:2x2", "allreduce", {"routing": "dimension-order"}, 3),
        ("nvl:4", "reduce-broadcast", STORED, 2),
        ("nvl:4", "reduce-broadcast", {**STORED, "switches": "pass"}, 1),
    ],
)
def test_known_optima(where: str, kind: str, rules: dict[str, Any], steps: int) -> None:
    """Both forms of an allreduce are decided under all rules."""
    assert decided(problem_of(where, kind, **rules)) == steps


def test_a_refutation_is_a_bound() -> None:
    """Counting gives five steps on a star of five routers; a search through all schedules of five finds none."""
    result = CpSat()(problem_of("star:5", "allreduce"), 5, 0, ENOUGH)
    assert result.schedule is None
    assert result.bounds == (Bound(6, "exhaustive", {"method": "cp-sat", "steps": 5}),)


def test_random_problems() -> None:
    """On small random problems the optimum is what trying every set of transfers in every step finds."""
    compared = 0
    for problem in (drawn_problem(7, number, is_small=True) for number in range(1200)):
        best = optimum(problem, 8_000) if problem.pattern == "allreduce" else None
        if best is not None and CpSat().supports(problem):
            compared += 1
            assert decided(problem) == best, problem
    assert compared >= 30


def test_the_deadline_ends_the_writing() -> None:
    """With no time left nothing is decided, and nothing is claimed."""
    result = CpSat()(problem_of("star:5", "allreduce"), 5, 0, Budget.of(seconds=0))
    assert (result.status, result.bounds) == ("unknown", ())


def test_large_programs_are_not_written() -> None:
    """A thousand processors, or paths without number, have no program; few have one that is counted by hand."""
    assert num_sums(problem_of("hypercube:10", "allreduce")) == inf
    assert num_sums(problem_of("complete:12", "reduce-broadcast", routing="any")) == inf
    # Two pieces; three sums of three contributions; four ways, each with as many contributions.
    line = network("line:3")
    assert num_sums(Problem(line, in_pieces(reduce_broadcast(line), 2), Rules(**STORED))) == 2 * (9 + 4 + 12)


def test_what_is_too_large_is_solved_in_its_phases() -> None:
    """A solver of broadcasts that cannot decide the whole solves the reduction and the broadcast."""
    result = find_fewest_steps(
        problem_of("line:3", "allreduce"), SearchOptions(), solver=CpSat(most_variables=150), method="cp-sat"
    )
    assert result.provenance.solver == "cp-sat in two phases"
    assert find_fewest_steps(problem_of("line:3", "allreduce"), method="cp-sat").provenance.solver == "cp-sat"
