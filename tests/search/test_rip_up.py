"""Rip-up and reroute: a collective comes in again, in a valid schedule of the same messages."""

from __future__ import annotations

import numpy as np

from pavane.judge.rules import verify
from pavane.model.collectives import allgather, allreduce, alltoall, reduce_scatter
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.rip_up import rerouted
from tests.joint_checker import packed_greedily

RING = network("ring:5")


def test_every_kind_comes_in_again() -> None:
    """Schedules stay valid for all kinds and both ways of switching; sums stay where they are."""
    for switching in ("wormhole", "store-and-forward"):
        parts = (allgather(RING), alltoall([0, 1, 3]), reduce_scatter(RING), allreduce([1, 2, 4]))
        problem = Problem(RING, parts, Rules(switching=switching))
        schedule, rng = packed_greedily(problem), np.random.default_rng(1)
        for _ in range(20):
            schedule = rerouted(problem, schedule, rng)
            assert verify(problem, schedule) == []


def test_sums_alone_stay() -> None:
    """Without another collective there is nothing to take out."""
    problem = Problem(RING, (allreduce(RING),))
    schedule = packed_greedily(problem)
    assert rerouted(problem, schedule, np.random.default_rng(0)) is schedule
