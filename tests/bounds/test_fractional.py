"""Message times that no number of pieces goes below: the known figures, proven by the judge, never above a schedule."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.bounds import fractional_bound, lower_bounds
from pavane.jit import clock
from pavane.judge.certificates import proven_message_times
from pavane.model.collectives import in_pieces
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from tests.bounds.tiny import tiny_problems
from tests.problems import problem_of

FIGURES = {
    # Of AAB, of AAS along shortest paths and along any, and of OAB.
    "dgx-1": ("7/6", "8/3", "8/3", "1/6"),
    "ring:8": ("7/2", "8", "8", "1/2"),
    "octagon": ("7/3", "4", "4", "1/3"),
    "hypercube:3": ("7/3", "4", "4", "1/3"),
    "petersen": ("3", "5", "5", "1/3"),
    "heawood": ("13/3", "9", "9", "1/3"),
    "mesh:4x4": ("15/2", "16", "16", "1/2"),
    "torus:4x4": ("15/4", "8", "8", "1/4"),
    "hypercube:4": ("15/4", "8", "8", "1/4"),
    "kautz:3,2": ("11/3", "7", "33/5", "1/3"),
    "kautz:2,3": ("11/2", "15", "43/3", "1/2"),
    "kautz:3,3": ("35/3", "34", "63/2", "1/3"),
    "hypercube:5": ("31/5", "16", "16", "1/5"),
    "levi": ("29/3", "83/3", "83/3", "1/3"),
    "spidergon:16": ("5", "16", "16", "1/3"),
    "de-bruijn:2,4": ("15", "29", "77/3", "1"),
    "amp:16": ("15/4", "15/2", "74/11", "1/4"),
    "dragonfly:4,2": ("7", "123/7", "679/41", "1/5"),
    "bridged-octagons:2": ("14/3", "58/3", "56/3", "1/3"),
}


def message_times(problem: Problem) -> Fraction:
    """Return the message times of the fractional bound, which the judge proves."""
    found = fractional_bound(problem)
    assert found is not None
    assert proven_message_times(problem, found.bound) == found.per_message
    return found.per_message


@pytest.mark.parametrize("name", FIGURES)
def test_networks(name: str) -> None:
    """The known fractions of the networks come out, each proven."""
    problems = (
        problem_of(name, "AAB"),
        problem_of(name, "AAS"),
        problem_of(name, "AAS", routing="any"),
        problem_of(name, "OAB"),
    )
    assert tuple(str(message_times(problem)) for problem in problems) == FIGURES[name]


@pytest.mark.parametrize(
    ("machine", "figure"),
    [
        ("mi250", "7/3"),
        ("mi250:2", "15/83"),
        ("dgx-a100:2", "15/13"),
        ("dgx-a100:4", "3"),
        ("ndv2:2", "8"),
        ("dgx-2:2", "31/10"),
        ("dgx-h100:2", "3/2"),
        ("nvl:72", "71/18"),
    ],
)
def test_machines(machine: str, figure: str) -> None:
    """Machines with links of different speed have the best cut of all sets of routers, reductions too."""
    for kind in ("AAB", "AAR"):
        assert str(message_times(problem_of(machine, kind))) == figure


def test_what_the_number_of_pieces_and_sizes_change() -> None:
    """The number of pieces changes nothing; a larger message takes its units."""
    problem = problem_of("dgx-1", "AAB")
    cut = replace(problem, collectives=(in_pieces(problem.collective, 6),))
    assert message_times(cut) == message_times(problem) == Fraction(7, 6)
    larger = replace(problem, collectives=(in_pieces(problem.collective, 4, [(0, 6)]),))
    assert message_times(larger) == Fraction(12, 6)


def test_rules() -> None:
    """Ports, half duplex and relays count; under combining it is the occupancy that is bounded."""
    assert message_times(problem_of("dgx-1", "AAB", ports=1)) == 7
    assert message_times(problem_of("ring:8", "OAB", duplex="half")) == Fraction(7, 8)
    assert message_times(problem_of("kautz:3,2", "AAS", switching="store-and-forward")) == Fraction(33, 5)
    assert message_times(problem_of("kautz:3,2", "AAS", combining=True)) == Fraction(33, 5)
    assert message_times(problem_of("dgx-1", "AAR", combining=True)) == Fraction(7, 6)


def test_only_what_scales_counts() -> None:
    """A long way and growth take steps, but no more of them for more pieces."""
    found = fractional_bound(problem_of("line:8", "OAB", switching="store-and-forward"))
    assert found is not None
    assert found.per_message == 1


def test_a_deadline_ends_it() -> None:
    """When time is over, counting alone is left."""
    found = fractional_bound(problem_of("kautz:3,2", "AAS", routing="any"), clock.now())
    assert found is None or found.per_message <= Fraction(33, 5)


@given(tiny_problems(combining=(False,)), st.integers(1, 3))
def test_no_bound_on_steps_that_scales_says_more(problem: Problem, pieces: int) -> None:
    """Cuts and prices of a problem in pieces prove no more message times, and greedy schedules have as many."""
    cut = replace(problem, collectives=(in_pieces(problem.collective, pieces),))
    found = fractional_bound(cut)
    least = found.per_message if found is not None else Fraction(0)
    assert found is None or proven_message_times(cut, found.bound) == least
    for bound in lower_bounds(cut):
        assert bound.exact is None or bound.exact / pieces <= least
    result = SOLVERS["greedy"](cut, None, 0, Budget()) if SOLVERS["greedy"].supports(cut) else None
    if result is not None and result.num_steps is not None:
        assert Fraction(result.num_steps, pieces) >= least


def test_nothing_to_count() -> None:
    """Where processors of one router have a port each, the ports are what bounds it."""
    lone = Network("lone", 2, [(0, 1)], [0, 0, 0])
    assert message_times(problem_of(lone, "AAB", Rules(ports=1))) == 2
