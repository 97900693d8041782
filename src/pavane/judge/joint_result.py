"""A joint result: a verified schedule of several collectives at once, and the bounds that say how good it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pavane.errors import InvalidSchedule, expect
from pavane.judge.joint_rules import verify_joint
from pavane.judge.result import Provenance, Status, with_unjudged
from pavane.judge.verdict import proof_text
from pavane.model.bound import Bound
from pavane.model.joint import JointProblem
from pavane.model.schedule import Schedule
from pavane.text import counted

ALONE = "alone"
"""The argument of a bound of one collective, which holds for all of them together."""


@dataclass(frozen=True, repr=False)
class JointResult:
    """A schedule of several collectives at once that the judge has accepted, with lower bounds on its steps.

    Args:
        problem: The collectives, with their network and rules.
        schedule: Their schedule, which is verified; None where none was found.
        bounds: Lower bounds on the steps of the whole; those of one collective alone have the argument `alone`.
        provenance: Where the schedule came from.
        steps_alone: The steps that each collective takes without the others, where it was searched for so.
        notes: Failures of single attempts, a line each.
        interrupted: Whether an interrupt (Ctrl-C) ended the search.
        requested_steps: The requested number of steps, if any.

    Raises:
        InvalidSchedule: The schedule breaks a rule; the text says which, and where.

    Example:
        >>> ring = pavane.network("ring:6")
        >>> pairs = [pavane.alltoall([0, 1]), pavane.alltoall([3, 4])]
        >>> result = pavane.solve_joint(pavane.JointProblem(ring, pairs))
        >>> result.num_steps, result.steps, result.status
        (1, (1, 1), 'optimal')
    """

    problem: JointProblem
    schedule: Schedule | None
    bounds: tuple[Bound, ...] = ()
    provenance: Provenance = field(default_factory=lambda: Provenance("unknown"))
    steps_alone: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    requested_steps: int | None = None

    def __post_init__(self) -> None:
        expect(self.problem, JointProblem, "problem", "make a `pavane.JointProblem`")
        if self.schedule is not None:
            expect(self.schedule, Schedule, "schedule", "make a `pavane.Schedule`, or give None")
            violations = verify_joint(self.problem, self.schedule, most=1)
            if violations:
                raise InvalidSchedule(f"the schedule breaks a rule ({violations[0].rule}): {violations[0].text}")

    def amended(self, **changes: Any) -> JointResult:
        """Return this result with other bounds, provenance or notes; the schedule is not judged again."""
        return with_unjudged(self, changes)

    @property
    def num_steps(self) -> int | None:
        """Return the number of steps of the whole, if there is a schedule."""
        return None if self.schedule is None else self.schedule.num_steps

    @property
    def steps(self) -> tuple[int, ...]:
        """Return the number of steps after which each collective is complete; none without a schedule."""
        return () if self.schedule is None else self.problem.steps_of(self.schedule)

    @property
    def bound(self) -> Bound | None:
        """Return the highest lower bound on the steps of the whole."""
        return max(self.bounds, key=lambda bound: bound.figure, default=None)

    @property
    def bounds_alone(self) -> tuple[int, ...]:
        """Return the lower bound on the steps of each collective alone; 1 where none is known."""
        found = [1] * len(self.problem.collectives)
        for bound in self.bounds:
            if bound.argument == ALONE:
                number = bound.certificate["collective"]
                found[number] = max(found[number], bound.figure)
        return tuple(found)

    @property
    def is_optimal(self) -> bool:
        """Whether it is known that no schedule has fewer steps."""
        bound = self.bound
        return self.num_steps is not None and bound is not None and self.num_steps <= bound.figure

    @property
    def has_least_sum(self) -> bool:
        """Whether it is known that no schedule has a smaller sum of the collectives' steps."""
        return self.schedule is not None and sum(self.steps) <= sum(self.bounds_alone)

    @property
    def is_impossible(self) -> bool:
        """Whether it is known that no schedule has as few steps as were requested."""
        bound = self.bound
        return bound is not None and self.requested_steps is not None and bound.figure > self.requested_steps

    @property
    def status(self) -> Status:
        """Return what is known about the steps of the whole: optimal, feasible, impossible or unknown."""
        if self.schedule is None:
            return "impossible" if self.is_impossible else "unknown"
        return "optimal" if self.is_optimal else "feasible"

    @property
    def status_text(self) -> str:
        """Return the status in words: how an optimum is known, too."""
        steps = self.num_steps
        if steps is None or not self.is_optimal:
            return self.status
        arguments = [
            str(each.certificate.get("argument", each.argument)) for each in self.bounds if each.figure >= steps
        ]
        return f"optimal ({proof_text(arguments)})"

    def __repr__(self) -> str:
        where = f"{self.problem.kinds_text} on {self.problem.network.name}"
        if self.num_steps is None:
            return f"<JointResult: no schedule of {where}>"
        return f"<JointResult: {where} in {counted(self.num_steps, 'step')}, {self.status}>"
