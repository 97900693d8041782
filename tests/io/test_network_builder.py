"""Which GPU uses which NIC."""

from __future__ import annotations

import pytest

from pavane.io import Note
from pavane.io.files import File
from pavane.io.network_builder import NetworkBuilder, first_names, rail, uplinks
from pavane.networks.copies import Uplink


def builder_of(*gpus: str) -> NetworkBuilder:
    """Return a network of GPUs without links."""
    builder = NetworkBuilder(File.of(b"-", "f"))
    for gpu in gpus:
        builder.router(gpu)
    return builder


def test_near_nics_are_shared_evenly() -> None:
    """Of equally near NICs a GPU takes the one that fewest have; a nearer one it takes in any case."""
    builder = builder_of("a", "b", "c")
    found = uplinks(builder, {"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 0, "y": 9}}, {"x": 2, "y": 3})
    assert found == [Uplink(3, rail("x"), 2), Uplink(1, rail("y"), 3)]
    assert list(builder.number) == ["a", "b", "c", "x"]
    assert builder.channels == [(0, 3), (3, 0), (2, 3), (3, 2)]
    assert builder.capacities == [2, 2, 2, 2]


def test_nics_that_no_gpu_uses_are_told() -> None:
    """One line names them."""
    with pytest.warns(Note, match="f: y: left out, because every GPU has another NIC as near or nearer"):
        assert uplinks(builder_of("a"), {"a": {"x": 0, "y": 0}}, {"x": 1, "y": 1}) == [Uplink(0, rail("x"), 1)]


def test_long_lists_are_cut() -> None:
    """Four names are enough."""
    assert first_names(list("abcde")) == "a, b, c, d, ..."
    assert first_names(["a"]) == "a"
