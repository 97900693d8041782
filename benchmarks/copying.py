"""Measures switches that copy and add beside those that do not: `python -m benchmarks.copying [NETWORK ...]`.

Every line solves one problem twice. The table is in benchmarks/results/copying.md; networks that are named are measured
again, and the other lines stay.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.result_lines import measure_lines
from pavane.judge.result import Result
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

RESULTS = Path(__file__).parent / "results" / "copying.md"
HEADER = (
    "| network | collective | rules | copying: steps | bound | CPU seconds | not copying: steps | bound "
    "| CPU seconds |\n|---|---|---|---|---|---|---|---|---|"
)
SECONDS = 30.0
SWITCHES = Rules("store-and-forward", switches="copy")
ROUTERS = Rules(multicast=True)
ANY_PATHS = Rules(multicast=True, routing="any")
ONE_PORT = Rules(multicast=True, ports=1)


class Case(NamedTuple):
    """A problem with routers that copy."""

    spec: str
    kind: str
    rules: Rules
    pieces: int = 1

    @property
    def collective(self) -> str:
        pieces = f" in {self.pieces}" if self.pieces > 1 else ""
        paths = ", any paths" if self.rules.routing == "any" else ""
        return f"{self.kind}{pieces}, {'all-port' if self.rules.ports == 'all' else '1-port'}{paths}"


CASES = (
    *(Case(spec, kind, SWITCHES) for spec in ("nvl:8", "nvl:72") for kind in ("AAB", "AAR", "ALLREDUCE")),
    *(Case(spec, "ALLREDUCE", SWITCHES, 9) for spec in ("dgx-h100", "dgx-a100")),
    *(
        Case(spec, kind, SWITCHES)
        for spec in ("dgx-a100:2", "dgx-h100:2", "dgx-h100:4", "rails:4,8", "rails:8,8")
        for kind in ("AAB", "ALLREDUCE")
    ),
    *(Case(spec, "ALLREDUCE", SWITCHES, 8) for spec in ("dgx-h100:4", "rails:4,8", "rails:8,8")),
    *(
        Case(spec, "OAB", rules, 8)
        for spec in ("mesh:4x4", "torus:4x4", "hypercube:4", "octagon", "kautz:3,2")
        for rules in (ROUTERS, ANY_PATHS, ONE_PORT)
    ),
    *(
        Case(spec, "AAB", rules)
        for spec in ("mesh:4x4", "torus:4x4", "hypercube:4", "octagon", "kautz:3,2")
        for rules in (ROUTERS, ONE_PORT)
    ),
)


def measured(case: Case) -> str:
    made = network(case.spec)
    collective = in_pieces(named(case.kind, made), case.pieces)
    cells = []
    for rules in (case.rules, case.rules.without_copies()):
        cpu = time.process_time()
        result = solve(Problem(made, collective, rules), SearchOptions(seconds=SECONDS))
        cells += [*_figures(result), f"{time.process_time() - cpu:.1f}"]
    what = "multicast" if case.rules.multicast else "switches copy"
    return f"| `{case.spec}` | {case.collective} | {what} | {' | '.join(cells)} |"


def _figures(result: Result) -> list[str]:
    """Return steps and bound; the steps are bold where they are proven."""
    steps = f"**{result.num_steps}**" if result.status == "optimal" else str(result.num_steps)
    return [steps, "-" if result.bound is None else str(result.bound.figure)]


def main() -> int:
    return measure_lines(RESULTS, HEADER, CASES, measured, lambda case: (f"| `{case.spec}`", case.collective))


if __name__ == "__main__":
    sys.exit(main())
