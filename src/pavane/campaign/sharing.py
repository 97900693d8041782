"""Many searches in one time limit: each gets a share, and time that is not used goes to the other searches.

In a first pass every search has the same small share. Most need no more; those that used it up run again, from their
results, in passes with larger shares. Time may end a search, and decides nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from pavane.jit import clock
from pavane.parallel.pool import Pool
from pavane.parallel.tasks import WorkerLost

T = TypeVar("T")

LEAST_SECONDS = 0.05
"""The least share of a search, even if no time is left."""

PART = 0.3
"""The part of the remaining time that a pass takes, as long as the next pass can have larger shares."""

LEAST_GAIN = 1.5
"""A search runs again if its share is at least this many times the one before; with less it would find no more."""


@dataclass(frozen=True)
class Deadline:
    """The time at which all searches end; None: no limit."""

    moment: float | None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return a deadline some seconds from now."""
        return cls(None if seconds is None else clock.now() + seconds)

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds that are left, at least 0."""
        return None if self.moment is None else max(0.0, self.moment - clock.now())

    def share(self, searches: int, workers: int) -> float | None:
        """Return the seconds of each search if several run at a time."""
        left = self.seconds_left
        return None if left is None else max(LEAST_SECONDS, left * min(1.0, workers / max(1, searches)))


class Calls(Sequence[tuple[Any, ...]]):
    """Tasks whose last argument is their time limit in seconds, computed when the task is dispatched."""

    def __init__(self, calls: Sequence[tuple[Any, ...]], share: float | None, deadline: Deadline, workers: int) -> None:
        self._calls, self._share, self._deadline, self._workers = calls, share, deadline, workers

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, number: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[tuple[Any, ...]]: ...
    def __getitem__(self, number: int | slice) -> tuple[Any, ...] | Sequence[tuple[Any, ...]]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if self._share is None:
            return (*self._calls[number], None)
        # The time for starting processes and judging is missing in equal parts.
        left = self._deadline.share(len(self) - number, self._workers)
        return (*self._calls[number], self._share if left is None else min(self._share, left))


def in_passes(
    pool: Pool,
    function: Callable[..., T],
    tasks: Sequence[int],
    call_of: Callable[[int], tuple[Any, ...]],
    is_open: Callable[[int, float], bool],
    deadline: Deadline,
    gap_of: Callable[[int], float] = lambda _: 0.0,
) -> Iterator[tuple[int, T | WorkerLost, float | None]]:
    """Yield each task with its result and its share, and again as long as a larger share may improve the result.

    `is_open` returns, after a pass, whether a task has used up its share and may find more; `gap_of` how far its result
    is from its bound: those that are farthest come first in the next pass.
    """
    before = 0.0
    while tasks:
        whole = deadline.share(len(tasks), pool.size)
        share = None if whole is None else _larger(whole, before)
        if whole is not None and share is None:
            return
        calls = Calls([call_of(task) for task in tasks], share, deadline, pool.size)
        for number, answer in pool.results(function, calls, in_order=False):
            yield tasks[number], answer, share
        if share is None:
            return
        tasks, before = sorted((task for task in tasks if is_open(task, share)), key=lambda task: -gap_of(task)), share


def _larger(whole: float, before: float) -> float | None:
    """Return a share that is worth another pass: a part of the time, or all; None: there is none.

    `whole` is the share of each search if this pass took all the time that is left.
    """
    return next((share for share in (PART * whole, whole) if share >= max(LEAST_SECONDS, LEAST_GAIN * before)), None)
