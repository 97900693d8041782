"""Every row of the papers' tables of steps beside what their algorithms reach on a GPU: a table for the documentation.

The rows are those of gecco07 Tables 2 to 5 and gecco08 Tables 2 to 6; the figures are those that `python -m
papers.success_rates` stores. Rows without a figure are listed as not measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from papers.gecco07 import ALGORITHMS, FAT_OCTAGON, FOOTNOTES, HYPERCUBES, MESHES
from papers.gecco08 import DETOUR, FAULTS, RING, STEPS
from papers.gecco08_bounds import SPECS
from papers.problems import KINDS
from papers.success_rates import ABSORBED, Cell, algorithm_of, cells, population_named, short
from pavane.solvers.evolutionary.mboa import default_population

LIMITS = (10**7, 10**8, 10**9)
"""Evaluations of a run, a column each."""

NOT_MEASURED = "not measured"

ONE_FAULT = "kautz:3,2, one faulty channel"
"""The rows of gecco08 Table 5; a line is of all faults with the same steps."""

READ_AS = {(RING, "AAS"): "ring:8, 1-port, half duplex", DETOUR: "kautz:3,3, any routing"}
"""Rows that are impossible on the network as it is named: the readings that fit them."""


@dataclass(frozen=True)
class Row:
    """What a paper prints about a problem."""

    paper: str
    table: str
    kind: str
    where: str
    """As `Cell.where` writes it."""
    steps: int | None
    success: str
    algorithm: str
    is_absorbed: bool = False
    """Whether one port is counted by what processors absorb, as HGSA can."""

    def is_of(self, cell: Cell) -> bool:
        """Whether a measured case is of this row: the same problem, steps and algorithm, or UMDA in its place."""
        where = ONE_FAULT if cell.fault else cell.where
        if (self.kind, self.where, self.steps) != (cell.kind, where, cell.steps):
            return False
        return self.is_own(cell) or (cell.setting == "paper" and not self.is_absorbed)

    def is_own(self, cell: Cell) -> bool:
        """Whether a measured case is of the algorithm of this row."""
        if algorithm_of(cell.setting).upper() != self.algorithm:
            return False
        if self.algorithm == "UMDA":
            return cell.setting == "paper"
        return self.algorithm == "MBOA" or (cell.setting == ABSORBED) == self.is_absorbed


def rows() -> Iterator[Row]:
    """Yield the rows of the papers, in their order."""
    for dimension, kinds in HYPERCUBES.items():
        for kind, (bound, percent) in kinds.items():
            where = f"hypercube:{dimension}"
            yield Row("gecco07", "2", kind, where, bound, f"{percent} %", ALGORITHMS[kind])
            if (dimension, kind) in FOOTNOTES:
                _, algorithm, other = FOOTNOTES[dimension, kind]
                yield Row("gecco07", "2", kind, where, bound, f"{other} %", algorithm)
    for spec, ports, kind, _, steps, percent in MESHES:
        where = spec if ports == "all" else f"{spec}, {ports}-port"
        yield from _by_rules_and_absorbed(Row("gecco07", "3", kind, where, steps, f"{percent} %", ALGORITHMS[kind]))
    yield Row("gecco07", "4", "AAS", "octagon", 4, "reached", "MBOA")
    for name, broadcast, scatter, _ in FAT_OCTAGON:
        where = f"fat-octagon:2, 1-port, {name}"
        yield from _by_rules_and_absorbed(Row("gecco07", "5", "MNB", where, broadcast[1], "reached", "HGSA"))
        yield Row("gecco07", "5", "MNS", where, scatter[1], "reached", "MBOA")
    for name, row in STEPS.items():
        tables = {"petersen": "2, 6", "kautz:3,2": "2 to 4, 6", "heawood": "2, 6"}.get(SPECS[name], "6")
        for kind, (_, steps), taken in zip(KINDS, row[:4], row[4], strict=True):
            where = READ_AS.get((name, kind), SPECS[name])
            yield Row("gecco08", tables, kind, where, steps, f"reached in {taken}", "UMDA")
    for number, kind in enumerate(KINDS):
        for steps in sorted({row[number] for fault, row in FAULTS.items() if fault != "none"}):
            yield Row("gecco08", "5", kind, ONE_FAULT, steps, "reached", "UMDA")


def _by_rules_and_absorbed(row: Row) -> Iterator[Row]:
    """Yield a row, and those of HGSA with one port once more, for the other way to count ports."""
    yield row
    if row.algorithm == "HGSA" and "1-port" in row.where:
        yield replace(row, is_absorbed=True)


def population_of(cell: Cell) -> int | None:
    """Return the population of a case of MBOA; None for UMDA."""
    if algorithm_of(cell.setting) != "mboa":
        return None
    return population_named(cell.setting) or default_population(cell.problem().num_deliveries)


def by_trial(measured: list[tuple[Cell, Any]]) -> int | None:
    """Return the population that the paper's rule chooses: the smallest by which half of the runs succeed.

    Where there is none, it is the one by which most do; None if nothing of MBOA is measured.
    """
    tried = [(size, row) for cell, row in measured if (size := population_of(cell)) is not None]
    enough = [size for size, row in tried if 2 * row["successes"] >= row["runs"]]
    most = max(tried, key=lambda one: (one[1]["successes"] / one[1]["runs"], -one[0]), default=(None, None))
    return min(enough, default=most[0])


def table(kept: dict[str, Any]) -> list[str]:
    """Return all rows with the figures that are stored."""
    limits = [short(limit) for limit in LIMITS]
    heads = [
        "paper",
        "table",
        "collective",
        "network",
        "steps",
        "paper's success",
        *limits,
        "reading",
        "device seconds",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    every = [(cell, kept[cell.name]) for cell in cells() if cell.name in kept]
    every.sort(key=lambda one: one[1]["evaluations"])
    for row in rows():
        measured = [(cell, figures) for cell, figures in every if row.is_of(cell)]
        measured = [one for one in measured if row.is_own(one[0])] or measured
        size = by_trial(measured)
        chosen = [figures for cell, figures in measured if population_of(cell) == size]
        parts = (row.paper, row.table, row.kind, f"`{row.where}`", row.steps, f"{row.success} ({row.algorithm})")
        is_own = any(row.is_own(cell) for cell, _ in measured)
        lines.append(f"| {' | '.join(map(str, (*parts, *_figures(chosen, row, size, is_own))))} |")
    return lines


def _figures(chosen: list[Any], row: Row, size: int | None, is_own: bool) -> list[str]:
    """Return what runs reached within each limit, how they were made, and the seconds that they took."""
    if not chosen:
        return [NOT_MEASURED, *["-"] * (len(LIMITS) + 1)]
    columns, lowest = [], 0
    for limit in LIMITS:
        lengths = sorted({one["evaluations"] for one in chosen if lowest < one["evaluations"] <= limit})
        columns.append("; ".join(_successes([one for one in chosen if one["evaluations"] == n]) for n in lengths))
        lowest = limit
    if size is not None:
        reading = f"MBOA, population {size}"
    elif not is_own:
        reading = f"UMDA in place of {row.algorithm}"
    elif row.is_absorbed:
        reading = "HGSA, ports by what is absorbed"
    else:
        reading = "paper's settings" if row.algorithm == "UMDA" else "HGSA"
    return [*(column or "-" for column in columns), reading, f"{sum(one['seconds'] for one in chosen):.0f}"]


def _successes(same: list[Any]) -> str:
    """Return how many of the runs of one length succeed."""
    successes, runs = (sum(one[name] for one in same) for name in ("successes", "runs"))
    return f"{successes:,} of {runs:,} ({short(same[0]['evaluations'])})"
