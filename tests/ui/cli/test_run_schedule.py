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

from pavane.execution import launch
from pavane.execution.execution import Execution, WrongPayload
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from tests.execution.small import need_mpi
from tests.ui.cli.calls import PROGRAM, Call


def test_a_run_is_reported(call: Call, solved: Path) -> None:
    """Steps, bytes, the time of each step and in all, and the library's own collective."""
    need_mpi()
    out = call.good("run", solved, "--bytes", "100", "--repeat", "2", "--timeout", "60")
    assert "\nexecuted    2 steps, 12 transfers, 2 repeats\nprocesses   4, " in out
    assert "\nbytes       100 B a message, 1,200 in each repeat, 0 wrong\nstep  transfers  bytes" in out
    assert re.search(r"\n   1 +\d+ +[\d,]+ +[\d.]+ [mun]?s\n   2 ", out)
    assert re.search(r"\ntotal +[\d.]+ [mun]?s\nlibrary +[\d.]+ [mun]?s by MPI_Alltoall on the same processes\n$", out)


def test_a_run_of_pieces_is_reported(call: Call) -> None:
    """Bytes of pieces add up to messages, and a wrong piece is named with its own bytes."""
    need_mpi()
    call.good("solve", "ring:4", "aab", "--pieces", "3", "--method", "greedy", "-o", "cut.json")
    out = call.good("run", "cut.json", "--bytes", "100", "--repeat", "1", "--timeout", "60")
    assert "\nbytes       100 B a message in 3 pieces, 1,200 in each repeat, 0 wrong\nstep  transfers  bytes" in out
    said = json.loads(call.good("run", "cut.json", "--repeat", "1", "--json"))
    assert (said["pieces"], said["wrong_bytes"]) == (3, 0)
    assert "cannot be cut into 3 pieces" in call("run", "cut.json", "--bytes", "2").err
    call.good("solve", "ring:4", "aas", "--sizes", "0>1:3", "--method", "greedy", "-o", "sized.json")
    out = call.good("run", "sized.json", "--bytes", "10", "--repeat", "1", "--timeout", "60")
    assert "\nbytes       10 B a unit, 140 in each repeat, 0 wrong\n" in out
    assert "by MPI_Alltoallv on the same processes" in out


def test_wrong_bytes_are_named(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong byte is reported with message and step, and the exit code is 1."""

    def spoilt(problem: Problem, schedule: Schedule, size: int, repeat: int, timeout: float) -> Execution:
        faults = (WrongPayload(1, 0, 1, 3), WrongPayload(None, 5, 3, 1))
        return Execution(4, "an MPI", size, ((0.5, 0.25),), "MPI_Alltoall", (0.1,), 1200, 4, faults)

    monkeypatch.setattr(launch, "execute", spoilt)
    answer = call("run", solved, "--bytes", "100")
    assert answer.code == 1
    assert "1,200 in each repeat, 4 wrong\n" in answer.out
    assert "wrong       step 2, message 0>1 at processor 1: 3 bytes of 100\n" in answer.out
    assert "wrong       in the end, message 1>3 at processor 3: 1 byte of 100\n" in answer.out
    answer = call("run", solved, "--bytes", "100", "--json")
    said = json.loads(answer.out)
    assert answer.code == 1
    assert said["wrong_bytes"] == 4
    assert said["wrong"][0] == {"step": 2, "message": [0, 1], "process": 1, "bytes": 3}
    assert said["step_seconds"] == [0.5, 0.25]
    assert said["total_seconds"] == 0.75
    assert said["library"] == {"collective": "MPI_Alltoall", "seconds": 0.1}


def test_many_steps_are_summed_up(call: Call, solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above a limit steps are not listed one by one."""
    monkeypatch.setattr("pavane.ui.cli.run_schedule.MOST_STEPS_LISTED", 1)
    made = Execution(4, "an MPI", 8, ((0.5, 0.25),), "MPI_Alltoall", (0.1,), 96, 0, ())
    monkeypatch.setattr(launch, "execute", lambda *_: made)
    out = call.good("run", solved)
    assert "\na step      250 ms at least, 500 ms in the middle, 500 ms at most\ntotal       750 ms\n" in out


def test_under_the_users_own_mpiexec(solved: Path) -> None:
    """Started by mpiexec with a process for each processor, one of them reports."""
    mpiexec = need_mpi()
    done = _under(mpiexec, 4, solved)
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["wrong_bytes"] == 0


def test_under_mpiexec_with_the_wrong_number(solved: Path) -> None:
    """One line from one process says how many it takes."""
    mpiexec = need_mpi()
    done = _under(mpiexec, 2, solved)
    assert done.returncode == 2
    line = "mpiexec started 2 processes, but this schedule takes 4; start it with mpiexec -n 4"
    assert done.stderr == f"pavane: error: {line}\n"
    assert done.stdout == ""


def _under(mpiexec: str, processes: int, file: Path) -> subprocess.CompletedProcess[str]:
    command = [mpiexec, "-n", str(processes), *PROGRAM, "run", str(file), "--json", "--timeout", "60"]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL)


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
