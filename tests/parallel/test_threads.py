"""Calls side by side: answers in order, with threads and without, and errors come through."""

import threading
from functools import partial

import pytest

from pavane.parallel.threads import run_in_threads, thread_pool


@pytest.mark.parametrize("number", [-1, 0, 1, 3])
def test_answers_come_in_the_order_of_the_calls(number: int) -> None:
    """However many threads there are, each call has its answer in its place."""
    calls = [partial(pow, base, 2) for base in range(5)]
    with thread_pool(number) as pool:
        assert (pool is None) == (number < 1)
        assert run_in_threads(calls, pool) == [0, 1, 4, 9, 16]


def test_calls_run_at_a_time() -> None:
    """Two calls that wait for each other both come to an end."""
    meeting = threading.Barrier(2, timeout=300)
    with thread_pool(1) as pool:
        assert sorted(run_in_threads([meeting.wait, meeting.wait], pool)) == [0, 1]


def test_errors_come_through() -> None:
    """What breaks in a thread is raised where it was asked for."""
    with thread_pool(1) as pool, pytest.raises(ZeroDivisionError):
        run_in_threads([lambda: 1 // 0, lambda: 1], pool)
