"""Lower bounds, on the number of steps or on the TCO: a figure, the kind of argument, and a certificate to check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bound:
    """No schedule of the problem has fewer than `steps` steps, by this argument."""

    steps: int
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again, as it stands in a schedule file."""


@dataclass(frozen=True)
class OccupancyBound:
    """No schedule of the problem, of `num_steps` start-ups where they are given, has a TCO below `tco`."""

    tco: int
    num_steps: int | None
    """The number of start-ups for which it holds; None: for any number."""
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again."""
