"""What a comparison says: times, and the Pareto set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.campaign.network_comparison.compared import Comparison, ComparisonRow, nondominated
from pavane.campaign.network_comparison.network_figures import NetworkFigures
from pavane.errors import InputError
from pavane.networks import network
from pavane.timing import Costs
from tests.campaign.network_comparison.made import cell, made_up

RING = network("ring:4")
FIGURES = NetworkFigures.of(RING)

ROWS = st.lists(st.tuples(st.integers(4, 6), st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=20)


@given(ROWS)
def test_the_pareto_set_by_definition(drawn: list[tuple[int, int, int]]) -> None:
    """A network is in it exactly if no other of as many processors is no dearer, no slower, and better somewhere."""
    rows = tuple(
        ComparisonRow((f"net {number}",), RING, replace(FIGURES, processors=processors, cost=cost), (cell(steps),))
        for number, (processors, cost, steps) in enumerate(drawn)
    )
    found = Comparison(("AAS",), made_up({}).rules, rows)
    expected = [
        row
        for row, (processors, cost, steps) in zip(rows, drawn, strict=True)
        if not any(
            other[0] == processors and other[1] <= cost and other[2] <= steps and other != (processors, cost, steps)
            for other in drawn
        )
    ]
    assert list(found.pareto()) == expected


def test_sizes_have_fronts_of_their_own() -> None:
    """Hops count where messages are small: then the network of few hops wins, and no other time is needed."""
    costs = Costs(startup=1e-6, per_byte=1e-9, per_hop=1e-6)
    found = made_up(
        {"ring:8": (cell(8, hops=1),), "spidergon:8": (cell(7, hops=9),)}, costs=costs, message_bytes=(1, 10**6)
    )
    assert [row.name for row in found.pareto()] == [row.name for row in found.pareto(1)] == ["ring:8"]
    assert [row.name for row in found.pareto(10**6)] == ["ring:8", "spidergon:8"]
    assert found.time(found.rows[0], 0, 1000) == pytest.approx(8 * (1e-6 + 1e-6 + 1e-6))
    assert found.time(found.rows[0], 0) == 8


def test_collectives_add_up() -> None:
    """All collectives count, one after the other; a network on which one has no schedule is in no set."""
    found = made_up({"ring:8": (cell(8), cell(4)), "line:8": (cell(1), cell(None))}, ("AAS", "AAB"))
    assert [found.total(row) for row in found.rows] == [12, None]
    assert [row.name for row in found.pareto()] == ["ring:8"]


def test_equal_times_are_equal_whatever_they_are_added_up_of() -> None:
    """Rounding puts no network above another."""
    costs = Costs(startup=0.1, per_byte=0.1)
    found = made_up(
        {"octagon": (cell(3), cell(6)), "hypercube:3": (cell(8), cell(1)), "torus:2x4": (cell(4), cell(5))},
        ("AAS", "AAB"),
        costs,
        (1,),
    )
    assert len(found.pareto()) == 3


def test_what_is_asked_for_wrongly() -> None:
    """Times need costs, and sizes are whole numbers."""
    found = made_up({"ring:8": (cell(8),)})
    with pytest.raises(InputError, match="times need `costs`"):
        found.pareto(4096)
    with pytest.raises(InputError, match="`size` is '4'"):
        found.pareto("4")  # type: ignore[arg-type]


def test_it_is_short() -> None:
    """In a session it is one line, however many networks there are."""
    rows = {f"ring:{size}": (cell(size),) for size in range(4, 12)}
    assert repr(made_up(rows)) == (
        "<Comparison of 8 networks for AAS, 8 in the Pareto set: ring:4, ring:5, ring:6, ring:7 and 4 more>"
    )
    assert repr(made_up({"ring:4": (cell(None),)})) == "<Comparison of 1 network for AAS, 0 in the Pareto set>"


POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 2)), max_size=30)


@given(POINTS)
def test_by_definition(points: list[tuple[int, int, int]]) -> None:
    """A point stays exactly if no other is nowhere larger and somewhere smaller."""
    expected = [
        not any(
            other[0] <= point[0] and other[1] <= point[1] and other[2] <= point[2] and other != point
            for other in points
        )
        for point in points
    ]
    assert nondominated(points) == expected
