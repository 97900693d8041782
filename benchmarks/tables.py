"""Measures schedules given by tables: `python -m benchmarks.tables [NETWORK ...]`.

Seconds are CPU seconds that it takes to find the translations, to make the table, to compute the bounds and to judge
the table; making the network and the problem is not counted. Every line runs in a separate process, so that its peak
memory, with that of the network, can be measured. The bytes are those of the compressed file. The table is in
benchmarks/results/tables.md; networks that are named are measured again, and the other lines stay.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.result_lines import Key, measure_lines
from pavane.io import write_schedule
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.tables import solve_by_table

RESULTS = Path(__file__).parent / "results" / "tables.md"
HEADER = (
    "| network | collective, rules | routers | messages | steps | bound | maker | CPU seconds | MB of memory "
    "| bytes of the file |\n|---|---|---|---|---|---|---|---|---|---|"
)

WORMHOLE = Rules()
STORED = Rules("store-and-forward")
PASSED = replace(STORED, switches="pass")
ONE_PORT = replace(STORED, ports=1)
SLOTS = Rules("tdm")
LINEAR = replace(SLOTS, wrap=False)
NAMES = {
    WORMHOLE: "wormhole",
    STORED: "store-and-forward",
    PASSED: "store-and-forward, switches pass",
    ONE_PORT: "store-and-forward, 1-port",
    SLOTS: "tdm",
    LINEAR: "tdm, no wrap",
}


class Case(NamedTuple):
    """One line of the table."""

    spec: str
    kind: str
    rules: Rules

    @property
    def key(self) -> Key:
        """What the line begins with."""
        return f"| `{self.spec}`", f"{self.kind} {NAMES[self.rules]}"


EXCHANGES = {
    WORMHOLE: (
        *("torus:32x32x32", "torus:128x128", "torus:750x994"),
        *("hypercube:16", "rails:1250,8", "kary-tree:22,3", "fat-tree:36"),
    ),
    STORED: (
        *("torus:31x31x31", "torus:128x128", "torus:100x60x20", "torus:750x994"),
        *("hypercube:16", "mesh:256x256", "mesh:100x300", "mesh:32x32x32"),
    ),
    PASSED: ("rails:1250,8",),
    ONE_PORT: ("torus:32x32x32", "hypercube:16"),
    SLOTS: ("torus:127x127", "torus:128x128", "torus:32x32x32", "hypercube:16"),
    LINEAR: ("torus:128x128",),
}
"""All-to-all scatter, by its rules."""

GATHERS = ("torus:128x128", "torus:750x994", "hypercube:16", "mesh:256x256", "mesh:16x16x16")
SUMS = ("torus:200x200", "hypercube:16")
CASES = (
    *(Case(spec, "AAS", rules) for rules, specs in EXCHANGES.items() for spec in specs),
    *(Case(spec, "AAB", WORMHOLE) for spec in GATHERS),
    *(Case(spec, "ALLREDUCE", WORMHOLE) for spec in SUMS),
)


def measured(case: Case) -> str:
    """Solve one case by a table, which the judge has accepted then, and write its file."""
    problem = Problem(network(case.spec), case.kind.lower(), case.rules)
    cpu = time.process_time()
    result = solve_by_table(problem)
    cpu = time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    begin = " | ".join((*case.key, f"{problem.network.num_routers:,}", f"{problem.num_messages:,}"))
    if result is None or result.num_steps is None:
        return f"{begin} | – | – | – | – | – | – |"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.json.gz"
        write_schedule(file, result)
        size = file.stat().st_size
    bound = "–" if result.bound is None else f"{result.bound.figure:,}"
    return (
        f"{begin} | {result.num_steps:,} | {bound} | {result.provenance.solver} | {cpu:.1f} | {memory:.0f} | {size:,} |"
    )


def main() -> int:
    """Measure the cases whose networks are named, or all; each in a process of its own."""
    return measure_lines(RESULTS, HEADER, CASES, measured, lambda case: case.key)


if __name__ == "__main__":
    sys.exit(main())
