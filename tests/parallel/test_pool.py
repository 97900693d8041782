"""Pools of every kind: results come in the order of the tasks or of completion."""

import os
import signal
from collections.abc import Iterator

import pytest

from pavane.parallel.pools import local_pool
from pavane.parallel.tasks import WorkerLost
from tests.parallel.conftest import Hire
from tests.parallel.errands import added, broken, told, until_stopped


def test_answers_come_in_the_order_of_the_calls(hire: Hire) -> None:
    """Whatever takes longer, the answers are in order, and each call has its number."""
    with hire(100) as pool:
        assert list(pool.results(added, [(n,) for n in range(7)])) == [(n, 100 + n) for n in range(7)]
        assert list(pool.results(added, [(5,)])) == [(0, 105)]
        assert list(pool.results(added, [])) == []


def test_answers_as_they_come_are_complete(hire: Hire) -> None:
    """Out of order, every call is answered once."""
    with hire(0) as pool:
        assert sorted(pool.results(added, [(n,) for n in range(7)], in_order=False)) == [(n, n) for n in range(7)]


def test_an_error_comes_through(hire: Hire) -> None:
    """What a call raises is raised where the answers are read, and the next calls are answered."""
    with hire(0) as pool, pytest.raises(ValueError, match="the second call"):
        list(pool.results(broken, [(0,), (1,), (2,)]))
    with hire(5) as pool:
        assert list(pool.results(added, [(4,)])) == [(0, 9)]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_news_are_heard_before_the_answer(workers: int) -> None:
    """On this machine, what a call tells is heard with its number, in its order, and before its answer."""
    heard: list[tuple[int, object]] = []
    with local_pool(workers, 10) as pool:
        for number, answer in pool.results(told, [(0,), (1,), (2,)], on_update=lambda *news: heard.append(news)):
            assert answer == number
            assert [news for who, news in heard if who == number] == [10 + number, "nearly"]
        assert [answer for _, answer in pool.results(told, [(5,)])] == [5]  # nobody listens


def test_calls_that_are_asked_to_stop_answer_with_what_they_have(hire_others: Hire) -> None:
    """After `stop` the calls at work end, and their answers come, those handed out after it included."""
    with hire_others(0) as pool:
        answers = pool.results(until_stopped, [(0,), (1,), (2,), (3,)])
        assert next(answers) == (0, "at once")
        pool.stop()
        assert list(answers) == [(1, "stopped"), (2, "stopped"), (3, "stopped")]
        assert list(pool.results(added, [(7,)])) == [(0, 7)]  # a new question is not stopped


def test_one_worker_is_stopped_by_who_reads_its_answers() -> None:
    """What is asked after that ends with what it has."""
    with local_pool(1, 0) as pool:
        answers = pool.results(until_stopped, [(0,), (1,)])
        assert next(answers) == (0, "at once")
        pool.stop()
        assert list(answers) == [(1, "stopped")]


def test_what_nobody_reads_any_more_keeps_nobody_busy(hire_others: Hire) -> None:
    """When the reader goes, those at work are free for other calls."""
    with hire_others(0) as pool:
        for _ in pool.results(until_stopped, [(0,), (1,), (2,)]):
            break
    with hire_others(1) as pool:
        assert list(pool.results(added, [(n,) for n in range(4)])) == [(n, n + 1) for n in range(4)]


def test_an_interrupt_asks_for_what_there_is_and_goes_on(hire_others: Hire) -> None:
    """Ctrl-C: those at work are asked to stop, their answers come in order, then the interrupt."""
    read: list[tuple[int, str | WorkerLost]] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(*_: object) -> None:
        """Interrupt once an answer has been read; a second interrupt would end the wait for the others."""
        if read:
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
    try:
        with hire_others(0) as pool, pytest.raises(KeyboardInterrupt):
            _read(pool.results(until_stopped, [(0,), (1,), (2,)]), read)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, before)
    assert read == [(0, "at once"), (1, "stopped"), (2, "stopped")]


def _read(answers: Iterator[tuple[int, str | WorkerLost]], read: list[tuple[int, str | WorkerLost]]) -> None:
    """Note answers one by one, so that those before an interrupt are there."""
    for answer in answers:
        read.append(answer)  # noqa: PERF402
