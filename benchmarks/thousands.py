"""Measures allgather, allreduce and alltoall on thousands of routers: `python -m benchmarks.thousands [NAME ...]`.

Every line runs in a separate process, so that its memory can be measured. The table is in
benchmarks/results/thousands.md; networks that are named are measured again, and the other lines stay.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from benchmarks.result_lines import measure_lines
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

RESULTS = Path(__file__).parent / "results" / "thousands.md"
HEADER = (
    "| network | collective | transfers | bound | steps | solver | CPU seconds | GB of memory |\n"
    "|---|---|---|---|---|---|---|---|"
)
SECONDS = 60.0
CASES = (
    ("torus:64x64", "AAB"),
    ("torus:50x50", "AAB"),
    ("torus:16x16x16", "AAB"),
    ("hypercube:12", "AAB"),
    ("mesh:64x64", "AAB"),
    ("mesh:63x63", "AAB"),
    ("torus:64x64", "AAR"),
    ("hypercube:10", "ALLREDUCE"),
    ("torus:32x32", "ALLREDUCE"),
    ("torus:16x16x16", "AAS"),
)


def measured(case: tuple[str, str]) -> str:
    spec, kind = case
    problem, cpu = Problem(network(spec), kind.lower()), time.process_time()
    result = solve(problem, SearchOptions(seconds=SECONDS))
    cpu = time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    num_transfers = 0 if result.schedule is None else len(result.schedule)
    bound, steps = (0 if one is None else one for one in (result.bound and result.bound.figure, result.num_steps))
    return (
        f"| `{spec}` | {kind} | {num_transfers:,} | {bound:,} | {steps:,} | {result.provenance.solver} "
        f"| {cpu:.0f} | {memory:.1f} |"
    )


def main() -> int:
    return measure_lines(RESULTS, HEADER, CASES, measured, lambda case: (f"| `{case[0]}`", case[1]))


if __name__ == "__main__":
    sys.exit(main())
