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

from benchmarks.cases import Case
from pavane.model.collectives import named
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.settings import configured
from pavane.solvers import SOLVERS
from pavane.studies.papers.steps_printed import printed_steps
from pavane.studies.trials import study
from pavane.workers.budget import Budget

KEPT = Path(__file__).parent / "results" / "evolution"


@dataclass(frozen=True)
class Race:
    """One line of a table: a problem, a method, and the rate that is asked for."""

    case: Case
    method: str
    evaluations: int
    asked: int | None
    """The success rate, in percent, that is asked for; None: reported as it comes."""
    paper: str = ""
    settings: tuple[str, ...] = ()


def _races(
    method: str, kind: str, evaluations: int, asked: int | None, steps: dict[str, int], **more: Any
) -> list[Race]:
    return [Race(Case(spec, kind, count), method, evaluations, asked, **more) for spec, count in steps.items()]


SMALL = ("ring:8", "octagon", "petersen", "kautz:3,2", "heawood", "spidergon:16", "levi")
CUBES = ("hypercube:3", "hypercube:4", "hypercube:5")
OAS = printed_steps("gecco08", "OAS", *SMALL) | printed_steps("gecco07", "OAS", *CUBES)
OAB = printed_steps("gecco08", "OAB", *SMALL, "kautz:3,3") | printed_steps("gecco07", "OAB", *CUBES)
AAB = printed_steps("gecco08", "AAB", *SMALL[:5])
AAS = printed_steps("gecco08", "AAS", *SMALL[:4])
ANNEALED = (
    AAB
    | printed_steps("gecco08", "AAB", "spidergon:16")
    | printed_steps("gecco07", "AAB", "hypercube:3", "hypercube:4", "mesh:4x4")
)
POLISHED = (
    AAS | printed_steps("gecco08", "AAS", "heawood", "spidergon:16") | printed_steps("gecco07", "AAS", "mesh:4x4")
)
POLISH = ("polish=4",)

TABLES: dict[str, list[Race]] = {
    "umda": [
        *_races("umda", "OAS", 1_000_000, 80, OAS, paper="reached, under 1 s"),
        *_races("umda", "OAB", 1_000_000, 80, OAB, paper="reached"),
        *_races("umda", "AAB", 50_000, 90, AAB, paper="reached"),
        *_races("umda", "AAS", 3_000_000, 60, AAS, paper="reached"),
    ],
    "umda-polish": [
        *_races("umda", "AAS", 50_000, 100, POLISHED, settings=POLISH),
        *_races("umda", "AAS", 100_000, 80, {"mesh:4x4": 16}, settings=POLISH, paper="17"),
        *_races("umda", "AAB", 50_000, 100, {"hypercube:5": 7}, settings=POLISH, paper="reached in 28 min"),
        *_races("umda", "AAS", 100_000, None, {"spidergon:16": 16}, settings=(*POLISH, "symmetric=yes"), paper="17"),
        *_races("umda", "AAS", 300_000, None, {"hypercube:4": 8}, settings=(*POLISH, "symmetric=yes"), paper="30 %"),
    ],
    "hgsa": [
        *_races("hgsa", "AAB", 2_500_000, 90, ANNEALED, paper="100 %"),
        *_races("hgsa", "AAB", 8_000_000, 60, {"hypercube:5": 7}, paper="100 %"),
    ],
    "mboa": [
        *_races("mboa", "OAS", 400_000, 100, {"hypercube:3": 3, "hypercube:4": 4, "kautz:3,2": 4}, paper="100 %"),
        *_races("mboa", "OAB", 400_000, 100, {"hypercube:3": 2, "hypercube:4": 2, "kautz:3,2": 2}, paper="100 %"),
        *_races("mboa", "AAS", 400_000, 60, {"hypercube:3": 4}, paper="60 %"),
        *_races("mboa", "OAS", 400_000, None, {"hypercube:5": 7}, paper="90 %"),
        *_races("mboa", "OAB", 1_000_000, None, {"hypercube:5": 2}, paper="100 %"),
    ],
    "ga": [
        *_races("ga", "OAS", 100_000, None, {"octagon": 3, "heawood": 5, "hypercube:5": 7}),
        *_races("ga", "AAB", 100_000, None, {"heawood": 5}),
        *_races("ga", "AAS", 100_000, None, {"octagon": 4}),
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
        for race in TABLES[name]:
            missed += not line(race, options.seeds, options.workers, options.keep)
    return 1 if missed else 0


def line(race: Race, seeds: int, workers: int, keep: Path) -> bool:
    """Study a problem, print its line, and say whether it reached what was asked."""
    keep.mkdir(parents=True, exist_ok=True)
    solver = configured(SOLVERS[race.method], list(race.settings))
    assert race.case.steps is not None
    made = study(
        race.case.problem(),
        [solver],
        num_steps=race.case.steps,
        seeds=seeds,
        evaluations=race.evaluations,
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
    asked = "-" if race.asked is None else f"{race.asked} %"
    method = ":".join([race.method, *race.settings])
    what = f"{race.case.kind} on {race.case.spec} | {race.case.steps} | {method} | {race.evaluations:,}"
    found = f"{told.successes}/{told.runs} | {low:.0f}-{high:.0f} % | {median} | {ert} | {seconds}"
    print(f"| {what} | {found} | {asked} | {race.paper} |", flush=True)
    return race.asked is None or rate >= race.asked


if __name__ == "__main__":
    sys.exit(main())
