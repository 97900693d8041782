"""A result: a verified answer to a problem, the bounds that say how good it is, and where it came from."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Literal

from pavane.errors import InvalidSchedule
from pavane.judge.rules import verify
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Status = Literal["optimal", "feasible", "impossible", "unknown"]


@dataclass(frozen=True)
class Provenance:
    """Where a schedule came from."""

    solver: str
    seed: int = 0
    seconds: float = 0.0
    version: str = ""


@dataclass(frozen=True)
class Run:
    """How the search of one solver went, where it counts what it does."""

    evaluations: int
    """Complete evaluations of a fitness, or moves."""
    trace: tuple[tuple[int, int], ...] = ()
    """Evaluations made and conflicts left, at the start and whenever the best got better."""


@dataclass(frozen=True)
class Result:
    """What a solver answers; it cannot hold a schedule that the judge refuses."""

    problem: Problem
    schedule: Schedule | None
    bounds: tuple[Bound, ...] = ()
    provenance: Provenance = field(default_factory=lambda: Provenance("unknown"))
    asked: int | None = None
    """The number of steps that was asked for, where it was."""
    run: Run | None = None
    notes: tuple[str, ...] = ()
    """What went wrong on the way and cost an attempt, a line each."""
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the search; this is the best until then."""

    def __post_init__(self) -> None:
        if self.schedule is not None:
            violations = verify(self.problem, self.schedule, most=1)
            if violations:
                raise InvalidSchedule(f"the schedule breaks a rule ({violations[0].rule}): {violations[0].text}")

    def amended(self, **changes: Any) -> Result:
        """Return this result with other bounds, provenance, run or notes.

        Problem and schedule stay what they are, so they are not judged again, which takes seconds where they are large.
        """
        fixed = {"problem", "schedule"} & changes.keys()
        if fixed or not changes.keys() <= self.__dataclass_fields__.keys():
            raise TypeError(f"a result is amended in what has not been judged, not in {', '.join(sorted(changes))}")
        twin = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(twin, name, value)
        return twin

    @property
    def num_steps(self) -> int | None:
        """Return the number of steps of the schedule, if there is one."""
        return None if self.schedule is None else self.schedule.num_steps

    @property
    def bound(self) -> Bound | None:
        """Return the highest lower bound."""
        return max(self.bounds, key=lambda bound: bound.steps, default=None)

    @property
    def status(self) -> Status:
        """Say what is known: optimal, feasible, impossible (in the steps asked for) or unknown."""
        lower = self.bound.steps if self.bound else 0
        if self.num_steps is not None:
            return "optimal" if self.num_steps <= lower else "feasible"
        return "impossible" if self.asked is not None and lower > self.asked else "unknown"
