"""First fit for large networks: valid, close to greedy, reproducible, and limited in time."""

from collections import Counter
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given

from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder
from pavane.solvers.greedy import Greedy
from pavane.solvers.large_scatter.first_fit import FirstFit
from pavane.solvers.large_scatter.packing import Packing
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.slot_timing import Timing
from tests.bounds.tiny import PRIVATE, tiny_problems
from tests.problems import examples, problem_of
from tests.strategies import problems_in_pieces

SMALL = sorted(made.name for made in examples() if made.num_processors <= 16)


def steps(problem: Problem, solver: FirstFit | Greedy, seed: int = 0) -> int:
    """Return the number of steps that a solver takes when nothing stops it."""
    result = solver(problem, None, seed, Budget())
    assert result.schedule is not None
    assert result.num_steps is not None
    return result.num_steps


@pytest.mark.parametrize("text", SMALL[::2])
def test_is_close_to_greedy(text: str) -> None:
    """With every port model and duplex it takes at most a step in ten more than greedy, and mostly fewer."""
    made = network(text)
    choices: list[tuple[int | Literal["all"], Literal["full", "half"]]] = [("all", "full"), (1, "full"), (2, "half")]
    # Larger networks take the choices in turn.
    for ports, duplex in choices if made.num_processors <= 8 else choices[SMALL.index(text) % 3 :][:1]:
        problem = Problem(made, alltoall(made), Rules(ports=ports, duplex=duplex))
        assert steps(problem, FirstFit()) <= 1.1 * steps(problem, Greedy()) + 1


@given(problems_in_pieces(tiny_problems(kinds=PRIVATE, combining=(False,))))
def test_answers_pieces_and_capacities(problem: Problem) -> None:
    """Pieces, sizes and capacities are counted, full steps or not, with time to continue or without."""
    asked = replace(problem, rules=replace(problem.rules, switching="wormhole"))
    steps(asked, FirstFit(repacks=2))
    in_haste = FirstFit(is_hasty=True)(asked, None, 0, Budget.of(seconds=0))
    assert in_haste.schedule is not None


def test_capacities_are_as_good_as_parallel_channels() -> None:
    """A network of wide channels takes no more steps than the same one of parallel channels, or hardly more."""
    made = network("mesh:4x4")
    wide = Network("wide", made.routers, made.channels, capacities=np.full(made.num_channels, 3))
    parallel = Network("parallel", made.routers, np.repeat(made.channels, 3, axis=0))
    counts = [steps(Problem(one, alltoall(one)), FirstFit()) for one in (wide, parallel)]
    assert counts[0] <= 1.1 * counts[1] + 1


SLOTS: list[tuple[str, dict[str, Any]]] = [
    ("mesh:3x3", {"ports": 1}),
    ("torus:4x4", {"ports": 1, "packet_slots": 3, "router_delay": 2, "link_delay": 1, "wrap": False}),
    ("mesh:3x3", {"ports": 2, "duplex": "half"}),
    ("fat-octagon:2", {"packet_slots": 2}),
    ("ring:18,oneway", {"ports": 1, "packet_slots": 5, "router_delay": 4}),
]


@pytest.mark.parametrize(("text", "rules"), SLOTS)
def test_packets_start_in_the_first_free_slot(text: str, rules: dict[str, Any]) -> None:
    """In slots no shortest path has room earlier, longest paths first, for delays and tables beyond a word as well."""
    problem = Problem(network(text), "alltoall", Rules("tdm", **rules))
    schedule = FirstFit()(problem, None, 3, Budget()).schedule
    assert schedule is not None
    paths, timing, made = PathFinder(problem, np.random.default_rng(0), 10**6), Timing.of(problem), problem.network
    capacity = [*made.capacity.tolist(), *problem.injection.tolist(), *problem.ejection.tolist()]
    lengths = made.distances[made.router_of[problem.ends[:, 0]], made.router_of[problem.ends[:, 1]]].astype(int)
    slot_of = dict(zip(schedule.messages.tolist(), schedule.starts.tolist(), strict=True))
    path_of = {transfer.messages[0]: transfer.path for transfer in schedule}
    loads: Counter[tuple[int, int]] = Counter()

    def uses(path: tuple[int, ...], ends: list[int]) -> list[tuple[int, int]]:
        ports = [made.num_channels + ends[0], made.num_channels + made.num_processors + ends[1]]
        return list(zip(*timing.uses([*problem.units[list(path)].tolist(), *ports], len(path)), strict=True))

    for message in np.lexsort((np.random.default_rng(3).permutation(len(lengths)), -lengths)).tolist():
        ends = problem.ends[message].tolist()
        ways = [uses(path, ends) for path in paths.between(*made.router_of[ends].tolist())]
        for slot in range(slot_of[message]):
            assert not any(all(loads[unit, slot + later] < capacity[unit] for unit, later in way) for way in ways)
        loads.update((unit, slot_of[message] + later) for unit, later in uses(path_of[message], ends))


def test_a_limit_too_short_for_slots_is_noted() -> None:
    """Where the time is over before all packets are placed, a note says what would suffice."""
    problem = Problem(network("mesh:6x6"), "alltoall", Rules("tdm", ports=1))
    result = FirstFit()(problem, None, 0, Budget(deadline=0.0))
    assert result.schedule is None
    assert "too short" in result.notes[0]


def test_repacking_never_makes_it_longer() -> None:
    """More repacks give no more steps."""
    problem = problem_of("mesh:4x4")
    counts = [steps(problem, FirstFit(repacks=repacks), seed=1) for repacks in (0, 1, 2, 4, 8)]
    assert counts == sorted(counts, reverse=True)


def test_more_steps_than_the_first_table_has() -> None:
    """A one-way ring of 36 needs 630 steps, more than the table of full steps starts with."""
    problem = problem_of("ring:36,oneway")
    assert 630 <= steps(problem, FirstFit(repacks=0)) <= 700


def test_random_regular_256() -> None:
    """On a random network of 256 routers and degree 4 it is within 1.17 of the bound by hop count, 281."""
    problem = problem_of("random-regular:256,4,1")
    assert steps(problem, FirstFit(repacks=2)) <= 1.17 * 281


@pytest.mark.parametrize("solver", [FirstFit(), FirstFit(is_hasty=True), Packing()])
def test_too_little_time_to_judge_is_reported(solver: FirstFit | Packing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule that could not be judged in time is not built; a note says which limit would suffice."""
    probing = replace(TUNING, least_hops_probed=0)
    monkeypatch.setattr("pavane.solvers.large_scatter.windowed_first_fit.TUNING", probing)
    monkeypatch.setattr(
        "pavane.solvers.large_scatter.windowed_first_fit._seconds_to_judge", lambda arrays, packed: 5000.0
    )
    found = solver(problem_of("torus:4x4"), None, 0, Budget.of(seconds=100))
    assert found.schedule is None
    # A fifth more than was estimated, in two digits rounded up.
    assert "takes about 6,1" in found.notes[0]


def test_a_first_schedule_that_is_short_enough_is_the_answer() -> None:
    """With a time limit, windowed first fit is the answer if it has few enough steps."""
    problem = problem_of("torus:4x4")
    assert FirstFit()(problem, 200, 0, Budget.of(seconds=100)).schedule is not None
