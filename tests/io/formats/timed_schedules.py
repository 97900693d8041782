"""Schedules with start times to export: those of steps, re-timed on links that differ, and some that were searched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.search.synthesis import solve
from pavane.solvers.timed.retiming import retime
from tests.io.formats.allreduces import ALLREDUCES
from tests.io.formats.gpu_schedules import MACHINES
from tests.io.formats.schedules import in_one_box

STORED = Rules(switching="store-and-forward")
PASSING = Rules(switching="store-and-forward", switches="pass")


def unequal_links(made: Network, seed: int = 0) -> Links:
    """Return links of which some are much slower than others, with latencies and overheads."""
    draw = np.random.default_rng(seed)
    latencies, overheads = (draw.integers(0, 3, made.num_channels) * scale for scale in (500_000, 100_000))
    return Links(latencies, overheads, draw.choice([5, 10, 25, 50], made.num_channels) * 10**9)


def re_timed(result: Result, seed: int = 0) -> Result:
    """Return a schedule of steps with start times on unequal links."""
    assert result.schedule is not None
    problem = replace(result.problem, links=unequal_links(result.problem.network, seed), num_bytes=48_000)
    return Result(problem, retime(problem, result.schedule))


@cache
def searched(spec: str, kind: str, rules: Rules = STORED, pieces: int = 1) -> Result:
    """Return a timed schedule that was searched for on unequal links, those of one machine."""
    made = in_one_box(spec)
    problem = Problem(made, named(kind, made, pieces=pieces), rules)
    return solve(replace(problem, links=unequal_links(made), num_bytes=48_000))


WITH_STARTS: dict[str, Callable[[], Result]] = {
    **{
        name: lambda make=make: re_timed(make())  # type: ignore[misc]
        for name, make in (MACHINES | ALLREDUCES).items()
        if "doubling" not in name
    },
    "searched allgather": lambda: searched("ring:5", "aab", pieces=2),
    "searched alltoall": lambda: searched("ring:5", "aas"),
    "searched reduce-scatter": lambda: searched("ring:5", "aar", pieces=2),
    "searched allreduce": lambda: searched("ring:5", "allreduce"),
    "searched over switches": lambda: searched("rails:2,2", "aab", PASSING),
}
