"""Measures all-to-all scatter under store-and-forward: one channel a step, and messages rest on the way.

    python -m benchmarks.stored [PART...]

Prints for each case the bound, the steps, their ratio, whether that is proven to be the least, by which solver, the
seconds, and whether the target is met. Seed 0, one process. Kernels are compiled at their first use: the second run
counts. Parts:

all-ports   every channel may be busy in every step
one-port    a processor sends one message and receives one in a step
random      random networks, a minute each
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

ALL_PORTS = {
    "ring:8": 8,
    "octagon": 4,
    "petersen": 5,
    "heawood": 9,
    "spidergon:16": 16,
    "torus:4x4": 8,
    "mesh:4x4": 16,
    "kautz:3,2": 7,
    "kautz:3,3": 32,
    "dgx-1": 3,
    "levi": 28,
    **{f"hypercube:{dimension}": 2 ** (dimension - 1) for dimension in range(3, 10)},
    "ring:7": 6,
    "torus:5x5": 15,
    "torus:6x4": 18,
    "torus:7x9": 70,
    "torus:3x4x5": 36,
    "mesh:8x8": 128,
    "torus:8x8": 64,
    "torus:16x16": 512,
    "torus:8x8x8": 512,
}
"""The target steps."""

ONE_PORT = {
    "ring:8": 16,
    "octagon": 11,
    "petersen": 15,
    "torus:4x4": 32,
    "kautz:3,2": 19,
    "mesh:4x4": 43,
    "kautz:3,3": 93,
    "heawood": 27,
    "levi": 84,
    "spidergon:16": 39,
    "hypercube:6": 192,
    "torus:8x8": 256,
    "torus:3x4x5": 172,
    "mesh:8x8": 353,
}

RANDOM = {"random-regular:64,4,1": 54, "random-regular:256,4,1": 286}


class Part(NamedTuple):
    """A table: the target of each network, the ports, and the time limit of a search."""

    targets: dict[str, int]
    rules: Rules
    seconds: float


PARTS = {
    "all-ports": Part(ALL_PORTS, Rules("store-and-forward"), 20.0),
    "one-port": Part(ONE_PORT, Rules("store-and-forward", ports=1), 20.0),
    "random": Part(RANDOM, Rules("store-and-forward"), 60.0),
}


def rows(part: Part) -> Iterator[tuple[str, ...]]:
    """Yield the cells of every line; the last one says whether the target is met."""
    for spec, target in part.targets.items():
        where = network(spec)
        problem, started = Problem(where, named("AAS", where), part.rules), time.monotonic()
        result = solve(problem, SearchOptions(seconds=part.seconds))
        seconds = time.monotonic() - started
        bound, steps = result.bound.figure if result.bound else 0, result.num_steps or 0
        yield (
            *(f"`{spec}`", f"{bound:,}", f"{steps:,}", f"{steps / bound:.3f}"),
            *("yes" if result.status == "optimal" else "no", result.provenance.solver, f"{seconds:.1f}"),
            *(f"{target:,}", "yes" if 0 < steps <= target else "NO"),
        )


def main(arguments: list[str] | None = None) -> int:
    """Print the tables of all parts, or of the given ones; return 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stored")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    names = parser.parse_args(arguments).parts or list(PARTS)
    for name in set(names) - PARTS.keys():
        parser.error(f"no part {name!r}; choose {', '.join(PARTS)}")
    is_missed = False
    for number, name in enumerate(names):
        print("\n" * (number > 0) + f"### {name}\n")
        print("| network | bound | steps | ratio | proven | solver | seconds | target | met |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        for row in rows(PARTS[name]):
            is_missed |= row[-1] == "NO"
            print(f"| {' | '.join(row)} |", flush=True)
    return 1 if is_missed else 0


if __name__ == "__main__":
    sys.exit(main())
