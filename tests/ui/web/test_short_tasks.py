"""Short work in processes beside the server."""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.ui.web.limits import Busy, ServerLimits
from pavane.ui.web.short_tasks import ShortTasks, TaskTimeout, _run_tasks


def where(number: int) -> tuple[int, int, int]:
    """Return a number, the process that ran the errand, and a moment."""
    return number, os.getpid(), time.monotonic_ns()


def slowly(seconds: float) -> int:
    """Take some time, and return the process."""
    time.sleep(seconds)
    return os.getpid()


def wait_for(file: Path) -> None:
    """Return when there is a file."""
    while not file.exists():
        time.sleep(0.01)


def refuse() -> None:
    """Refuse whatever was asked."""
    raise InputError("this will not do")


def die() -> None:
    """End the process, as one out of memory is ended."""
    os._exit(1)


@pytest.fixture
def errands() -> Iterator[ShortTasks]:
    """Yield one process for errands."""
    made = ShortTasks(ServerLimits(short_tasks=1, short_tasks_waiting=2, short_task_seconds=60.0, cached=1_000))
    yield made
    made.close()


def test_an_errand_is_run_elsewhere_and_remembered(errands: ShortTasks) -> None:
    """With a key it is run once; without, each time."""
    first = errands.do(where, 7, key="seven")
    assert (first[0], first[1] != os.getpid()) == (7, True)
    assert errands.do(where, 7, key="seven") == first
    assert errands.do(where, 7) != first


def test_what_is_remembered_has_a_limit(errands: ShortTasks) -> None:
    """The oldest give way."""
    first = errands.do(where, 0, key=0)
    for number in range(1, 60):
        errands.do(where, number, key=number)
    assert errands.do(where, 0, key=0) != first


def test_the_same_errand_is_run_once_for_all_who_wait(errands: ShortTasks) -> None:
    """More than may wait for different errands get what one of them brings."""
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(errands.do, where, 7, key="seven") for _ in range(8)]
    assert len({one.result() for one in asked}) == 1


def test_errors_come_back(errands: ShortTasks) -> None:
    """What is wrong is raised where it was asked for, and the process goes on."""
    before = errands.do(slowly, 0.0)
    with pytest.raises(InputError, match="will not do"):
        errands.do(refuse)
    assert errands.do(slowly, 0.0) == before


class Pipe:
    """The end of a pipe: what is asked comes one by one, then the server is gone; what is sent is kept."""

    def __init__(self, *asked: Any) -> None:
        self.asked, self.sent = list(asked), list[Any]()

    def recv(self) -> Any:
        """Return what is asked next."""
        if not self.asked:
            raise EOFError
        return self.asked.pop(0)

    def send_bytes(self, answer: bytes) -> None:
        """Keep an answer."""
        self.sent.append(pickle.loads(answer))


def test_what_is_too_large_is_refused_and_the_process_goes_on() -> None:
    """Memory that is not given is told in words, and so is anything wrong; without a server there is nothing to do."""

    def hungry() -> None:
        raise MemoryError

    pipe: Any = Pipe((hungry, ()), (refuse, ()), (len, ("abc",)))
    _run_tasks(pipe, ServerLimits())
    assert [kind for kind, _ in pipe.sent] == ["refused", "refused", "done"]
    assert pipe.sent[0][1].startswith("it needs more memory than the server gives")


def test_a_process_that_dies_or_is_late_is_replaced(errands: ShortTasks) -> None:
    """It costs its errand alone."""
    before = errands.do(slowly, 0.0)
    with pytest.raises(Busy, match="ended unexpectedly"):
        errands.do(die)
    errands.do(slowly, 0.0)
    errands.limits = replace(errands.limits, short_task_seconds=0.2)
    with pytest.raises(TaskTimeout, match=r"more than 0\.2 s"):
        errands.do(slowly, 60.0)
    errands.limits = replace(errands.limits, short_task_seconds=60.0)
    assert errands.do(slowly, 0.0) != before


def test_too_many_are_refused_at_once(errands: ShortTasks, tmp_path: Path) -> None:
    """One runs, some wait, and whoever comes then is told so."""
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(errands.do, wait_for, tmp_path / "go") for _ in range(8)]
        while sum(one.done() for one in asked) < 4:
            time.sleep(0.01)
        (tmp_path / "go").touch()
    refused = [one.exception() for one in asked if one.exception() is not None]
    assert all(isinstance(error, Busy) for error in refused)
    assert 4 <= len(refused) <= 6  # one runs and two or three wait


def test_closing_ends_what_runs_and_what_waits(errands: ShortTasks) -> None:
    """Nobody waits for a server that ends."""
    errands.do(slowly, 0.0)
    said: list[str] = []

    def ask() -> None:
        try:
            errands.do(slowly, 50.0)
        except Busy as error:
            said.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    errands.close()
    for thread in threads:
        thread.join(timeout=2)
    assert said == ["the server is ending"] * 2
