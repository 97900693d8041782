"""Solvers of timed problems: valid schedules, the same for the same seed, and published times met with proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from pavane.errors import InvalidSchedule
from pavane.judge.certificates import proven
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers.timed.event_greedy import EventGreedy
from pavane.solvers.timed.insertion import Insertion
from pavane.solvers.timed.relisting import Relisting
from pavane.solvers.timed.retiming import retime
from tests.timed_checker import is_valid

STORED = Rules(switching="store-and-forward")
PASSING = Rules(switching="store-and-forward", switches="pass")
GIB = 2**30


def random_links(spec: str, seed: int) -> Links:
    """Return links of four speeds and different latencies."""
    rng, net = np.random.default_rng(seed), network(spec)
    latencies = rng.integers(200_000, 2_000_000, net.num_channels)
    rates = rng.choice([12, 25, 50, 100], net.num_channels) * 10**9 * net.capacity
    if net.num_channels:
        back = net.opposite
        rates = np.where(back >= 0, np.minimum(rates, rates[back]), rates)
    return Links(latencies, np.zeros(net.num_channels, dtype=np.int64), rates.astype(np.int64))


SMALLER = {"mesh:3x3": "mesh:2x2", "rails:2,3": "rails:2,2", "mesh:2x2*2": "line:2*2", "kautz:2,2": "ring:4,oneway"}
"""Networks of the same sort for allreduces, whose sums are many more to search through."""


def timed_of(spec: str, kind: str, rules: Rules, size: int = 4096, pieces: int = 1) -> Problem:
    """Return a timed problem with random links."""
    net = network(spec)
    return Problem(net, named(kind, net, pieces=pieces), rules, links=random_links(spec, 7), num_bytes=size)


def retimed(problem: Problem) -> Schedule:
    """Return a schedule of steps with the earliest starts."""
    steps = solve(problem.in_steps, SearchOptions(evaluations=1000)).schedule
    assert steps is not None
    return retime(problem, steps)


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("ring:5", STORED),
        ("mesh:3x3", Rules()),
        ("kautz:2,2", STORED),
        ("rails:2,3", PASSING),
        ("hypercube:3", Rules(switching="store-and-forward", ports=1)),
        ("octagon", Rules(switching="store-and-forward", duplex="half")),
        ("mesh:2x2*2", STORED),
        ("star:5", Rules()),
    ],
)
@pytest.mark.parametrize("kind", ["aab", "aas", "allreduce", "aor"])
def test_every_kind_gets_a_valid_schedule_above_its_bound(spec: str, rules: Rules, kind: str) -> None:
    """Both judges accept the result, no schedule ends before the bound, and the judge proves the bound."""
    problem = timed_of(SMALLER.get(spec, spec) if kind == "allreduce" else spec, kind, rules)
    result = solve(problem)
    assert result.schedule is not None
    assert is_valid(problem, result.schedule)
    for bound in result.bounds:
        assert proven(problem, bound) == bound.figure
        assert result.finish is not None
        assert result.finish >= bound.figure


RELISTING, INSERTION = Relisting(), Insertion(most_moves=400)


@pytest.mark.parametrize(
    ("solver", "spec", "kind", "rules"),
    [
        (RELISTING, "torus:3x3", "aab", STORED),
        (RELISTING, "rails:2,3", "aas", PASSING),
        (RELISTING, "octagon", "allreduce", Rules(switching="store-and-forward", ports=1)),
        (RELISTING, "mesh:3x3", "aar", Rules(switching="store-and-forward", duplex="half")),
        (RELISTING, "ring:5", "aas", Rules()),
        (INSERTION, "mesh:3x3", "aab", STORED),
        (INSERTION, "rails:2,3", "aab", PASSING),
        (INSERTION, "rails:2,3", "aas", PASSING),
    ],
)
def test_a_given_schedule_is_improved(solver: Relisting | Insertion, spec: str, kind: str, rules: Rules) -> None:
    """Other orders on the channels keep paths, ruin and recreate may change them; both are valid and end no later."""
    problem = timed_of(spec, kind, rules, pieces=2)
    schedule = retimed(problem)
    improved = solver.improve(problem, schedule, 0, np.random.default_rng(1), Budget())
    assert is_valid(problem, improved)
    ends = [Result(problem, each).finish or 0 for each in (schedule, improved)]
    assert ends[1] <= ends[0]
    if solver is RELISTING:
        assert sorted(each.path for each in improved) == sorted(each.path for each in schedule)


def test_a_message_enters_each_box_once() -> None:
    """Where rails are slow, only one transfer brings a message into a box, and the box spreads it."""
    net = network("rails:3,4,9,1")
    links = Links.uniform(net, latency_ps=1000, bytes_per_second=10**9)
    problem = Problem(net, named("aab", net), PASSING, links=links, num_bytes=10**6)
    schedule = EventGreedy(most_restarts=1).find(problem, 0, np.random.default_rng(0), Budget())
    boxes = [
        (each.messages[0], each.receiver // 4) for each in schedule or () if each.sender // 4 != each.receiver // 4
    ]
    assert len(boxes) == len(set(boxes)) == 12 * 2


def test_pieces_of_unequal_size_are_timed_by_their_own_bytes() -> None:
    """Of 10 bytes in 4 pieces the last one has a byte, and holds a channel for less time."""
    problem = timed_of("ring:4", "aab", STORED, size=10, pieces=4)
    assert sorted(set(problem.message_bytes.tolist())) == [1, 3]
    assert solve(problem).schedule is not None


TACOS = [
    ("mesh:3x3x3", (50, 50, 50), 500_000, 1, 1024, 6_671_166_552),
    ("torus:3x3x3", (50, 50, 50), 500_000, 1, 1024, 3_706_203_640),
    ("mesh:5x5", (50, 75), 500_000, 1, 1024, 8_004_999_830),
]
"""Networks, GiB/s along each axis, overhead in ps, pieces, MiB in all, and the end that TACOS published, exactly."""


@pytest.mark.parametrize(("spec", "rates", "overhead", "pieces", "mebibytes", "finish"), TACOS)
def test_published_allgathers_are_met_and_proven_optimal(
    spec: str, rates: tuple[int, ...], overhead: int, pieces: int, mebibytes: int, finish: int
) -> None:
    """Start times reach what TACOS published, and the timed cut proves that nothing ends earlier."""
    net = network(spec)
    assert net.grid is not None
    places = np.stack(np.unravel_index(np.arange(net.num_routers), net.grid.sizes), axis=1)
    axis = (places[net.tails] != places[net.heads]).argmax(axis=1)
    rate = np.array(rates)[axis] * GIB
    links = Links(np.zeros(len(rate), dtype=np.int64), np.full(len(rate), overhead), rate)
    size = mebibytes * 2**20 // (net.num_routers * pieces) * pieces
    problem = Problem(net, named("aab", net, pieces=pieces), STORED, links=links, num_bytes=size)
    result = solve(problem, SearchOptions(seed=0))
    assert (result.finish, result.status) == (finish, "optimal")


def test_a_result_refuses_what_the_judge_refuses() -> None:
    """A schedule for other links is judged by these."""
    problem = timed_of("ring:4", "aab", STORED)
    schedule = solve(problem).schedule
    slower = replace(problem, links=random_links("ring:4", 8), num_bytes=problem.timing.num_bytes * 50)
    with pytest.raises(InvalidSchedule, match="breaks a rule"):
        Result(slower, schedule)


def test_a_phase_that_fails_is_noted_and_the_others_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in one part of the search leaves a note and the schedule of the other parts."""

    def broken(*_: object) -> None:
        raise RuntimeError("deliberate failure")

    monkeypatch.setattr("pavane.search.timed._synthesized", broken)
    result = solve(timed_of("ring:5", "aab", STORED))
    assert result.schedule is not None
    assert len(result.notes) == 1
    assert result.notes[0].startswith("synthesize failed: RuntimeError: deliberate failure")


def test_sums_that_take_the_place_of_others_are_re_timed() -> None:
    """A processor passes a sum on, and later gets a larger one that contains it, and the rest."""
    net = network("complete:4")
    problem = Problem(net, Collective("ALLREDUCE", (0, 1, 2, 3), (0,)), STORED)
    problem = replace(problem, links=random_links("complete:4", 7), num_bytes=4096)
    over = {(int(tail), int(head)): channel for channel, (tail, head) in enumerate(net.channels)}
    ways = [(0, 0, 1), (1, 1, 2), (2, 2, 1), (2, 3, 1), (3, 1, 0), (3, 1, 2), (3, 1, 3)]
    steps = Schedule.from_transfers([Transfer(step, a, b, (over[a, b],), (0,)) for step, a, b in ways])
    assert verify(problem.in_steps, steps) == []
    schedule = retime(problem, steps)
    assert len(schedule) == len(steps)
    assert verify(problem, schedule) == []
    assert is_valid(problem, schedule)


@pytest.mark.parametrize(
    ("spec", "rules", "most"),
    [
        ("ring:6", Rules(switching="store-and-forward", ports=2), 1.25),
        ("complete:5", Rules(switching="store-and-forward", ports=2), 1.25),
        ("complete:5", Rules(switching="store-and-forward", ports=3), 1.25),
        ("mesh:3x3", Rules(switching="store-and-forward", ports=2), 1.5),
        ("mesh:3x3", Rules(routing="west-first"), 1.5),
        ("mesh:3x3", Rules(switching="store-and-forward", routing="west-first"), 1.25),
        ("ring:4*2", STORED, 1.05),
        ("ring:4*2", Rules(switching="store-and-forward", ports=1), 1.05),
        ("ring:4*2", Rules(ports=1), 1.1),
        ("mesh:2x2*2", Rules(switching="store-and-forward", ports=2, duplex="half"), 1.3),
    ],
)
@pytest.mark.parametrize("kind", ["aab", "aas"])
def test_ports_turns_and_fat_routers_are_searched(spec: str, rules: Rules, most: float, kind: str) -> None:
    """The end is near the bound, both judges accept it, it is not that of steps, and a seed gives it again."""
    problem = timed_of(spec, kind, rules)
    results = [solve(problem, SearchOptions(evaluations=1000)) for _ in range(2)]
    for result in results:
        assert result.schedule is not None
        assert is_valid(problem, result.schedule)
        assert verify(problem, result.schedule) == []
        assert result.finish is not None
        assert result.finish <= most * max(bound.figure for bound in result.bounds)
        assert result.notes == ()
    assert list(results[0].schedule or ()) == list(results[1].schedule or ())


@pytest.mark.parametrize("kind", ["allreduce", "aor", "aar"])
@pytest.mark.parametrize("ports", ["all", 1, 2])
def test_sums_between_processors_of_one_router_are_valid(kind: str, ports: Literal["all"] | int) -> None:
    """What processors of one router have is added there, in no time and through no port."""
    problem = timed_of("line:2*3", kind, Rules(switching="store-and-forward", ports=ports))
    result = solve(problem, SearchOptions(seconds=1.0))
    assert result.schedule is not None
    assert is_valid(problem, result.schedule)
    assert verify(problem, result.schedule) == []


def test_the_better_of_parallel_channels_is_taken() -> None:
    """Of two channels with the same ends data take the one that brings them first, with two ports as with all."""
    net = Network("two", 2, np.array([[0, 1], [0, 1], [1, 0], [1, 0]]), (0, 1))
    links = Links(np.array([900, 0, 900, 0]), np.zeros(4, dtype=np.int64), np.full(4, 10**12))
    for ports in ("all", 2):
        problem = Problem(
            net, named("aab", net), Rules(switching="store-and-forward", ports=ports), links=links, num_bytes=5
        )
        assert solve(problem).finish == 5
        steps = solve(problem.in_steps).schedule
        assert steps is not None
        assert Result(problem, retime(problem, steps)).finish == 5


def test_a_tiny_problem_is_solved_when_the_time_is_over_at_once() -> None:
    """The restarts of a few microseconds do not depend on the clock: the faster of two parallel channels is taken."""
    net = Network("two", ["a", "b"], [(0, 1), (0, 1), (1, 0), (1, 0)])
    links = Links(np.array([900_000, 0] * 2), np.zeros(4, dtype=np.int64), np.full(4, 10**9))
    problem = Problem(net, named("allgather", net), STORED, links=links, num_bytes=100)
    assert solve(problem, SearchOptions(seconds=1e-6)).status == "optimal"


def test_times_of_steps_are_called_so() -> None:
    """Where no solver of start times supports a problem, a note says that they are those of steps, and why."""
    net, rules = network("coated-mesh:3x3"), Rules(routing="dimension-order")
    problem = Problem(net, named("aab", net), rules, links=random_links("coated-mesh:3x3", 7), num_bytes=4096)
    (note,) = solve(problem).notes
    assert note.startswith("start times were not searched")
    assert "dimension-order routing" in note
