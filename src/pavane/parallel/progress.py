"""The progress of long work, as one value for terminals, notebooks and the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Progress:
    """How far a search, a sweep or a campaign has come; fields that do not apply are None."""

    activity: str
    """The solver that is running, or the part of the work that was finished last."""
    seconds: float
    """Seconds since the start."""
    seconds_left: float | None = None
    """Seconds until the time limit, or the expected time where the work is counted."""
    done: int | None = None
    """Parts of the work that are finished, of `total`."""
    total: int | None = None
    num_steps: int | None = None
    """The number of steps, or of start-ups, being tried; None: as few as possible."""
    step_word: str = "step"
    """What one of them is called: under tdm a slot."""
    best: int | None = None
    """The fewest steps so far."""
    bound: int | None = None
    """The best lower bound on the steps so far."""
    conflicts: int | None = None
    """Conflicts left in the attempt that is running, where its solver counts them."""
    points: tuple[tuple[int, int], ...] | None = None
    """Start-ups and TCO of the points of a Pareto front so far."""
    pieces: int | None = None
    """The number of pieces being tried, where several are."""
    message_times: Fraction | None = None
    """The fewest message times of the numbers of pieces before."""
    outcomes: Mapping[str, int] = field(default_factory=dict)
    """How many of the finished parts have each outcome, like proven or failed."""
