"""How long a search may go on, and on how many processes: evaluations for repeatable runs, a deadline for people."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

_is_stopped: Callable[[], bool] = bool
"""Whether whoever started this process wants its searches to end; never, where nobody did."""


def stop_when(is_stopped: Callable[[], bool]) -> None:
    """Let every budget of this process be over as soon as that is so."""
    global _is_stopped
    _is_stopped = is_stopped


@dataclass(frozen=True)
class Budget:
    """Limits of a search; the clock runs from when the budget was made."""

    evaluations: int | None = None
    deadline: float | None = None
    """A moment of time.monotonic()."""
    workers: int = 1
    """Processes that the search may use; they change the time, not the answer."""
    report: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)
    """Whom to tell the evaluations made and the conflicts left, now and then, where a solver counts them."""
    shorter: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)
    """Whom to tell the number of steps being tried and the fewest so far, where a solver shortens a schedule."""

    @classmethod
    def of(cls, seconds: float | None = None, evaluations: int | None = None, workers: int = 1) -> Budget:
        """Make a budget whose clock starts now."""
        return cls(evaluations, None if seconds is None else time.monotonic() + seconds, workers)

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed, or whoever started this process says stop."""
        return _is_stopped() or (self.deadline is not None and time.monotonic() >= self.deadline)
