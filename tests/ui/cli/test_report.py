"""The words of a result."""

from __future__ import annotations

import io
import sys

import pexpect
import pytest

from pavane.io.request import Request
from pavane.ui import description
from pavane.ui.cli import report
from tests.ui.cli.calls import in_a_process


def test_routers_that_have_names_are_named() -> None:
    """Beside every processor of the network; a file may speak of others."""
    text = description.with_router_names(
        Request("kautz:2,2", "aas").problem().network, "processor 0 sends to processor 99"
    )
    assert text == "processor 0 (router 01) sends to processor 99"


def on_a_terminal(columns: int, *arguments: str) -> list[str]:
    """Return the lines that a terminal of this width shows."""
    words = ["-c", "from pavane.ui.cli import main; main()", *arguments]
    child = pexpect.spawn(sys.executable, words, encoding="utf-8", timeout=300, dimensions=(50, columns))
    child.expect(pexpect.EOF)
    return str(child.before).replace("\r\n", "\n").splitlines()


def test_a_terminal_gets_wrapped_lines() -> None:
    """A terminal of 60 columns shows no wider line; a schedule is set below its first path."""
    lines = on_a_terminal(60, "bounds", "octagon", "alltoall", "--time", "5")
    printed = [line for line in lines if "\x1b" not in line]
    assert max(map(len, printed)) <= 60
    shown = on_a_terminal(60, "show", "octagon")
    assert any(line.startswith("  router 0 (processors 0): ") for line in shown)


def test_pipes_and_files_get_whole_lines() -> None:
    """Programs get each line whole, however narrow the terminal of the shell is."""
    answer = in_a_process("bounds", "octagon", "alltoall", COLUMNS="40")
    assert max(map(len, answer.out.splitlines())) > 80


def test_a_terminal_without_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a file number the width is that of the environment, and at least 20."""

    class Screen(io.StringIO):
        """A terminal without a file number."""

        def isatty(self) -> bool:
            """Return that it is a terminal."""
            return True

    monkeypatch.setattr(sys, "stdout", Screen())
    for columns, width in (("50", 50), ("3", 20)):
        monkeypatch.setenv("COLUMNS", columns)
        assert report.terminal_width() == width
