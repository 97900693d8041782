"""What the runs of one method say: how often it succeeds, how soon, and what it costs to expect a success."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pavane.campaign.runs import RunLine

Z = 1.959963984540054
"""Standard deviations that hold 95 % of a normal distribution between them."""


@dataclass(frozen=True)
class Summary:
    """The figures of one method."""

    method: str
    runs: int
    """Runs that came to an end without an error."""
    successes: int
    interval: tuple[float, float] | None
    """Wilson's 95 % confidence interval of the success rate."""
    evaluations: float | None
    """The median of evaluations to success; None where there is no success, or the solver does not count them."""
    seconds: float | None
    """The median of seconds to success."""
    spent: int | None
    """The evaluations of all runs, successes and failures."""
    conflicts: float | None
    """The median of conflicts that failures had left."""
    errors: int

    @property
    def rate(self) -> float | None:
        """Return the successes per run."""
        return self.successes / self.runs if self.runs else None

    @property
    def expected_evaluations(self) -> float | None:
        """Return the expected running time (ERT): all evaluations spent, per success.

        Infinite where nothing succeeded, None where evaluations are not counted.
        """
        if self.spent is None:
            return None
        return self.spent / self.successes if self.successes else math.inf


def summary(method: str, runs: Sequence[RunLine]) -> Summary:
    """Sum up the runs of a method."""
    ended = [run for run in runs if run.error is None]
    successes = [run for run in ended if run.is_success]
    conflicts = [run.conflicts for run in ended if not run.is_success and run.conflicts is not None]
    counts = [run.evaluations for run in ended if run.evaluations is not None]
    to_success = [run.evaluations for run in successes if run.evaluations is not None]
    is_counted = bool(ended) and len(counts) == len(ended)
    return Summary(
        method=method,
        runs=len(ended),
        successes=len(successes),
        interval=wilson(len(successes), len(ended)) if ended else None,
        evaluations=median(to_success) if is_counted and to_success else None,
        seconds=median(run.seconds for run in successes) if successes else None,
        spent=sum(counts) if is_counted else None,
        conflicts=median(conflicts) if conflicts else None,
        errors=len(runs) - len(ended),
    )


def wilson(successes: int, runs: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a success rate (Wilson 1927), which stays sound at rates of 0 and 1."""
    rate = successes / runs
    scale = 1 + Z**2 / runs
    middle = (rate + Z**2 / (2 * runs)) / scale
    half = Z / scale * math.sqrt(rate * (1 - rate) / runs + Z**2 / (4 * runs**2))
    return (0.0 if successes == 0 else middle - half), (1.0 if successes == runs else middle + half)
