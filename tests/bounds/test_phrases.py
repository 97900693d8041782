"""Phrases that several explanations need."""

from __future__ import annotations

from pavane.bounds.phrases import some_of


def test_long_lists_are_cut_short() -> None:
    """Four names are listed, and of more that there are more."""
    assert some_of(["a"]) == "a"
    assert some_of(list("abcd")) == "a, b, c, d"
    assert some_of(list("abcde")) == "a, b, c, d, ..."
