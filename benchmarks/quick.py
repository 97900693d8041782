"""Measures that quick things are quick: `python -m benchmarks.quick [--repeats N]`.

Prints how long a small problem takes from the shell, beside the import of numpy and numba alone, and how long `auto`
takes for an allgather, beside the solver that does it. Seconds are those of the processor, the least of several runs.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.synthesis import solve

SHELL = (
    ("-m", "pavane", "--help"),
    ("-m", "pavane", "solve", "octagon", "aas"),
    ("-m", "pavane", "solve", "spidergon:16", "aab"),
    ("-m", "pavane", "bounds", "octagon", "aas"),
)
MEASURE = ("-c", "import numpy, numba")
MOST_SHELL_RATIO = 1.6

ALLGATHERS = ("spidergon:16", "levi", "kautz:3,3", "hypercube:7", "mesh:16x16")
MOST_AUTO_RATIO = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick")
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    verdicts = [*shell_lines(repeats), *allgather_lines(repeats)]
    return 0 if all(verdicts) else 1


def shell_lines(repeats: int) -> list[bool]:
    """Print how long commands take from the shell; say which keep to their limit."""
    for words in (MEASURE, *SHELL):
        from_shell(words)
    measure = least(lambda: from_shell(MEASURE), time_of_children, repeats)
    print(f"| from the shell | seconds | {' '.join(MEASURE)} | ratio | limit |\n|---|---|---|---|---|")
    verdicts = []
    for words in SHELL:
        seconds = least(lambda words=words: from_shell(words), time_of_children, repeats)  # type: ignore[misc]
        print(row(" ".join(words[1:]), seconds, measure, MOST_SHELL_RATIO), flush=True)
        verdicts.append(seconds <= MOST_SHELL_RATIO * measure)
    return verdicts


def from_shell(words: tuple[str, ...]) -> None:
    """Run Python in a process of its own."""
    subprocess.run([sys.executable, *words], check=True, capture_output=True)


def time_of_children() -> float:
    """Return the seconds that the processor has worked for processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def allgather_lines(repeats: int) -> list[bool]:
    """Print how long `auto` and rarest first alone take; say which keep to their limit, in no more steps."""
    print("\n| AAB | auto | rarest-first | ratio | limit | steps |\n|---|---|---|---|---|---|")
    verdicts = []
    for name in ALLGATHERS:
        made = network(name)
        problem = Problem(made, named("AAB", made))
        found: dict[str, Result] = {}
        seconds: dict[str, float] = {}
        for method in ("auto", "rarest-first"):

            def search(method: str = method, problem: Problem = problem, found: dict[str, Result] = found) -> None:
                found[method] = solve(problem, method=method)

            search()
            seconds[method] = least(search, time.process_time, repeats)
        auto, alone = (found[method].num_steps or 0 for method in ("auto", "rarest-first"))
        print(f"{row(name, seconds['auto'], seconds['rarest-first'], MOST_AUTO_RATIO)} {auto}, {alone} |", flush=True)
        verdicts.append(auto <= alone and seconds["auto"] <= MOST_AUTO_RATIO * seconds["rarest-first"])
    return verdicts


def least(call: Callable[[], None], clock: Callable[[], float], repeats: int) -> float:
    """Return the fewest seconds of several calls."""
    taken = []
    for _ in range(repeats):
        began = clock()
        call()
        taken.append(clock() - began)
    return min(taken)


def row(name: str, seconds: float, beside: float, limit: float) -> str:
    """Return a line of a table."""
    return f"| {name} | {seconds:.3f} | {beside:.3f} | {seconds / beside:.2f} | {limit} |"


if __name__ == "__main__":
    sys.exit(main())
