"""`pavane warm-up` compiles beforehand and says so."""

from __future__ import annotations

import pytest

from tests.ui.cli.calls import Call


def test_it_says_what_was_done(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line: how long it took, and where machine code is stored."""
    heard: list[str] = []
    monkeypatch.setattr("pavane.search.warm_up_runs.REHEARSALS", {"one": (lambda: heard.append("one"),)})
    answer = call("warm-up", "--workers", "1")
    assert answer.code == 0
    assert answer.out.startswith("compiled in 0 seconds, and stored in ")
    assert answer.err == ""
    assert heard == ["one"]
