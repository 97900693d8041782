"""What edges say about their speed becomes the capacity of their channels; what is ignored is reported in one line."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import Note, parse_network
from pavane.io.capacities import MOST_RATIO, as_capacities, whole_ratios
from pavane.io.files import File, collect_notes
from pavane.model.network import Network

FILE = File.of(b"x", "f")


@pytest.mark.parametrize(
    ("speeds", "capacities", "told"),
    [
        (["50", "100"], [1, 2], "speeds 50 and 100 became capacities 1 and 2"),
        (["54.56", "100"], [6, 11], "speeds 54.56 and 100 became capacities 6 and 11, within 1 %"),
        (["1", "2", "3", "4", "5"], [1, 2, 3, 4, 5], "speeds 1 to 5 became capacities 1 to 5"),
        (["0.001", "1"], [1, 1000], "speeds 0.001 and 1 became capacities 1 and 1000"),
        (["7", "7"], [1, 1], None),
        ([], [], None),
    ],
)
def test_ratios_are_kept(speeds: list[str], capacities: list[int], told: str | None) -> None:
    """Exactly where small numbers can say it, otherwise within 1 %, and a note tells what became of them."""
    with collect_notes() as notes:
        found = as_capacities(FILE, {key: Fraction(speed) for key, speed in enumerate(speeds)}, "speeds")
    assert list(found.values()) == capacities
    assert notes == ([] if told is None else [f"f: {told}"])


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        (
            ["1", "1001"],
            "f: speeds from 1 to 1001 differ by too large a ratio to be capacities, whole numbers up to 1,000",
        ),
        (["1", "1.5", "999"], "f: speeds from 1 to 999 have no small whole ratios to be capacities"),
    ],
)
def test_other_ratios_are_refused(speeds: list[str], said: str) -> None:
    """In one line that says what to do."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        as_capacities(FILE, {speed: Fraction(speed) for speed in speeds}, "speeds")
    assert str(caught.value).endswith("round the figures, or leave them out")


@given(st.lists(st.fractions(Fraction(1, 100), 100), min_size=1, max_size=6))
def test_every_ratio_is_within_a_hundredth(speeds: list[Fraction]) -> None:
    """Whatever is found is small and near enough, and where the fastest is twenty times the slowest it is found."""
    found = whole_ratios(set(speeds))
    if found is None:
        assert max(speeds) > 20 * min(speeds)
        return
    assert 1 <= min(found.values()) <= max(found.values()) <= MOST_RATIO
    slowest = min(speeds)
    for speed in speeds:
        assert Fraction(found[speed], found[slowest]) / (speed / slowest) == pytest.approx(1, abs=0.0101)


def read_text(text: str) -> tuple[Network, list[str]]:
    """Read a network, and return it with its notes."""
    with collect_notes() as notes:
        network = parse_network(text.encode(), "f")
    return network, notes


def read(*edges: dict[str, Any]) -> tuple[list[int], list[str]]:
    """Read a path of links with these attributes; return the capacity of each link, and the notes."""
    nodes = [{"id": router} for router in range(len(edges) + 1)]
    listed = [{"source": at, "target": at + 1, **edge} for at, edge in enumerate(edges)]
    network, notes = read_text(json.dumps({"nodes": nodes, "edges": listed}))
    there, back = network.capacity[::2].tolist(), network.capacity[1::2].tolist()
    assert there == back
    return there, notes


def test_notes_may_be_kept_by_who_asks() -> None:
    """In a list of its own, each once, instead of as warnings, which are the whole process's; and on one line."""
    file = File.of(b"x", "a\nb")
    with collect_notes() as kept:
        file.note("one")
        file.note("one")
        file.note("two\x1b[8m")
    assert kept == ["a\\nb: one", "a\\nb: two\\x1b[8m"]
    with pytest.warns(Note, match="three"):
        file.note("three")


HALVES = "f: capacity 1 is 1/2 of that in the file: a step carries 2 messages where it says 1"


@pytest.mark.parametrize(
    ("edges", "capacities", "told"),
    [
        # A capacity that is whole is what a channel carries.
        ([{"capacity": 2}, {"capacity": 4}], [2, 4], []),
        ([{"capacity": 3.0}, {}, {}], [3, 1, 1], ["f: 2 edges without `capacity` carry 1 a step"]),
        ([{"Capacity": 3}, {"capacity": 1}], [3, 1], []),
        # Fractions are multiplied by their common denominator, and so is what has no capacity.
        ([{"capacity": 2.5}, {"capacity": 5}], [5, 10], [HALVES]),
        (
            [{"capacity": "1/2"}, {"capacity": " 1.5 "}, {}],
            [1, 3, 2],
            ["f: 1 edge without `capacity` carries 1 a step", HALVES],
        ),
        # Anything else is a speed, of which the ratios count.
        ([{"bandwidth": 50}, {"bandwidth": 100}], [1, 2], ["f: `bandwidth` 50 and 100 became capacities 1 and 2"]),
        ([{"bandwidth": "25 GB/s"}, {"bandwidth": "400Gbps"}], [1, 2], None),
        ([{"bandwidth": "1.5e3"}, {"bandwidth": "1k"}], [3, 2], None),
        # The first that says it is taken; what not all edges say is left out.
        ([{"bandwidth": 2, "capacity": 5}, {"bandwidth": 6, "capacity": 7}], [5, 7], []),
        ([{"bandwidth": 50}, {}], [1, 1], ["f: attributes that are not read: `bandwidth` of edges"]),
        ([{"weight": 2}, {"weight": 6}], [1, 1], ["f: attributes that are not read: `weight` of edges"]),
    ],
)
def test_attributes_become_capacities(
    edges: list[dict[str, Any]], capacities: list[int], told: list[str] | None
) -> None:
    """`capacity` as it is, `bandwidth` in its ratio; notes say which."""
    found, notes = read(*edges)
    assert found == capacities
    assert told is None or notes == told


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ([{"capacity": 0}, {"capacity": 1}], "f: an edge has `capacity` 0; give numbers above 0, and leave edges out"),
        ([{"bandwidth": -1.5}], "f: an edge has `bandwidth` -1.5; give numbers above 0"),
        ([{"capacity": "wide"}, {}], "f: an edge has `capacity` 'wide'; give numbers above 0"),
        ([{"bandwidth": True}], "f: an edge has `bandwidth` True; give numbers above 0"),
        ([{"capacity": 10**7}, {"capacity": 1}], "f: `capacity` from 1 to 1e+07 differ by too large a ratio"),
        ([{"capacity": 0.123456}], "f: the capacities are multiples of no fraction down to 1/1000"),
    ],
)
def test_what_is_no_capacity_is_refused(edges: list[dict[str, Any]], said: str) -> None:
    """One line that names the attribute and says what to do."""
    with pytest.raises(InputError, match=re.escape(said)):
        read(*edges)


AMOUNTS = st.one_of(
    st.integers(-2, 10**20), st.floats(), st.booleans(), st.none(), st.text(max_size=6),
    st.sampled_from(["10G", "1e99", "1e-99", "9" * 40, "np.float64(2.5)", "0x10", "1_000", "\u0663", ".", "-", "1..2"]),
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["capacity", "bandwidth"]), AMOUNTS), min_size=1, max_size=4))
def test_any_values_are_read_or_refused_in_one_line(edges: list[dict[str, Any]]) -> None:
    """Whatever an attribute holds, nothing worse than a refusal comes of it."""
    finite = [
        {k: v for k, v in edge.items() if not isinstance(v, float) or (v == v and abs(v) < 1e308)} for edge in edges
    ]
    refusal = "f: "
    try:
        assert min(read(*finite)[0]) >= 1
    except InputError as error:
        refusal = str(error)
    assert refusal.startswith("f: ")
    assert refusal.isprintable()
