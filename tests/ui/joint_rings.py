"""Several collectives on a small ring, to draw and to play."""

from __future__ import annotations

from functools import cache

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.synthesis import solve


@cache
def joint_ring() -> Result:
    """Return an allreduce, an allgather and an all-to-all on three parts of a ring."""
    ring = network("ring:9")
    parts = [named("allreduce", range(3)), named("aab", range(3, 6)), named("aas", range(6, 9))]
    return solve(Problem(ring, parts))
