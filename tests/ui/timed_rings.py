"""A small timed schedule for the tests of pages and pictures."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from pavane.judge.result import Result
from pavane.model.links import Links
from pavane.search.synthesis import solve
from tests.problems import problem_of


@cache
def timed_ring(kind: str = "AAB") -> Result:
    """Return a schedule on a ring of four: 40 us for a transfer of 1 MB, and 700 ns more until it is usable."""
    problem = problem_of("ring:4", kind, switching="store-and-forward")
    links = Links.uniform(problem.network, latency_ps=700_000, bytes_per_second=25 * 10**9)
    return solve(replace(problem, links=links, num_bytes=1_000_000))
