"""Many searches in one time limit: each gets its share, and what some leave goes to those that could use it.

In a first pass every search has the same small share. Most need no more; those that used it up are made again, from
what they had found, in passes with ever larger shares. Time may end a search here as everywhere, and decides nothing
else.
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
"""What every search is given, even if the others have left nothing."""

PART = 0.3
"""The part of the time left that a pass may take, as long as the next one can then give larger shares."""

LEAST_GAIN = 1.5
"""A search is made again if its share is this many times the one before; with less it would come no further."""


@dataclass(frozen=True)
class Deadline:
    """When all searches have to be over; None: whenever they are."""

    moment: float | None

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """Return the moment some seconds from now."""
        return cls(None if seconds is None else clock.now() + seconds)

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds that are left, at least 0."""
        return None if self.moment is None else max(0.0, self.moment - clock.now())

    def share(self, searches: int, workers: int) -> float | None:
        """Return what each of some searches may take where several are made at a time."""
        left = self.seconds_left
        return None if left is None else max(LEAST_SECONDS, left * min(1.0, workers / max(1, searches)))


class Calls(Sequence[tuple[Any, ...]]):
    """Calls that end with the seconds they may take, which are counted when a call's turn comes."""

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
        # What starting processes and judging has taken is missing in equal parts.
        left = self._deadline.share(len(self) - number, self._workers)
        return (*self._calls[number], self._share if left is None else min(self._share, left))


def in_passes(
    pool: Pool,
    function: Callable[..., T],
    tasks: Sequence[int],
    call_of: Callable[[int], tuple[Any, ...]],
    is_open: Callable[[int, float], bool],
    deadline: Deadline,
) -> Iterator[tuple[int, T | WorkerLost, float | None]]:
    """Yield each task with an answer and the share it had, and again as long as a larger share may bring it further.

    `is_open` is asked after a pass whether a task has used up its share and has more to find.
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
        tasks, before = [task for task in tasks if is_open(task, share)], share


def _larger(whole: float, before: float) -> float | None:
    """Return a share that brings searches further than the one before: a part of the time, or all; None: there is none.

    `whole` is what each search could have if this pass took all the time that is left.
    """
    return next((share for share in (PART * whole, whole) if share >= max(LEAST_SECONDS, LEAST_GAIN * before)), None)
