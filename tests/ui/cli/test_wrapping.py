"""What is printed fits the terminal, and only a terminal."""

from __future__ import annotations

import io
import sys

import pexpect
import pytest

from pavane.ui.cli.wrapping import blocks, folded, terminal_width
from tests.ui.cli.calls import Call, in_a_process


def on_a_terminal(columns: int, *arguments: str) -> list[str]:
    """Return the lines that a terminal of some columns shows."""
    words = ["-c", "from pavane.ui.cli import main; main()", *arguments]
    child = pexpect.spawn(sys.executable, words, encoding="utf-8", timeout=120, dimensions=(50, columns))
    child.expect(pexpect.EOF)
    return str(child.before).replace("\r\n", "\n").splitlines()


def test_a_short_line_stays() -> None:
    """A line that fits is not touched."""
    assert list(folded("  two  words ", 13)) == ["  two  words "]


def test_a_text_goes_on_below_its_beginning() -> None:
    """What stands behind a gap is set in a column of its own; blanks alone part words, not hyphens."""
    line = "bound       5 steps: messages must cross 01-12-20 and more"
    assert list(folded(line, 44)) == ["bound       5 steps: messages must cross", "            01-12-20 and more"]


def test_a_line_without_a_gap_goes_on_a_little_to_the_right() -> None:
    """The margin stays, and two columns show that the line goes on."""
    assert list(folded("    step 1: send it", 16)) == ["    step 1: send", "      it"]


def test_a_text_far_to_the_right_goes_on_further_to_the_left() -> None:
    """A column without room for a text is none to go on in."""
    assert list(folded("a  b                   text of words", 30)) == ["a  b                   text of", "   words"]


def test_a_long_word_stays_whole() -> None:
    """A path that is longer than the terminal can still be copied."""
    assert "x" * 50 in list(folded(f"  1  {'x' * 50}, y", 30))[-2]


@pytest.mark.parametrize("width", [20, 24, 40, 80])
def test_no_line_is_wider_than_asked_and_nothing_is_lost(width: int) -> None:
    """Words of a folded line are those of the line, in order."""
    line = f"{'head':<12}{' '.join(f'word{i},' for i in range(40))}"
    lines = list(folded(line, width))
    assert max(map(len, lines)) <= width
    assert " ".join(lines).split() == line.split()


def test_a_wide_table_becomes_several() -> None:
    """Each has the first column, and together they have every other one once, in order."""
    table = [["src", *(f"column {i}" for i in range(9))], ["0", *(str(i) for i in range(9))]]
    parts = list(blocks(table, 40))
    assert all(part[0][0] == "src" for part in parts)
    assert [cell for part in parts for cell in part[0][1:]] == table[0][1:]
    assert list(blocks(table, 400)) == [table]


def test_a_terminal_gets_folded_lines() -> None:
    """A terminal of 60 columns shows no wider line; a schedule is set below its first path."""
    lines = on_a_terminal(60, "bounds", "octagon", "alltoall", "--time", "5")
    told = [line for line in lines if "\x1b" not in line]
    assert max(map(len, told)) <= 60
    shown = on_a_terminal(60, "show", "octagon")
    assert any(line.startswith("  router 0 (processors 0): ") for line in shown)


def test_what_no_terminal_reads_is_not_folded() -> None:
    """Programs get each line whole, however narrow the terminal of the shell says it is."""
    answer = in_a_process("bounds", "octagon", "alltoall", COLUMNS="40")
    assert max(map(len, answer.out.splitlines())) > 80


def test_json_is_never_folded(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are for programs, on a terminal, too."""
    monkeypatch.setattr("pavane.ui.cli.wrapping.terminal_width", lambda: 20)
    monkeypatch.setattr("pavane.ui.cli.report.terminal_width", lambda: 20)
    plain = call.good("networks", "ring:4", "--json")
    assert '"bisection_is": "exact"' in plain


def test_a_terminal_without_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stdout is a terminal that the system does not know, its width is what the shell says, if that can be."""

    class Screen(io.StringIO):
        """A terminal inside of a program."""

        def isatty(self) -> bool:
            """Say that somebody reads it."""
            return True

    monkeypatch.setattr(sys, "stdout", Screen())
    for columns, width in (("50", 50), ("3", 20)):
        monkeypatch.setenv("COLUMNS", columns)
        assert terminal_width() == width
