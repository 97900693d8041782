"""Searches survive their processes, and files survive searches; `python -m tests.kills` kills as many as one likes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from pavane.io import read_schedule
from tests.kills import ENDS, End, Kill, examined, group_of, has_come
from tests.ui.cli.calls import PROGRAM
from tests.ui.cli.test_interrupt import QUICK_PASSES

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed by Linux")

SECONDS = 300
"""No command here takes so long, on the slowest machine."""


@pytest.mark.parametrize("end", ENDS)
def test_a_kill_leaves_a_whole_file_and_no_process(end: End, tmp_path: Path) -> None:
    """Whoever is killed or asked to end, the best of ten seconds before is in the file, and nobody is left."""
    assert examined(Kill(0, "random-regular:100,4,7", end, 0.25), tmp_path).failures == []


@pytest.mark.parametrize(
    "words",
    [
        ["faults", "mesh:4x4", "aas", "aab", "--workers", "2", "--time", "1"],
        ["solve", "mesh:4x4", "aab", "--combining", "--workers", "2", "--evaluations", "200", "-o", "s.json"],
    ],
    ids=["faults", "front"],
)
def test_a_lost_process_costs_no_answer(words: list[str], tmp_path: Path) -> None:
    """What it worked on is done again: exit code 0, nothing on stderr."""
    program = subprocess.Popen(
        [*PROGRAM, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def others() -> list[int]:
        return [process for process in group_of(program.pid) if process != program.pid]

    assert has_come(lambda: bool(others()), SECONDS)
    os.kill(others()[0], signal.SIGKILL)
    out, err = program.communicate(timeout=SECONDS)
    assert (program.returncode, err) == (0, "")
    assert out
    assert others() == []
    if "-o" in words:
        assert read_schedule(tmp_path / "s.json").result().num_steps


@pytest.mark.skipif(shutil.which("timeout") is None, reason="GNU's timeout is not there")
def test_a_timeout_from_outside_leaves_a_file(tmp_path: Path) -> None:
    """`timeout` sends SIGTERM to the program and to its group: the best so far is told and written."""
    path = tmp_path / "s.json"
    words = ["solve", *QUICK_PASSES, "--time", "1000", "--workers", "2"]
    for seconds in (2, 8, 32, 128):  # a busy machine has nothing to write before
        done = subprocess.run(
            ["timeout", "--preserve-status", str(seconds), *PROGRAM, *words, "-o", str(path)],
            capture_output=True,
            text=True,
            timeout=SECONDS + seconds,
            check=False,
        )
        if path.exists():
            break
    assert (done.returncode, done.stderr) == (0, "pavane: note: terminated: this is the best so far\n")
    assert read_schedule(path).result().status == "feasible"
