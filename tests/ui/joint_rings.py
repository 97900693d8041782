"""Several collectives on a small ring, to draw and to play."""

from __future__ import annotations

from functools import cache

from pavane.judge.joint_result import JointResult
from pavane.model.collectives import named
from pavane.model.joint import JointProblem
from pavane.networks import network
from pavane.search.joint import solve_joint


@cache
def joint_ring() -> JointResult:
    """Return an allreduce, an allgather and an all-to-all on three parts of a ring."""
    ring = network("ring:9")
    parts = [named("allreduce", range(3)), named("aab", range(3, 6)), named("aas", range(6, 9))]
    return solve_joint(JointProblem(ring, parts))
