"""What the runs of one method say: how often it succeeds, how soon, and what it costs to expect a success."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pavane.campaign.benchmark.trial import Trial

Z = 1.959963984540054
"""Standard deviations that hold 95 % of a normal distribution between them."""


@dataclass(frozen=True)
class Spread:
    """A median and its quartiles."""

    lower: float
    median: float
    upper: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread | None:
        """Return the quartiles of some values, with linear interpolation between two; None of none."""
        listed = list(values)
        return cls(*map(float, np.percentile(listed, (25, 50, 75)))) if listed else None


@dataclass(frozen=True)
class Summary:
    """The figures of one method."""

    method: str
    runs: int
    """Runs that came to an end without an error."""
    successes: int
    interval: tuple[float, float] | None
    """Wilson's 95 % confidence interval of the success rate."""
    evaluations: Spread | None
    """Evaluations to success; None where there is no success, or the solver does not count them."""
    seconds: Spread | None
    """Seconds to success."""
    spent: int | None
    """The evaluations of all runs, successes and failures."""
    fewest_conflicts: int | None
    """What the best failure came to."""
    median_conflicts: float | None
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


def summary(method: str, trials: Sequence[Trial]) -> Summary:
    """Sum up the runs of a method."""
    ended = [trial for trial in trials if trial.error is None]
    successes = [trial for trial in ended if trial.is_success]
    conflicts = [t.conflicts for t in ended if not t.is_success and t.conflicts is not None]
    counts = [trial.evaluations for trial in ended if trial.evaluations is not None]
    counted = bool(ended) and len(counts) == len(ended)
    return Summary(
        method=method,
        runs=len(ended),
        successes=len(successes),
        interval=wilson(len(successes), len(ended)) if ended else None,
        evaluations=Spread.of(t.evaluations for t in successes if t.evaluations is not None) if counted else None,
        seconds=Spread.of(trial.seconds for trial in successes),
        spent=sum(counts) if counted else None,
        fewest_conflicts=min(conflicts, default=None),
        median_conflicts=float(np.median(conflicts)) if conflicts else None,
        errors=len(trials) - len(ended),
    )


def wilson(successes: int, runs: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a success rate (Wilson 1927), which stays sound at rates of 0 and 1."""
    rate = successes / runs
    scale = 1 + Z**2 / runs
    middle = (rate + Z**2 / (2 * runs)) / scale
    half = Z / scale * math.sqrt(rate * (1 - rate) / runs + Z**2 / (4 * runs**2))
    return (0.0 if successes == 0 else middle - half), (1.0 if successes == runs else middle + half)
