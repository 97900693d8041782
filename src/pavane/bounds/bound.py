"""A lower bound on the number of steps: a figure, the kind of argument, and a certificate that anyone can check."""

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
