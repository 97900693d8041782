"""Lower bounds, on the number of steps or on the TCO: a figure, the kind of argument, and a certificate to check."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pavane.text import counted


@dataclass(frozen=True, repr=False)
class Bound:
    """No schedule of the problem has fewer than `steps` steps, by this argument.

    Args:
        steps: The number of steps.
        argument: The name of the argument, as `explain` knows it.
        certificate: What the judge needs to prove the figure again.
        exact: What the argument gives before it is rounded up.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> pavane.lower_bounds(pavane.Problem(octagon, "alltoall"))[0]
        <Bound: 4 steps (sum-of-distances)>
    """

    steps: int
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again, as it stands in a schedule file."""
    exact: Fraction | None = field(default=None, compare=False)
    """What the argument gives before it is rounded up to whole steps; None where it gives whole steps only."""

    @property
    def figure(self) -> int:
        """Return the number of steps that no schedule is below."""
        return self.steps

    def holds_for(self, num_steps: int | None) -> bool:
        """Return whether it applies to schedules of `num_steps` steps: it applies to all."""
        return True

    def __repr__(self) -> str:
        return f"<Bound: {counted(self.steps, 'step')} ({self.argument})>"


@dataclass(frozen=True, repr=False)
class OccupancyBound:
    """No schedule of the problem, of `num_steps` start-ups where they are given, has a TCO below `tco`."""

    tco: int
    num_steps: int | None
    """The number of start-ups for which it holds; None: for any number."""
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again, as it stands in a schedule file."""

    @property
    def figure(self) -> int:
        """Return the TCO that no schedule is below."""
        return self.tco

    def holds_for(self, num_steps: int | None) -> bool:
        """Return whether it applies to schedules of `num_steps` start-ups."""
        return self.num_steps is None or self.num_steps == num_steps

    def __repr__(self) -> str:
        return f"<OccupancyBound: a TCO of {self.tco:,} ({self.argument})>"


@dataclass(frozen=True, repr=False)
class FinishBound:
    """No timed schedule of the problem ends before `finish`, by this argument.

    Args:
        finish: Picoseconds.
        argument: The name of the argument.
        certificate: What the judge needs to prove the figure again.

    Example:
        >>> pavane.FinishBound(81_400_000, "timed-cut", {})
        <FinishBound: 81,400,000 ps (timed-cut)>
    """

    finish: int
    """Picoseconds."""
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again, as it stands in a file."""

    def __repr__(self) -> str:
        return f"<FinishBound: {self.finish:,} ps ({self.argument})>"
