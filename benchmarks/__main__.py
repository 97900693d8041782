"""Runs tables of cases: `python -m benchmarks [TABLE...] [--seeds N] [--workers N]`."""

from __future__ import annotations

import argparse
import resource
import sys
import time

from benchmarks.cases import TABLES, Case
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("tables", nargs="*", default=list(TABLES), metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds to run every case with")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    for name in set(options.tables) - TABLES.keys():
        parser.error(f"no table {name!r}; choose {', '.join(TABLES)}")
    missed = 0
    for name in options.tables:
        started = time.monotonic()
        print(f"\n## {name}\n\n| case | bound | steps | ratio | status | solver | seconds | met |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for case in TABLES[name]:
            for seed in range(options.seeds):
                missed += not line(case, seed, options.workers)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"\n{time.monotonic() - started:.1f} s in all, {peak:.2f} GiB at most")
    return 1 if missed else 0


def line(case: Case, seed: int, workers: int) -> bool:
    """Run a case, print its line, and return whether it met its target."""
    started = time.monotonic()
    result = solve(case.problem(), SearchOptions(seed=seed, seconds=case.seconds, workers=workers))
    seconds = time.monotonic() - started
    bound, steps = result.bound.figure if result.bound else 0, result.num_steps or 0
    reached = True
    if case.steps is not None:
        reached = steps == case.steps
    elif case.ratio is not None:
        reached = 0 < steps <= case.ratio * bound
    label = case.label + (f", seed {seed}" if seed else "")
    solver = result.provenance.solver
    met = "reported" if case.steps is case.ratio is None else "yes" if reached else "NO"
    print(
        f"| {label} | {bound} | {steps} | {steps / bound:.3f} | {result.status} | {solver} | {seconds:.2f} | {met} |",
        flush=True,
    )
    return reached


if __name__ == "__main__":
    sys.exit(main())
