"""Solvers of timed problems: valid schedules, the same for the same seed, and published times met with proof."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.bounds.timed_cuts import timed_bounds
from pavane.errors import InputError, InvalidSchedule
from pavane.judge.timed_certificates import proven_finish
from pavane.judge.timed_result import TimedResult
from pavane.model.bound import FinishBound
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.model.timed import TimedProblem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.timed import solve_timed
from pavane.solvers.timed.event_greedy import EventGreedy
from pavane.solvers.timed.insertion import Insertion
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


def timed_of(spec: str, kind: str, rules: Rules, size: int = 4096, pieces: int = 1) -> TimedProblem:
    """Return a timed problem with random links."""
    net = network(spec)
    return TimedProblem(Problem(net, named(kind, net, pieces=pieces), rules), random_links(spec, 7), size)


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
    timed = timed_of(spec, kind, rules)
    result = solve_timed(timed)
    assert result.schedule is not None
    assert is_valid(timed, result.schedule)
    for bound in result.bounds:
        assert proven_finish(timed, bound) == bound.finish
        assert result.finish is not None
        assert result.finish >= bound.finish


@pytest.mark.parametrize(("solver", "kind"), [(EventGreedy(), "aab"), (Insertion(), "aas")])
def test_the_same_seed_gives_the_same_schedule(solver: EventGreedy | Insertion, kind: str) -> None:
    """A solver depends on the problem and the seed alone."""
    timed = timed_of("torus:3x3", kind, STORED, pieces=2)
    first, second = (solver.find(timed, 0, np.random.default_rng(3), Budget()) for _ in range(2))
    assert list(first or ()) == list(second or ()) != []


def test_pieces_of_unequal_size_are_timed_by_their_own_bytes() -> None:
    """Of 10 bytes in 4 pieces the last one has a byte, and holds a channel for less time."""
    timed = timed_of("ring:4", "aab", STORED, size=10, pieces=4)
    assert sorted(set(timed.message_bytes.tolist())) == [1, 3]
    assert solve_timed(timed).schedule is not None


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
    timed = TimedProblem(Problem(net, named("aab", net, pieces=pieces), STORED), links, size)
    result = solve_timed(timed, SearchOptions(seed=0))
    assert (result.finish, result.status) == (finish, "optimal")


def test_a_bound_that_is_no_certificate_is_not_proven() -> None:
    """A cut with a source inside proves nothing, and a figure that is too high is not reached by its certificate."""
    timed = timed_of("ring:5", "aab", STORED)
    (bound,) = timed_bounds(timed)
    assert proven_finish(timed, bound) < bound.finish + 1
    everything = FinishBound(1, bound.argument, {**bound.certificate, "routers": list(range(5))})
    with pytest.raises(InputError, match="a source lies inside the cut"):
        proven_finish(timed, everything)


def test_a_result_refuses_what_the_judge_refuses() -> None:
    """A schedule for other links is judged by these."""
    timed = timed_of("ring:4", "aab", STORED)
    schedule = solve_timed(timed).schedule
    slower = TimedProblem(timed.problem, random_links("ring:4", 8), timed.num_bytes * 50)
    with pytest.raises(InvalidSchedule, match="breaks a rule"):
        TimedResult(slower, schedule)
