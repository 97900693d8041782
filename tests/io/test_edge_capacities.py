"""What edges say about how much they carry becomes the capacity of their channels."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import parse_network
from pavane.io.file_notes import kept_notes
from pavane.model.network import Network


def read(*edges: dict[str, Any]) -> tuple[list[int], list[str]]:
    """Read a path of links with these attributes; return the capacity of each link, and the notes."""
    network, notes = read_text(
        json.dumps(
            {
                "nodes": [{"id": router} for router in range(len(edges) + 1)],
                "edges": [{"source": at, "target": at + 1, **edge} for at, edge in enumerate(edges)],
            }
        )
    )
    there, back = network.capacity[::2].tolist(), network.capacity[1::2].tolist()
    assert there == back
    return there, notes


def read_text(text: str) -> tuple[Network, list[str]]:
    """Read a network, and return it with its notes."""
    with kept_notes() as notes:
        network = parse_network(text.encode(), "f")
    return network, notes


@pytest.mark.parametrize(
    ("edges", "capacities", "told"),
    [
        # A capacity that is whole is what a channel carries.
        ([{"capacity": 2}, {"capacity": 4}], [2, 4], []),
        ([{"capacity": 12}, {"capacity": "12"}], [12, 12], []),
        ([{"capacity": 3.0}, {}, {}], [3, 1, 1], ["f: 2 edges without `capacity` carry 1 a step"]),
        ([{"Capacity": 3}, {"capacity": 1}], [3, 1], []),
        (
            [{"capacity": "wide"}, {}],
            [1, 1],
            ["f: `capacity` of 1 edge is left out; every channel carries one message a step"],
        ),
        # Anything else is a speed, of which the ratios count.
        ([{"capacity": 2.5}, {"capacity": 5}], [1, 2], ["f: `capacity` 2.5 and 5 became capacities 1 and 2"]),
        ([{"bandwidth": 50}, {"bandwidth": 100}], [1, 2], ["f: `bandwidth` 50 and 100 became capacities 1 and 2"]),
        ([{"bandwidth": "25 GB/s"}, {"bandwidth": "400Gbps"}], [1, 2], None),
        ([{"bandwidth": "1.5e3"}, {"bandwidth": "1k"}], [3, 2], None),
        ([{"bandwidth": 50}, {"bandwidth": 50}], [1, 1], []),
        (
            [{"weight": 2}, {"weight": 6}],
            [1, 3],
            ["f: `weight` 2 and 6 became capacities 1 and 3; rename it where it is no speed"],
        ),
        # The first that says it is taken.
        ([{"weight": 2, "capacity": 5}, {"weight": 6, "capacity": 7}], [5, 7], None),
        ([{"weight": 2, "bandwidth": 5}, {"weight": 6, "bandwidth": 5}], [1, 1], None),
        ([{"weight": 2, "bandwidth": "fast"}, {"weight": 6, "bandwidth": "slow"}], [1, 3], None),
        # What not all edges say, and weights that are no ratios, are left out.
        (
            [{"bandwidth": 50}, {}],
            [1, 1],
            ["f: `bandwidth` of 1 edge is left out; every channel carries one message a step"],
        ),
        ([{"weight": 0}, {"weight": 3}], [1, 1], None),
        ([{"weight": 1}, {"weight": 10**7}], [1, 1], None),
        ([{"weight": 1}, {"weight": True}], [1, 1], []),
    ],
)
def test_attributes_become_capacities(
    edges: list[dict[str, Any]], capacities: list[int], told: list[str] | None
) -> None:
    """`capacity` as it is, `bandwidth` and `weight` in their ratio; notes say which."""
    found, notes = read(*edges)
    assert found == capacities
    assert told is None or notes == told


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ([{"capacity": 0}, {"capacity": 1}], "f: an edge has `capacity` 0; give numbers above 0, and leave edges out"),
        ([{"bandwidth": -1.5}], "f: an edge has `bandwidth` -1.5; give numbers above 0"),
        ([{"bandwidth": 1}, {"bandwidth": 5000}], "f: `bandwidth` from 1 to 5000 differ by too large a ratio"),
        ([{"capacity": 10**7}, {"capacity": 1}], "f: `capacity` from 1 to 1e+07 differ by too large a ratio"),
    ],
)
def test_what_is_no_capacity_is_refused(edges: list[dict[str, Any]], said: str) -> None:
    """One line that names the attribute and says what to do."""
    with pytest.raises(InputError, match=re.escape(said)):
        read(*edges)


@pytest.mark.parametrize(
    ("text", "capacities"),
    [
        ("graph { a -- b [capacity=4]; b -- c }", [4, 4, 1, 1]),
        ("digraph { edge [bandwidth=10]; a -> {b c}; a -> d [bandwidth=30, dir=both] }", [1, 1, 3, 3]),
        ("strict graph { a -- b [capacity=4]; b -- a [capacity=9]; b -- c }", [4, 4, 1, 1]),
        ("graph { a -- b [weight=4]; b -- c [weight=2] }", [1, 1, 1, 1]),
        ("*Vertices 3\n*Edges\n1 2 4\n2 3 2\n", [2, 2, 1, 1]),
        ("*Vertices 2\n*Matrix\n0 6\n3 0\n", [2, 1]),
        ("3 2 1\n2 5\n1 5 3 10\n2 10\n", [1, 1, 2, 2]),
        ("3 2 1\n2 5\n1 5 3 10\n2 11\n", [1, 1, 1, 1]),
        ("0 2\n1 {'capacity': 3}\n2 {}\n1 1\n2 {'capacity': 2}\n2 0\n", [3, 3, 1, 1, 2, 2]),
        ("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 capacity 7 ] ]", [7, 7]),
    ],
)
def test_every_notation_says_capacities(text: str, capacities: list[int]) -> None:
    """DOT, where a weight is for drawing, Pajek, METIS, lists of NetworkX and GML."""
    assert read_text(text)[0].capacity.tolist() == capacities


AMOUNTS = st.one_of(
    st.integers(-2, 10**20), st.floats(), st.booleans(), st.none(), st.text(max_size=6),
    st.sampled_from(["10G", "1e99", "1e-99", "9" * 40, "np.float64(2.5)", "0x10", "1_000", "\u0663", ".", "-", "1..2"]),
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["capacity", "bandwidth", "weight"]), AMOUNTS), min_size=1, max_size=4))
@settings(max_examples=150)
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
