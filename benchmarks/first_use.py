"""Measures what compiling costs at the first use: `python -m benchmarks.first_use [--warm-up]`.

Each command is run twice, with a fresh folder for machine code; with --warm-up after `pavane warm-up` has filled it.
Seconds are those of the processor. Prints a table; five minutes.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile

COMMANDS = (
    "solve octagon aas --combining",
    "solve octagon aab --combining",
    "solve octagon aas --method ga",
    "solve octagon aas --method umda",
    "solve octagon aas --method mboa --evaluations 3000",
    "solve kautz:3,2 aas --method ejection",
    "solve torus:4x4 aas --switching store-and-forward --method time-ejection",
    "solve torus:8x8 aas --method packing --time 2",
)
MOST_LONGER = 3.0
"""Seconds that a command may take longer at its first use, once everything is compiled."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_use")
    parser.add_argument("--warm-up", action="store_true")
    parser.add_argument("commands", nargs="*", default=COMMANDS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.warm_up:
            print(f"`pavane warm-up` takes {seconds_of('warm-up', folder):.0f} s of the processor.\n")
        print("| command | first time | second time | longer |\n|---|---|---|---|")
        longest = 0.0
        for command in asked.commands:
            with tempfile.TemporaryDirectory() as fresh:
                first, second = (seconds_of(command, folder if asked.warm_up else fresh) for _ in range(2))
            print(f"| `{command}` | {first:.1f} s | {second:.1f} s | {first - second:.1f} s |", flush=True)
            longest = max(longest, first - second)
    return 0 if longest <= MOST_LONGER or not asked.warm_up else 1


def seconds_of(command: str, folder: str) -> float:
    """Return the seconds of the processor that a command takes, with machine code in a folder."""
    before = _time_of_children()
    told = {**os.environ, "NUMBA_CACHE_DIR": folder}
    subprocess.run([sys.executable, "-m", "pavane", *command.split()], env=told, capture_output=True)
    return _time_of_children() - before


def _time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
