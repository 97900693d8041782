"""Measures all-to-all scatter on tori by construction: `python -m benchmarks.tori [NAMES] [--all] [--routers MOST]`.

Prints bound, steps, ratio, CPU seconds with those of judge and bound, and whether the bound is met. With --all every
torus of up to 1,024 routers and five dimensions that a construction takes, sides in descending order, and at last how
many there were. That takes hours; up to 128 routers it takes a minute.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from pavane.bounds import counted_bounds
from pavane.model.collectives import alltoall
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS

CASES = (
    *("4x6", "6x10", "8x16", "12x16", "16x24", "32x32"),
    *("4x4x6", "6x8x10", "8x10x12", "8x8x8", "8x8x16", "4x6x4x6", "2x2x2x16"),
    *("4x3", "8x7", "6x5", "16x15", "30x29", "32x31", "6x6x5", "8x8x7"),
    *("7x7", "11x11", "21x21", "31x31"),
)

METHODS = ("antipodal-trails", "transposed-pairs")

HEADER = "| torus | method | bound | steps | ratio | CPU seconds | optimal |\n|---|---|---|---|---|---|---|"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tori")
    parser.add_argument("names", nargs="*", metavar="NAME", help="sides, as in 8x10x12")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--routers", type=int, default=1024, metavar="MOST")
    options = parser.parse_args()
    print(HEADER)
    missed = counted = 0
    every = ("x".join(map(str, sides)) for axes in range(2, 6) for sides in descending_sides(axes, options.routers))
    for name in every if options.all else options.names or CASES:
        made = network(f"torus:{name}")
        problem = Problem(made, alltoall(made))
        method = next((method for method in METHODS if SOLVERS[method].supports(problem)), None)
        if method is None:
            if not options.all:
                print(f"| {name} | none | | | | | |", flush=True)
            continue
        is_met = measured(name, problem, method)
        counted, missed = counted + 1, missed + (not is_met)
    print(f"\n{counted} tori, {counted - missed} at the bound")
    return 1 if missed else 0


def measured(name: str, problem: Problem, method: str) -> bool:
    """Construct, let the judge look at it, print a line, and say whether the bound is met."""
    started = time.process_time()
    result = SOLVERS[method](problem, None, 0, Budget())
    steps, seconds = result.num_steps, time.process_time() - started
    bound = max(bound.steps for bound in (*result.bounds, *counted_bounds(problem)))
    ratio = "-" if steps is None else f"{steps / bound:.3f}"
    verdict = "yes" if steps == bound else "no"
    print(f"| {name} | {method} | {bound} | {steps} | {ratio} | {seconds:.2f} | {verdict} |", flush=True)
    return steps == bound


def descending_sides(axes: int, most_routers: int, longest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the sides of all tori of some dimensions and at most `most_routers` routers, the longest first."""
    if axes == 0:
        yield ()
        return
    most = most_routers // 2 ** (axes - 1)
    for side in range(most if longest is None else min(longest, most), 1, -1):
        for rest in descending_sides(axes - 1, most_routers // side, side):
            yield (side, *rest)


if __name__ == "__main__":
    sys.exit(main())
