"""Exact start times: schedules at the bound, judged, the same for the same seed, and none where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.bounds.finish_bounds import timed_bounds
from pavane.judge.timed_rules import finish_time, verify_timed
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.model.timed import TimedProblem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.timed.cp_sat import TimedCpSat

STORED = Rules(switching="store-and-forward")
PASSING = Rules(switching="store-and-forward", switches="pass")


def timed_on(spec: str, kind: str, rules: Rules, pieces: int = 1) -> TimedProblem:
    """Return a problem with links that differ."""
    net, rng = network(spec), np.random.default_rng(1)
    latencies = rng.integers(200, 2_000, net.num_channels)
    rates = rng.choice([12, 25, 50, 100], net.num_channels) * 10**9
    problem = Problem(net, named(kind, net, pieces=pieces), rules)
    return TimedProblem(problem, Links(latencies, np.zeros(net.num_channels, dtype=np.int64), rates), 1001)


@pytest.mark.parametrize(
    ("spec", "kind", "rules", "pieces"),
    [
        ("octagon", "aab", STORED, 1),
        ("ring:5", "aab", Rules(switching="store-and-forward", duplex="half"), 2),
        ("ring:5", "aas", Rules(switching="store-and-forward", ports=1), 1),
        ("rails:2,2", "aab", PASSING, 1),
        ("mesh:2x3", "aas", STORED, 1),
        ("star:3", "oab", STORED, 3),
    ],
)
def test_schedules_are_valid_and_end_in_time(spec: str, kind: str, rules: Rules, pieces: int) -> None:
    """What is found ends before the given end, breaks no rule, and is the same again for the same seed."""
    timed, solver = timed_on(spec, kind, rules, pieces), TimedCpSat()
    assert solver.supports(timed)
    lowest = max(bound.finish for bound in timed_bounds(timed))
    schedules = [
        solver.find(timed, lowest, 3 * lowest, np.random.default_rng(7), Budget.of(None, None)) for _ in range(2)
    ]
    for schedule in schedules:
        assert schedule is not None
        assert verify_timed(timed, schedule) == []
        assert lowest <= finish_time(timed, schedule) < 3 * lowest
        assert list(schedule) == list(schedules[0] or ())


def test_an_end_that_cannot_be_met_has_no_schedule() -> None:
    """Below the bound there is nothing to find."""
    timed = timed_on("octagon", "aab", STORED)
    lowest = max(bound.finish for bound in timed_bounds(timed))
    assert TimedCpSat().find(timed, lowest // 2, lowest, np.random.default_rng(7), Budget.of(None, None)) is None


def test_large_problems_and_whole_paths_are_not_supported() -> None:
    """Private messages by wormhole go in one transfer, and programs of many messages and hops take too long."""
    assert not TimedCpSat().supports(timed_on("ring:5", "aas", Rules(switching="wormhole")))
    assert not TimedCpSat().supports(timed_on("torus:6x6", "aas", STORED))
