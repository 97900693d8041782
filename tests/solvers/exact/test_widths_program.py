"""Exact answers under combining: start-ups and TCO."""

from typing import Any

import pytest

from pavane.judge.rules import verify
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.exact.widths_program import Decision, decide
from tests.optimum import least_occupancy

HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])


CABLED = Network(
    "cabled", 4, [(0, 3), (3, 1), (1, 3), (3, 0), (2, 3), (1, 2), (2, 0)], [0, 1, 2], capacities=[2, 1, 1, 1, 1, 1, 1]
)
"""Processors on a switch, and cables beside it: some pairs have a way over each."""


def combined(spec: str | Network, kind: str, pieces: int = 1, **rules: Any) -> Problem:
    """Return a problem of combining under store-and-forward."""
    made = network(spec) if isinstance(spec, str) else spec
    return Problem(made, named(kind, made, pieces=pieces), Rules("store-and-forward", combining=True, **rules))


def decided(problem: Problem, num_steps: int, tco: int) -> Decision:
    """Decide with enough effort."""
    return decide(problem, num_steps, tco, effort=20.0, seed=0, budget=Budget())


@pytest.mark.parametrize(
    ("problem", "num_steps", "tco"),
    [
        *[(combined("dgx-1", "AAB"), 2, 2), (combined("dgx-1", "AAB", 2), 2, 3), (combined("dgx-1", "AAS"), 2, 3)],
        *[(combined("dgx-1", "AAS", 3), 2, 8), (combined("dgx-1", "OAS", 6), 2, 7)],
        *[(combined("ring:8", "AAB"), 4, 4), (combined("ring:8", "AAB", 2), 4, 7), (combined("ring:8", "AAS"), 4, 8)],
        *[(combined(HUB, "AAB"), 2, 3), (combined(HUB, "AAS"), 2, 4)],
    ],
    ids=str,
)
def test_what_there_is(problem: Problem, num_steps: int, tco: int) -> None:
    """The figures of SCCL's tables, and messages that rest at a pure switch."""
    schedule = decided(problem, num_steps, tco).schedule
    assert schedule is not None
    assert not verify(problem, schedule)
    assert schedule.num_steps <= num_steps
    assert schedule.tco <= tco


@pytest.mark.parametrize(
    ("problem", "num_steps", "tco"),
    [
        (combined("dgx-1", "AAB", 3), 2, 4),
        (combined("dgx-1", "AAB", 6), 2, 8),
        (combined("dgx-1", "AAS", 3), 2, 7),
        (combined("kautz:3,2", "AAB", 3), 2, 11),
        (combined("ring:4", "AAS"), 2, 1),
        (combined(HUB, "AAS"), 2, 3),
    ],
    ids=str,
)
def test_what_there_is_not(problem: Problem, num_steps: int, tco: int) -> None:
    """Whatever the widths, there is no schedule: the search says so, and that it is sure."""
    assert decided(problem, num_steps, tco).is_refuted


def test_a_parallel_channel_is_a_unit_of_capacity() -> None:
    """Two parallel channels and one of capacity 2 carry the same."""
    double = Network("double", 2, [(0, 1), (0, 1), (1, 0)], [0, 1])
    wide = Network("wide", 2, [(0, 1), (1, 0)], [0, 1], capacities=[2, 1])
    for made in (double, wide):
        problem = combined(made, "OAS", 4)
        assert decided(problem, 1, 1).is_refuted
        schedule = decided(problem, 1, 2).schedule
        assert schedule is not None
        assert schedule.payloads.tolist() == [2, 2]


@pytest.mark.parametrize("net", [HUB, CABLED], ids=lambda net: net.name)
@pytest.mark.parametrize(("kind", "pieces"), [("AAB", 1), ("OAB", 2), ("OAS", 2)])
def test_switches_that_pass_are_decided_as_by_a_search_through_everything(net: Network, kind: str, pieces: int) -> None:
    """The least TCO of each number of start-ups is found, and one less is refuted."""
    problem = combined(net, kind, pieces, switches="pass")
    compared = 0
    for num_steps in (1, 2, 3):
        least = least_occupancy(problem, num_steps)
        if least is not None:
            schedule = decided(problem, num_steps, least).schedule
            assert schedule is not None
            assert not verify(problem, schedule)
            assert schedule.tco <= least
            if least > num_steps:
                assert decided(problem, num_steps, least - 1).is_refuted
            compared += 1
    assert compared


def test_without_all_ways_over_switches_nothing_is_refuted() -> None:
    """Where switches are joined, ways over more of them than needed are left out, and a no says nothing."""
    links = [(0, 2), (2, 3), (3, 1)]
    joined = Network("joined", 4, [way for a, b in links for way in ((a, b), (b, a))], [0, 1])
    problem = combined(joined, "AAS", 2, switches="pass")
    assert decided(problem, 1, 2).schedule is not None
    assert decided(problem, 1, 1) == Decision()
