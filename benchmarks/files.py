"""Measures a million messages from the search to the file and back: `python -m benchmarks.files`.

Every line runs in a separate process, so that its memory can be measured. The table is in benchmarks/results/files.md.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pavane.io import read_schedule, write_schedule
from pavane.judge.rules import verify
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

RESULTS = Path(__file__).parent / "results" / "files.md"
HEADER = "| network | messages | task | CPU seconds | seconds | GB of memory |\n|---|---|---|---|---|---|"
CASES = (("torus:32x32", None), ("random-regular:1024,4,1", 60.0))


def solve_and_write(spec: str, seconds: float | None, path: str) -> Callable[[], None]:
    made = network(spec)
    result = solve(Problem(made, alltoall(made)), SearchOptions(seconds=seconds))
    return lambda: write_schedule(path, result)


def read(_spec: str, _seconds: float | None, path: str) -> Callable[[], object]:
    return lambda: read_schedule(path)


def judge(_spec: str, _seconds: float | None, path: str) -> Callable[[], None]:
    found = read_schedule(path)

    def judged() -> None:
        assert found.schedule is not None
        assert not verify(found.problem, found.schedule)

    return judged


TASKS = {"write": solve_and_write, "read": read, "verify": judge}
"""What to prepare, and then to measure; memory is that of both."""


def measured(task: str, spec: str, seconds: float | None, path: str, lines: multiprocessing.SimpleQueue[str]) -> None:
    run = TASKS[task](spec, seconds, path)
    started, cpu = time.monotonic(), time.process_time()
    run()
    took, cpu = time.monotonic() - started, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = network(spec).num_routers
    work = "search and write" if task == "write" else "read and verify" if task == "verify" else task
    lines.put(f"| `{spec}` | {size * (size - 1):,} | {task} (memory: {work}) | {cpu:.0f} | {took:.0f} | {memory:.1f} |")


def main() -> int:
    lines: multiprocessing.SimpleQueue[str] = multiprocessing.SimpleQueue()
    table = [HEADER]
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for spec, seconds in CASES:
            path = str(Path(folder) / "schedule.json")
            for task in TASKS:
                process = multiprocessing.Process(target=measured, args=(task, spec, seconds, path, lines))
                process.start()
                process.join()
                if process.exitcode:
                    return 1
                table.append(lines.get())
                print(table[-1], flush=True)
    partial = RESULTS.with_suffix(".partial")
    partial.write_text("\n".join(table) + "\n")
    os.replace(partial, RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
