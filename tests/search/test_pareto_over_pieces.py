"""One front over several numbers of pieces."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.pareto_fronts import ParetoFront
from pavane.search.pareto_over_pieces import pareto_front_over_pieces
from pavane.search.pareto_search import pareto_front

Figures = list[tuple[int, int, int]]


def stored(spec: str, kind: str) -> Problem:
    """Return a problem of combining under store-and-forward."""
    made = network(spec)
    return Problem(made, named(kind, made), Rules("store-and-forward", combining=True))


def figures(front: ParetoFront) -> Figures:
    """Return pieces, start-ups and TCO of each point."""
    return [(point.pieces, point.start_ups, point.tco) for point in front.points]


@pytest.mark.parametrize(
    ("spec", "kind", "pieces", "expected"),
    [
        ("dgx-1", "AAB", (1, 2, 3, 6), [(2, 2, 3), (6, 3, 7)]),
        ("dgx-1", "AAS", (1, 2, 3, 6), [(3, 2, 8)]),
        ("dgx-1", "OAS", (1, 2, 3, 6), [(6, 2, 7)]),
        ("ring:8", "AAB", (1, 2), [(2, 4, 7)]),
        ("ring:8", "AAS", (1, 2), [(1, 4, 8)]),
    ],
)
def test_the_front_of_sccl(spec: str, kind: str, pieces: tuple[int, ...], expected: Figures) -> None:
    """The points of SCCL's tables for DGX-1 and a ring of eight that no other beats; each has the least TCO."""
    found = pareto_front_over_pieces(stored(spec, kind), pieces)
    assert figures(found) == expected
    assert all(point.optimal_tco for point in found.points)


def test_each_number_of_pieces_has_its_own_front() -> None:
    """What the joint front leaves out is told: six pieces in two start-ups with a TCO of 9."""
    found = pareto_front_over_pieces(stored("dgx-1", "AAB"), (1, 6))
    assert [figures(own) for own in found.fronts] == [[(1, 2, 2)], [(6, 2, 9), (6, 3, 7)]]
    assert figures(found) == [(6, 2, 9), (6, 3, 7)]
    assert found.fractional is not None
    assert found.fractional.per_message == Fraction(7, 6)


def test_times_count_whole_messages() -> None:
    """A TCO of 9 in six pieces takes as long as 3/2 messages, and the ranges go by that."""
    found = pareto_front_over_pieces(stored("dgx-1", "AAB"), (1, 6))
    assert [point.message_times for point in found.points] == [Fraction(3, 2), Fraction(7, 6)]
    assert [stretch[0] for stretch in found.ranges() if stretch is not None] == [0.0, 3.0]
    assert found.best(1.0, 2.9).tco == 9
    assert found.best(1.0, 3.1).tco == 7


def test_auto_ends_where_nothing_is_left_to_gain() -> None:
    """Two pieces have the fewest start-ups and the fewest message times of all numbers on a ring of eight."""
    found = pareto_front_over_pieces(stored("ring:8", "AAB"))
    assert figures(found) == [(2, 4, 7)]
    assert [own.problem.collective.pieces for own in found.fronts] == [1, 2]


def test_what_cannot_be_asked() -> None:
    """Without combining there is no front, and some number of pieces must be named."""
    ring = network("ring:4")
    with pytest.raises(InputError, match="combining"):
        pareto_front_over_pieces(Problem(ring, named("AAB", ring)), (1, 2))
    with pytest.raises(InputError, match="no number"):
        pareto_front_over_pieces(stored("ring:4", "AAB"), ())


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "raised"])
def test_an_interrupt_keeps_the_fronts_so_far(is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No further number of pieces is tried; before the first schedule there is nothing to keep."""
    asked = stored("ring:4", "OAB")

    def interrupted(problem: Problem, *options: Any, **named: Any) -> ParetoFront:
        if problem.collective.pieces == 2 and not is_told:
            raise KeyboardInterrupt
        return replace(pareto_front(problem, *options, **named), interrupted=problem.collective.pieces == 2)

    monkeypatch.setattr("pavane.search.pareto_over_pieces.pareto_front", interrupted)
    found = pareto_front_over_pieces(asked, (1, 2, 3))
    assert found.interrupted
    assert [own.problem.collective.pieces for own in found.fronts] == ([1, 2] if is_told else [1])
    assert found.points
    if not is_told:
        with pytest.raises(KeyboardInterrupt):
            pareto_front_over_pieces(asked, (2, 3))
