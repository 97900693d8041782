"""What the tests of the command line share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pavane.io import write_network
from pavane.model.network import Network
from pavane.ui.cli import run
from tests.ui.cli.calls import Call


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line from an empty directory."""
    monkeypatch.chdir(tmp_path)
    return Call(capsys)


@pytest.fixture(scope="session")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a schedule file of AAS on a ring of 4, not to be changed."""
    path = tmp_path_factory.mktemp("solved") / "ring.json"
    assert run(["solve", "ring:4", "aas", "-q", "-o", str(path)]) == 0
    return path


@pytest.fixture
def solved(call: Call, ring: Path, tmp_path: Path) -> Path:
    """Return a schedule file of AAS on a ring of 4."""
    return Path(shutil.copy(ring, tmp_path))


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """Write a ring of four, of which two links carry two messages a step."""
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    made = Network("wide", 4, [way for a, b in ring for way in ((a, b), (b, a))], capacities=[2] * 4 + [1] * 4)
    write_network(tmp_path / "wide.json", made)
    return tmp_path / "wide.json"
