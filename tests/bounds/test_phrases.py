"""Phrases that several explanations need."""

from __future__ import annotations

from pavane.bounds.phrases import some_of, whole_lists


def test_lists_can_be_had_whole() -> None:
    """A long list of names is short, says how to have the rest, and is whole in a block that wants it so."""
    names = list("abcdef")
    assert some_of(["a"]) == "a"
    assert some_of(names[:4]) == "a, b, c, d"
    assert some_of(names) == "a, b, c, d and 2 more (`bounds --all` names them)"
    with whole_lists():
        assert some_of(names, 1) == "a, b, c, d, e, f"
    assert some_of(names, 1).startswith("a and 5 more")
