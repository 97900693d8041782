"""The papers' algorithm by the hundred: `python -m papers.success_rates [--only TEXT] [--time S] [--side-by-side N]`.

Success rates of UMDA with hundreds of seeds a problem, on a CUDA GPU: with the paper's settings, with restarts, with
polish, and on quotients by a symmetry; and of gecco07's algorithms, MBOA with populations of several sizes (`--only
mboa`) and HGSA (`--only hgsa`). Finished problems are kept in papers/results/islands.json, and the command resumes
where it stopped; `python -m papers.success_rates --table` prints what is kept. Runs that `--time` interrupts are stored
beside that file and resumed by the same command. `rates` among the problems measures evaluations a second, on the GPU
and on one core of the same machine.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from math import log, log10
from pathlib import Path
from typing import Any

import numpy as np

from papers.gecco07 import FAT_OCTAGON, FOOTNOTES, HYPERCUBES, MESHES
from papers.gecco08 import FAULTS, STEPS, problem_with_fault
from papers.gecco08_bounds import SPECS
from papers.islands.annealer_islands import annealer_islands_of, each_on_an_annealer_island
from papers.islands.archipelago import Device
from papers.islands.cuda import cuda_device
from papers.islands.islands import Islands, each_on_an_island
from papers.islands.tree_islands import each_on_a_tree_island, tree_islands_of
from papers.problems import KINDS, many_to_many, problem
from papers.steps_printed import printed, printed_steps
from pavane.campaign.runs import RunLine
from pavane.campaign.summaries import summary, wilson
from pavane.judge.rules import verify
from pavane.model.problem import Problem, Routing
from pavane.parallel.budget import Budget
from pavane.solvers.evolutionary.encoding import new_key
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.mboa import MBOA
from pavane.solvers.evolutionary.populations import encoded
from pavane.solvers.evolutionary.umda import UMDA
from pavane.solvers.solver import Finding

KEPT = Path(__file__).parent / "results" / "islands.json"
KEPT_READINGS = KEPT.with_name("readings.json")

RUNS = 512
"""Of each problem and setting."""

LONG = 10**8
"""Evaluations of a run about as long as the paper's."""

LONG_RUNS = 132
"""Of a long row: one population for each multiprocessor of an H200, so that each is as fast as it can be."""

SETTINGS = {
    "paper": UMDA(),
    "restarts": UMDA(patience=200_000),
    "polish": UMDA(polish=4, patience=10_000),
    "quotient": UMDA(polish=4, patience=10_000, symmetric=True),
}
"""The paper's settings, and ours."""

MILLION = 10**6

Questions = dict[str, dict[str, dict[str, Any]]]
"""What a paper leaves open: for each question the readings, as settings of the algorithm."""

UMDA_QUESTIONS: Questions = {
    "mutation": {
        "swap": {"path_share": 0.0},
        "swap of one sender": {"path_share": 0.0, "swap_within": True},
        "path": {"path_share": 1.0},
        "swap or path": {},
        "swap of one sender or path": {"swap_within": True},
    },
    "mutations": {"one": {}, "one a row": {"changes": 0}},
    "selection": {"tournament": {}, "better half": {"selection": "truncation"}},
    "replacement": {"always": {}, "by better": {"replacement": "better"}},
    "model": {"items": {}, "genes": {"units": True}},
}
"""How gecco08 sections 4.4 and 4.5 can be read.

The swap of steps replaces the mutation (section 4.4), the mutation changes paths (4.5); which messages swap is not
said, nor whether a mutation is of the chromosome or of each row of it. The binary tournament selects the better half,
and new chromosomes replace the worse half (4.5). The model has a frequency for each item, or for each gene.
"""


MBOA_QUESTIONS: Questions = {
    "replacement": {"worst of some": {}, "nearest of some": {"replacement": "restricted"}},
    "mutation": {"gene": {}, "item": {"mutation": "item"}},
    "heuristics": {"of broadcasts": {}, "of gecco08": {"accelerate": True}},
    "conflicts": {"pairs": {}, "excess": {"conflicts": "excess"}},
}
"""How gecco07 sections 3.2 and 5 can be read.

An offspring competes with the worst of some members, as the paper says, or with the nearest, as MBOA does. A mutation
changes the values of a gene, all of them or one. Scatters have no local search in gecco07, and one in gecco08.
"""

HGSA_QUESTIONS: Questions = {
    "path of a move": {"another": {}, "another by half": {"new_path": 0.5}},
    "steps of a move": {"all": {}, "one": {"new_sequence": 0.0}},
    "children": {"mutated by half": {}, "never mutated": {"child_mutation": 0.0}},
    "wheel": {"inverse": {}, "gap": {"wheel": "gap"}},
    "master": {"drawn": {}, "best": {"master_keeps": "best"}},
}
"""How gecco07 sections 3.1 and 5 can be read: what a move changes, and what is drawn in an exchange."""

QUESTIONS = {"umda": UMDA_QUESTIONS, "mboa": MBOA_QUESTIONS, "hgsa": HGSA_QUESTIONS}

SCANNED: dict[str, dict[str, tuple[str, tuple[Any, ...]]]] = {
    "umda": {"path share": ("path_share", (0.1, 0.5, 0.7, 0.9)), "population": ("population", (30, 120, 240))},
    "mboa": {"another path after": ("new_path_after", (1_000, 10_000, 100_000))},
    "hgsa": {},
}
"""Numbers that are varied one at a time, beside the defaults: of UMDA 0.3 and 60, of MBOA never."""


ABSORBED = "hgsa absorbed"
"""HGSA that counts one port by what a processor absorbs, as the paper seems to; such runs are judged as all-port."""

ANNEALED = {"hgsa": HGSA(), ABSORBED: HGSA(most_absorbed=1)}
"""HGSA with the paper's settings."""


def population_named(setting: str) -> int | None:
    """Return the population that a setting of MBOA names; None: the default."""
    return int(setting.removeprefix("mboa ").split(":")[0]) if setting.startswith("mboa ") else None


def algorithm_of(setting: str) -> str:
    """Return the name of the algorithm that a setting is of."""
    name = re.split("[ :]", setting)[0]
    return name if name in ("mboa", "hgsa") else "umda"


def solver_of(cell: Cell) -> UMDA | MBOA | HGSA:
    """Return the solver of a case; the settings of a combination of readings are put together."""
    algorithm = algorithm_of(cell.setting)
    if cell.setting in SETTINGS:
        return SETTINGS[cell.setting]
    if cell.setting in ANNEALED:
        return ANNEALED[cell.setting]
    if algorithm == "mboa" and ":" not in cell.setting:
        return MBOA(population=population_named(cell.setting))
    for name, (setting, values) in SCANNED[algorithm].items():
        for value in values:
            if _reading(cell) == f"{name} {value}":
                return replace(READ_WITH[algorithm], **{setting: value})
    chosen: dict[str, Any] = {}
    for answers, name in zip(QUESTIONS[algorithm].values(), _answers(cell), strict=True):
        chosen |= answers[name]
    if chosen.get("changes") == 0:
        chosen["changes"] = cell.problem().network.num_processors
    if (population := population_named(cell.setting)) is not None:
        chosen["population"] = population
    return replace(READ_WITH[algorithm], **chosen)


@dataclass(frozen=True)
class Cell:
    """A problem, the requested steps, settings, and the evaluations of a run."""

    paper: str
    spec: str
    kind: str
    steps: int
    setting: str
    evaluations: int
    target: int | None = None
    """The target success rate, in percent."""
    runs: int = RUNS
    ports: int | str = "all"
    row: str = ""
    """Of gecco07 Table 5."""
    fault: str = ""
    """Of gecco08 Table 5."""
    duplex: str = "full"
    routing: Routing = "minimal"

    @property
    def name(self) -> str:
        length = "" if self.runs == RUNS else f" {short(self.evaluations).replace(' ', '')}"
        return f"{self.kind} {self.where} {self.steps} {self.setting}{length}"

    @property
    def where(self) -> str:
        """Return the network, with what else distinguishes the problem from others."""
        ports = "" if self.ports == "all" else f"{self.ports}-port"
        duplex = "" if self.duplex == "full" else f"{self.duplex} duplex"
        routing = "" if self.routing == "minimal" else f"{self.routing} routing"
        fault = self.fault and f"less {self.fault}"
        return ", ".join(filter(None, (self.spec, fault, ports, duplex, routing, self.row)))

    def problem(self) -> Problem:
        ports = "all" if self.setting == ABSORBED else self.ports
        if self.row:
            return many_to_many(self.spec, self.kind, *SENT[self.row], ports=ports)
        if self.fault:
            return problem_with_fault(self.fault, self.kind)
        return problem(self.spec, self.kind, ports=ports, duplex=self.duplex, routing=self.routing)


EIGHT, OTHERS, ALL = tuple(range(0, 16, 2)), tuple(range(1, 16, 2)), tuple(range(16))
SENT = {
    "8 to the same 8": (EIGHT, EIGHT),
    "8 to other 8": (EIGHT, OTHERS),
    "8 to all 16": (EIGHT, ALL),
    "16 to 16": (ALL, ALL),
}
"""The rows of gecco07 Table 5; the 8 are one processor of each router."""

SMALL = ("ring:8", "octagon", "petersen", "kautz:3,2", "heawood", "spidergon:16")
LARGE = ("levi", "kautz:3,3", "hypercube:5")
AAS = {("gecco08", spec): steps for spec, steps in printed_steps("gecco08", "AAS", *SMALL).items()}
AAS |= {("gecco07", "mesh:4x4"): 17}
LARGE_AAS = {("gecco08", spec): steps for spec, steps in printed_steps("gecco08", "AAS", *LARGE).items()}
BROADCASTS = {
    (kind, spec): steps
    for kind in ("AAB", "OAB")
    for spec, steps in printed_steps("gecco08", kind, "ring:8,oneway", *SMALL, *LARGE).items()
}
OAS = printed_steps("gecco08", "OAS", "ring:8,oneway", *SMALL, "levi", "hypercube:5")
SOMETIMES_STUCK = (
    ("AAB", "spidergon:16"),
    ("OAB", "ring:8,oneway"),
    ("OAB", "ring:8"),
    ("OAB", "heawood"),
    ("OAB", "spidergon:16"),
    ("OAB", "hypercube:5"),
)
"""Broadcasts on which a few runs do not succeed within a million evaluations."""
AT_THE_BOUND = (
    ("gecco08", "heawood", 9),
    ("gecco08", "spidergon:16", 16),
    ("gecco07", "mesh:4x4", 16),
    ("gecco07", "hypercube:4", 8),
)
"""Where the papers stayed above the bound, or succeeded seldom."""


def cells() -> Iterator[Cell]:
    """Yield the measured cases: those with targets first, then the extensions of pavane."""
    for (paper, spec), steps in LARGE_AAS.items():
        yield Cell(paper, spec, "AAS", steps, "paper", 10 * MILLION)
    for (paper, spec), steps in AAS.items():
        yield Cell(paper, spec, "AAS", steps, "paper", 50 * MILLION, 95)
    yield Cell("gecco07", "hypercube:4", "AAS", 8, "paper", 20 * MILLION)
    for (kind, spec), steps in BROADCASTS.items():
        yield Cell("gecco08", spec, kind, steps, "paper", MILLION)
    for spec, steps in OAS.items():
        yield Cell("gecco08", spec, "OAS", steps, "paper", MILLION)
    yield Cell("gecco08", "ring:8", "AAS", 16, "paper", 50 * MILLION, ports=1, duplex="half")
    yield Cell("gecco08", "kautz:3,3", "OAS", 12, "paper", MILLION, routing="any")
    for fault, kinds in FAULTS.items():
        for kind, steps in zip(KINDS, kinds, strict=True) if fault != "none" else ():
            yield Cell("gecco08", "kautz:3,2", kind, steps, "paper", MILLION, fault=fault)
    for spec in ("ring:8", "octagon"):
        yield Cell("gecco08", spec, "AAS", AAS["gecco08", spec], "restarts", 50 * MILLION, 95)
    for kind, spec in SOMETIMES_STUCK:
        yield Cell("gecco08", spec, kind, BROADCASTS[kind, spec], "restarts", 10 * MILLION)
    for kind, spec in (*SOMETIMES_STUCK, ("AAB", "levi"), ("AAB", "kautz:3,3")):
        yield Cell("gecco08", spec, kind, BROADCASTS[kind, spec], "paper", 10 * MILLION, runs=LONG_RUNS)
    for fault, (*_, steps) in FAULTS.items():
        if fault != "none":
            yield Cell("gecco08", "kautz:3,2", "AAS", steps, "paper", 10 * MILLION, runs=LONG_RUNS, fault=fault)
    for (paper, spec), steps in AAS.items():
        yield Cell(paper, spec, "AAS", steps, "polish", MILLION)
    for setting in ("polish", "quotient"):
        for paper, spec, steps in AT_THE_BOUND:
            yield Cell(paper, spec, "AAS", steps, setting, MILLION)
        for (paper, spec), steps in LARGE_AAS.items():
            yield Cell(paper, spec, "AAS", steps, setting, 2 * MILLION)
    # About as long as the paper's runs, which took days; two to eight minutes each on an H200.
    for (paper, spec), steps in LARGE_AAS.items():
        yield Cell(paper, spec, "AAS", steps, "paper", LONG, runs=LONG_RUNS)
    for evaluations in (LONG, 500 * MILLION):
        yield Cell("gecco07", "hypercube:4", "AAS", 8, "paper", evaluations, runs=LONG_RUNS)
    yield from mboa_cells()
    yield from hgsa_cells()


GECCO07_RUNS = 200
"""Of each problem of MBOA and HGSA."""

MBOA_SIZES = (64, 128, 256, 512, 1024)
"""Populations besides the default; the paper sets them by trial, such that at least half of the runs succeed."""


def mboa_rows() -> Iterator[Cell]:
    """Yield the rows of gecco07's Tables 2 to 5 that name MBOA, short ones first, with the default population.

    AAS on the hypercube of 128 has 16,256 trees, and the paper's success is 0 %: it is left out.
    """
    for kind, dimension in product(("OAB", "OAS"), (3, 4, 5, 6, 7)):
        steps, success = HYPERCUBES[dimension][kind]
        yield Cell("gecco07", f"hypercube:{dimension}", kind, steps, "mboa", 400_000, success, GECCO07_RUNS)
    yield Cell("gecco07", "octagon", "AAS", 4, "mboa", 400_000, None, GECCO07_RUNS)
    for row, _, (_, steps), _ in FAT_OCTAGON:
        yield Cell("gecco07", "fat-octagon:2", "MNS", steps, "mboa", 400_000, None, GECCO07_RUNS, 1, row)
    for dimension, evaluations in ((3, 400_000), (4, MILLION), (5, 100_000), (6, 100_000)):
        steps, success = HYPERCUBES[dimension]["AAS"]
        yield Cell("gecco07", f"hypercube:{dimension}", "AAS", steps, "mboa", evaluations, success, GECCO07_RUNS)
    for spec, ports, kind, _, steps, success in MESHES:
        if kind == "AAS":
            yield Cell("gecco07", spec, kind, steps, "mboa", MILLION, success, GECCO07_RUNS, ports)


VAST = ("hypercube:5", "hypercube:6")
"""Whose AAS takes MBOA minutes; they come last, and with one population."""

OFTEN_STUCK = (
    ("AAS", "hypercube:3"),
    ("OAB", "hypercube:7"),
    ("AAS", "mesh:4x4, 1-port"),
    ("AAS", "coated-mesh:4x4, 1-port"),
    ("MNS", "fat-octagon:2, 1-port, 16 to 16"),
)
"""Where MBOA often does not succeed within a million evaluations."""


def mboa_cells() -> Iterator[Cell]:
    """Yield the rows of MBOA, and then those of AAS with other populations, the short ones first."""
    yield from sorted(mboa_rows(), key=lambda cell: (cell.spec in VAST, cell.kind == "AAS"))
    for setting in ("mboa", "mboa 64"):
        yield Cell("gecco07", "hypercube:4", "AAS", 8, setting, 10 * MILLION, HYPERCUBES[4]["AAS"][1], GECCO07_RUNS)
        yield Cell("gecco07", "hypercube:5", "AAS", 16, setting, MILLION, HYPERCUBES[5]["AAS"][1], LONG_RUNS)
    for cell in mboa_rows():
        if (cell.kind, cell.where) in OFTEN_STUCK:
            yield replace(cell, setting="mboa 64" if cell.kind == "AAS" else "mboa", evaluations=10 * MILLION)
    # On an H200 fourteen minutes each, and perhaps twenty minutes and three hours.
    for setting in ("mboa 64", "mboa"):
        yield Cell("gecco07", "hypercube:4", "AAS", 8, setting, LONG, HYPERCUBES[4]["AAS"][1], LONG_RUNS)
    for setting, evaluations in product(("mboa 64", "mboa"), (10 * MILLION, LONG)):
        yield Cell("gecco07", "hypercube:5", "AAS", 16, setting, evaluations, HYPERCUBES[5]["AAS"][1], LONG_RUNS)
    for size in MBOA_SIZES:
        for cell in mboa_rows():
            if cell.kind == "AAS" and cell.spec not in VAST:
                yield replace(cell, setting=f"mboa {size}")


def hgsa_cells() -> Iterator[Cell]:
    """Yield the rows of gecco07's Tables 2, 3 and 5 that name HGSA, and gecco08's broadcasts of all to all by it.

    Rows with one port come twice: by the rules, and by what processors absorb.
    """
    most, runs = 10 * MILLION, GECCO07_RUNS
    rows = [
        Cell("gecco07", spec, kind, steps, "hgsa", most, success, runs, ports)
        for spec, ports, kind, _, steps, success in MESHES
        if kind == "AAB"
    ]
    rows += [
        Cell("gecco07", "fat-octagon:2", "MNB", steps, "hgsa", most, None, runs, 1, row)
        for row, (_, steps), _, _ in FAT_OCTAGON
    ]
    yield from rows
    yield from (replace(cell, setting=ABSORBED) for cell in rows if cell.ports == 1)
    for (dimension, kind), (_, _, success) in FOOTNOTES.items():
        yield Cell(
            "gecco07", f"hypercube:{dimension}", kind, HYPERCUBES[dimension][kind][0], "hgsa", most, success, runs
        )
    for (kind, spec), steps in BROADCASTS.items():
        if kind == "AAB" and spec != "hypercube:5":
            yield Cell("gecco08", spec, kind, steps, "hgsa", most, None, runs)
    for dimension, evaluations in ((3, most), (4, most), (5, most), (6, most), (7, 2_500_000)):
        steps, success = HYPERCUBES[dimension]["AAB"]
        yield Cell("gecco07", f"hypercube:{dimension}", "AAB", steps, "hgsa", evaluations, success, runs)
    # Rows that ten million moves do not settle; one to five minutes each on an H200.
    yield from (replace(cell, evaluations=LONG) for cell in rows if cell.kind == "AAB" and cell.ports == 1)
    yield Cell("gecco08", "levi", "AAB", BROADCASTS["AAB", "levi"], "hgsa", LONG, None, runs)
    for dimension in (5, 6):
        steps, success = HYPERCUBES[dimension]["AAB"]
        yield Cell("gecco07", f"hypercube:{dimension}", "AAB", steps, "hgsa", LONG, success, runs)


READ_RUNS = 64

READ_WITH: dict[str, UMDA | MBOA | HGSA] = {"umda": UMDA(), "mboa": MBOA(population=64), "hgsa": HGSA()}
"""The settings that no question is about."""


def read_rows(algorithm: str) -> Iterator[Cell]:
    """Yield the rows on which all readings of an algorithm are compared, the short ones first."""
    if algorithm == "umda":
        for spec, steps in printed_steps("gecco08", "AAS", "kautz:3,2", "heawood", "spidergon:16").items():
            yield Cell("gecco08", spec, "AAS", steps, "", 2 * MILLION, runs=READ_RUNS)
        for spec, steps in (("mesh:4x4", 17), ("hypercube:4", 8)):
            yield Cell("gecco07", spec, "AAS", steps, "", 2 * MILLION, runs=READ_RUNS)
        for spec, steps in printed_steps("gecco08", "AAS", "levi", "hypercube:5").items():
            yield Cell("gecco08", spec, "AAS", steps, "", MILLION, runs=READ_RUNS)
    elif algorithm == "mboa":
        for spec, steps, ports in (
            ("hypercube:3", 4, "all"),
            ("mesh:4x4", 17, "all"),
            ("mesh:4x4", 17, 1),
            ("coated-mesh:4x4", 17, 1),
            ("hypercube:4", 8, "all"),
        ):
            yield Cell("gecco07", spec, "AAS", steps, "", 500_000, runs=READ_RUNS, ports=ports)
    else:
        for spec, steps, evaluations in (
            ("mesh:4x4", 8, 2 * MILLION),
            ("hypercube:4", 4, 2 * MILLION),
            ("hypercube:5", 7, 5 * MILLION),
            ("hypercube:6", 11, 10 * MILLION),
        ):
            yield Cell("gecco07", spec, "AAB", steps, "", evaluations, runs=READ_RUNS)
        yield Cell("gecco08", "levi", "AAB", BROADCASTS["AAB", "levi"], "", 10 * MILLION, runs=READ_RUNS)


def readings(row: Cell, algorithm: str) -> Iterator[Cell]:
    """Yield the full factorial of readings on a row of the papers."""
    for names in product(*QUESTIONS[algorithm].values()):
        yield _read(row, algorithm, ", ".join(names))


def scans(row: Cell, algorithm: str) -> Iterator[Cell]:
    """Yield the same row with one number of the algorithm varied."""
    for name, (_, values) in SCANNED[algorithm].items():
        for value in values:
            yield _read(row, algorithm, f"{name} {value}")


def _read(row: Cell, algorithm: str, reading: str) -> Cell:
    """Return a row in a reading of an algorithm."""
    return replace(row, setting=reading if algorithm == "umda" else f"{algorithm}: {reading}")


NEAREST = "nearest of some, gene, of broadcasts, excess"
ONE_CHANGE = "another by half, one, never mutated, inverse, best"
"""The readings of MBOA and HGSA that leave the fewest conflicts in short runs on rows that are not reproduced."""


def best_readings() -> Iterator[Cell]:
    """Yield rows that the defaults do not reproduce, with longer runs of the best readings."""
    steps, success = HYPERCUBES[6]["AAB"]
    yield Cell("gecco07", "hypercube:6", "AAB", steps, f"hgsa: {ONE_CHANGE}", 4 * LONG, success, LONG_RUNS)
    nearest = [f"mboa{size}: {NEAREST}" for size in ("", " 240", " 1024")]
    remedies = [f"mboa: another path after {period}" for period in (1_000, 10_000, 100_000)]
    for dimension, settings in ((4, [*nearest, *remedies]), (3, nearest[:1])):
        steps, success = HYPERCUBES[dimension]["AAS"]
        for setting in settings:
            yield Cell("gecco07", f"hypercube:{dimension}", "AAS", steps, setting, 10 * MILLION, success, runs=200)
    steps, success = HYPERCUBES[4]["AAS"]
    yield Cell("gecco07", "hypercube:4", "AAS", steps, remedies[1], LONG, success, LONG_RUNS)


def read_cells() -> Iterator[Cell]:
    """Yield all cases of readings."""
    yield from best_readings()
    for algorithm in QUESTIONS:
        for row in read_rows(algorithm):
            yield from readings(row, algorithm)
            yield from scans(row, algorithm)


def measured(cell: Cell, seconds: float, file: Path) -> dict[str, Any] | None:
    """Make the runs of a problem, or resume them; return their figures, or None if the time was over before."""
    begun = time.monotonic()
    rngs, budget = [np.random.default_rng(seed) for seed in range(cell.runs)], Budget.of(seconds, cell.evaluations)
    problem, solver, device = cell.problem(), solver_of(cell), cuda_device()
    if isinstance(solver, HGSA):
        annealers = annealer_islands_of(solver, problem, cell.steps, budget, device)
        runs = each_on_an_annealer_island(annealers, rngs, budget, file)
    elif isinstance(solver, MBOA):
        populations = tree_islands_of(solver, problem, cell.steps, rngs[0], budget, device)
        runs = each_on_a_tree_island(populations, rngs, budget, file)
    else:
        runs = each_on_an_island(solver.evolution(), problem, cell.steps, rngs, budget, device, file)
    trials = [trial(cell, seed, finding) for seed, finding in runs]
    if len(trials) < cell.runs:
        return None
    figures = summary(cell.setting, trials)
    left = sorted(run.conflicts for run in trials if not run.is_success and run.conflicts is not None)
    row: dict[str, Any] = {
        "runs": figures.runs,
        "errors": figures.errors,
        "successes": figures.successes,
        "spent": figures.spent,
        "evaluations": cell.evaluations,
        "median": None if figures.evaluations is None else round(figures.evaluations),
        "fewest": left[0] if left else None,
        "left": left[len(left) // 2] if left else None,
        "seconds": round(time.monotonic() - begun, 1),
    }
    if cell.runs != READ_RUNS:
        row["over_evaluations"] = conflicts_over_evaluations([run.trace for run in trials], cell.evaluations)
    return row


def trial(cell: Cell, seed: int, finding: Finding) -> RunLine:
    """Return a run with its schedule judged."""
    assert finding.run is not None
    schedule, run = finding.schedule, finding.run
    violations = [] if schedule is None else list(verify(cell.problem(), schedule))
    steps = None if schedule is None else schedule.num_steps
    error = str(violations[0]) if violations else None
    return RunLine(
        method=cell.setting,
        seed=seed,
        figure=steps,
        evaluations=run.evaluations,
        trace=tuple(run.trace),
        error=error,
    )


def conflicts_over_evaluations(
    traces: Sequence[Sequence[tuple[int, int]]], most: int
) -> list[tuple[int, int, float, int]]:
    """Return rows of evaluations and the fewest, median and most conflicts that runs have left after so many."""
    rows = []
    for exponent in range(8, 200):
        evaluations = min(round(10 ** (exponent / 2)), most)
        left = sorted(min((n for at, n in trace if at <= evaluations), default=2**31) for trace in traces)
        rows.append((evaluations, left[0], float(np.median(left)), left[-1]))
        if evaluations == most:
            break
    return rows


# -- rates

RATED = (
    ("gecco08", "octagon", "AAS", 3),
    ("gecco08", "kautz:3,2", "AAS", 6),
    ("gecco08", "heawood", "AAS", 8),
    ("gecco08", "spidergon:16", "AAS", 15),
    ("gecco08", "levi", "AAS", 27),
    ("gecco08", "kautz:3,3", "AAS", 30),
    ("gecco08", "hypercube:5", "AAS", 15),
    ("gecco08", "hypercube:5", "AAB", 6),
    ("gecco08", "kautz:3,3", "OAB", 2),
)
"""Problems with so few steps that a run never succeeds."""


def rate(paper: str, spec: str, kind: str, steps: int, device: Device, num_islands: int, seconds: float) -> float:
    """Return the evaluations a second of islands that do not succeed; compiling is not counted."""
    solver, problem = UMDA(), printed(paper, spec, kind).problem()
    rng = np.random.default_rng(1)
    encoding = encoded(solver.evolution(), problem, steps, rng)
    assert encoding is not None
    islands = Islands(solver.evolution(), encoding, device)
    keys = [new_key(rng) for _ in range(num_islands)]
    for _ in islands.lives(keys, lambda: 120, lambda: False):
        pass
    begun = time.monotonic()
    looks = islands.lives(keys, lambda: 2**40, lambda: time.monotonic() > begun + seconds)
    made = sum(run.evaluations for look in looks for _, run in look.ended)
    return made / (time.monotonic() - begun)


def rates() -> Iterator[tuple[str, dict[str, Any]]]:
    """Measure the rates of some problems, on the GPU and, where there is a C++ compiler, on one core beside it."""
    from tests.papers.plain_device import COMPILER, PlainDevice

    gpu = cuda_device()
    num_islands = gpu.num_threads // 256
    for paper, spec, kind, steps in RATED:
        made: dict[str, Any] = {"islands": num_islands, "gpu": rate(paper, spec, kind, steps, gpu, num_islands, 3.0)}
        if COMPILER is not None:
            made["core"] = rate(paper, spec, kind, steps, PlainDevice(), 1, 3.0)
        yield f"rate {kind} {spec} {steps}", {name: round(value) for name, value in made.items()}


# -- what is kept


class Kept:
    """Finished problems, in a file that is rewritten after each."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        self.rows: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def add(self, name: str, row: dict[str, Any]) -> None:
        with self.lock:
            self.rows[name] = row
            lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(self.rows.items())]
            part = self.path.with_suffix(".part")
            part.write_text("{\n" + ",\n".join(lines) + "\n}\n")
            shutil.move(part, self.path)
            print(name, json.dumps(row), flush=True)


def resumed(cell: Cell, seconds: float, kept: Kept) -> None:
    """Make or resume the runs of a problem; when all have ended, their figures replace the files of the islands."""
    folder = kept.path.with_name(re.sub(r"[^\w.-]+", "-", f"{kept.path.stem}-{cell.name}"))
    folder.mkdir(exist_ok=True)
    earlier, begun = folder / "seconds.txt", time.monotonic()
    seconds_before = float(earlier.read_text()) if earlier.exists() else 0.0
    row = measured(cell, seconds, folder / "islands.npz")
    if row is None:
        earlier.write_text(str(seconds_before + time.monotonic() - begun))
        print(cell.name, "is interrupted; its islands are in", folder, flush=True)
    else:
        row["seconds"] = round(row["seconds"] + seconds_before, 1)
        kept.add(cell.name, row)
        shutil.rmtree(folder)


def in_a_stream(work: Callable[[], None]) -> None:
    """Do something with a stream of its own, so that the GPU can do several such things at the same time."""
    import cupy  # type: ignore[import-not-found,unused-ignore]

    with cupy.cuda.Stream(non_blocking=True):
        work()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m papers.success_rates")
    parser.add_argument("--only", action="append", metavar="TEXT", help="problems whose name contains it; repeatable")
    parser.add_argument("--time", type=float, default=1e9, metavar="S", help="end after so many seconds, to be resumed")
    parser.add_argument("--side-by-side", type=int, default=3, metavar="N", help="problems at the same time")
    parser.add_argument("--readings", action="store_true", help="compare readings of the paper instead")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--table", action="store_true", help="print the stored results only")
    options = parser.parse_args()
    kept, begun = Kept(options.keep or (KEPT_READINGS if options.readings else KEPT)), time.monotonic()
    if options.table:
        tables = [readings_table(kept.rows, name) for name in QUESTIONS] if options.readings else []
        tables.append(table(kept.rows, best_readings() if options.readings else cells()))
        print("\n\n".join("\n".join(lines) for lines in tables))
        return 0
    only = options.only or [""]
    rated = options.readings or any(name.startswith("rate ") for name in kept.rows)
    if not rated and any(text in "rates" for text in only):
        for name, row in rates():
            kept.add(name, row)

    def one(cell: Cell) -> None:
        seconds = begun + options.time - time.monotonic()
        if seconds > 0:
            in_a_stream(lambda: resumed(cell, seconds, kept))

    cases = read_cells() if options.readings else cells()
    missing = [cell for cell in cases if cell.name not in kept.rows and any(text in cell.name for text in only)]
    with ThreadPoolExecutor(options.side_by_side) as pool:
        for _ in pool.map(one, missing):
            pass
    return 0


# -- tables

RATES_PRINTED = {("AAS", "mesh:4x4", 17): "25 % (MBOA)", ("AAS", "hypercube:4", 8): "30 % (MBOA)"}
"""The papers' success rates (gecco07 Tables 2 and 3); otherwise they say how long a successful run takes."""


def reported(cell: Cell) -> str:
    """Return what the paper says of a problem in so many steps."""
    rates = RATES_PRINTED.get((cell.kind, cell.spec, cell.steps))
    algorithm = algorithm_of(cell.setting).upper()
    if algorithm != "UMDA" and cell.paper == "gecco07":
        return "reached" if cell.target is None else f"{cell.target} % ({algorithm})"
    if rates is not None:
        return rates
    if cell.fault:
        return "reached"
    spec = "ring:8,oneway" if cell.duplex == "half" else cell.spec
    if cell.steps != printed(cell.paper, spec, cell.kind, routing=cell.routing).steps:
        return "-"
    (name,) = (name for name, other in SPECS.items() if other == spec and name in STEPS)
    return STEPS[name][4][("OAB", "AAB", "OAS", "AAS").index(cell.kind)]


def table(rows: dict[str, Any], cases: Iterable[Cell]) -> list[str]:
    """Return the stored results of cases as a table: success, expected evaluations, and the paper's figures."""
    lines = [
        "| collective | network | steps | settings | limit | successes | 95 % interval | ERT | left | paper |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for cell in cases:
        row = rows.get(cell.name)
        if row is None or cell.fault or not row["spent"]:
            continue  # the table of all rows has the faults; where no symmetry will do, a quotient has no runs
        low, high = wilson(row["successes"], row["runs"])
        ert = f"{short(row['spent'] / row['successes'])}" if row["successes"] else "-"
        left = "-" if row["left"] is None else f"{row['left']} ({row['fewest']})"
        lines.append(
            f"| {cell.kind} | `{cell.where}` | {cell.steps} | {cell.setting} | {short(row['evaluations'])} "
            f"| {row['successes']} of {row['runs']} | {100 * low:.1f} to {100 * high:.1f} % | {ert} | {left} "
            f"| {reported(cell)} |"
        )
    return lines


def readings_table(rows: dict[str, Any], algorithm: str) -> list[str]:
    """Return what each reading brings on each row of the papers, averaged over all other questions, as a table.

    It is the share of successful runs, or, where no run of any reading succeeds, the conflicts that are left.
    """
    read = list(read_rows(algorithm))
    of_row = [[cell for cell in readings(row, algorithm) if cell.name in rows] for row in read]
    heads = ["question", "reading", *(f"`{row.where}` {row.steps}" for row in read)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]

    def add(question: str, answer: str, chosen: Iterable[Sequence[Cell]]) -> None:
        shown = (_success_or_left([rows[cell.name] for cell in some]) for some in chosen)
        lines.append(f"| {' | '.join([question, answer, *shown])} |")

    for at, (question, answers) in enumerate(QUESTIONS[algorithm].items()):
        for answer in answers:
            add(question, answer, [[c for c in some if _answers(c)[at] == answer] for some in of_row])
    for name, (_, values) in SCANNED[algorithm].items():
        for value in values:
            of_value = ([c for c in scans(row, algorithm) if _reading(c) == f"{name} {value}"] for row in read)
            add(name, f"{value:,}", [[c for c in some if c.name in rows] for some in of_value])
    add("all", "as in pavane", [[c for c in some if solver_of(c) == READ_WITH[algorithm]] for some in of_row])
    add("all", "the best", [sorted(some, key=lambda c: _worth(rows[c.name]))[-1:] for some in of_row])
    return lines


def _reading(cell: Cell) -> str:
    """Return the setting of a case without the name of its algorithm."""
    return cell.setting.split(": ")[-1]


def _answers(cell: Cell) -> list[str]:
    """Return the readings of a case, one for each question."""
    return _reading(cell).split(", ")


def _worth(row: dict[str, Any]) -> tuple[int, float, float]:
    """Return what runs are compared by: successes, then the fewest conflicts left, then evaluations."""
    return row["successes"], -(row["left"] or 0), -row["spent"]


def _success_or_left(some: Sequence[dict[str, Any]]) -> str:
    if not some:
        return "-"
    if any(row["successes"] for row in some):
        return f"{100 * sum(row['successes'] for row in some) / sum(row['runs'] for row in some):.0f} %"
    return f"{np.mean([row['left'] for row in some]):.0f} left"


def convergence_table(rows: dict[str, Any]) -> list[str]:
    """Return the conflicts that long runs have left after numbers of evaluations, with extrapolations, as a table."""
    lines: list[str] = []
    for cell in cells():
        if cell.evaluations != LONG or cell.name not in rows:
            continue
        shown = rows[cell.name]["over_evaluations"][-SHOWN:]
        if not lines:
            ends = [short(row[0]) for row in shown]
            heads = [
                "collective",
                "network",
                "steps",
                "settings",
                *ends,
                f"one conflict, seen from {ends[-3]}",
                f"seen from {ends[-1]}",
            ]
            lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        left = [f"{median:.3g} ({fewest})" for _, fewest, median, _ in shown]
        medians = [(evaluations, median) for evaluations, _, median, _ in shown]
        seen = [one_conflict(medians[:-2]), one_conflict(medians)]
        lines.append(f"| {' | '.join([cell.kind, f'`{cell.where}`', str(cell.steps), cell.setting, *left, *seen])} |")
    return lines


SHOWN = 7
"""Half decades of evaluations in the table of long runs."""


def one_conflict(medians: Sequence[tuple[int, float]]) -> str:
    """Extrapolate the last decade to one conflict left; return the evaluations by two rules.

    The first rule is a line over the logarithm of the evaluations, the second a power law.
    """
    (start, before), (end, after) = medians[-3], medians[-1]
    if after <= 1:
        return "reached"
    if after >= before:
        return "-"
    last, decades = log10(end), log10(end / start)
    line = last + decades * (after - 1) / (before - after)
    power = last + decades * log(after) / log(before / after)
    return f"10^{line:.1f} to 10^{power:.1f}"


def rate_table(rows: dict[str, Any]) -> list[str]:
    """Return the rates as a table."""
    lines = ["| collective | network | GPU | one core | ratio |", "|---|---|---|---|---|"]
    for _, spec, kind, steps in RATED:
        row = rows.get(f"rate {kind} {spec} {steps}")
        if row is not None:
            ratio = f"{row['gpu'] / row['core']:,.0f}" if "core" in row else "-"
            core = f"{row['core']:,}" if "core" in row else "-"
            lines.append(f"| {kind} | `{spec}` | {row['gpu']:,} | {core} | {ratio} |")
    return lines


def short(number: float) -> str:
    """Return a number of evaluations in three digits."""
    for size, word in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if number >= size:
            return f"{number / size:.3g}{word}"
    return f"{number:.3g}"


if __name__ == "__main__":
    sys.exit(main())
