"""The best that an attempt has so far, handed over now and then before the attempt has its answer.

Whoever kills a long search should find what it had a few seconds before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget

FIRST_AFTER = 1.0
"""Seconds before which an attempt hands nothing over: most have their answer by then."""

BETWEEN = 6.0
"""Seconds between one handing over and the next."""


class Relay:
    """Builds what is the best so far when it is due, at a moment at which the attempt looks at its budget."""

    def __init__(self, budget: Budget, hand_over: Callable[[Schedule], None]) -> None:
        self._asked, self._hand_over = budget, hand_over
        self._due = time.monotonic() + FIRST_AFTER
        self._build: Callable[[], Schedule] | None = None

    @property
    def budget(self) -> Budget:
        """Return the budget through which the attempt is to tell what it has."""
        return replace(self._asked, better=self._better, is_stopped=self._is_stopped)

    def _better(self, build: Callable[[], Schedule]) -> None:
        self._build = build

    def _is_stopped(self) -> bool:
        if self._asked.is_stopped():
            return True
        if self._build is not None and time.monotonic() >= self._due and not self._is_answer_near:
            build, self._build = self._build, None
            self._hand_over(build())
            self._due = time.monotonic() + BETWEEN
        return False

    @property
    def _is_answer_near(self) -> bool:
        """Whether the time limit brings the answer as soon as this would."""
        left = self._asked.seconds_left
        return left is not None and left < BETWEEN
