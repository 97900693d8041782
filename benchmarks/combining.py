"""Fronts under the combining rule: `python -m benchmarks.combining [--seconds S] [--seed N] [CASE...]`.

Each line names start-ups and TCO that must be reached, and says what was; a star marks what is proven the least TCO of
the start-ups named. A run of all cases is kept in benchmarks/results/combining.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.pareto_search import pareto_front

RESULTS = Path(__file__).parent / "results" / "combining.md"
HEADER = "| case | target | front | missed | seconds |\n|---|---|---|---|---|"

ONE_PORT = Rules(ports=1, routing="any", combining=True)
ALL_PORT = Rules(ports="all", routing="any", combining=True)
HOP_BY_HOP = Rules(ports=1, switching="store-and-forward", combining=True)


class Wanted(NamedTuple):
    """A problem, and the start-ups and TCO that must be reached, each by some point that is worse in neither."""

    spec: str
    kind: str
    pairs: tuple[tuple[int, int], ...]
    rules: Rules = ONE_PORT

    @property
    def label(self) -> str:
        ports = "all-port" if self.rules.ports == "all" else f"{self.rules.ports}-port"
        hops = ", store-and-forward" if self.rules.switching == "store-and-forward" else ""
        return f"{self.spec} {self.kind}, {ports}{hops}"


CASES = (
    Wanted("ring:8", "AAB", ((3, 7),)),
    Wanted("mesh:4x4", "AAB", ((4, 15),)),
    Wanted("hierarchical-rings:4,4", "AAB", ((5, 15),)),
    Wanted("hypercube:4", "AAB", ((4, 15),)),
    Wanted("hypercube:6", "AAB", ((6, 63),)),
    Wanted("kautz:3,2", "AAB", ((4, 11),)),
    Wanted("torus:8x8", "AAB", ((9, 63),)),
    Wanted("mesh:8x8", "AAB", ((9, 64),)),
    Wanted("ring:8", "AAS", ((3, 12), (8, 8))),
    Wanted("mesh:4x4", "AAS", ((4, 32), (5, 29), (8, 23), (16, 16))),
    Wanted("hierarchical-rings:4,4", "AAS", ((5, 32),)),
    Wanted("hierarchical-rings:4,4,4", "AAS", ((10, 512),)),
    Wanted("hypercube:4", "AAS", ((4, 32), (15, 15))),
    Wanted("mesh:8x8", "AAS", ((8, 202), (12, 163), (128, 128))),
    Wanted("kautz:3,2", "AAS", ((4, 20), (12, 12))),
    Wanted("kautz:3,2", "AAS", ((2, 7),), ALL_PORT),
    Wanted("hypercube:4", "AAS", ((3, 8),), ALL_PORT),
    Wanted("mesh:4x4", "AAS", ((3, 21), (4, 16)), ALL_PORT),
    Wanted("torus:8x8", "AAS", ((5, 71),), ALL_PORT),
    Wanted("mesh:4x4", "OAS", ((4, 15),)),
    Wanted("kautz:3,2", "OAS", ((4, 11),)),
    Wanted("hierarchical-rings:4,4", "OAS", ((4, 15),)),
    Wanted("mesh:8x8", "OAS", ((6, 63),)),
    Wanted("petersen", "OAS", ((4, 9),)),
    Wanted("ring:8", "AAS", (), HOP_BY_HOP),
    Wanted("ring:8", "AAB", (), HOP_BY_HOP),
    Wanted("mesh:4x4", "AAS", (), HOP_BY_HOP),
    Wanted("mesh:4x4", "AAB", (), HOP_BY_HOP),
    Wanted("mesh:4x4", "AAR", ((4, 15),)),
    Wanted("mesh:16x16", "AAS", ()),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.combining")
    parser.add_argument("cases", nargs="*", help="parts of labels, such as mesh:4x4 or AAB; all of them by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="the time for each case; 0: counted effort")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chosen = [case for case in CASES if all(part in case.label for part in options.cases)]
    table, missed = [HEADER], 0
    print(HEADER, flush=True)
    for case in chosen:
        row, missing = line(case, options.seed, options.seconds or None)
        print(row, flush=True)
        table.append(row)
        missed += missing
    if len(chosen) == len(CASES):
        partial = RESULTS.with_suffix(".partial")
        partial.write_text("\n".join(table) + "\n")
        os.replace(partial, RESULTS)
    return 1 if missed else 0


def line(case: Wanted, seed: int, seconds: float | None) -> tuple[str, int]:
    """Run a case; return its line, and how many pairs were missed."""
    started = time.monotonic()
    made = network(case.spec)
    found = pareto_front(Problem(made, named(case.kind, made), case.rules), SearchOptions(seed=seed, seconds=seconds))
    took = time.monotonic() - started
    missing = [
        pair for pair in case.pairs if not any(p.start_ups <= pair[0] and p.tco <= pair[1] for p in found.points)
    ]
    cells = (
        case.label,
        " ".join(f"{s}/{t}" for s, t in case.pairs) or "-",
        " ".join(f"{p.start_ups}/{p.tco}" + "*" * p.optimal_tco for p in found.points),
        " ".join(f"{s}/{t}" for s, t in missing) or "none",
        f"{took:.0f}",
    )
    return f"| {' | '.join(cells)} |", len(missing)


if __name__ == "__main__":
    sys.exit(main())
