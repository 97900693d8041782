"""`pavane warm-up` compiles beforehand and says so."""

from __future__ import annotations

import pytest

from pavane.ui.cli.progress import Bar
from pavane.ui.cli.warm_up import WarmUpProgress, of_warm_up
from tests.ui.cli.calls import Call


def test_it_says_what_was_done(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line: how long it took, and where machine code is kept."""
    heard: list[str] = []
    monkeypatch.setattr("pavane.search.warm_up_runs.REHEARSALS", {"one": (lambda: heard.append("one"),)})
    answer = call("warm-up", "--workers", "1")
    assert answer.code == 0
    assert answer.out.startswith("compiled in 0 seconds, and kept in ")
    assert answer.err == ""
    assert heard == ["one"]


def test_the_progress_line_names_the_kernel() -> None:
    """And how many parts are done."""
    assert of_warm_up(WarmUpProgress("fill_step", 2, 7)) == Bar("compiling fill_step", 2, 7, "2/7")
    assert of_warm_up(WarmUpProgress("", 3, 7)) == Bar("trying what is compiled", 3, 7, "3/7")
