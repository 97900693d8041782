"""What edges say and is not read is told in one line."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from pavane.io import Note, parse_network
from pavane.io.file_notes import kept_notes, note
from pavane.io.files import File
from pavane.io.ignored_attributes import LeftOut

DOT = "graph {{ a -- b [{0}]; b -- c [{0}]; c -- a }}"
TOLD = "of 2 edges is left out; every channel carries one message a step"


def notes_of(text: str) -> list[str]:
    """Read a network and return its notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parse_network(text.encode(), "f")
    assert all(warning.category is Note for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    "attribute",
    [
        *("weight=2", "weight=0.5", "capacity=fast12", "bandwidth=10", 'bandwidth="10Gbps"', "bw=5", "width=4"),
        *("LinkSpeed=10", "capacity_gbps=40", "max_rate=3", "latency=5", 'label="10 Gb/s"', "label=3"),
    ],
)
def test_speeds_are_told_of(attribute: str) -> None:
    """Whatever says how much or how fast some edges carry, by its usual names, and labels that are an amount."""
    key = attribute.partition("=")[0]
    assert notes_of(DOT.format(attribute)) == [f"f: `{key}` {TOLD}"]
    value = attribute.partition("=")[2].strip('"')
    edges = [{"source": 0, "target": 1, key: value}, {"source": 1, "target": 0, key: value}, {"source": 0, "target": 1}]
    assert notes_of(json.dumps({"nodes": [{"id": 0}, {"id": 1}], "edges": edges})) == [f"f: `{key}` {TOLD}"]


@pytest.mark.parametrize("attribute", ["color=red", "penwidth=2", "weight=1", "capacity=1.0", 'label="to b"', "len=2"])
def test_other_attributes_are_left_alone(attribute: str) -> None:
    """How an edge is drawn says nothing about a network, and a weight of 1 is what a channel has."""
    assert notes_of(DOT.format(attribute)) == []


def test_several_are_told_in_one_line() -> None:
    """The first few by name, and how many more there are."""
    told = notes_of(DOT.format("weight=2, speed=3"))
    assert told == ["f: `weight` of 2 edges, `speed` of 2 edges are left out; every channel carries one message a step"]
    left_out = LeftOut(File.of(b"x", "f"))
    left_out.see({f"speed{i}": i + 2 for i in range(9)})
    with pytest.warns(Note, match="`speed3` of 1 edge and 5 attributes more are left out"):
        left_out.tell()


def test_defaults_of_edges_count() -> None:
    """In DOT an attribute may be given to all edges that follow."""
    assert notes_of("digraph { edge [speed=4]; a -> {b c} }") == [f"f: `speed` {TOLD}"]


def test_what_was_read_is_not_told_of() -> None:
    """Beside a capacity other figures are left out, and the line says which one counts."""
    assert notes_of("graph { a -- b [capacity=3, latency=5] }") == [
        "f: `latency` of 1 edge is left out; what channels carry is said by `capacity`"
    ]


@pytest.mark.parametrize("value", [True, None, "fast", [1, 2], {"a": 1}])
def test_values_of_any_kind_do_no_harm(value: Any) -> None:
    """What is no amount may still hold one."""
    edges = [{"source": 0, "target": 1, "weight": value}]
    assert len(notes_of(json.dumps({"nodes": [{"id": 0}, {"id": 1}], "edges": edges}))) in (0, 1)


def test_notes_may_be_kept_by_who_asks() -> None:
    """In a list of its own, each once, instead of as warnings, which are the whole process's; and on one line."""
    file = File.of(b"x", "a\nb")
    with kept_notes() as kept:
        note(file, "one")
        note(file, "one")
        note(file, "two\x1b[8m")
    assert kept == ["a\\nb: one", "a\\nb: two\\x1b[8m"]
    with pytest.warns(Note, match="three"):
        note(file, "three")
