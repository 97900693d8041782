"""`pavane run`: a schedule on real MPI processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pavane.execution import Execution
from tests.installed import need_mpi
from tests.ui.cli.calls import PROGRAM, Call


def test_a_run_is_reported(call: Call, solved: Path) -> None:
    """Steps, whether the data are right, the time, and that of the library's own collective."""
    need_mpi()
    out = call.good("run", solved, "--bytes", "100", "--repeat", "2", "--timeout", "60")
    assert "\nexecuted    2 steps, 12 transfers, 2 repeats\nprocesses   4, " in out
    assert "\ndata        100 B a message, all right\n" in out
    assert re.search(r"\ntime +[\d.]+ [mun]?s\nlibrary +[\d.]+ [mun]?s by MPI_Alltoall on the same processes\n$", out)
    figures = json.loads(call.good("run", solved, "--bytes", "100", "--repeat", "2", "--json"))
    assert (figures["steps"], figures["repeats"], figures["wrong_processes"]) == (2, 2, 0)
    assert figures["library"]["name"] == "MPI_Alltoall"


def test_wrong_data_are_reported(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report says how many processors have wrong data, and the exit code is 1."""
    done = Execution(4, "an MPI", 3, (0.5, 0.25), None)
    monkeypatch.setattr("pavane.execution.execute", lambda *_: done)
    answer = call("run", solved, "--bytes", "100")
    assert answer.code == 1
    assert answer.out.endswith("data        100 B a message, wrong at 3 of 4 processors\ntime        375 ms\n")
    answer = call("run", solved, "--json")
    assert answer.code == 1
    assert json.loads(answer.out)["wrong_processes"] == 3


def test_a_killed_process_ends_the_run(solved: Path) -> None:
    """When one process is killed the run ends at once with one line and exit code 1, and no process is left."""
    need_mpi()
    if not Path("/proc/self/environ").exists():
        pytest.skip("there is no /proc to find the processes in")
    mark = f"PAVANE_TEST_MARK={os.getpid()}-{time.monotonic_ns()}"
    name, _, value = mark.partition("=")
    command = [*PROGRAM, "run", str(solved), "--repeat", "10000000", "--timeout", "600"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, name: value}
    )
    try:
        workers: list[int] = []
        deadline = time.monotonic() + 300
        while len(workers) < 4 and time.monotonic() < deadline:
            time.sleep(0.1)
            workers = _workers(mark)
        assert len(workers) == 4
        os.kill(workers[1], signal.SIGKILL)
        out, err = running.communicate(timeout=300)
    finally:
        running.kill()
        running.wait()
    assert (running.returncode, out) == (1, "")
    assert err.startswith("pavane: error: one of the 4 MPI processes ended before the run was done")
    assert err.count("\n") == 1
    assert _workers(mark) == []


def _workers(mark: str) -> list[int]:
    """Return the MPI processes that a marked run started."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            if b"-P" in words[:2] and mark.encode() in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except (OSError, ValueError):
            continue
    return sorted(found)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--bytes", "1XB"], "--bytes '1XB' is not a size"),
        (["--bytes", "0"], "messages of 0 bytes carry nothing to check"),
        (["--repeat", "0"], "--repeat"),
        (["--timeout", "0"], "--timeout 0: give a number of seconds above 0"),
    ],
)
def test_bad_options_are_one_line(arguments: list[str], text: str, call: Call, solved: Path) -> None:
    """The text says which option and how to write it."""
    assert call("run", solved, *arguments).is_refusal(text)


def test_a_spoilt_schedule_is_not_run(call: Call, solved: Path) -> None:
    """The judge comes first."""
    content = json.loads(solved.read_text())
    content["steps"].pop()
    solved.write_text(json.dumps(content))
    answer = call("run", solved)
    answer.is_one_line(1)
    assert "breaks a rule (never-delivered)" in answer.err
