"""Schedules at work: `python -m benchmarks.execution` replays them in SimGrid, executes them on MPI, and compares.

Every schedule must take exactly its number of steps in SimGrid, arrive without a wrong byte on MPI processes, and beat
the fastest of SimGrid's own MPI algorithms where a channel carries one message at a time. The last column, SimGrid's
ideal sharing of channels without loss or start-up, is reported only: it is the fluid limit that no algorithm can beat.
"""

from __future__ import annotations

import sys
import time

from benchmarks.cases import ONE_PORT, STRADDLING, Case
from pavane.execution.baseline import best_algorithm
from pavane.execution.launch import execute
from pavane.execution.simulate import replay
from pavane.search.synthesis import solve

CASES = (
    *(Case(spec, kind) for spec in ("mesh:4x4", "hypercube:4", "kautz:3,2") for kind in ("aas", "aab")),
    Case("fat-octagon:2", "mns", rules=ONE_PORT, senders=STRADDLING, receivers=STRADDLING),
)


def main() -> int:
    print("| case | steps | simulated | wrong bytes | best library algorithm | ratio | ideal sharing | met |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    started = time.monotonic()
    missed = sum(not line(case) for case in CASES)
    print(f"\n{time.monotonic() - started:.1f} s in all; units of one message over a free path, no start-ups")
    return 1 if missed else 0


def line(case: Case) -> bool:
    """Measure a case, print its line, and return whether it met its target."""
    problem = case.problem()
    result = solve(problem)
    assert result.schedule is not None
    steps = result.schedule.num_steps
    simulated = replay(problem, result.schedule)
    executed = execute(problem, result.schedule, size=1024, repeat=3, timeout=120)
    best = best_algorithm(problem)
    reached = not simulated.late and simulated.total == steps and not executed.num_wrong and best.units > steps
    print(
        f"| {case.label} | {steps} | {simulated.total:g} | {executed.num_wrong} | {best.units:g} ({best.algorithm}, "
        f"of {best.num_algorithms}) | {best.units / steps:.2f} | {best.ideal_units:g} ({best.ideal_algorithm}) | "
        f"{'yes' if reached else 'NO'} |",
        flush=True,
    )
    return reached


if __name__ == "__main__":
    sys.exit(main())
