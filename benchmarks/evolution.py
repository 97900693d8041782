"""The papers' algorithms, studied: `python -m benchmarks.evolution [TABLE...] [--seeds N] [--workers N] [--keep DIR]`.

Each line is one problem and one method, run with many seeds: with the paper's settings, where a run is one population
without restarts, and with ours; beside it stands what the paper reports. Finished runs are kept in
benchmarks/results/evolution, so that an interrupted study goes on where it was. `benchmarks.islands` studies UMDA with
hundreds of seeds on a GPU.
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
    """One line of a table: a problem, a method, and the rates that are asked for."""

    case: Case
    method: str
    evaluations: int
    """The most of a run."""
    paper: str = ""
    """What the paper reports."""
    asked: int | None = None
    """The success rate of the paper's settings, in percent, that is asked for; None: reported as it comes."""
    ours: tuple[str, ...] = ()
    """Settings of ours; none: the line has no second half."""
    ours_evaluations: int = 0
    ours_asked: int | None = None
    settings: tuple[str, ...] = ()
    """What the paper's half needs besides the defaults."""


def _races(method: str, kind: str, evaluations: int, steps: dict[str, int], **more: Any) -> list[Race]:
    return [Race(Case(spec, kind, count), method, evaluations, **more) for spec, count in steps.items()]


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
SCATTERED = (
    AAS | printed_steps("gecco08", "AAS", "heawood", "spidergon:16") | printed_steps("gecco07", "AAS", "mesh:4x4")
)
POLISHED: dict[str, Any] = {"ours": ("polish=4", "patience=10000"), "ours_evaluations": 50_000, "ours_asked": 100}
HALVED = {**POLISHED, "ours": (*POLISHED["ours"], "symmetric=yes"), "ours_evaluations": 300_000, "ours_asked": None}

TABLES: dict[str, list[Race]] = {
    "umda": [
        *_races("umda", "OAS", 1_000_000, OAS, paper="reached, under 1 s", asked=80, **POLISHED),
        *_races("umda", "OAB", 1_000_000, OAB, paper="reached", asked=80, **POLISHED),
        *_races("umda", "AAB", 50_000, AAB, paper="reached", asked=90, **POLISHED),
        *_races("umda", "AAB", 1_000_000, {"hypercube:5": 7}, paper="reached in 28 min", **POLISHED),
        *_races("umda", "AAS", 3_000_000, SCATTERED, paper="reached", **POLISHED),
        *_races("umda", "AAS", 3_000_000, {"kautz:3,2": 7}, paper="reached", settings=("swap_within=true",)),
        *_races("umda", "AAS", 100_000, {"mesh:4x4": 16}, paper="17", **{**POLISHED, "ours_evaluations": 100_000}),
        *_races("umda", "AAS", 100_000, {"spidergon:16": 16}, paper="17", **HALVED),
        *_races("umda", "AAS", 100_000, {"hypercube:4": 8}, paper="30 % (MBOA)", **HALVED),
    ],
    "hgsa": [
        *_races("hgsa", "AAB", 2_500_000, ANNEALED, paper="100 %", asked=90),
        *_races("hgsa", "AAB", 8_000_000, {"hypercube:5": 7}, paper="100 %", asked=60),
    ],
    "mboa": [
        *_races("mboa", "OAS", 400_000, {"hypercube:3": 3, "hypercube:4": 4, "kautz:3,2": 4}, paper="100 %"),
        *_races("mboa", "OAB", 400_000, {"hypercube:3": 2, "hypercube:4": 2, "kautz:3,2": 2}, paper="100 %"),
        *_races("mboa", "AAS", 400_000, {"hypercube:3": 4}, paper="60 %"),
        *_races("mboa", "OAS", 400_000, {"hypercube:5": 7}, paper="90 %"),
        *_races("mboa", "OAB", 1_000_000, {"hypercube:5": 2}, paper="100 %"),
    ],
    "ga": [
        *_races("ga", "OAS", 100_000, {"octagon": 3, "heawood": 5, "hypercube:5": 7}, **POLISHED),
        *_races("ga", "AAB", 100_000, {"heawood": 5}, **POLISHED),
        *_races("ga", "AAS", 1_000_000, {"octagon": 4, "petersen": 5, "kautz:3,2": 7}, **POLISHED),
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
        print(
            "| problem | steps | paper | paper's settings: limit | success | 95 % | ERT "
            "| ours | limit | success | 95 % | ERT | asked |"
        )
        print("|" + "---|" * 13, flush=True)
        for race in TABLES[name]:
            missed += not line(race, options.seeds, options.workers, options.keep)
    return 1 if missed else 0


def line(race: Race, seeds: int, workers: int, keep: Path) -> bool:
    """Study a problem, print its line, and say whether it reached what was asked."""
    keep.mkdir(parents=True, exist_ok=True)

    def half(settings: tuple[str, ...], evaluations: int, asked: int | None) -> tuple[list[str], bool]:
        assert race.case.steps is not None
        (told,) = study(
            race.case.problem(),
            [configured(SOLVERS[race.method], list(settings))],
            num_steps=race.case.steps,
            seeds=seeds,
            evaluations=evaluations,
            workers=workers,
            folder=keep,
        ).summaries()
        low, high = (100 * end for end in told.interval or (0.0, 0.0))
        expected = told.expected_evaluations
        ert = "-" if expected is None or not told.successes else f"{expected:,.0f}"
        cells = [f"{evaluations:,}", f"{told.successes}/{told.runs}", f"{low:.0f}-{high:.0f} %", ert]
        return cells, asked is None or 100 * (told.rate or 0.0) >= asked

    theirs, is_well = half(race.settings, race.evaluations, race.asked)
    ours, is_ours_well = [*["-"] * 5], True
    if race.ours:
        cells, is_ours_well = half(race.ours, race.ours_evaluations, race.ours_asked)
        ours = [" ".join(race.ours), *cells]
    asked = " and ".join(f"{rate} %" for rate in (race.asked, race.ours_asked) if rate is not None) or "-"
    method = ":".join([race.method, *race.settings])
    problem = f"{race.case.kind} on {race.case.spec}" + (f", {method}" if race.settings else "")
    cells = [problem, str(race.case.steps), race.paper or "-", *theirs, *ours, asked]
    print(f"| {' | '.join(cells)} |", flush=True)
    return is_well and is_ours_well


if __name__ == "__main__":
    sys.exit(main())
