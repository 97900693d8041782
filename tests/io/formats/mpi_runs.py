"""Schedules of many kinds, and MPI to compile and run their programs with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import pytest

from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem
from pavane.networks import mi250
from pavane.search.synthesis import solve
from tests.io.formats.allreduces import ALLREDUCES, doubling, of_some
from tests.io.formats.pieced import PIECED, STORED, cut, uneven
from tests.io.formats.schedules import along_a_line, around_a_switch, exchange, solved
from tests.io.formats.slotted import slotted


@cache
def on_mi250(kind: str, pieces: int) -> Result:
    """Return a schedule of sizes and pieces for 16 GPUs whose links have capacities."""
    made = mi250()
    collective = in_pieces(named(kind, made), pieces, uneven(kind, 16))
    return solve(Problem(made, collective, STORED), method="greedy")


BIN = Path(sys.executable).parent
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic")
RESULTS: dict[str, Callable[[], Result]] = {
    "aas": partial(solved, "kautz:2,2", "aas"),
    "aab": partial(solved, "ring:4", "aab"),
    "aar": partial(solved, "ring:4", "aar"),
    "aas hop by hop": partial(solved, "ring:4", "aas", "store-and-forward"),
    "aar hop by hop": partial(solved, "ring:5", "aar", "store-and-forward"),
    "aas packed": exchange,
    "aor along a line": along_a_line,
    "oab": partial(solved, "ring:4", "oab"),
    "oas": partial(solved, "ring:4", "oas"),
    "aog": partial(solved, "ring:4", "aog"),
    "aor": partial(solved, "ring:4", "aor"),
    "mnb": partial(solved, "ring:4", "mnb"),
    "mns": partial(solved, "ring:4", "mns"),
    "pairs": partial(solved, "ring:4", "pairs"),
    "aas in slots": partial(slotted, "ring:4", "aas"),
    "aar in slots": partial(slotted, "ring:4", "aar", wrap=False),
    "aas through a switch": partial(around_a_switch, "wormhole"),
    "aas two to a router": partial(solved, "ring:3*2", "aas", ports=1),
    **PIECED,
    **{
        name: ALLREDUCES[name]
        for name in (
            "allreduce on a ring",
            "allreduce in 2 on a mesh",
            "allreduce through switches",
            "reduce-broadcast",
            "recursive doubling in 2",
            "all to all in one step in 3",
            "sums replaced",
            "allreduce of sizes",
            "allreduce of sizes in 2",
        )
    },
    "allreduce of some": of_some,
    "recursive doubling of 16": partial(doubling, 4),
    "aar of sizes in 2 on 8": partial(cut, "dgx-1", "aar", 2, uneven("aar", 8)),
    "aab of sizes in 3 on 16": partial(on_mi250, "aab", 3),
    "aas of sizes in 2 on 16": partial(on_mi250, "aas", 2),
}


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
