"""Calls in threads of this process: compiled code releases the interpreter lock, and threads share what they read.

The calls must not depend on each other, so that the number of threads changes the time and not the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def thread_pool(number: int) -> Iterator[ThreadPoolExecutor | None]:
    """Yield a pool of threads beside the calling one until the block ends; None if `number` is less than 1."""
    if number < 1:
        yield None
        return
    with ThreadPoolExecutor(number) as pool:
        yield pool


def run_in_threads(calls: Sequence[Callable[[], T]], pool: ThreadPoolExecutor | None) -> list[T]:
    """Run calls, the last of them in this thread and the others in those of a pool; None: one after the other.

    Calls are short: an interrupt is raised when all have ended.
    """
    if pool is None or len(calls) < 2:
        return [call() for call in calls]
    others = [pool.submit(call) for call in calls[:-1]]
    try:
        last = calls[-1]()
    finally:
        results = [other.result() for other in others]
    return [*results, last]
