"""The answer of an attempt without its problem, as another process returns it."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.judge.result import Provenance, Result, Run
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


@dataclass(frozen=True)
class AttemptRecord:
    """The answer of an attempt, not judged yet."""

    provenance: Provenance
    requested_steps: int | None = None
    schedule: Schedule | None = None
    bounds: tuple[Bound, ...] = ()
    run: Run | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, answer: Result | AttemptRecord) -> AttemptRecord:
        """Return an answer as a record."""
        if isinstance(answer, AttemptRecord):
            return answer
        return cls(
            answer.provenance,
            answer.requested_steps,
            answer.schedule,
            answer.bounds,
            answer.run,
            answer.notes,
        )

    def result(self, problem: Problem) -> Result:
        """Return the result, whose schedule is judged."""
        about = self.provenance, self.requested_steps, self.run, self.notes
        return Result(problem, self.schedule, self.bounds, *about)
