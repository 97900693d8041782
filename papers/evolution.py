"""The papers' algorithms, studied: `python -m papers.evolution [TABLE...] [--seeds N] [--workers N] [--keep DIR]`.

Each line is one problem and one method, run with many seeds: with the paper's settings, where a run is one population
without restarts, and with ours; beside it stands what the paper reports. Finished runs are kept in
papers/results/evolution, so that an interrupted study resumes where it stopped. `papers.success_rates` studies
UMDA with hundreds of seeds on a GPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.cases import Case

from papers.steps_printed import printed_steps
from pavane.campaign.solver_study import study
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.options import SearchOptions
from pavane.search.settings import configured
from pavane.solvers import SOLVERS

KEPT = Path(__file__).parent / "results" / "evolution"


@dataclass(frozen=True)
class Race:
    """One line of a table: a problem, a method, and the target rates."""

    case: Case
    method: str
    evaluations: int
    """The most of a run."""
    paper: str = ""
    """What the paper reports."""
    target: int | None = None
    """The target success rate of the paper's settings, in percent; None: only reported."""
    ours: tuple[str, ...] = ()
    """Settings of ours; none: the line has no second half."""
    ours_evaluations: int = 0
    ours_target: int | None = None
    settings: tuple[str, ...] = ()
    """What the paper's half needs besides the defaults."""
    most_seeds: int = 1000
    """How many runs are made at most: fewer where one takes minutes."""


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
POLISHED: dict[str, Any] = {"ours": ("polish=4", "patience=10000"), "ours_evaluations": 50_000, "ours_target": 100}
HALVED = {**POLISHED, "ours": (*POLISHED["ours"], "symmetric=yes"), "ours_evaluations": 300_000, "ours_target": None}

SLOWLY: dict[str, Any] = {
    "ours": (
        "num_annealers=1",
        "start_temperature=0.5",
        "moves_per_temperature=20000",
        "new_sequence=0.3",
        "new_path=0.5",
    ),
    "ours_evaluations": 10_000_000,
}
"""One annealer that cools slowly, and moves that change less."""
BY_TRIAL: dict[str, Any] = {"settings": ("population=by-trial",)}
AGAIN: dict[str, Any] = {"ours": ("population=64", "patience=20000"), "ours_evaluations": 100_000}
EIGHT = tuple(range(0, 16, 2))
ONE_PORT = (
    Case("mesh:4x4", "AAB", 15, rules=Rules(ports=1)),
    Case("coated-mesh:4x4", "AAB", 15, rules=Rules(ports=1)),
    Case("fat-octagon:2", "MNB", 7, rules=Rules(ports=1), senders=EIGHT, receivers=EIGHT),
    Case("fat-octagon:2", "MNB", 8, rules=Rules(ports=1), senders=EIGHT, receivers=tuple(range(1, 16, 2))),
    Case("fat-octagon:2", "MNB", 8, rules=Rules(ports=1), senders=EIGHT, receivers=tuple(range(16))),
    Case("fat-octagon:2", "MNB", 15, rules=Rules(ports=1), senders=tuple(range(16)), receivers=tuple(range(16))),
)
"""The 1-port broadcasts of gecco07 Tables 3 and 5; there one processor of each router sends."""

TABLES: dict[str, list[Race]] = {
    "umda": [
        *_races("umda", "OAS", 1_000_000, OAS, paper="reached, under 1 s", target=80, **POLISHED),
        *_races("umda", "OAB", 1_000_000, OAB, paper="reached", target=80, **POLISHED),
        *_races("umda", "AAB", 50_000, AAB, paper="reached", target=90, **POLISHED),
        *_races("umda", "AAB", 1_000_000, {"hypercube:5": 7}, paper="reached in 28 min", **POLISHED),
        *_races("umda", "AAS", 500_000, SCATTERED, paper="reached", **POLISHED),
        *_races("umda", "AAS", 500_000, {"kautz:3,2": 7}, paper="reached", settings=("swap_within=true",)),
        *_races("umda", "AAS", 100_000, {"mesh:4x4": 16}, paper="17", **{**POLISHED, "ours_evaluations": 100_000}),
        *_races("umda", "AAS", 100_000, {"spidergon:16": 16}, paper="17", **HALVED),
        *_races("umda", "AAS", 100_000, {"hypercube:4": 8}, paper="30 % (MBOA)", **HALVED),
    ],
    "hgsa": [
        *_races("hgsa", "AAB", 2_500_000, ANNEALED, paper="100 %", target=90),
        *_races("hgsa", "AAB", 10_000_000, {"hypercube:5": 7}, paper="100 %", target=60, **SLOWLY),
        *_races("hgsa", "AAB", 3_000_000, {"hypercube:6": 11}, paper="80 %", most_seeds=1),
        *_races("hgsa", "AAB", 1_000_000, {"hypercube:7": 19}, paper="0 %", most_seeds=1),
        *_races("hgsa", "OAB", 3_000_000, {"hypercube:6": 3, "hypercube:7": 3}, paper="100 %"),
        *(Race(case, "hgsa", 2_500_000, paper="100 %", most_seeds=3) for case in ONE_PORT),
        *(
            Race(replace(case, rules=Rules()), "hgsa", 20_000_000, paper="100 %", settings=("most_absorbed=1",))
            for case in ONE_PORT
        ),
    ],
    "mboa": [
        *_races("mboa", "OAS", 400_000, {"hypercube:3": 3, "hypercube:4": 4}, paper="100 %", **BY_TRIAL),
        *_races("mboa", "OAS", 400_000, {"hypercube:5": 7, "hypercube:6": 11, "hypercube:7": 19}, paper="90 %"),
        *_races("mboa", "OAB", 400_000, {"hypercube:3": 2, "hypercube:4": 2}, paper="100 %", **BY_TRIAL),
        *_races("mboa", "OAB", 400_000, {"hypercube:5": 2}, paper="100 %"),
        *_races("mboa", "OAB", 400_000, {"hypercube:6": 3}, paper="70 %"),
        *_races("mboa", "OAB", 200_000, {"hypercube:7": 3}, paper="50 %", most_seeds=3),
        *_races("mboa", "AAS", 100_000, {"hypercube:3": 4}, paper="60 %", settings=("population=64",), **AGAIN),
        *_races("mboa", "AAS", 400_000, {"hypercube:4": 8}, paper="30 %", most_seeds=2),
        *_races("mboa", "AAS", 50_000, {"hypercube:5": 16}, paper="10 %", most_seeds=1),
        *_races("mboa", "AAS", 1_000_000, {"mesh:4x4": 17}, paper="25 %"),
    ],
    "ga": [
        *_races("ga", "OAS", 100_000, {"octagon": 3, "heawood": 5, "hypercube:5": 7}, **POLISHED),
        *_races("ga", "AAB", 100_000, {"heawood": 5}, **POLISHED),
        *_races("ga", "AAS", 300_000, {"octagon": 4, "petersen": 5, "kautz:3,2": 7}, **POLISHED),
    ],
}


SPEEDS = (
    # method, network, collective, steps (so few that a run takes long), evaluations, target per second
    ("umda", "kautz:3,2", "AAS", 6, 1_000_000, 150_000),
    ("umda", "hypercube:5", "AAS", 15, 200_000, 20_000),
    ("hgsa", "kautz:3,2", "AAB", 4, 5_000_000, 1_000_000),
)
"""Complete evaluations (sampling, repair, fitness), or moves, per second of one core."""


def speeds() -> int:
    """Measure how many evaluations a second of the processor makes; return how many fall short."""
    print("\n## speed\n\n| method | problem | evaluations per CPU second | target |\n|---|---|---|---|")
    slow = 0
    for method, spec, kind, steps, evaluations, target in SPEEDS:
        made = network(spec)
        problem = Problem(made, named(kind, made))
        SOLVERS[method](problem, steps, 0, Budget(evaluations=20_000))
        before = time.process_time()
        run = SOLVERS[method](problem, steps, 1, Budget(evaluations=evaluations)).run
        assert run is not None
        rate = run.evaluations / (time.process_time() - before)
        slow += rate < target
        print(f"| {method} | {kind} on {spec} | {rate:,.0f} | {target:,} |", flush=True)
    return slow


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m papers.evolution")
    parser.add_argument(
        "tables", nargs="*", default=["speed", *TABLES], metavar="TABLE", help=f"speed, {', '.join(TABLES)}"
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="DIR", help="folder of finished runs")
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
            "| ours | limit | success | 95 % | ERT | target |"
        )
        print("|" + "---|" * 13, flush=True)
        for race in TABLES[name]:
            missed += not line(race, min(options.seeds, race.most_seeds), options.workers, options.keep)
    return 1 if missed else 0


def line(race: Race, seeds: int, workers: int, keep: Path) -> bool:
    """Study a problem, print its line, and return whether it met its targets."""
    keep.mkdir(parents=True, exist_ok=True)

    def half(settings: tuple[str, ...], evaluations: int, target: int | None) -> tuple[list[str], bool]:
        assert race.case.steps is not None
        (summary,) = study(
            race.case.problem(),
            [configured(SOLVERS[race.method], list(settings))],
            SearchOptions(evaluations=evaluations, workers=workers),
            num_steps=race.case.steps,
            seeds=seeds,
            file=keep / "runs.jsonl",
        ).summaries()
        low, high = (100 * end for end in summary.interval or (0.0, 0.0))
        expected = summary.expected_evaluations
        ert = "-" if expected is None or not summary.successes else f"{expected:,.0f}"
        cells = [f"{evaluations:,}", f"{summary.successes}/{summary.runs}", f"{low:.0f}-{high:.0f} %", ert]
        return cells, target is None or 100 * (summary.rate or 0.0) >= target

    theirs, is_well = half(race.settings, race.evaluations, race.target)
    ours, is_ours_well = [*["-"] * 5], True
    if race.ours:
        cells, is_ours_well = half(race.ours, race.ours_evaluations, race.ours_target)
        ours = [" ".join(race.ours), *cells]
    target = " and ".join(f"{rate} %" for rate in (race.target, race.ours_target) if rate is not None) or "-"
    method = ":".join([race.method, *race.settings])
    about = race.case.label if race.case.rules.ports != "all" or race.case.senders is not None else ""
    problem = (about or f"{race.case.kind} on {race.case.spec}") + (f", {method}" if race.settings else "")
    cells = [problem, str(race.case.steps), race.paper or "-", *theirs, *ours, target]
    print(f"| {' | '.join(cells)} |", flush=True)
    return is_well and is_ours_well


if __name__ == "__main__":
    sys.exit(main())
