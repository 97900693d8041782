"""Rings that share no channel: as many as links and cards allow, each through all members."""

from collections import Counter

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.timed.baselines import baseline_schedules
from pavane.solvers.timed.ring_orders import RingOrder, disjoint_rings, ring_turns
from tests.timed_checker import is_valid

PASSING = Rules(switching="store-and-forward", switches="pass")
RATE = 10**9


def timed_of(spec: str, kind: str = "aab", pieces: int = 1) -> Problem:
    """Return a timed problem with equal links, without latency."""
    net = network(spec)
    rules = PASSING if net.num_routers > net.num_processors else Rules(switching="store-and-forward")
    links = Links.uniform(net, latency_ps=0, bytes_per_second=RATE)
    return Problem(net, named(kind, net, pieces=pieces), rules, links=links, num_bytes=1_200_000)


@pytest.mark.parametrize(
    ("spec", "count"),
    [("ring:8", 2), ("dgx-1", 6), ("torus:4x4", 4), ("hypercube:4", 4), ("dgx-h100", 1), ("dgx-h100:2", 8)],
)
def test_rings_use_every_link(spec: str, count: int) -> None:
    """Both directions of a ring, the links of a DGX-1, and every network card of two boxes have a ring of their own."""
    problem = timed_of(spec)
    rings = disjoint_rings(problem, problem.timing.links)
    assert len(rings) == count
    load: Counter[int] = Counter()
    for ring in rings:
        assert sorted(ring.order) == list(range(problem.network.num_processors))
        for path in ring.paths.values():
            load.update(dict.fromkeys(path, round(ring.width)))
    assert all(load[channel] <= rate for channel, rate in enumerate(problem.timing.links.bandwidths.tolist()))


def test_no_rings_without_a_cycle() -> None:
    """A mesh of odd sides has no Hamiltonian cycle."""
    problem = timed_of("mesh:3x3")
    assert disjoint_rings(problem, problem.timing.links) == []


def test_turns_follow_the_widths() -> None:
    """A ring that is twice as wide takes two of three messages."""
    wide, narrow = (RingOrder((0, 1), {}, width) for width in (2.0, 1.0))
    assert sorted(ring_turns([wide, narrow])) == [0, 0, 1]


@pytest.mark.parametrize("kind", ["aab", "oab", "aar", "aor", "allreduce"])
@pytest.mark.parametrize("spec", ["dgx-1", "dgx-h100:2", "mesh:2x2*2"])
def test_schedules_around_rings_are_valid(spec: str, kind: str) -> None:
    """Whatever the collective; the judge and the checker of the tests agree."""
    problem = timed_of(spec, kind, 2)
    schedule = dict(baseline_schedules(problem, ["ring", "tree"]))["rings"]
    assert Result(problem, schedule).finish is not None
    assert is_valid(problem, schedule)


def test_six_rings_are_six_times_as_fast_as_one() -> None:
    """On a DGX-1 with messages in six pieces each ring has one piece of every message."""
    problem = timed_of("dgx-1", pieces=6)
    ends = {name: Result(problem, schedule).finish for name, schedule in baseline_schedules(problem)}
    assert ends["ring"] is not None
    assert ends["rings"] is not None
    assert ends["rings"] * 6 == ends["ring"]
