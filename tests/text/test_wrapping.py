"""Long lines continue below the beginning of their text."""

from __future__ import annotations

import pytest

from pavane.text.wrapping import wrap


@pytest.mark.parametrize(
    ("line", "width", "lines"),
    [
        ("  two  words ", 13, ["  two  words "]),
        (
            "bound       5 steps: messages must cross 01-12-20 and more",
            44,
            ["bound       5 steps: messages must cross", "            01-12-20 and more"],
        ),
        ("    step 1: send it", 16, ["    step 1: send", "      it"]),
        ("a  b                   text of words", 30, ["a  b                   text of", "   words"]),
    ],
    ids=["it fits", "a text behind a gap continues below it", "without a gap two columns more", "where there is room"],
)
def test_a_text_continues_below_its_beginning(line: str, width: int, lines: list[str]) -> None:
    """A text behind a gap is set in a column of its own; only blanks separate words, hyphens do not."""
    assert list(wrap(line, width)) == lines


def test_a_long_word_stays_whole() -> None:
    """A path that is longer than the terminal can still be copied."""
    assert "x" * 50 in list(wrap(f"  1  {'x' * 50}, y", 30))[-2]


@pytest.mark.parametrize("width", [20, 24, 40, 80])
def test_no_line_is_too_wide_and_no_word_is_lost(width: int) -> None:
    """The words of a wrapped line are those of the line, in order."""
    line = f"{'head':<12}{' '.join(f'word{i},' for i in range(40))}"
    lines = list(wrap(line, width))
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == line.split()
