"""Errors for users: one line each, whatever they quote."""

from __future__ import annotations

import pickle

import pytest

from pavane.errors import InputError, InvalidSchedule, PavaneError, in_one_line, is_interrupt, printable
from pavane.io import parse_network_or_problem


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


@pytest.mark.parametrize("name", ["<a>" * 300, "x" * 900, "boom" * 40])
def test_names_that_a_file_makes_up_are_cut_short(name: str) -> None:
    """A refusal can be read, whatever a file has for keys."""
    own = f'{{"format": "pavane/network/1", "{name}": 1}}'
    with pytest.raises(InputError) as refused:
        parse_network_or_problem(own.encode(), "file.json")
    assert name[:50] in str(refused.value)
    assert len(str(refused.value)) < 300


def test_no_word_is_longer_than_a_line_can_bear() -> None:
    """Whatever is quoted, and by whom."""
    assert len(str(PavaneError(f"unknown collective {'a' * 5_000!r}; choose one"))) < 350
    path = "/".join(["folder"] * 40)
    assert path in str(PavaneError(f"{path}: no such file"))


@pytest.mark.parametrize("quote", ["'", '"'])
def test_what_is_quoted_is_cut_short(quote: str) -> None:
    """Words of a file that makes a sentence of one name do not fill the screen; short ones stay as they are."""
    long, short = "all to all " * 60, "all to all " * 6
    said = str(InputError(f"unknown {quote}{long}{quote}; choose {quote}{short}{quote}"))
    assert said == f"unknown {quote}{long[:60]}...{quote}; choose {quote}{short}{quote}"
