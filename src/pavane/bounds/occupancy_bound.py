"""A lower bound on the total channel occupancy: a figure, for how many start-ups it holds, and a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OccupancyBound:
    """No schedule of the problem, with so many start-ups if they are given, has a TCO below `tco`, by this argument."""

    tco: int
    num_steps: int | None
    """The number of start-ups for which it holds; None: for any number."""
    argument: str
    certificate: dict[str, Any]
    """What the checker needs to prove the figure again."""
