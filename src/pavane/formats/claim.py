"""What a schedule file claims, before anybody has judged it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


@dataclass(frozen=True)
class Claim:
    """What a schedule file says; nothing of it has been judged."""

    problem: Problem
    schedule: Schedule
    bounds: tuple[Bound, ...]
    provenance: Provenance
    occupancy_bounds: tuple[OccupancyBound, ...] = ()

    @property
    def claims(self) -> tuple[Bound | OccupancyBound, ...]:
        """Return all bounds that it claims."""
        return (*self.bounds, *self.occupancy_bounds)

    def result(self) -> Result:
        """Judge the schedule and make a result of it; raises InvalidSchedule where it breaks a rule.

        Of the bounds those count that the judge proves. They are checked when the status is asked for, which takes a
        second or two where there are a thousand routers.
        """
        about = replace(self.provenance, is_claimed=True)
        return Result(self.problem, self.schedule, provenance=about, claims=self.claims)

    def believed(self) -> Result:
        """Do what `result` does, and believe the bounds: for what this program itself has written and kept."""
        return Result(self.problem, self.schedule, self.bounds, self.provenance, occupancy_bounds=self.occupancy_bounds)
