"""The errors pavane raises on purpose.

PavaneError
├── InputError       what the user gave cannot be used: the command line exits with 2
└── InvalidSchedule  a schedule broke a rule, so no Result was made of it: exit code 1

Every text is one line that says what is wrong, where, and how to fix it. It names parameters of Python in backticks,
`root` or `ports=1`; the command line and the page replace these by their own words with `reworded`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from operator import index
from pathlib import PurePath
from traceback import extract_tb
from typing import Any

QUOTES = "'\""

MOST_CHARACTERS_SHOWN = 60
"""An error shows this many characters of a refused value."""


MOST_CHARACTERS_OF_A_WORD = 300
"""And this many of a word: a path may be long, but a line must stay readable."""


def printable(text: str) -> str:
    """Return text that stays on one line and cannot control a terminal: other characters are escaped."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def with_short_words(text: str, most: int = MOST_CHARACTERS_SHOWN) -> str:
    """Return a text with long words, such as names from a file, truncated."""
    return re.sub(rf"([^\s`]{{{most}}})[^\s`]+", r"\1...", text)


def with_short_quotes(text: str) -> str:
    """Return a text with long quotations truncated."""
    quoted = rf"(['\"])((?:(?!\1).){{{MOST_CHARACTERS_SHOWN}}})(?:(?!\1).){{{MOST_CHARACTERS_OF_A_WORD},}}\1"
    return re.sub(quoted, r"\1\2...\1", text)


class PavaneError(Exception):
    """An error whose text is meant for the user; quoted input can neither end its line nor hide it.

    Args:
        text: One line.

    Example:
        >>> str(pavane.PavaneError("in one line\\n"))
        'in one line\\\\n'
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(printable(with_short_quotes(with_short_words(text, MOST_CHARACTERS_OF_A_WORD))))


class InputError(PavaneError):
    """A network, collective, rule, option or file that cannot be used as given.

    Example:
        >>> try:
        ...     pavane.network("octogon")
        ... except pavane.InputError as error:
        ...     print(str(error).split("?")[0])
        unknown network family 'octogon'; did you mean octagon
    """


class InvalidSchedule(PavaneError):
    """A schedule that the judge refused.

    Example:
        >>> issubclass(pavane.InvalidSchedule, pavane.PavaneError)
        True
    """


def expect(value: object, kind: type | tuple[type, ...], name: str, hint: str) -> None:
    """Refuse a parameter of the wrong type; the hint says what to give instead."""
    if not isinstance(value, kind):
        raise InputError(f"`{name}` is {shortened(value)}, which is of the wrong type; {hint}")


def expect_whole(value: object, name: str, example: int) -> int:
    """Return a parameter as a plain int, also from numpy's integers; refuse anything else."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"`{name}` is {shortened(value)}; give a whole number, like {example}")
    return index(value)


def expect_list(value: object, name: str) -> tuple[Any, ...]:
    """Return a parameter that lists something as a tuple; refuse anything else, and a mapping."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        example = {"pairs": "[(0, 5), (1, 4)]", "links": "[(0, 5), (1, 4)]", "sizes": "[(0, 5, 3)]"}
        raise InputError(f"`{name}` is {shortened(value)}; give a list, like {example.get(name, '[0, 1, 5]')}")
    return tuple(value)


def expect_wholes(value: object, name: str) -> tuple[int, ...]:
    """Return a parameter that lists whole numbers as plain ints."""
    listed = expect_list(value, name)
    if set(map(type, listed)) <= {int}:
        return listed
    return tuple(expect_whole(each, name, 5) for each in listed)


def expect_pairs(value: object, name: str) -> tuple[tuple[int, int], ...]:
    """Return a parameter that lists pairs of whole numbers as tuples of plain ints."""
    listed = expect_list(value, name)
    for pair in listed:
        if isinstance(pair, str | bytes | Mapping) or not hasattr(pair, "__getitem__") or len(pair) != 2:
            raise InputError(f"`{name}`: {shortened(pair)} is not a pair; give two numbers, like (0, 5)")
    if all(type(pair) is tuple and type(pair[0]) is type(pair[1]) is int for pair in listed):
        return listed
    return tuple((expect_whole(pair[0], name, 5), expect_whole(pair[1], name, 5)) for pair in listed)


def shortened(value: object) -> str:
    """Return the repr of a value, truncated if long."""
    return cut_short(repr(value))


def cut_short(text: str) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= MOST_CHARACTERS_SHOWN else f"{text[:MOST_CHARACTERS_SHOWN]}..."


def reworded(text: str, words: Mapping[str, str]) -> str:
    """Return a text with the known names in backticks replaced: `root`, `ports=1` or `combining=True`."""

    def replacement(name: re.Match[str]) -> str:
        if name[1] not in words:
            return name[0]
        if name[2] == "False":
            return words[name[1]].replace("--", "--no-")
        value = "" if name[2] in (None, "True") else f" {shlex.quote(name[2].strip(QUOTES))}"
        return words[name[1]] + value

    return re.sub(r"`([\w.]+)(?:=([^`]+))?`", replacement, text)


def in_one_line(error: BaseException) -> str:
    """Return the type, text and place of an unexpected error, in one line."""
    frames = extract_tb(error.__traceback__)
    where = f" ({PurePath(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return " ".join(f"{type(error).__name__}: {error}".split()) + where


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error is an interrupt (Ctrl-C) or was caused by one: compiled packages may wrap it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
