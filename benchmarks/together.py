"""Measures several collectives at once beside one kind after the other: `python -m benchmarks.together [NETWORK ...]`.

One kind after the other means that all groups of a kind run at once, and the next kind begins when they are complete.
The table is in benchmarks/results/together.md; networks that are named are measured again, and the other lines stay.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.result_lines import measure_lines
from pavane.io.request import Request
from pavane.io.several_request import problem_of_several
from pavane.judge.result import Result
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

RESULTS = Path(__file__).parent / "results" / "together.md"
HEADER = (
    "| network | collectives | rules | together: steps | bound | argument | CPU seconds | one kind after the other "
    "|\n|---|---|---|---|---|---|---|---|"
)
SECONDS = 60.0
PASSING = {"switching": "store-and-forward", "switches": "pass"}
STORED = {"switching": "store-and-forward"}


class Case(NamedTuple):
    """Kinds of collectives at once, as the command line writes them."""

    spec: str
    kinds: tuple[str, ...]
    rules: Mapping[str, str] = MappingProxyType({})

    @property
    def listed(self) -> str:
        """Return the kinds as the table has them."""
        return ", ".join(f"`{kind}`" for kind in self.kinds)


TRAINING = ("allreduce:blocks:8", "reduce-scatter:every:8", "alltoall:every:8")

CASES = (
    Case("mesh:8x8", ("allgather:rows", "allgather:columns")),
    Case("mesh:8x8", ("alltoall:rows", "allreduce:columns")),
    Case("torus:8x8", ("allgather:rows", "reduce-scatter:columns"), STORED),
    Case("hypercube:6", ("alltoall:blocks:8", "allgather:every:8")),
    Case("rails:8,8", TRAINING, PASSING),
    Case("rails:8,8", ("allreduce:blocks:8", "reduce-scatter:every:8", "alltoall:blocks:16"), PASSING),
    Case("dgx-h100:8", TRAINING, PASSING),
    Case("ring:16", ("allgather:blocks:8", "alltoall:every:4", "broadcast")),
    Case("kautz:3,2", ("allgather", "alltoall:blocks:4")),
)


def _solved(case: Case, kinds: tuple[str, ...], seconds: float) -> Result:
    problem = problem_of_several(Request(case.spec, **case.rules), kinds, None)  # type: ignore[arg-type]
    return solve(problem, SearchOptions(seconds=seconds))


def measured(case: Case) -> str:
    """Return the line of a case."""
    cpu = time.process_time()
    result = _solved(case, case.kinds, SECONDS)
    seconds = time.process_time() - cpu
    in_turn = [_solved(case, (kind,), SECONDS / len(case.kinds)).num_steps for kind in case.kinds]
    steps = f"**{result.num_steps}**" if result.is_optimal else str(result.num_steps)
    bound = result.bound
    assert bound is not None
    total = f"{sum(each or 0 for each in in_turn)} ({' + '.join(map(str, in_turn))})"
    rules = ", ".join(case.rules.values()) or "wormhole"
    cells = [steps, str(bound.figure), f"`{bound.argument}`", f"{seconds:.1f}", total]
    return f"| `{case.spec}` | {case.listed} | {rules} | {' | '.join(cells)} |"


def main() -> int:
    """Measure the cases of the networks that are named, or all."""
    return measure_lines(RESULTS, HEADER, CASES, measured, lambda case: (f"| `{case.spec}`", case.listed))


if __name__ == "__main__":
    sys.exit(main())
