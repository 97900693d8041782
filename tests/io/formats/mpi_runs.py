"""Schedules of many kinds, and MPI to compile and run their programs with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic")


def tool(name: str) -> str:
    """Return a program of the environment, or skip."""
    found = shutil.which(name, path=str(BIN)) or shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name}; pip install '.[mpi]' brings one")
    return found


@cache
def compiler() -> str:
    """Return an MPI compiler that works, or skip."""
    mpicc = tool("mpicc")
    done = subprocess.run([mpicc, "-x", "c", "-E", "-"], input="#include <mpi.h>\n", capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{mpicc} does not compile: {done.stderr.strip()[:200]}")
    return mpicc


def run(count: int, *program: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program with a number of processes."""
    return subprocess.run(
        [tool("mpiexec"), "-n", str(count), *map(str, program)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


IN_TURN = """import runpy, sys
from mpi4py import MPI

world, words, sys.argv = MPI.COMM_WORLD, sys.argv[1:], ["it"]
for word in words:
    count, _, file = word.partition(":")
    takes_part = world.rank < int(count)
    MPI.COMM_WORLD = world.Split(0 if takes_part else MPI.UNDEFINED, world.rank)
    code = 0
    if takes_part:
        try:
            runpy.run_path(file, run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
        except BaseException as error:
            print(file, repr(error), file=sys.stderr, flush=True)
            world.Abort(1)
    codes = world.gather(code)
    if world.rank == 0:
        print(f"exit {max(codes)}", flush=True)
"""
"""Runs Python programs one after the other, each by the first processes of a job: a process starts but once."""


def run_in_turn(folder: Path, programs: Sequence[tuple[int, str]]) -> list[str]:
    """Run Python programs, each for a number of processes; return what each prints, with its highest exit code."""
    pytest.importorskip("mpi4py", reason="pip install '.[mpi]' brings mpi4py")
    (folder / "in_turn.py").write_text(IN_TURN)
    words = []
    for number, (count, text) in enumerate(programs):
        (folder / f"{number}.py").write_text(text)
        words.append(f"{count}:{folder / f'{number}.py'}")
    command = [
        tool("mpiexec"),
        "-n",
        str(max(count for count, _ in programs)),
        sys.executable,
        str(folder / "in_turn.py"),
    ]
    done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines, printed = iter(done.stdout.splitlines()), []
    for line in lines:
        said = [line]
        while not said[-1].startswith("exit "):
            said.append(next(lines))
        printed.append("\n".join(said))
    return printed


def all_is_right(count: int) -> str:
    """Return what the program for a number of processes prints, with its exit code, where all data are right."""
    return f"0 of {count} processes have wrong data: all is right\nexit 0"
