"""Reports the incumbent of an attempt now and then, before the attempt has its result.

If a long search is killed, the schedule of a few seconds before is then on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget

FIRST_AFTER = 1.0
"""Seconds before which an attempt reports nothing: most have their result by then."""

BETWEEN = 6.0
"""Seconds between two reports."""


class ImprovementThrottle:
    """Builds and reports the incumbent when a report is due, at a moment at which the attempt checks its budget."""

    def __init__(self, budget: Budget, report: Callable[[Schedule], None]) -> None:
        self._budget, self._report = budget, report
        self._due = time.monotonic() + FIRST_AFTER
        self._build: Callable[[], Schedule] | None = None

    @property
    def budget(self) -> Budget:
        """Return the budget through which the attempt is to report improvements."""
        return replace(self._budget, on_improvement=self._on_improvement, is_stopped=self._is_stopped)

    def _on_improvement(self, build: Callable[[], Schedule]) -> None:
        self._build = build

    def _is_stopped(self) -> bool:
        if self._budget.is_stopped():
            return True
        if self._build is not None and time.monotonic() >= self._due and not self._is_result_near:
            build, self._build = self._build, None
            self._report(build())
            self._due = time.monotonic() + BETWEEN
        return False

    @property
    def _is_result_near(self) -> bool:
        """Whether the time limit brings the result as soon as a report would."""
        left = self._budget.seconds_left
        return left is not None and left < BETWEEN
