"""The words of a result."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pexpect
import pytest

from pavane.io.request import Request
from pavane.judge.result import Result
from pavane.search.synthesis import solve
from pavane.ui.cli import report
from pavane.ui.cli.report import figures, headline, network_line, result_lines
from tests.ui.cli.calls import in_a_process

PROBLEM = Request("ring:4", "aas").problem()


def test_the_headline_says_what_was_asked() -> None:
    """Network, collective and rules, a line each."""
    assert headline(PROBLEM) == [
        network_line(PROBLEM.network),
        "collective  alltoall (AAS) from 4 senders to 4 receivers: 12 messages",
        "rules       wormhole, all-port, full duplex, minimal routing, no combining",
    ]
    assert network_line(PROBLEM.network) == "network     ring:4: 4 routers, 8 channels, 4 processors"


def test_a_result_with_a_schedule() -> None:
    """Bound, steps, status, file, then the schedule step by step; JSON has the same figures."""
    result = solve(PROBLEM)
    lines = result_lines(result, Path("s.json"), is_printed=True)
    assert [line.split(" ")[0] for line in lines[3:9]] == ["bound", "reached", "status", "time", "file", "schedule"]
    assert len(lines) == 9 + 2
    assert result_lines(result, None) == [line for line in lines if not line.startswith("file ")]
    assert result_lines(result, Path("s.json"))[-1] == "schedule    12 transfers: --print shows them"
    told = figures(result, Path("s.json"))
    assert (told["steps"], told["bound"], told["status"], told["file"]) == (2, 2, "optimal", "s.json")


def test_a_result_without_a_schedule() -> None:
    """It says what was asked for, and names no file."""
    lines = result_lines(Result(PROBLEM, None, requested_steps=1), Path("s.json"))
    assert "reached     no schedule in 1 step" in lines
    assert lines[-1].startswith("time ")
    assert figures(Result(PROBLEM, None, requested_steps=1), Path("s.json"))["file"] is None


def test_routers_that_have_names_are_named() -> None:
    """Beside every processor of the network; a file may speak of others."""
    text = report.with_router_names(Request("kautz:2,2", "aas").problem().network, "processor 0 sends to processor 99")
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
