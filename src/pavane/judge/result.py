"""A result: a verified answer to a problem, the bounds that say how good it is, and where it came from."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeVar

from pavane.errors import InvalidSchedule
from pavane.judge.rules import verify
from pavane.judge.verdict import CLAIMED, Verdict
from pavane.model.bound import Bound, OccupancyBound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

Status = Literal["optimal", "feasible", "impossible", "unknown"]

AnyBound = TypeVar("AnyBound", Bound, OccupancyBound)


@dataclass(frozen=True)
class Provenance:
    """Where a schedule came from."""

    solver: str
    seed: int = 0
    seconds: float = 0.0
    version: str = ""
    is_claimed: bool = field(default=False, compare=False)
    """Whether a file says so, which nobody can check."""


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
    """Lower bounds on the steps, made where the result was made."""
    provenance: Provenance = field(default_factory=lambda: Provenance("unknown"))
    asked: int | None = None
    """The number of steps that was asked for, where it was."""
    run: Run | None = None
    notes: tuple[str, ...] = ()
    """What went wrong on the way and cost an attempt, a line each."""
    interrupted: bool = False
    """Whether an interrupt (Ctrl-C) ended the search; this is the best until then."""
    occupancy_bounds: tuple[OccupancyBound, ...] = ()
    """Lower bounds on the TCO under combining, made where the result was made."""
    claims: tuple[Bound | OccupancyBound, ...] = ()
    """Bounds that a file claims: one counts if the judge proves it, who is asked when it matters."""

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
        if "claims" in changes:
            vars(twin).pop("verdicts", None)
        return twin

    @property
    def num_steps(self) -> int | None:
        """Return the number of steps of the schedule, if there is one."""
        return None if self.schedule is None else self.schedule.num_steps

    @property
    def per_message(self) -> Fraction | None:
        """Return the steps for each piece of a message: what schedules of different numbers of pieces compare by."""
        return None if self.num_steps is None else Fraction(self.num_steps, self.problem.collective.pieces)

    # -- bounds

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What the judge says about each claim, the highest figure first; each is checked when it is asked."""
        ordered = sorted(self.claims, key=lambda bound: bound.figure, reverse=True)
        return tuple(Verdict(self.problem, claim, self.num_steps) for claim in ordered)

    @property
    def known_bounds(self) -> tuple[Bound | OccupancyBound, ...]:
        """Return every bound that was made here or is proven by the judge, the highest figure first."""
        known: list[Bound | OccupancyBound] = [*self.bounds, *self.occupancy_bounds]
        known += [verdict.bound for verdict in self.verdicts if verdict.is_proven]
        return tuple(sorted(known, key=lambda bound: bound.figure, reverse=True))

    @property
    def bound(self) -> Bound | None:
        """Return the highest lower bound on the steps, made here or proven by the judge."""
        return self._highest(Bound, self.bounds)

    @property
    def occupancy_bound(self) -> OccupancyBound | None:
        """Return the highest lower bound on the TCO of schedules with as many start-ups, made here or proven."""
        return self._highest(OccupancyBound, self.occupancy_bounds)

    def _highest(self, kind: type[AnyBound], made: tuple[AnyBound, ...]) -> AnyBound | None:
        holding = [bound for bound in made if bound.holds_for(self.num_steps)]
        best = max(holding, key=lambda bound: bound.figure, default=None)
        for verdict in self._about(kind):
            claim = verdict.bound
            if isinstance(claim, kind) and (best is None or claim.figure > best.figure) and verdict.is_proven:
                return claim
        return best

    def _about(self, kind: type[Bound] | type[OccupancyBound]) -> Iterator[Verdict]:
        """Yield the claims of a kind that are about schedules of as many steps."""
        for verdict in self.verdicts:
            if isinstance(verdict.bound, kind) and verdict.bound.holds_for(self.num_steps):
                yield verdict

    # -- what is known

    @property
    def has_fewest_steps(self) -> bool:
        """Whether it is known that no schedule has fewer steps."""
        bound = self.bound
        return self.num_steps is not None and bound is not None and self.num_steps <= bound.steps

    @property
    def has_least_tco(self) -> bool:
        """Whether it is known that no schedule of as many start-ups has less TCO."""
        bound = self.occupancy_bound
        return self.schedule is not None and bound is not None and self.schedule.tco <= bound.tco

    @property
    def optimal(self) -> tuple[str, ...]:
        """Return the figures that are known to be the least: steps, or under combining start-ups and TCO."""
        if not self.problem.rules.combining:
            return ("steps",) if self.has_fewest_steps else ()
        is_least = {"start-ups": self.has_fewest_steps, "TCO": self.has_least_tco}
        return tuple(figure for figure, yes in is_least.items() if yes)

    @property
    def status(self) -> Status:
        """Say what is known: optimal, feasible, impossible (in the steps asked for) or unknown.

        Under combining a schedule is optimal whose start-ups and whose TCO are.
        """
        if self.schedule is not None:
            return "optimal" if len(self.optimal) == (2 if self.problem.rules.combining else 1) else "feasible"
        lower = self.bound.steps if self.bound else 0
        return "impossible" if self.asked is not None and lower > self.asked else "unknown"

    @property
    def unproven(self) -> tuple[Verdict, ...]:
        """Return the highest claims that would make the steps, or the TCO, the least, where nothing proves that."""
        if self.schedule is None:
            return ()
        found: list[Verdict] = []
        if not self.has_fewest_steps:
            steps = self.schedule.num_steps
            found += [verdict for verdict in self._about(Bound) if verdict.bound.figure >= steps][:1]
        if self.problem.rules.combining and not self.has_least_tco:
            tco = self.schedule.tco
            found += [verdict for verdict in self._about(OccupancyBound) if verdict.bound.figure >= tco][:1]
        return tuple(found)

    @property
    def status_text(self) -> str:
        """Return the status in words: under combining what is optimal, and what a file claims without proof."""
        known = self.optimal
        text: str = self.status
        if self.problem.rules.combining and known:
            text = f"optimal in {' and '.join(known)}"
        claims = " and ".join(verdict.figure for verdict in self.unproven)
        return f"{text} (a bound of {claims} is {CLAIMED})" if claims else text
