"""Lower bounds, on the number of steps or on the TCO: a figure, the kind of argument, and a certificate to check."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Bound:
    """No schedule of the problem has fewer than `steps` steps, by this argument."""

    steps: int
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again, as it stands in a schedule file."""
    exact: Fraction | None = field(default=None, compare=False)
    """What the argument gives before it is rounded up to whole steps; None where it gives whole steps only."""

    @property
    def figure(self) -> int:
        """Return what no schedule is below: a number of steps."""
        return self.steps

    def holds_for(self, num_steps: int | None) -> bool:
        """Say whether it is about schedules of `num_steps` steps: it is about all."""
        return True


@dataclass(frozen=True)
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
        """Return what no schedule is below: a TCO."""
        return self.tco

    def holds_for(self, num_steps: int | None) -> bool:
        """Say whether it is about schedules of `num_steps` start-ups."""
        return self.num_steps is None or self.num_steps == num_steps
