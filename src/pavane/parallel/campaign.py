"""Collects the results of many tasks as they arrive: progress is reported, and an interrupt leaves a part of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from pavane.parallel.progress import Progress

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")


class Campaign(Generic[K, R]):
    """The results of some tasks so far, by the keys of the tasks."""

    def __init__(
        self,
        total: int,
        name: Callable[[K], str],
        on_progress: Callable[[Progress], None] | None,
        *,
        known: Mapping[K, R] | None = None,
        outcome: Callable[[R], str] | None = None,
        seconds_left: Callable[[], float | None] | None = None,
    ) -> None:
        """Prepare a campaign.

        Args:
            total: The number of tasks.
            name: Returns a task in words, for progress reports.
            on_progress: Called at the start, and with every result.
            known: Results of earlier runs.
            outcome: Returns the word under which a result is counted in progress reports; empty: not counted.
            seconds_left: Returns the seconds until the time limit; by default they are estimated from the results.
        """
        self.results = dict(known or {})
        self.interrupted = False
        self._total, self._num_known = total, len(self.results)
        self._name, self._outcome, self._on_progress = name, outcome, on_progress
        self._seconds_left = seconds_left or self._estimate
        self._outcomes = Counter(map(outcome, self.results.values())) if outcome is not None else Counter[str]()
        self._started = time.monotonic()

    def collect(
        self,
        arriving: Iterable[tuple[K, R]],
        record: Callable[[K, R], None] = lambda _key, _result: None,
        *,
        may_be_empty: bool = False,
    ) -> None:
        """Take results as they arrive, and record each.

        An interrupt (Ctrl-C) ends it, and sets `interrupted`. If there is no result yet, the interrupt is raised,
        unless the campaign may be empty.
        """
        try:
            for key, result in arriving:
                if self._outcome is not None:
                    if key in self.results:
                        self._outcomes[self._outcome(self.results[key])] -= 1
                    self._outcomes[self._outcome(result)] += 1
                self.results[key] = result
                record(key, result)
                self.report(self._name(key))
        except KeyboardInterrupt:
            if not self.results and not may_be_empty:
                raise
            self.interrupted = True

    def report(self, activity: str) -> None:
        """Report the progress, and the part of the work that was finished last or is running."""
        if self._on_progress is None:
            return
        outcomes = {word: number for word, number in self._outcomes.items() if word and number}
        elapsed = time.monotonic() - self._started
        done = len(self.results)
        self._on_progress(Progress(activity, elapsed, self._seconds_left(), done, self._total, outcomes=outcomes))

    def _estimate(self) -> float | None:
        """Return the expected time of the tasks that are left; None before the first result."""
        done = len(self.results)
        num_new = done - self._num_known
        return (time.monotonic() - self._started) / num_new * (self._total - done) if num_new else None
