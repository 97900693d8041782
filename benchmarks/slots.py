"""Measures slot tables (tdm) beside the published ones: `python -m benchmarks.slots [NAME ...]`.

All-to-all scatter, one packet for every pair. `wrap` tables repeat after their period; `linear` ones end with the last
ejection, and their length counts the slot of the first injection. The table is in benchmarks/results/slots.md; networks
that are named are measured again, and the other lines stay.

Published figures, not measured here:
- wrap: the tables that the S4NoC hardware ships (t-crest/s4noc), wrapped as far as they allow.
- linear, tori and meshes: the best of integer programs (Schoeberl et al., NOCS 2012, up to 5x5) and of two-hour runs of
  GRASP and ALNS (t-crest/poseidon). They do not count the slot of the injection: with it, 10 slots for the 3x3 torus
  would be fewer than the proven 11. So the last column has one slot more.
- linear, rings: formulas of the NOCS 2012 paper. Those of one-way rings count the slots of channels alone: two slots
  more. Those of two-way rings are loads of channels, and no table is that short (13 slots are proven for 9 routers).
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.result_lines import Key, measure_lines
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.solvers.ejection.translation import Translation

RESULTS = Path(__file__).parent / "results" / "slots.md"
HEADER = (
    "| network | table | bound | period | status | solver | CPU seconds | same table at every router | published "
    "| published, counted as here |\n|---|---|---|---|---|---|---|---|---|---|"
)
WRAP = Rules("tdm", ports=1)
LINEAR = replace(WRAP, wrap=False)
ARGO = replace(WRAP, router_delay=3, packet_slots=3)
ALL_PORT = Rules("tdm")
NAMES = {WRAP: "wrap", LINEAR: "linear", ARGO: "wrap, router delay 3, packets of 3 slots", ALL_PORT: "wrap, all-port"}


LARGE, LONG = 15, 60.0
"""From this side of a square network on a search takes so many seconds."""


class Case(NamedTuple):
    """One line of the table."""

    spec: str
    rules: Rules
    published: int | None = None
    seconds: float = 12.0
    """The limit of processor time; what is proven ends earlier."""

    @property
    def counted_as_here(self) -> int | None:
        """The published figure with the slots of ports that it leaves out."""
        is_ring = self.spec.startswith("ring")
        left_out = 0 if self.rules.wrap else 2 if is_ring else 1
        is_load = is_ring and "oneway" not in self.spec
        return None if self.published is None or is_load else self.published + left_out

    @property
    def key(self) -> Key:
        """What the line begins with."""
        return f"| `{self.spec}`", NAMES[self.rules]


def squares(form: str, rules: Rules, published: dict[int, int]) -> tuple[Case, ...]:
    """Return a line for every side of a square network."""
    return tuple(Case(form.format(n), rules, best, LONG if n >= LARGE else 12.0) for n, best in published.items())


CASES = (
    *squares("torus:{0}x{0}", WRAP, {3: 9, 4: 18, 5: 26, 6: 41, 7: 57, 8: 85, 9: 111, 10: 155}),
    *squares("torus:{0}x{0}", LINEAR, {3: 10, 4: 18, 5: 28, 6: 43, 7: 59, 8: 85, 9: 113, 10: 151, 15: 471}),
    *squares("mesh:{0}x{0}", LINEAR, {3: 10, 4: 18, 5: 34, 6: 61, 7: 94, 8: 138, 9: 195, 10: 267, 15: 886}),
    *squares("one-way torus {0}x{0}", LINEAR, {2: 5, 3: 11, 4: 26, 5: 52}),
    *(Case(f"ring:{n},oneway", LINEAR, best) for n, best in ((9, 36), (16, 120), (25, 300))),
    *(Case(f"ring:{n}", LINEAR, best) for n, best in ((9, 10), (16, 36), (25, 78))),
    Case("torus:4x4", ARGO),
    *(Case(spec, ALL_PORT, None, 30.0) for spec in ("torus:16x16", "hypercube:6", "kautz:3,3")),
    *(Case(spec, ALL_PORT) for spec in ("octagon", "spidergon:16", "petersen", "heawood", "levi", "amp:16")),
    *(Case(spec, WRAP) for spec in ("octagon", "spidergon:16", "kautz:3,2", "fat-tree:4", "dragonfly:4,2", "levi")),
    *(Case(spec, WRAP) for spec in ("coated-mesh:4x4", "hierarchical-rings:4,4", "random-regular:16,4,1")),
)


def network_of(spec: str) -> Network:
    """Return a network of the catalogue, or a torus with channels to the next router only."""
    if not spec.startswith("one-way torus"):
        return network(spec)
    n = int(spec.rpartition("x")[2])
    routers = [(x, y) for x in range(n) for y in range(n)]
    channels = [(n * x + y, n * i + j) for x, y in routers for i, j in (((x + 1) % n, y), (x, (y + 1) % n))]
    return Network(spec, n * n, channels)


def with_one_table(problem: Problem, result: Result, seconds: float) -> str:
    """Return the shortest period that is found with the same table at every router; a dash where there is none."""
    solver = Translation(most_homomorphisms=1)
    if result.bound is None or not solver.supports(problem):
        return "–"
    budget, shortest = Budget.of(seconds), 2 * result.bound.figure + 2
    for trials in (4_000_000, 40_000_000):
        solver = replace(solver, most_trials=trials)
        for period in range(result.bound.figure, shortest):
            if solver(problem, period, 0, budget).schedule is not None:
                shortest = period
                break
    return str(shortest) if shortest < 2 * result.bound.figure + 2 else "–"


def measured(case: Case) -> str:
    """Solve one case; every schedule of a result has passed the judge."""
    problem, cpu = Problem(network_of(case.spec), "alltoall", case.rules), time.process_time()
    with patch.object(time, "monotonic", time.process_time):  # whatever else runs on the machine
        result = solve(problem, SearchOptions(seconds=case.seconds))
        cpu = time.process_time() - cpu
        one_table = with_one_table(problem, result, case.seconds)
    bound = "–" if result.bound is None else f"{result.bound.figure}"
    return (
        f"| `{case.spec}` | {NAMES[case.rules]} | {bound} | {result.num_steps} | {result.status} "
        f"| {result.provenance.solver} | {cpu:.0f} | {one_table} "
        f"| {case.published or '–'} | {case.counted_as_here or '–'} |"
    )


def main() -> int:
    """Measure the cases whose networks are named, or all; each in a process of its own."""
    return measure_lines(RESULTS, HEADER, CASES, measured, lambda case: case.key)


if __name__ == "__main__":
    sys.exit(main())
