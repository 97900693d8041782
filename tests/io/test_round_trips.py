"""Every answer is written and read back, whatever the variant of its problem: the writer refuses no valid schedule."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pavane import Links, Problem, Rules, SearchOptions, in_pieces, named, network
from pavane.io.readers import read_schedule
from pavane.io.schedule_file import write_schedule
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.network import Network
from pavane.search.pareto_search import pareto_front
from pavane.search.synthesis import solve
from pavane.search.tables import solve_by_table

SECONDS = 0.1
"""Time limit of a search: the first answers count, and each of those before the last."""

UNEVEN = Network("uneven", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2), (2, 3), (3, 2), (2, 3)], [0, 1, 3, 3])
"""A pure switch, two processors on one router and parallel channels."""

STORED = Rules("store-and-forward")
COPYING = Rules("store-and-forward", switches="copy")
MULTICAST = Rules(multicast=True, routing="any")


class Case(NamedTuple):
    """A problem: its network, its collectives, its rules and what else it says."""

    where: str | Network
    kinds: str
    rules: Rules = Rules()
    pieces: int = 1
    sizes: tuple[tuple[int, ...], ...] = ()
    capacity: int = 1
    num_bytes: int | None = None
    is_table: bool = False

    def problem(self) -> Problem:
        """Return the problem."""
        where = network(self.where) if isinstance(self.where, str) else self.where
        if self.capacity > 1:
            about = where.name, where.routers, where.channels, where.router_of
            where = Network(*about, capacities=[self.capacity] * where.num_channels)
        members = [in_pieces(named(kind, where), self.pieces, self.sizes) for kind in self.kinds.split()]
        return Problem(where, members, self.rules)


CASES = [
    Case("octagon", "aas"),
    Case("mesh:2x3", "aas", Rules(ports=1, duplex="half")),
    Case(UNEVEN, "aab", Rules(routing="any", ports=2)),
    Case(UNEVEN, "aas", STORED, pieces=2),
    Case(UNEVEN, "aar", replace(STORED, switches="pass")),
    Case("ring:4", "allreduce", STORED, pieces=3),
    Case("ring:4", "aas", sizes=((0, 1, 3), (2, 3, 0))),
    Case("mesh:2x2", "aab", capacity=3, pieces=2),
    Case("ring:5", "aas", Rules(combining=True)),
    Case(UNEVEN, "allreduce", Rules(combining=True, ports=1)),
    Case("mesh:2x2", "aas", Rules(switching="tdm", packet_slots=2)),
    Case("ring:4", "oab", Rules(switching="tdm", wrap=False)),
    Case("nvl:4", "aab", COPYING),
    Case("nvl:4", "allreduce", COPYING, pieces=2),
    Case(UNEVEN, "aar", replace(COPYING, routing="any")),
    Case("ring:5", "oab", Rules(multicast=True, ports=1)),
    Case("mesh:2x3", "allreduce", MULTICAST),
    Case("mesh:2x2", "allreduce", MULTICAST, pieces=2),
    Case("ring:3", "aar", MULTICAST, capacity=2),
    Case("ring:6", "aas aab"),
    Case("star:5", "oab aar", Rules(multicast=True)),
    Case("mesh:2x2", "allreduce allreduce", MULTICAST),
    Case("ring:4", "aab", STORED, num_bytes=1000),
    Case("mesh:2x3", "aar", Rules(ports=1), pieces=2, num_bytes=1000),
    Case("nvl:4", "allreduce", COPYING, num_bytes=1000),
    Case("mesh:2x2", "allreduce", MULTICAST, num_bytes=1000),
    Case("torus:4x4", "aas", is_table=True),
    Case("torus:4x4", "allreduce", Rules(ports=1), is_table=True),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.where} {case.kinds} {case.rules}")
def test_every_answer_is_read_as_it_was_written(case: Case, tmp_path: Path) -> None:
    """Problem, schedule, end, bounds and status come back, and the judge accepts what was read."""
    numbers = count()
    for answer in _answers(case):
        path = tmp_path / f"{next(numbers)}.json"
        again, broken = _read_again(path, answer)
        assert broken == []
        assert _content(again) == _content(answer)


def _answers(case: Case) -> list[Any]:
    """Return the answer to a problem, and the schedules that the search found before it."""
    problem = case.problem()
    found: list[Any] = []
    options = SearchOptions(seed=0, seconds=SECONDS, on_improvement=found.append)
    if case.num_bytes is not None:
        links = Links.uniform(problem.network, latency_ps=700, bytes_per_second=10**9)
        return [solve(replace(problem, links=links, num_bytes=case.num_bytes), SearchOptions(seed=0, seconds=SECONDS))]
    if case.is_table:
        return [solve_by_table(problem)]
    if problem.rules.combining:
        return [*(point.result for point in pareto_front(problem, options).points)]
    return [solve(problem, options), *found]


def _read_again(path: Path, answer: Result) -> tuple[Result, list[Any]]:
    write_schedule(path, answer)
    claim = read_schedule(path)
    again = claim.result().amended(bounds=claim.bounds, claims=())
    return again, verify(claim.problem, claim.schedule)


def _content(answer: Result) -> tuple[Any, ...]:
    """Return what an answer says, as values that can be compared."""
    schedule = answer.schedule if answer.table is None else answer.table.expand(answer.problem)
    return answer.problem, type(answer.table), schedule, answer.figure, answer.bounds, answer.status
