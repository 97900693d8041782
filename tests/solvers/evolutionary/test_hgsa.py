"""HGSA: its schedules and its counting of moves (gecco07 sections 3.1 and 5)."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pavane.bounds import counted_bounds
from pavane.judge.rules import verify
from pavane.model.collectives import many_to_many_broadcast, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.annealers import started
from pavane.solvers.evolutionary.counting import Evaluations
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.hops import hops_of, may_start_at_once
from tests.checker import judge
from tests.problems import problem_of
from tests.solvers.evolutionary.cases import FAT, HUB, IN_PIECES, SAF, listed

QUICK = HGSA(start_temperature=2.0)
"""The papers' temperature spends a million moves before anything settles; these problems are small."""


@pytest.mark.parametrize(("asked", "num_steps"), [case for case in IN_PIECES if QUICK.supports(case[0])])
def test_pieces_sizes_and_capacities(asked: Problem, num_steps: int) -> None:
    """Pieces travel as messages do, and wide channels as parallel ones."""
    found = QUICK(asked, num_steps, 0, Budget(evaluations=300_000)).schedule
    assert found is not None


SOLVED = [
    (problem_of("ring:8", "AAB"), 4),
    (problem_of("octagon", "AAB"), 3),
    (problem_of("petersen", "AAB"), 3),
    (problem_of("hypercube:3", "AAB"), 3),
    (problem_of("kautz:3,2", "AAB"), 4),
    (problem_of("kautz:2,2", "AAR"), 3),
    (problem_of("hypercube:4", "OAB", SAF), 4),
    (problem_of("hypercube:4", "AOR", SAF), 4),
    (problem_of("hypercube:3", "OAB"), 2),
    (problem_of("ring:6", "AAB", Rules(duplex="half")), 6),
    (problem_of("mesh:2x3", "AAB", Rules(ports=1)), 7),
    (problem_of("mesh:3x3", "AAB", Rules(routing="west-first")), 4),
    (problem_of("fat-octagon:2", "OAB", Rules(ports=1)), 5),
    (Problem(HUB, named("AAB", HUB), Rules(ports=1)), 2),
    (Problem(HUB, named("AAB", HUB), SAF), 3),
    (Problem(FAT, named("AAB", FAT), Rules(ports=1)), 2),
    (Problem(network("octagon"), many_to_many_broadcast((0, 1, 2), (1, 4, 5, 6)), SAF), 2),
]


@pytest.mark.parametrize(("problem", "num_steps"), SOLVED, ids=lambda value: str(value))
def test_it_finds_valid_schedules(problem: Problem, num_steps: int) -> None:
    """Broadcasts and reductions under either switching, few ports, half duplex, fat routers and switches are solved."""
    assert QUICK.supports(problem)
    result = QUICK(problem, num_steps, 1, Budget(evaluations=600_000))
    assert result.schedule is not None
    assert result.schedule.num_steps <= num_steps
    assert not judge(problem, result.schedule)


def test_it_walks_up_to_the_bound() -> None:
    """Without a number of steps it starts at the bound; one that it cannot reach it leaves after its moves."""
    problem = problem_of("octagon", "AAB")
    assert QUICK(problem, None, 0, Budget(evaluations=500_000)).num_steps == counted_bounds(problem)[0].figure
    # Hop by hop OAB takes as many steps as the diameter, whatever the bound under wormhole.
    ring = problem_of("ring:8", "OAB")
    assert counted_bounds(ring)[0].figure == 2
    assert replace(QUICK, runs_on=False)(ring, None, 0, Budget(evaluations=1000)).num_steps == 4


@pytest.mark.parametrize(
    ("spec", "rules", "expected"),
    [
        ("kautz:3,2", Rules(), True),
        ("mesh:3x3", Rules(ports=4), True),
        ("mesh:3x3", Rules(ports=1), False),
        ("mesh:3x3", Rules(duplex="half"), False),
        ("fat-octagon:2", Rules(), False),
        ("coated-mesh:4x4", Rules(), False),
    ],
)
def test_the_first_channel_is_used_at_once_where_nothing_is_lost(spec: str, rules: Rules, expected: bool) -> None:
    """With a port for every channel and full duplex all first channels are used in step 1; otherwise not."""
    problem = problem_of(spec, "AAB", rules)
    assert may_start_at_once(problem) == expected
    for solver in (HGSA(num_annealers=2), HGSA(num_annealers=2, first_channel_at_once=False)):
        search = solver._search(listed(problem, most_paths=4), 20)
        assert search is not None
        steps = started(search, np.arange(1, 9).reshape(2, 4))[0].steps
        assert (steps[:, :, 0] == 0).all() == (expected and solver.first_channel_at_once is None)


ABSORBING = [
    (problem_of("mesh:3x3", "AAB"), 8),
    (problem_of("coated-mesh:2x3", "AAB", SAF), 9),
    (Problem(network("fat-octagon:2"), many_to_many_broadcast((0, 2, 4, 6, 8, 10, 12, 14), tuple(range(16)))), 8),
]


@pytest.mark.parametrize(("problem", "num_steps"), ABSORBING, ids=lambda value: str(value))
def test_a_processor_may_absorb_one_message_a_step(problem: Problem, num_steps: int) -> None:
    """As the paper counts one port nobody takes up two messages in a step; the problem's rules are kept besides."""
    solver = replace(QUICK, most_absorbed=1)
    assert not solver._runs_on(problem)
    hops = hops_of(problem, num_steps, 120, False, Budget())
    assert hops is not None
    search = solver._search(hops, num_steps)
    assert search is not None
    assert not search.tables.starts_at_once
    found = solver._annealed(search, 0, Evaluations(Budget(evaluations=2_000_000), 0))
    assert found is not None
    last = np.diff(search.tables.first_hop)[found[0]] - 1
    absorbed = Counter(zip(hops.receiver_of.tolist(), found[1][np.arange(hops.num_genes), last].tolist(), strict=True))
    assert set(absorbed.values()) == {1}
    assert not verify(problem, hops.schedule(*found))


def test_the_budget_is_kept_exactly() -> None:
    """No more moves are made than allowed, none after the deadline, and the run says how it went."""
    problem = problem_of("heawood", "AAB")
    for moves in (0, 1, 7, 999, 2500):
        run = HGSA()(problem, 5, 0, Budget(evaluations=moves)).run
        assert run is not None
        assert run.evaluations == moves
        assert all(one[0] < other[0] and one[1] > other[1] for one, other in pairwise(run.trace))
        assert bool(run.trace) == (moves > 0)
    run = HGSA()(problem, 5, 0, Budget(deadline=0.0)).run
    assert run is not None
    assert run.evaluations == 0
    few = HGSA(most_evaluations=1500)(problem, 5, 0, Budget()).run
    assert few is not None
    assert few.evaluations == 1500


def test_what_it_does_not_support() -> None:
    """Private messages, combining, and turns in order through pure switches are not for it."""
    grid = Network("mesh:2x2", 4, network("mesh:2x2").channels, [0, 3])
    assert not HGSA().supports(problem_of("ring:4", "AAS"))
    assert not HGSA().supports(problem_of("ring:4", "AAB", Rules(combining=True)))
    assert not HGSA().supports(Problem(grid, named("AAB", grid), Rules(routing="dimension-order")))
    assert HGSA().supports(Problem(grid, named("AAB", grid), Rules(routing="minimal")))


@pytest.mark.parametrize("wheel", ["gap", "inverse"])
def test_the_wheel_favours_the_best(wheel: str) -> None:
    """The fewer conflicts a solution has, the likelier it is drawn; the master may keep the best instead."""
    exchange = HGSA(wheel="gap" if wheel == "gap" else "inverse").exchange
    conflicts, rng = np.array([9, 4, 1, 6]), np.random.default_rng(0)
    drawn = np.bincount(np.concatenate([exchange.drawn(conflicts, rng) for _ in range(2000)]), minlength=4)
    assert drawn.argsort().tolist() == [0, 3, 1, 2]
    assert drawn.min() > 0
    keeper = exchange._replace(master_keeps="best")
    assert all(keeper.drawn(conflicts, rng)[0] == 2 for _ in range(20))
