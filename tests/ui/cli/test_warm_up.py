"""`pavane warm-up` compiles beforehand and says so."""

from __future__ import annotations

import subprocess
import sys

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


def test_progress_comes_before_all_else() -> None:
    """The progress line is shown before anything that takes a second is imported."""
    code = """
import sys
from contextlib import contextmanager
from pavane.ui.cli import warm_up

@contextmanager
def shown():
    print([name for name in ("numba", "scipy", "networkx", "pavane.search") if name in sys.modules])
    raise SystemExit
    yield

warm_up.show_progress = shown
warm_up.command()
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "[]\n"
