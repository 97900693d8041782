"""Timed broadcasts by trees, where routers copy."""

from dataclasses import replace

import numpy as np
import pytest

from pavane.bounds import lower_bounds
from pavane.judge.certificates import proven
from pavane.judge.rules import verify
from pavane.judge.timed_case import finish_time
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.timed.tree_greedy import TreeGreedy
from tests.timed_checker import is_valid

STORED = Rules("store-and-forward", switches="copy")


def timed_problem(made: Network, kind: str, rules: Rules, pieces: int = 1, size: int = 1000) -> Problem:
    """Return a problem with a latency of 350 and 1 byte in 10 picoseconds for each unit of capacity."""
    rates = made.capacity.astype(np.int64) * 10**11
    links = Links(np.full(made.num_channels, 350), np.zeros(made.num_channels, dtype=np.int64), rates)
    return Problem(made, named(kind, made, pieces=pieces), rules, links=links, num_bytes=size)


def found(problem: Problem, seed: int = 0) -> int:
    """Return the end of the schedule that the solver finds, which both judges accept."""
    solver = TreeGreedy(most_restarts=3)
    assert solver.supports(problem)
    schedule = solver.find(problem, 0, np.random.default_rng(seed), Budget.of(None))
    assert schedule is not None
    assert verify(problem, schedule) == []
    if len(schedule) < 300:
        assert is_valid(problem, schedule)
    return finish_time(problem, schedule)


@pytest.mark.parametrize("ports", ["all", 1])
def test_one_switch_copies_each_message_once(ports: int) -> None:
    """Around a switch a broadcast takes one transfer, and an allgather as long as one GPU receives."""
    hub = Network("hub", 6, [(0, r) for r in range(1, 6)] + [(r, 0) for r in range(1, 6)], range(1, 6))
    assert found(timed_problem(hub, "OAB", Rules(switches="copy", ports=ports))) == 10_000 + 700
    assert found(timed_problem(hub, "AAB", Rules(switches="copy", ports=ports))) == 4 * 10_000 + 700


def test_a_message_crosses_slow_channels_once() -> None:
    """Two DGX-2 boxes gather at the bound, which one cut proves: a GPU receives 31 messages."""
    problem = timed_problem(network("dgx-2:2"), "AAB", STORED, size=16_000_000)
    bounds = lower_bounds(problem)
    assert {bound.argument for bound in bounds} == {"timed-cut"}
    assert proven(problem, bounds[0]) == bounds[0].figure
    assert found(problem) == bounds[0].figure == 31 * 16_000_000 + 700


@pytest.mark.parametrize(
    ("spec", "rules"),
    [
        ("rails:2,4", STORED),
        ("mesh:3x3", Rules(multicast=True)),
        ("kautz:2,2", Rules(multicast=True, routing="any", ports=1)),
        ("dgx-h100:2", Rules(switches="copy")),
    ],
)
@pytest.mark.parametrize(("kind", "pieces"), [("OAB", 3), ("AAB", 1), ("AAB", 2)])
def test_trees_are_valid_on_all_networks(spec: str, rules: Rules, kind: str, pieces: int) -> None:
    """Trees part at routers that copy, under both switchings and with ports; the same seed gives the same end."""
    problem = timed_problem(network(spec), kind, rules, pieces)
    assert found(problem, 1) == found(problem, 1)


def test_other_problems_are_not_supported() -> None:
    """Sums, half duplex and routers that do not copy are for others."""
    problem = timed_problem(network("nvl:4"), "AAB", STORED)
    assert TreeGreedy().supports(problem)
    for rules in (STORED.without_copies(), replace(STORED, duplex="half")):
        assert not TreeGreedy().supports(timed_problem(network("nvl:4"), "AAB", rules))
    assert not TreeGreedy().supports(timed_problem(network("nvl:4"), "AAR", STORED))
