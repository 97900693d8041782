"""The file in which a study of faults keeps its re-plans, a JSON line each, so that it can be gone on with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from pavane.campaign.faults.study import Replan
from pavane.campaign.kept_lines import KeptLines
from pavane.model.problem import Problem
from pavane.text import VERSION

FILE = "replans.jsonl"

Key = tuple[str, int, float | None]
"""What makes a re-plan the same one: the problem with its fault, the seed and the most seconds."""


class ReplanLine(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A re-plan, as a line of the file."""

    format: Literal["pavane/replan/1"] = "pavane/replan/1"
    problem: str
    """The digest."""
    about: str
    """The problem in words, for who reads the file."""
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
        """Return what makes it the same re-plan."""
        return self.problem, self.seed, self.most_seconds

    def replan(self) -> Replan:
        """Return the re-plan."""
        return Replan(self.outcome, self.steps, self.bound, self.seconds, self.solver)


def line_of(problem: Problem, key: Key, made: Replan) -> ReplanLine:
    """Return a re-plan as a line."""
    assert made.outcome in ("optimal", "feasible", "unknown")
    return ReplanLine(
        problem=key[0],
        about=str(problem),
        seed=key[1],
        most_seconds=key[2],
        outcome=made.outcome,
        steps=made.steps,
        bound=made.bound,
        seconds=made.seconds,
        solver=made.solver,
        version=VERSION,
    )


def kept_replans(folder: str | Path, note: Callable[[str], None]) -> KeptLines[ReplanLine]:
    """Return the re-plans in a folder, to which nobody else adds until they are closed."""
    return KeptLines(Path(folder) / FILE, ReplanLine, "re-plan", note)
