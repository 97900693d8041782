"""A lower bound: a figure of its objective, the kind of argument, and a certificate to check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

from pavane.text import counted

Objective = Literal["steps", "tco", "finish"]
"""What a bound is on: the number of steps, the total communication occupancy, or the end in picoseconds."""

ALONE = "alone"
"""The argument of a bound of one collective, which holds for several together."""

UNITED = "united"
"""The argument of a bound of several collectives as one problem."""

OF_SOME = (ALONE, UNITED)

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


@dataclass(frozen=True, repr=False)
class Bound:
    """No schedule of the problem has an objective below `figure`, by this argument.

    Args:
        figure: The number of steps, the TCO, or with start times the end in picoseconds.
        argument: The name of the argument, as `explain` knows it.
        certificate: What the judge needs to prove the figure again.
        exact: What the argument gives before it is rounded up.
        objective: `"steps"`, `"tco"` or `"finish"`.
        num_steps: The number of start-ups for which a bound on the TCO holds; None for any number.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> pavane.lower_bounds(pavane.Problem(octagon, "alltoall"))[0]
        <Bound: 4 steps (sum-of-distances)>
        >>> pavane.Bound(81_400_000, "timed-cut", {}, objective="finish")
        <Bound: 81,400,000 ps (timed-cut)>
    """

    figure: int
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again, as it stands in a schedule file."""
    exact: Fraction | None = field(default=None, compare=False)
    """What the argument gives before it is rounded up to whole steps; None where it gives whole steps only."""
    objective: Objective = "steps"
    num_steps: int | None = None
    """Of a bound on the TCO: the number of start-ups for which it holds; None: for any number."""

    @property
    def inner(self) -> Bound:
        """Return the bound of one collective, or of several as one problem, that this one of several rests on."""
        return Bound(self.figure, str(self.certificate["argument"]), dict(self.certificate["certificate"]))

    @property
    def reason(self) -> str:
        """Return the name of the argument that the figure comes from: that of one collective where it is alone."""
        return str(self.certificate.get("argument")) if self.argument in OF_SOME else self.argument

    def holds_for(self, num_steps: int | None) -> bool:
        """Return whether it applies to schedules of `num_steps` steps."""
        return self.num_steps is None or self.num_steps == num_steps

    def __repr__(self) -> str:
        texts = {"tco": f"a TCO of {self.figure:,}", "finish": f"{self.figure:,} ps"}
        return f"<Bound: {texts.get(self.objective) or counted(self.figure, 'step')} ({self.argument})>"


def of_objective(bounds: Iterable[Bound], objective: Objective) -> list[Bound]:
    """Return the bounds on one objective."""
    return [bound for bound in bounds if bound.objective == objective]
