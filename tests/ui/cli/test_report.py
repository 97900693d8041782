"""The words of a result."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.io.notation import aligned
from pavane.io.request import Request
from pavane.judge.result import Result
from pavane.search.synthesis import synthesize
from pavane.ui.cli.report import figures, headline, network_line, result_lines, table_lines, with_router_names

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


def test_a_wide_table_becomes_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal that is too narrow a line parts the tables, and each begins with the first column."""
    monkeypatch.setattr("pavane.ui.cli.report.terminal_width", lambda: 20)
    table = [["name", "a long column", "another one"], ["x", "1", "2"]]
    assert list(table_lines(table)) == ["name  a long column", "x     1", "", "name  another one", "x     2"]


def test_routers_that_have_names_are_named() -> None:
    """Beside every processor of the network; a file may speak of others."""
    text = with_router_names(Request("kautz:2,2", "aas").problem().network, "processor 0 sends to processor 99")
    assert text == "processor 0 (router 01) sends to processor 99"
