"""Measures what compiling costs at the first use: `python -m benchmarks.first_use [--write | --clone]`.

Each command is run with a fresh folder for machine code, and once more. Seconds are those of the processor. Prints a
table; --write keeps it in benchmarks/results/first_use.md; ten minutes.

With --clone it measures, from a fresh clone of this repository, how long it takes to the first schedule, the first page
and the first program, and keeps the table in benchmarks/results/first_clone.md; some minutes.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "results" / "first_use.md"
KEPT_CLONE = ROOT / "benchmarks" / "results" / "first_clone.md"

COMMANDS = (
    "solve octagon aas --combining",
    "solve octagon aab --combining",
    "solve octagon aas --method ga",
    "solve octagon aas --method umda",
    "solve octagon aas --method mboa --evaluations 3000",
    "solve kautz:3,2 aas --method ejection",
    "solve torus:4x4 aas --switching store-and-forward --method time-ejection",
    "solve torus:8x8 aas --method packing --time 2",
    "bounds random-regular:160,4 aas",
)
"""What is measured."""

FROM_A_CLONE = {
    "a clone": "git clone --quiet {root} .",
    "the first schedule": "make --silent demo",
    "the first page": ".venv/bin/pavane solve mesh:3x3 alltoall -o mesh.html",
    "the first program, of a file of nvidia-smi": "sh -c '.venv/bin/pavane solve docs/examples/topo.txt allgather "
    "-o s.json && .venv/bin/pavane export s.json --to msccl-xml -o s.xml'",
    "the first study of an evolutionary algorithm": ".venv/bin/pavane study octagon alltoall --method umda --seeds 3",
}
"""What a new user does, in order, and the commands; each begins where the one before has ended."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_use")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--clone", action="store_true")
    options = parser.parse_args()
    if options.clone:
        KEPT_CLONE.write_text("\n".join(clone_lines()) + "\n", encoding="utf-8")
        return 0
    lines = list(table_lines())
    if options.write:
        KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def table_lines() -> Iterator[str]:
    """Measure commands with a fresh folder, and again; yield the lines of a table."""
    yield from _said("| command | first use | second |")
    yield from _said("|---|---|---|")
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as fresh:
            first, second = (seconds_of(command.split(), fresh) for _ in range(2))
        yield from _said(f"| `{command}` | {first:.1f} s | {second:.1f} s |")


def clone_lines() -> Iterator[str]:
    """Follow a new user from a clone on, without machine code of earlier runs; yield the lines of a table."""
    yield from _said("| to | command | seconds | of the processor |")
    yield from _said("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for what, command in FROM_A_CLONE.items():
            begin, before = time.monotonic(), _time_of_children()
            words = shlex.split(command.format(root=ROOT))
            subprocess.run(words, env=environment, capture_output=True, cwd=here, check=True)
            taken, used = time.monotonic() - begin, _time_of_children() - before
            shown = words[-1] if words[0] == "sh" else command.format(root="...")
            shown = shown.replace(".venv/bin/", "").replace(" --quiet", "").replace(" --silent", "")
            yield from _said(f"| {what} | `{shown}` | {taken:.1f} s | {used:.1f} s |")


def seconds_of(command: list[str], folder: str) -> float:
    """Return the seconds of the processor that a command takes, with machine code in a folder."""
    before = _time_of_children()
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
    subprocess.run([sys.executable, "-m", "pavane", *command], env=environment, capture_output=True)
    return _time_of_children() - before


def _said(line: str) -> Iterator[str]:
    print(line, flush=True)
    yield line


def _time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
