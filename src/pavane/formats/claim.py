"""What a schedule file claims, before anybody has judged it."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


@dataclass(frozen=True)
class Claim:
    """What a schedule file says; nothing of it has been judged."""

    problem: Problem
    schedule: Schedule
    bounds: tuple[Bound, ...]
    provenance: Provenance

    def result(self) -> Result:
        """Judge the schedule and make a result of it; raises InvalidSchedule where it breaks a rule."""
        return Result(self.problem, self.schedule, self.bounds, self.provenance)
