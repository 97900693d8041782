"""Measures what compiling costs at the first use: `python -m benchmarks.first_use [--write | --docs | --clone]`.

Each command is run with a fresh folder for machine code, and twice with one that `pavane warm-up` has filled. Seconds
are those of the processor. Prints a table; --write keeps it in benchmarks/results/first_use.md; ten minutes.

With --docs the commands that README and docs show are run once each after `pavane warm-up`, and those that still had to
compile are named with what it was.

With --clone it measures, from a fresh clone of this repository, how long it takes to the first schedule, the first page
and the first program, and keeps the table in benchmarks/results/first_clone.md; some minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "results" / "first_use.md"
KEPT_CLONE = ROOT / "benchmarks" / "results" / "first_clone.md"

COMMANDS = {
    "solve octagon aas --combining": 36,
    "solve octagon aab --combining": None,
    "solve octagon aas --method ga": 31,
    "solve octagon aas --method umda": 20,
    "solve octagon aas --method mboa --evaluations 3000": None,
    "solve kautz:3,2 aas --method ejection": None,
    "solve torus:4x4 aas --switching store-and-forward --method time-ejection": None,
    "solve torus:8x8 aas --method packing --time 2": None,
    "bounds random-regular:160,4 aas": None,
}
"""Commands, with the seconds of their first use as it was when nothing was compiled beforehand, where measured."""


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
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--clone", action="store_true")
    options = parser.parse_args()
    if options.clone:
        KEPT_CLONE.write_text("\n".join(clone_lines()) + "\n", encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        taken = seconds_of(["warm-up"], folder)
        print(f"`pavane warm-up` takes {taken:.0f} s of the processor.\n", flush=True)
        if options.docs:
            return tell_of_docs(folder)
        lines = list(table_lines(folder))
    if options.write:
        KEPT.write_text(
            f"`pavane warm-up` takes {taken:.0f} s of the processor.\n\n" + "\n".join(lines) + "\n", encoding="utf-8"
        )
    return 0


def table_lines(folder: str) -> Iterator[str]:
    """Measure commands with a fresh folder, and with one that has all machine code; yield the lines of a table."""
    yield from _said("| command | earlier versions | not warmed up | warmed up, first time | second time |")
    yield from _said("|---|---|---|---|---|")
    for command, earlier in COMMANDS.items():
        with tempfile.TemporaryDirectory() as fresh:
            cold = seconds_of(command.split(), fresh)
        first, second = (seconds_of(command.split(), folder) for _ in range(2))
        before = "" if earlier is None else f"{earlier} s"
        yield from _said(f"| `{command}` | {before} | {cold:.1f} s | {first:.1f} s | {second:.1f} s |")


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


def tell_of_docs(folder: str) -> int:
    """Run the commands of all pages; name those that compile, and return 1 where there is one."""
    is_warm = True
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        with tempfile.TemporaryDirectory() as here:
            shutil.copytree(ROOT / "docs" / "examples", here, dirs_exist_ok=True)
            for command in _shown_in(page.read_text(encoding="utf-8")):
                before = _kernels_in(folder)
                seconds_of(command, folder, here)
                if compiled := _kernels_in(folder) - before:
                    is_warm = False
                    print(f"{page.name}: {shlex.join(command)} compiles {', '.join(sorted(compiled))}", flush=True)
    return 0 if is_warm else 1


def _shown_in(page: str) -> Iterator[list[str]]:
    """Yield the arguments of the commands in the console blocks of a page."""
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for line in re.findall(r"^\$ pavane (.*?)(?: \| head .*)?$", block, re.MULTILINE):
            yield shlex.split(line)


def _kernels_in(folder: str) -> set[str]:
    """Return the machine code that a folder has, a name for each kernel and types of arguments."""
    return {re.sub(r"-\d+\.py\d+|\.nbc$", "", path.name) for path in Path(folder).rglob("*.nbc")}


def seconds_of(command: list[str], folder: str, here: str | None = None) -> float:
    """Return the seconds of the processor that a command takes, with machine code in a folder."""
    before = _time_of_children()
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
    subprocess.run([sys.executable, "-m", "pavane", *command], env=environment, capture_output=True, cwd=here)
    return _time_of_children() - before


def _said(line: str) -> Iterator[str]:
    print(line, flush=True)
    yield line


def _time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
