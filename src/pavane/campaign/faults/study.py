"""What a study of faults has found: every collective with every fault, and what that says in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Literal

from pavane.model.faults import Fault, Kind
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import counted

Outcome = Literal["optimal", "feasible", "unknown", "disconnects", "no root", "nothing", "not planned"]

PLANNED = ("optimal", "feasible", "unknown")
"""What comes of planning; the other outcomes are known without it, or an interrupt came before."""


@dataclass(frozen=True)
class FaultColumn:
    """One collective under one set of rules, with a title for tables."""

    title: str
    problem: Problem

    @property
    def pieces(self) -> int:
        """Return how many pieces each unit of a message is cut into."""
        return self.problem.collective.pieces

    def message_times(self, steps: int) -> str:
        """Return steps in message times, behind a space and in brackets; nothing where a message is one piece."""
        return "" if self.pieces == 1 else f" ({Fraction(steps, self.pieces)})"


@dataclass(frozen=True)
class Replan:
    """What became of one collective with one fault."""

    outcome: Outcome
    """What came of it.

    optimal, feasible: it has a schedule; disconnects, no root, nothing: it can have none; unknown: none was found in
    time; not planned: the study was interrupted before.
    """
    steps: int | None = None
    bound: int | None = None
    seconds: float = 0.0
    solver: str = ""
    same_as: str | None = None
    """The fault of which this one is the image under a symmetry, and whose plan stands for it."""


@dataclass(frozen=True)
class FaultRow:
    """One fault and the re-plan of each collective; no fault at all in the first row of a study."""

    fault: Fault
    replans: tuple[Replan, ...]

    @property
    def same_as(self) -> str | None:
        """Return the fault whose plans stand for all of this row, where it is one."""
        alike = {replan.same_as for replan in self.replans}
        return alike.pop() if len(alike) == 1 else None


@dataclass(frozen=True)
class FaultStudy:
    """Collectives without fault and with every one of some faults."""

    network: Network
    columns: tuple[FaultColumn, ...]
    kind: Kind
    double: bool
    num_possible: int
    """How many faults there are; more than rows where a sample was drawn."""
    seed: int
    no_fault: FaultRow
    rows: tuple[FaultRow, ...]
    interrupted: bool = False
    """Whether somebody ended the study (Ctrl-C) before all was planned."""

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(column.problem.collective.kind for column in self.columns))
        return f"<FaultStudy: {kinds} on {self.network.name}, {counted(len(self.rows), 'fault')}>"

    def is_degraded(self, replan: Replan, column: int) -> bool:
        """Say whether a fault costs steps, or the collective."""
        if replan.outcome == "not planned":
            return False
        whole = self.no_fault.replans[column].steps
        return replan.steps is None or (whole is not None and replan.steps > whole)

    def worst(self, column: int) -> int | None:
        """Return the most steps that any fault leads to, of those that leave the collective possible."""
        return max((r.steps for r in self._column(column) if r.steps is not None), default=None)

    def histogram(self, column: int) -> dict[int, int]:
        """Return how many faults lead to each number of steps."""
        return dict(sorted(Counter(r.steps for r in self._column(column) if r.steps is not None).items()))

    def impossible(self, column: int) -> dict[str, list[str]]:
        """Return the faults that leave a collective without any schedule, by why."""
        found: dict[str, list[str]] = {}
        for row in self.rows:
            replan = row.replans[column]
            if replan.steps is None and replan.outcome != "not planned":
                found.setdefault(replan.outcome, []).append(row.fault.name)
        return found

    @property
    def num_not_planned(self) -> int:
        """Return how many re-plans an interrupt left out, those that a symmetry would have saved included."""
        return sum(r.outcome == "not planned" for row in (self.no_fault, *self.rows) for r in row.replans)

    @property
    def is_proven(self) -> bool:
        """Whether every number of steps is proven to be the least."""
        open_ones = ("feasible", "unknown", "not planned")
        return all(r.outcome not in open_ones for row in (self.no_fault, *self.rows) for r in row.replans)

    @property
    def seconds(self) -> tuple[float, ...]:
        """Return how long each re-plan took; those that a symmetry saved are left out."""
        return tuple(r.seconds for row in self.rows for r in row.replans if r.same_as is None and r.outcome in PLANNED)

    @property
    def median_seconds(self) -> float:
        """Return how long a re-plan mostly took."""
        return median(self.seconds) if self.seconds else 0.0

    def _column(self, column: int) -> Iterator[Replan]:
        return (row.replans[column] for row in self.rows)
