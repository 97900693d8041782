"""Measures allgather, allreduce and alltoall on thousands of routers: `python -m benchmarks.thousands [NAME ...]`.

Every line runs in a separate process, so that its memory can be measured. The table is in
benchmarks/results/thousands.md; networks that are named are measured again, and the other lines stay.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path

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


def measured(spec: str, kind: str, lines: multiprocessing.SimpleQueue[str]) -> None:
    problem, cpu = Problem(network(spec), kind.lower()), time.process_time()
    result = solve(problem, SearchOptions(seconds=SECONDS))
    cpu = time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    num_transfers = 0 if result.schedule is None else len(result.schedule)
    bound, steps = (0 if one is None else one for one in (result.bound and result.bound.steps, result.num_steps))
    lines.put(
        f"| `{spec}` | {kind} | {num_transfers:,} | {bound:,} | {steps:,} | {result.provenance.solver} "
        f"| {cpu:.0f} | {memory:.1f} |"
    )


def main() -> int:
    lines: multiprocessing.SimpleQueue[str] = multiprocessing.SimpleQueue()
    known = RESULTS.read_text().splitlines()[2:] if RESULTS.exists() else []
    rows = {tuple(row.split(" | ")[:2]): row for row in known}
    print(HEADER, flush=True)
    for spec, kind in CASES:
        if sys.argv[1:] and spec not in sys.argv[1:]:
            continue
        process = multiprocessing.Process(target=measured, args=(spec, kind, lines))
        process.start()
        process.join()
        if process.exitcode:
            return 1
        rows[f"| `{spec}`", kind] = line = lines.get()
        print(line, flush=True)
        partial = RESULTS.with_suffix(".partial")
        listed = [rows[f"| `{one}`", other] for one, other in CASES if (f"| `{one}`", other) in rows]
        partial.write_text("\n".join((HEADER, *listed)) + "\n")
        os.replace(partial, RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
