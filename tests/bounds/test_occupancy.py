"""Lower bounds on occupancy and start-ups: never above what is reached, and proven again by their checker."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavane.bounds.occupancy import explain_occupancy, occupancy_bound, occupancy_bounds
from pavane.bounds.start_ups import start_up_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import named, reduce_scatter
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import TooMany
from tests.bounds.tiny import BROADCAST, PRIVATE, tiny_problems
from tests.optimum import least_occupancy

Ports = int | Literal["all"]


def combined(spec: str, kind: str, ports: Ports = 1) -> Problem:
    """Return a combining problem on a network of the catalogue."""
    where = network(spec)
    return Problem(where, named(kind, where), Rules(ports=ports, combining=True))


REACHED: list[tuple[str, str, Ports, int, int, int]] = [
    ("ring:8", "AAB", 1, 3, 7, 7),
    ("ring:8", "AAS", 1, 3, 12, 12),
    ("ring:8", "AAS", 1, 8, 8, 8),
    ("mesh:4x4", "OAB", 1, 4, 4, 4),
    ("mesh:4x4", "OAS", 1, 4, 15, 15),
    ("mesh:4x4", "AAB", 1, 4, 15, 15),
    ("mesh:4x4", "AAR", 1, 4, 15, 15),
    ("mesh:4x4", "AAS", 1, 4, 32, 32),
    ("mesh:4x4", "AAS", 1, 5, 29, 25),
    ("mesh:4x4", "AAS", 1, 8, 23, 22),
    ("mesh:4x4", "AAS", 1, 16, 16, 16),
    ("hypercube:4", "AAS", 1, 4, 32, 32),
    ("hypercube:4", "AAS", 1, 15, 15, 15),
    ("kautz:3,2", "AAS", 1, 4, 20, 19),
    ("kautz:3,2", "AAS", "all", 2, 7, 7),
    ("hypercube:4", "AAS", "all", 3, 8, 8),
    ("mesh:4x4", "AAS", "all", 3, 21, 16),
    ("mesh:4x4", "AAS", "all", 4, 16, 16),
    ("hierarchical-rings:4,4", "AAS", 1, 5, 32, 32),
    ("hierarchical-rings:4,4", "AAB", 1, 5, 15, 15),
]
"""Network, collective, ports, then start-ups and occupancy that schedules have reached, and the occupancy proven."""


@pytest.mark.parametrize(("spec", "kind", "ports", "steps", "reached", "proven"), REACHED)
def test_bounds_stay_below_what_is_reached(
    spec: str, kind: str, ports: Ports, steps: int, reached: int, proven: int
) -> None:
    """No bound exceeds the occupancy of a known schedule, for its own start-ups or for any number."""
    problem = combined(spec, kind, ports)
    assert start_up_bounds(problem)[0].figure <= steps
    best = occupancy_bound(problem, steps)
    assert best.figure == proven <= reached
    assert occupancy_bound(problem).figure <= best.figure


def test_words_speak_of_occupancy() -> None:
    """Bounds that come from steps without combining are told in units of occupancy."""
    problem = combined("kautz:3,2", "AAS", "all")
    assert explain_occupancy(problem, occupancy_bound(problem)) == (
        "the messages need 228 channel uses in all, and a unit of occupancy offers 36"
    )
    one = combined("ring:8", "AAB")
    assert explain_occupancy(one, occupancy_bound(one)) == (
        "processor 0 must receive 7 messages, 1 per unit of occupancy"
    )


def test_too_few_start_ups_are_refused() -> None:
    """No occupancy is bounded where no schedule can be."""
    with pytest.raises(InputError, match=r"no schedule has 3 start-ups; at least 4 are needed \(growth\)"):
        occupancy_bounds(combined("mesh:4x4", "AAS"), 3)


def test_without_combining_there_is_nothing_to_bound() -> None:
    """Occupancy and start-ups are the steps then, which have bounds of their own."""
    ring = network("ring:4")
    problem = Problem(ring, named("AAS", ring))
    for ask in (occupancy_bounds, start_up_bounds):
        with pytest.raises(InputError, match="combining"):
            ask(problem)
    for bound in (Bound(2, "start-ups", {}, objective="tco", num_steps=2),):
        with pytest.raises(InputError, match="combining"):
            proven(problem, bound)


def test_reductions_are_bounded_as_their_duals() -> None:
    """A reduce-scatter has the bounds of the allgather that it is when read backwards."""
    where = Network("lopsided", 4, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    problem = Problem(where, reduce_scatter(where), Rules(ports=1, combining=True))
    for steps in (None, 4):
        bounds = occupancy_bounds(problem, steps)
        assert bounds == occupancy_bounds(dual(problem), steps)
        assert [proven(problem, bound) for bound in bounds] == [bound.figure for bound in bounds]
        assert explain_occupancy(problem, bounds[0]).startswith("read backwards: ")


@given(problem=tiny_problems(kinds=PRIVATE + BROADCAST, combining=(True,)), more=st.integers(0, 1))
def test_no_tiny_schedule_beats_a_bound(problem: Problem, more: int) -> None:
    """On networks so small that all schedules can be tried, none has fewer start-ups or a lower occupancy."""
    start_ups = start_up_bounds(problem)
    steps = start_ups[0].figure + more
    for start_up in start_ups:
        assert proven(problem, start_up) == start_up.figure
    bounds = list(occupancy_bounds(problem))
    is_possible = True
    try:
        bounds += occupancy_bounds(problem, steps)
    except InputError:
        is_possible = False
    for bound in bounds:
        assert proven(problem, bound) == bound.figure
    try:
        if more == 0 and steps > 1:
            assert least_occupancy(problem, steps - 1, 20_000) is None
        least = least_occupancy(problem, steps, 20_000)
    except TooMany:
        assume(False)
        raise
    if least is not None:
        assert is_possible
        assert max(bound.figure for bound in bounds) <= least


@pytest.mark.parametrize(("pieces", "capacity", "tco"), [(1, 1, 2), (6, 1, 7), (6, 2, 4), (12, 2, 7)])
def test_pieces_and_capacities_are_counted(pieces: int, capacity: int, tco: int) -> None:
    """Seven messages of some pieces come in over six channels of a capacity: occupancy is what that takes."""
    plain = network("dgx-1")
    made = Network("wide", plain.routers, plain.channels, plain.router_of, capacities=[capacity] * plain.num_channels)
    problem = Problem(made, named("AAB", made, pieces=pieces), Rules("store-and-forward", combining=True))
    bound = occupancy_bound(problem)
    assert bound.figure == tco
    assert proven(problem, bound) == tco


def test_an_exhaustive_search_is_told() -> None:
    """What a search through all schedules has shown is said with its start-ups and TCO."""
    ring = network("ring:4")
    problem = Problem(ring, named("AAB", ring), Rules("store-and-forward", combining=True))
    text = explain_occupancy(problem, Bound(9, "exhaustive", {}, objective="tco", num_steps=2))
    assert text == "a search through all schedules of 2 start-ups and a TCO of 8 found none"
