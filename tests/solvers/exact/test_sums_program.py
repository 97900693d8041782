"""CP-SAT decides small allreduces: it finds what there is and refutes what there is not."""

from __future__ import annotations

from math import inf
from random import Random
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.model.bound import Bound
from pavane.model.collectives import allreduce, in_pieces, reduce_broadcast
from pavane.model.network import Network
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
    assert result.schedule.num_steps == result.bound.steps
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


def random_problem(seed: int) -> Problem:
    """Return an allreduce on a random network of three or four routers, under random rules."""
    rng = Random(seed)
    size = rng.randint(3, 4)
    channels = {
        (a, b) for one in range(1, size) for other in [rng.randrange(one)] for a, b in [(one, other), (other, one)]
    }
    if rng.random() < 0.5:
        channels.add(tuple(rng.sample(range(size), 2)))  # type: ignore[arg-type]
    on = [*range(size)]
    if size == 4 and rng.random() < 0.3:
        on.remove(rng.randrange(4))
    made = Network(f"random {seed}", size, sorted(channels), on)
    is_stored = rng.random() < 0.5
    has_passing_switches = is_stored and len(on) < size and rng.random() < 0.5
    rules = Rules(
        "store-and-forward" if is_stored else "wormhole",
        rng.choice(("all", 1, 2)),
        rng.choice(("full", "half")),
        rng.choice(("minimal", "any")),
        combining=rng.random() < 0.2,
        switches="pass" if has_passing_switches else "hold",
    )
    if size == 3 and rng.random() < 0.3:
        return Problem(made, allreduce(made), rules)
    return Problem(made, in_pieces(reduce_broadcast(made), 1 if size == 4 else rng.randint(1, 2)), rules)


def test_random_problems() -> None:
    """On random networks the optimum is what trying every set of transfers in every step finds."""
    compared = 0
    for seed in range(90):
        try:
            problem = random_problem(seed)
        except InputError:
            continue  # some processor has no port
        best = optimum(problem, 8_000)
        if best is not None:
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


@pytest.mark.parametrize(("kind", "steps"), [("allreduce", 2), ("reduce-broadcast", 1)])
@pytest.mark.parametrize("where", ["nvl:8", "dgx-a100"])
def test_machines_of_one_switch_need_no_search(where: str, kind: str, steps: int) -> None:
    """Eight GPUs on a switch add in two steps, or one, and that is proven by a certificate."""
    result = find_fewest_steps(problem_of(where, kind, **STORED, switches="pass"), SearchOptions(evaluations=1))
    assert (result.num_steps, result.status) == (steps, "optimal")
    assert result.bound is not None
    assert result.bound.argument != "exhaustive"
