"""The results of a study of faults: every collective with every fault, and summaries of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Literal

import msgspec

from pavane.model.faults import Fault, Kind
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.text import VERSION, counted

FILE = "replans.jsonl"
"""The file of finished re-plans in the folder of a study."""

Key = tuple[str, int, float | None]
"""What makes two re-plans the same one: the problem with its fault, the seed and the most seconds."""

Outcome = Literal["optimal", "feasible", "unknown", "disconnects", "no root", "nothing", "not planned"]

PLANNED = ("optimal", "feasible", "unknown")
"""Outcomes of planning; the others are known without it, or the study was interrupted before."""


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
    """The plan of one collective with one fault."""

    outcome: Outcome
    """Whether there is a schedule.

    optimal, feasible: there is one; disconnects, no root, nothing: there cannot be one; unknown: none was found in
    time; not planned: the study was interrupted before.
    """
    steps: int | None = None
    bound: int | None = None
    seconds: float = 0.0
    solver: str = ""
    same_as: str | None = None
    """The fault of which this one is the image under a symmetry, and whose plan it shares."""


class ReplanLine(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A re-plan, as a line of the file."""

    format: Literal["pavane/replan/1"] = "pavane/replan/1"
    problem: str
    """The digest."""
    about: str
    """The problem in words, for readers of the file."""
    seed: int
    most_seconds: float | None
    outcome: Literal["optimal", "feasible", "unknown"]
    steps: int | None
    bound: int | None
    seconds: float
    solver: str
    version: str

    @property
    def key(self) -> Key:
        """Return what makes two re-plans the same one."""
        return self.problem, self.seed, self.most_seconds

    def replan(self) -> Replan:
        """Return the re-plan."""
        return Replan(self.outcome, self.steps, self.bound, self.seconds, self.solver)


def line_of(problem: Problem, key: Key, replan: Replan) -> ReplanLine:
    """Return a re-plan as a line."""
    assert replan.outcome in ("optimal", "feasible", "unknown")
    return ReplanLine(
        problem=key[0],
        about=str(problem),
        seed=key[1],
        most_seconds=key[2],
        outcome=replan.outcome,
        steps=replan.steps,
        bound=replan.bound,
        seconds=replan.seconds,
        solver=replan.solver,
        version=VERSION,
    )


@dataclass(frozen=True)
class FaultRow:
    """One fault and the re-plan of each collective; the first row of a study is without fault."""

    fault: Fault
    replans: tuple[Replan, ...]

    @property
    def same_as(self) -> str | None:
        """Return the fault whose plans all of this row shares, if there is one."""
        alike = {replan.same_as for replan in self.replans}
        return alike.pop() if len(alike) == 1 else None


@dataclass(frozen=True)
class FaultStudy:
    """Collectives without fault and with every one of some faults."""

    network: Network
    columns: tuple[FaultColumn, ...]
    kind: Kind
    seed: int
    no_fault: FaultRow
    rows: tuple[FaultRow, ...]
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the study before all was planned."""
    notes: tuple[str, ...] = ()
    """Problems with the folder, a line each."""

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(column.problem.collective.title for column in self.columns))
        return f"<FaultStudy: {kinds} on {self.network.name}, {counted(len(self.rows), 'fault')}>"

    def is_degraded(self, replan: Replan, column: int) -> bool:
        """Return whether a fault adds steps, or makes the collective impossible."""
        if replan.outcome == "not planned":
            return False
        whole = self.no_fault.replans[column].steps
        return replan.steps is None or (whole is not None and replan.steps > whole)

    def worst(self, column: int) -> int | None:
        """Return the most steps with any fault that leaves the collective possible."""
        return max((r.steps for r in self._column(column) if r.steps is not None), default=None)

    def histogram(self, column: int) -> dict[int, int]:
        """Return how many faults lead to each number of steps."""
        return dict(sorted(Counter(r.steps for r in self._column(column) if r.steps is not None).items()))

    def impossible(self, column: int) -> dict[str, list[str]]:
        """Return the faults that leave a collective without any schedule, by reason."""
        names: dict[str, list[str]] = {}
        for row in self.rows:
            replan = row.replans[column]
            if replan.steps is None and replan.outcome != "not planned":
                names.setdefault(replan.outcome, []).append(row.fault.name)
        return names

    @property
    def num_not_planned(self) -> int:
        """Return how many re-plans an interrupt left out, those that a symmetry would have saved included."""
        return sum(r.outcome == "not planned" for row in (self.no_fault, *self.rows) for r in row.replans)

    @property
    def is_proven(self) -> bool:
        """Whether every number of steps is proven to be the least."""
        unproven = ("feasible", "unknown", "not planned")
        return all(r.outcome not in unproven for row in (self.no_fault, *self.rows) for r in row.replans)

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
