"""Platforms and replays of SimGrid."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.problem import Rules
from tests.installed import need_simgrid
from tests.io.formats.pieced import cut, uneven
from tests.io.formats.schedules import solved


def simgrid(result: Result, size: int = 1000) -> dict[str, str]:
    """Return the files of a SimGrid export."""
    files = EXPORTS["simgrid"].write(result, Options("it", size))
    return {name: content.decode() for name, content in files.items()}


SIMULATED = [
    solved("kautz:2,2", "aas"),
    cut("ring:4", "aab", 4, wide=True),
    cut("ring:4", "aas", 2, wide=True, rules=Rules(ports=2)),
    cut("ring:4", "aas", 2, uneven("aas", 4)),
]


@pytest.mark.parametrize("result", SIMULATED, ids=lambda result: str(result.problem))
def test_simgrid_notices_a_conflict(result: Result, tmp_path: Path) -> None:
    """Where transfers of two steps run at once, some channel is shared, and SimGrid needs longer."""
    python = need_simgrid()
    for name, text in simgrid(result).items():
        (tmp_path / name).write_text(text.replace("\n2,", "\n1,"))
    done = subprocess.run([python, tmp_path / "it.replay.py"], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.splitlines()[-1] == "1 steps are slower than without conflicts"
