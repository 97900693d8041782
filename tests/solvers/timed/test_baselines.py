"""Ring, tree and direct messages as timed schedules: valid on every network, and as fast as theory says."""

import numpy as np
import pytest

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.timed.baselines import baseline_schedules, binary_tree_parent
from pavane.solvers.timed.ring_orders import ring_order
from tests.timed_checker import is_valid

STORED = Rules(switching="store-and-forward")
PASSING = Rules(switching="store-and-forward", switches="pass")

LATENCY, RATE, SIZE = 1_000_000, 10**9, 1_000_000
MESSAGE = SIZE * 10**12 // RATE
"""Picoseconds of a whole message on a channel."""


def timed_of(spec: str, kind: str, rules: Rules = STORED, pieces: int = 1) -> Problem:
    """Return a timed problem with equal links."""
    net = network(spec)
    links = Links.uniform(net, latency_ps=LATENCY, bytes_per_second=RATE)
    return Problem(net, named(kind, net, pieces=pieces), rules, links=links, num_bytes=SIZE)


def ends_of(problem: Problem) -> dict[str, int | None]:
    """Return the end of each baseline; each is judged, and judged again by the checker of the tests."""
    results = {name: Result(problem, schedule) for name, schedule in baseline_schedules(problem)}
    assert all(result.schedule is not None and is_valid(problem, result.schedule) for result in results.values())
    return {name: result.finish for name, result in results.items()}


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        *[("ring:5", STORED), ("mesh:3x3", Rules()), ("kautz:2,2", STORED), ("rails:2,3", PASSING)],
        *[("rails:2,3", STORED), ("ndv2:2", PASSING), ("mesh:2x2*2", STORED), ("hypercube:3", Rules(ports=1))],
        ("octagon", Rules(duplex="half")),
    ],
)
@pytest.mark.parametrize("kind", ["aab", "oab", "aas", "oas", "aar", "aor", "allreduce"])
def test_baselines_are_valid_on_every_network(spec: str, rules: Rules, kind: str) -> None:
    """Rings without a cycle go over shortest paths, and sums come over the same trees as broadcasts."""
    names = set(ends_of(timed_of(spec, kind, rules, 2))) - {"rings"}
    if kind in ("aas", "oas"):
        assert names == {"direct"}
    else:
        assert names == ({"ring"} if kind in ("aab", "aar") else {"ring", "tree"})


def test_no_baseline_where_turns_are_restricted() -> None:
    """Rings and trees do not keep to the turns of a grid."""
    assert ends_of(timed_of("mesh:3x3", "aab", Rules(routing="dimension-order"))) == {}


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "name", "num_messages"),
    [
        ("ring:8", "aab", STORED, "ring", 7),
        ("ring:8", "allreduce", STORED, "ring", 14),
        ("complete:8", "oab", Rules(ports=1), "tree", 3),
    ],
)
def test_as_many_messages_as_theory_says(spec: str, kind: str, rules: Rules, name: str, num_messages: int) -> None:
    """Around a ring P - 1 of them, twice for an allreduce; by a binomial tree a logarithm of the ranks."""
    assert ends_of(timed_of(spec, kind, rules))[name] == num_messages * (MESSAGE + LATENCY)


def test_pieces_follow_each_other_along_a_chain() -> None:
    """A broadcast along P - 1 channels in k pieces takes P + k - 2 pieces."""
    problem = timed_of("ring:5", "oab", pieces=10)
    assert ends_of(problem)["ring"] == 13 * MESSAGE // 10 + 4 * LATENCY


@pytest.mark.parametrize("size", [2, 5, 8, 16, 23])
def test_leaves_of_one_tree_are_inside_the_other(size: int) -> None:
    """In NCCL's binary tree odd ranks are leaves, every rank has two children at most, and rank 0 is the root."""
    parents = [binary_tree_parent(rank, size) for rank in range(size)]
    assert parents[0] is None
    children = np.bincount([parent for parent in parents if parent is not None], minlength=size)
    assert children.max() <= 2
    assert not children[1::2].any()
    for rank in range(1, size):
        up: int | None = rank
        for _ in range(size):
            up = None if up is None else parents[up]
        assert up is None


@pytest.mark.parametrize(("spec", "has_cycle"), [("torus:4x4", True), ("mesh:4x4", True), ("mesh:3x3", False)])
def test_a_ring_is_a_hamiltonian_cycle_where_one_is_found(spec: str, has_cycle: bool) -> None:
    """Neighbours in the order are neighbours in the network; all members are in it once."""
    problem = timed_of(spec, "aab")
    order, net = ring_order(problem, problem.timing.links), problem.network
    assert sorted(order) == list(range(net.num_processors))
    steps = [int(net.distances[a, b]) for a, b in zip(order, [*order[1:], order[0]], strict=True)]
    assert (max(steps) == 1) is has_cycle


def test_a_ring_takes_fast_links_before_slow_ones() -> None:
    """On two machines the ring crosses between them twice only."""
    net = network("rails:2,4")
    is_rail = np.isin(net.channels, np.setdiff1d(np.arange(net.num_routers), net.router_of)).any(axis=1)
    rates = np.where(is_rail & (net.capacity == net.capacity.min()), 10**9, 10**11)
    zeros = np.zeros(net.num_channels, dtype=np.int64)
    order = ring_order(Problem(net, named("aab", net), PASSING), Links(zeros, zeros, rates))
    machines = [processor // 4 for processor in order]
    assert sum(a != b for a, b in zip(machines, [*machines[1:], machines[0]], strict=True)) == 2


@pytest.mark.parametrize("rules", [Rules(multicast=True), Rules(switches="copy")])
@pytest.mark.parametrize("kind", ["AAB", "ALLREDUCE"])
def test_rings_need_no_copies(rules: Rules, kind: str) -> None:
    """Where routers copy, the schedules of libraries are those without copies."""
    spec = "ring:4" if rules.multicast else "nvl:4"
    assert ends_of(timed_of(spec, kind, rules)) == ends_of(timed_of(spec, kind, rules.without_copies()))
