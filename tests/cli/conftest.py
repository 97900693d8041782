"""What the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import Call


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line from an empty directory."""
    monkeypatch.chdir(tmp_path)
    return Call(capsys)


@pytest.fixture
def solved(call: Call, tmp_path: Path) -> Path:
    """Return a schedule file of AAS on a ring of 4."""
    path = tmp_path / "ring.json"
    call.good("solve", "ring:4", "aas", "-o", path)
    return path
