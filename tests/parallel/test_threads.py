"""Calls side by side: answers in order, with threads and without, and errors come through."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from pavane.parallel.threads import helpers, side_by_side


@pytest.mark.parametrize("number", [-1, 0, 1, 3])
def test_answers_come_in_the_order_of_the_calls(number: int) -> None:
    """However many threads there are, each call has its answer in its place."""
    calls = [partial(pow, base, 2) for base in range(5)]
    with helpers(number) as pool:
        assert (pool is None) == (number < 1)
        assert side_by_side(calls, pool) == [0, 1, 4, 9, 16]


def test_calls_run_at_a_time() -> None:
    """Two calls that wait for each other both come to an end."""
    meeting = threading.Barrier(2, timeout=30)
    with helpers(1) as pool:
        assert sorted(side_by_side([meeting.wait, meeting.wait], pool)) == [0, 1]


def test_errors_come_through() -> None:
    """What breaks in a thread is raised where it was asked for."""
    with helpers(1) as pool, pytest.raises(ZeroDivisionError):
        side_by_side([lambda: 1 // 0, lambda: 1], pool)
