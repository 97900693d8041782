"""The words of a result."""

from __future__ import annotations

from pathlib import Path

from pavane.cli.report import figures, headline, network_line, result_lines
from pavane.formats.notation import aligned
from pavane.formats.request import Request
from pavane.judge.result import Result
from pavane.search.synthesis import synthesize

PROBLEM = Request("ring:4", "aas").problem()


def test_the_headline_says_what_was_asked() -> None:
    """Network, collective and rules, a line each."""
    assert headline(PROBLEM) == [
        network_line(PROBLEM.network),
        "collective  AAS from 4 senders to 4 receivers: 12 messages",
        "rules       wormhole, all-port, full duplex, minimal routing, no combining",
    ]
    assert network_line(PROBLEM.network) == "network     ring:4: 4 routers, 8 channels, 4 processors"


def test_a_result_with_a_schedule() -> None:
    """Bound, steps, status, file, then the schedule step by step; JSON has the same figures."""
    result = synthesize(PROBLEM)
    lines = result_lines(result, Path("s.json"), is_printed=True)
    assert [line.split(" ")[0] for line in lines[3:9]] == ["bound", "reached", "status", "time", "file", "schedule"]
    assert len(lines) == 9 + 2
    assert result_lines(result, None) == [line for line in lines if not line.startswith("file ")]
    assert result_lines(result, Path("s.json"))[-1] == "schedule    12 transfers: --print shows them"
    told = figures(result, Path("s.json"))
    assert (told["steps"], told["bound"], told["status"], told["file"]) == (2, 2, "optimal", "s.json")


def test_a_result_without_a_schedule() -> None:
    """It says what was asked for, and names no file."""
    lines = result_lines(Result(PROBLEM, None, asked=1), Path("s.json"))
    assert "reached     no schedule in 1 step" in lines
    assert lines[-1].startswith("time ")
    assert figures(Result(PROBLEM, None, asked=1), Path("s.json"))["file"] is None


def test_columns_are_aligned() -> None:
    """Texts to the left; numbers to the right where that is asked for."""
    table = [["name", "time"], ["a", "2 ns"], ["long name", "10.5 ns"]]
    assert list(aligned(table)) == ["name       time", "a          2 ns", "long name  10.5 ns"]
    assert list(aligned(table, numbers=True)) == ["name          time", "a             2 ns", "long name  10.5 ns"]
