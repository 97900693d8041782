"""Errors for users: one line each, whatever they quote."""

from __future__ import annotations

import pickle

import pytest

from pavane.errors import InputError, InvalidSchedule, PavaneError, in_one_line, is_interrupt, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, \u00fcber \u221e", "plain words, \u00fcber \u221e"),
        ("a\nstatus optimal", "a\\nstatus optimal"),
        ("\x1b[8m", "\\x1b[8m"),
        ("\x9b8m", "\\x9b8m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\udcff", "\\udcff"),
        ("", ""),
    ],
)
def test_what_an_error_quotes_stays_on_its_line(text: str, shown: str) -> None:
    """Whatever cannot be seen is written out, so that no name can end the line or reach the terminal."""
    assert printable(text) == shown
    for kind in (PavaneError, InputError, InvalidSchedule):
        assert str(kind(text)) == shown


def test_errors_travel_between_processes() -> None:
    """Workers send them to who started them."""
    error = pickle.loads(pickle.dumps(InputError("a\nb")))
    assert type(error) is InputError
    assert str(error) == "a\\nb"


def test_an_unexpected_error_is_told_in_one_line() -> None:
    """Kind, text and line."""
    assert in_one_line(ValueError("a\n b")) == "ValueError: a b"


def test_errors_that_were_made_of_an_interrupt() -> None:
    """What an error was raised from counts, at any remove."""
    loading = ImportError("initialization failed")
    loading.__cause__ = ValueError()
    assert not is_interrupt(loading)
    loading.__cause__.__cause__ = KeyboardInterrupt()
    assert is_interrupt(loading)
    assert is_interrupt(KeyboardInterrupt())
