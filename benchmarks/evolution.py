"""The papers' algorithms, studied: `python -m benchmarks.evolution [TABLE...] [--seeds N] [--workers N] [--keep DIR]`.

Each line is one problem, one method and a limit of evaluations, run with many seeds; beside it stands what the paper
reports and the rate that is asked for. Finished runs are kept in benchmarks/results/evolution, so that an interrupted
study goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.settings import configured
from pavane.solvers import SOLVERS
from pavane.studies.trials import study
from pavane.workers.budget import Budget

KEPT = Path(__file__).parent / "results" / "evolution"


@dataclass(frozen=True)
class Case:
    """One line of a table."""

    network: str
    kind: str
    steps: int
    method: str
    evaluations: int
    asked: int | None
    """The success rate, in percent, that is asked for; None: reported as it comes."""
    paper: str = ""
    settings: tuple[str, ...] = ()
    rules: dict[str, Any] | None = None

    def problem(self) -> Problem:
        made = network(self.network)
        return Problem(made, named(self.kind, made), Rules(**(self.rules or {})))


def _cases(
    method: str, kind: str, evaluations: int, asked: int | None, steps: dict[str, int], **more: Any
) -> list[Case]:
    return [Case(spec, kind, count, method, evaluations, asked, **more) for spec, count in steps.items()]


OAS = {
    "ring:8": 4,
    "octagon": 3,
    "petersen": 3,
    "kautz:3,2": 4,
    "heawood": 5,
    "spidergon:16": 5,
    "levi": 10,
    "hypercube:3": 3,
    "hypercube:4": 4,
    "hypercube:5": 7,
}
OAB = {
    "ring:8": 2,
    "octagon": 2,
    "petersen": 2,
    "kautz:3,2": 2,
    "heawood": 2,
    "spidergon:16": 2,
    "levi": 3,
    "hypercube:3": 2,
    "hypercube:4": 2,
    "hypercube:5": 2,
    "kautz:3,3": 3,
}
AAB = {"ring:8": 4, "octagon": 3, "petersen": 3, "kautz:3,2": 4, "heawood": 5}
AAS = {"ring:8": 8, "octagon": 4, "petersen": 5, "kautz:3,2": 7}
ANNEALED = {**AAB, "spidergon:16": 5, "hypercube:3": 3, "hypercube:4": 4, "mesh:4x4": 8}
POLISHED = {**AAS, "heawood": 10, "spidergon:16": 17, "mesh:4x4": 17}
POLISH = ("polish=4",)

TABLES: dict[str, list[Case]] = {
    "umda": [
        *_cases("umda", "OAS", 1_000_000, 80, OAS, paper="reached, under 1 s"),
        *_cases("umda", "OAB", 1_000_000, 80, OAB, paper="reached"),
        *_cases("umda", "AAB", 50_000, 90, AAB, paper="reached"),
        *_cases("umda", "AAS", 3_000_000, 60, AAS, paper="reached"),
    ],
    "umda-polish": [
        *_cases("umda", "AAS", 50_000, 100, POLISHED, settings=POLISH),
        *_cases("umda", "AAS", 100_000, 80, {"mesh:4x4": 16}, settings=POLISH, paper="17"),
        *_cases("umda", "AAB", 50_000, 100, {"hypercube:5": 7}, settings=POLISH, paper="reached in 28 min"),
        *_cases("umda", "AAS", 100_000, None, {"spidergon:16": 16}, settings=(*POLISH, "symmetric=yes"), paper="17"),
        *_cases("umda", "AAS", 300_000, None, {"hypercube:4": 8}, settings=(*POLISH, "symmetric=yes"), paper="30 %"),
    ],
    "hgsa": [
        *_cases("hgsa", "AAB", 2_500_000, 90, ANNEALED, paper="100 %"),
        *_cases("hgsa", "AAB", 8_000_000, 60, {"hypercube:5": 7}, paper="100 %"),
    ],
    "mboa": [
        *_cases("mboa", "OAS", 400_000, 100, {"hypercube:3": 3, "hypercube:4": 4, "kautz:3,2": 4}, paper="100 %"),
        *_cases("mboa", "OAB", 400_000, 100, {"hypercube:3": 2, "hypercube:4": 2, "kautz:3,2": 2}, paper="100 %"),
        *_cases("mboa", "AAS", 400_000, 60, {"hypercube:3": 4}, paper="60 %"),
        *_cases("mboa", "OAS", 400_000, None, {"hypercube:5": 7}, paper="90 %"),
        *_cases("mboa", "OAB", 1_000_000, None, {"hypercube:5": 2}, paper="100 %"),
    ],
    "ga": [
        *_cases("ga", "OAS", 100_000, None, {"octagon": 3, "heawood": 5, "hypercube:5": 7}),
        *_cases("ga", "AAB", 100_000, None, {"heawood": 5}),
        *_cases("ga", "AAS", 100_000, None, {"octagon": 4}),
    ],
}


SPEEDS = (
    # method, network, collective, steps (so few that a run goes on for long), evaluations, asked per second
    ("umda", "kautz:3,2", "AAS", 6, 1_000_000, 150_000),
    ("umda", "hypercube:5", "AAS", 15, 200_000, 20_000),
    ("hgsa", "kautz:3,2", "AAB", 4, 5_000_000, 1_000_000),
)
"""Complete evaluations (sampling, repair, fitness), or moves, per second of one core."""


def speeds() -> int:
    """Measure how many evaluations a second of the processor makes; return how many fall short."""
    print("\n## speed\n\n| method | problem | evaluations per CPU second | asked |\n|---|---|---|---|")
    slow = 0
    for method, spec, kind, steps, evaluations, asked in SPEEDS:
        made = network(spec)
        problem = Problem(made, named(kind, made))
        SOLVERS[method](problem, steps, 0, Budget(evaluations=20_000))
        before = time.process_time()
        run = SOLVERS[method](problem, steps, 1, Budget(evaluations=evaluations)).run
        assert run is not None
        rate = run.evaluations / (time.process_time() - before)
        slow += rate < asked
        print(f"| {method} | {kind} on {spec} | {rate:,.0f} | {asked:,} |", flush=True)
    return slow


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evolution")
    parser.add_argument(
        "tables", nargs="*", default=["speed", *TABLES], metavar="TABLE", help=f"speed, {', '.join(TABLES)}"
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="DIR", help="where finished runs are kept")
    options = parser.parse_args()
    for name in set(options.tables) - TABLES.keys() - {"speed"}:
        parser.error(f"no table {name!r}; choose speed, {', '.join(TABLES)}")
    missed = speeds() if "speed" in options.tables else 0
    for name in options.tables:
        if name == "speed":
            continue
        print(f"\n## {name}\n")
        print("| problem | steps | method | limit | success | 95 % | evaluations | ERT | s | asked | paper |")
        print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
        for case in TABLES[name]:
            missed += not line(case, options.seeds, options.workers, options.keep)
    return 1 if missed else 0


def line(case: Case, seeds: int, workers: int, keep: Path) -> bool:
    """Study a case, print its line, and say whether it reached what was asked."""
    keep.mkdir(parents=True, exist_ok=True)
    solver = configured(SOLVERS[case.method], list(case.settings))
    made = study(
        case.problem(),
        [solver],
        num_steps=case.steps,
        seeds=seeds,
        evaluations=case.evaluations,
        workers=workers,
        folder=keep,
    )
    (told,) = made.summaries()
    rate = 100 * (told.rate or 0.0)
    low, high = (100 * end for end in told.interval or (0.0, 0.0))
    median = "-" if told.evaluations is None else f"{told.evaluations.median:,.0f}"
    expected = told.expected_evaluations
    ert = "-" if expected is None or not told.successes else f"{expected:,.0f}"
    seconds = "-" if told.seconds is None else f"{told.seconds.median:.1f}"
    asked = "-" if case.asked is None else f"{case.asked} %"
    method = ":".join([case.method, *case.settings])
    what = f"{case.kind} on {case.network} | {case.steps} | {method} | {case.evaluations:,}"
    found = f"{told.successes}/{told.runs} | {low:.0f}-{high:.0f} % | {median} | {ert} | {seconds}"
    print(f"| {what} | {found} | {asked} | {case.paper} |", flush=True)
    return case.asked is None or rate >= case.asked


if __name__ == "__main__":
    sys.exit(main())
