"""How far the papers' algorithms go: `python -m benchmarks.limits [--methods LIST] [--only TEXT] [--time S]`.

On hypercubes, Kautz networks and rings of growing size, UMDA, GA, MBOA and HGSA look for schedules at the lower bound,
and for such within five per cent of it: how many of their runs succeed, and after how many evaluations, up to a
hundred million. Beside them stands what `auto` finds. Finished lines are kept in benchmarks/results/limits.json, and
the command goes on where it was; `pavane paper open 4` makes its table of them. UMDA and GA run on a CUDA GPU where
`--device gpu` says so: an island makes the run that its seed makes on a processor.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.islands import Kept, in_a_stream
from pavane.bounds import lower_bounds
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.solvers import SOLVERS
from pavane.studies.trials import study

KEPT = Path(__file__).parent / "results" / "limits.json"

MEMBERS = {
    "hypercube": ("hypercube:2", "hypercube:3", "hypercube:4", "hypercube:5", "hypercube:6"),
    "kautz": ("kautz:2,2", "kautz:3,2", "kautz:4,2", "kautz:2,4", "kautz:5,2", "kautz:3,3"),
    "ring": ("ring:4", "ring:6", "ring:8", "ring:10", "ring:12", "ring:16", "ring:24", "ring:32"),
}
"""Of each family, the smallest first."""

KINDS = {"umda": ("AAS", "AAB"), "ga": ("AAS", "AAB"), "mboa": ("AAS",), "hgsa": ("AAB",), "auto": ("AAS", "AAB")}
"""What each method is asked for: the papers have no broadcasts of many by MBOA, and no scatters by HGSA."""

MOST_EVALUATIONS = 10**8
RUNS = {"cpu": 2, "gpu": 16}


@dataclass(frozen=True)
class Line:
    """A problem and a method."""

    method: str
    kind: str
    spec: str

    @property
    def name(self) -> str:
        return f"{self.method} {self.kind} {self.spec}"

    def problem(self) -> Problem:
        where = network(self.spec)
        return Problem(where, named(self.kind, where))


def lines(methods: list[str]) -> Iterator[Line]:
    """Yield what is measured, small networks first."""
    longest = max(len(specs) for specs in MEMBERS.values())
    for number in range(longest):
        for method in methods:
            for kind in KINDS[method]:
                for specs in MEMBERS.values():
                    if number < len(specs):
                        yield Line(method, kind, specs[number])


def bounds() -> dict[str, int]:
    """Return the best lower bound of every problem."""
    return {f"{line.kind} {line.spec}": lower_bounds(line.problem())[0].steps for line in lines(["auto"])}


@dataclass(frozen=True)
class Asked:
    """How runs are made."""

    device: str
    evaluations: int
    """The most of a run."""
    seconds: float
    """The most for a run."""


def goals(bound: int) -> dict[str, int]:
    """Return the steps that are asked for."""
    near = bound * 105 // 100
    return {"bound": bound} | ({"near": near} if near > bound else {})


def measured(line: Line, bound: int, asked: Asked) -> dict[str, Any]:
    """Make the runs of a line; return how many evaluations they made, with success and without."""
    begun = time.monotonic()
    solver = SOLVERS[line.method]
    if asked.device == "gpu":
        solver = replace(solver, device="gpu")  # type: ignore[type-var]
    made: dict[str, Any] = {}
    for name, steps in goals(bound).items():
        found = study(
            line.problem(),
            [solver],
            num_steps=steps,
            seeds=RUNS[asked.device],
            evaluations=asked.evaluations,
            seconds=asked.seconds,
        )
        made[name] = {
            "steps": steps,
            "successes": sorted(run.evaluations for run in found.runs if run.is_success),
            "failures": sorted(run.evaluations for run in found.runs if not run.is_success),
            "conflicts": min((run.conflicts for run in found.runs if run.conflicts is not None), default=None),
        }
    told = {"bound": bound, "limit": asked.evaluations, "device": asked.device, "goals": made}
    return told | {"seconds": round(time.monotonic() - begun, 1)}


def is_beyond(line: Line, rows: dict[str, Any]) -> bool:
    """Tell whether no run succeeded on the next smaller network, not even near the bound."""
    (specs,) = (specs for specs in MEMBERS.values() if line.spec in specs)
    before = specs.index(line.spec) - 1
    row = rows.get(replace(line, spec=specs[before]).name) if before >= 0 else None
    if line.method == "auto" or before < 0:
        return False
    return row is None or not any(row["goals"][name]["successes"] for name in row["goals"])


def modern(line: Line, bound: int, seconds: float) -> dict[str, Any]:
    """Return what `auto` finds."""
    from pavane.search.synthesis import synthesize

    begun = time.monotonic()
    result = synthesize(line.problem(), seconds=seconds)
    told = {"bound": bound, "steps": result.num_steps, "solver": result.provenance.solver, "status": result.status}
    return told | {"seconds": round(time.monotonic() - begun, 1)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limits")
    parser.add_argument("--methods", default="umda,ga,mboa,hgsa,auto", metavar="LIST")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name contains it")
    parser.add_argument("--device", default="cpu", choices=["cpu", "gpu"], help="for umda and ga")
    parser.add_argument("--evaluations", type=int, default=MOST_EVALUATIONS, metavar="N", help="the most of a run")
    parser.add_argument("--time", type=float, default=300.0, metavar="S", help="the most for a run")
    parser.add_argument("--whole", type=float, default=1e9, metavar="S", help="begin no line after these seconds")
    parser.add_argument("--side-by-side", type=int, default=1, metavar="N", help="lines at the same time")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FILE")
    options = parser.parse_args()
    kept, begun = Kept(options.keep), time.monotonic()
    if "bounds" not in kept.rows:
        kept.add("bounds", bounds())
    known, asked = kept.rows["bounds"], Asked(options.device, options.evaluations, options.time)

    def one(line: Line) -> None:
        if time.monotonic() - begun > options.whole or is_beyond(line, kept.rows):
            return
        bound = known[f"{line.kind} {line.spec}"]
        if line.method == "auto":
            kept.add(line.name, modern(line, bound, options.time))
        elif options.device == "gpu":
            in_a_stream(lambda: kept.add(line.name, measured(line, bound, asked)))
        else:
            kept.add(line.name, measured(line, bound, asked))

    wanted = [line for line in lines(options.methods.split(",")) if options.only in line.name]
    with ThreadPoolExecutor(options.side_by_side) as pool:
        for _ in pool.map(one, (line for line in wanted if line.name not in kept.rows)):
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
