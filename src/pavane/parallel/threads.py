"""Calls side by side in threads of this process: machine code lets several run at a time, and share what they read.

The calls must not depend on each other, so that the number of threads changes the time and not what comes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def helpers(number: int) -> Iterator[ThreadPoolExecutor | None]:
    """Yield a pool of as many threads, beside the one that asks, until the block ends; None where there are none."""
    if number < 1:
        yield None
        return
    with ThreadPoolExecutor(number) as pool:
        yield pool


def side_by_side(calls: Sequence[Callable[[], T]], pool: ThreadPoolExecutor | None) -> list[T]:
    """Make calls, the last of them here and the others in threads of a pool; None: one after the other.

    Calls are short: an interrupt goes on when all have ended.
    """
    if pool is None or len(calls) < 2:
        return [call() for call in calls]
    others = [pool.submit(call) for call in calls[:-1]]
    try:
        last = calls[-1]()
    finally:
        made = [other.result() for other in others]
    return [*made, last]
