"""Crews: calls are answered in their order or as they come, whoever works; what is lost is told as lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pavane.workers.crew import Alone, Contact, Crew, Lost, crew_of
from pavane.workers.processes import Processes

each_size = pytest.mark.parametrize("workers", [1, 2, 3])


def added(shared: int, contact: Contact, number: int) -> int:
    """Add what all calls share; small numbers take longer."""
    time.sleep(0.02 if number < 2 else 0.0)
    return shared + number


def broken(shared: int, contact: Contact, number: int) -> int:
    """Raise at the second call."""
    if number == 1:
        raise ValueError("the second call")
    return number


def lost(shared: int, contact: Contact, number: int) -> int:
    """End the process at the second call, as the system does when memory is short."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def until_stopped(shared: int, contact: Contact, number: int) -> str:
    """Go on until asked to stop, and answer then."""
    if number == 0:
        return "at once"
    until = time.monotonic() + 30
    while not contact.is_stopped() and time.monotonic() < until:
        time.sleep(0.01)
    return "stopped" if contact.is_stopped() else "late"


def lost_once(folder: Path, contact: Contact, number: int) -> int:
    """End the process when the second call is made for the first time."""
    with open(folder / "made", "a") as file:
        file.write(f"{number} {os.getpid()}\n")
    mark = folder / "was here"
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def told(shared: int, contact: Contact, number: int) -> int:
    """Tell two things before the answer."""
    contact.tell(shared + number)
    contact.tell("nearly")
    return number


@each_size
def test_answers_come_in_the_order_of_the_calls(workers: int) -> None:
    """Whatever takes longer, the answers are in order, and each call has its number."""
    with crew_of(workers, 100) as crew:
        assert list(crew.answers(added, [(n,) for n in range(7)])) == [(n, 100 + n) for n in range(7)]
        assert list(crew.answers(added, [(5,)])) == [(0, 105)]
        assert list(crew.answers(added, [])) == []


@each_size
def test_answers_as_they_come_are_complete(workers: int) -> None:
    """Out of order, every call is answered once."""
    with crew_of(workers, 0) as crew:
        assert sorted(crew.answers(added, [(n,) for n in range(7)], in_order=False)) == [(n, n) for n in range(7)]


@each_size
def test_an_error_comes_through(workers: int) -> None:
    """What a call raises is raised where the answers are read, after the answers before it."""
    with crew_of(workers, 0) as crew:
        answers = crew.answers(broken, [(0,), (1,), (2,)])
        with pytest.raises(ValueError, match="the second call"):
            list(answers)


def test_one_worker_is_this_process() -> None:
    """One worker needs no other process."""
    assert isinstance(crew_of(1, None), Alone)
    assert isinstance(crew_of(2, None), Processes)


def test_a_lost_process_costs_its_own_call() -> None:
    """A process that is killed is told as lost, with its code; all other calls are answered."""
    with crew_of(2, 0) as crew:
        answers = dict(crew.answers(lost, [(n,) for n in range(5)]))
    assert answers == {0: 0, 1: Lost("its process ended with code -9; killed, or out of memory?"), 2: 2, 3: 3, 4: 4}


def test_a_call_whose_process_is_lost_is_made_once_more_and_fewer_go_on(tmp_path: Path) -> None:
    """The call of a lost process is answered by another; the process is not replaced while there are others."""
    with crew_of(2, tmp_path) as crew:
        answers = dict(crew.answers(lost_once, [(n,) for n in range(6)]))
    assert answers == {n: n for n in range(6)}
    made = [line.split() for line in (tmp_path / "made").read_text().splitlines()]
    assert sorted(number for number, _ in made) == ["0", "1", "1", "2", "3", "4", "5"]
    assert len({process for _, process in made}) == 2


def test_the_last_process_is_replaced_when_it_is_lost() -> None:
    """However many are lost, the calls go on: somebody is always there."""
    with crew_of(2, 0) as crew:
        answers = dict(crew.answers(lost, [(1,), (1,), (1,), (2,)]))
    assert [isinstance(answers[number], Lost) for number in range(3)] == [True] * 3
    assert answers[3] == 2


@each_size
def test_news_are_heard_before_the_answer(workers: int) -> None:
    """What a call tells is heard with its number, in its order, and before its answer."""
    heard: list[tuple[int, object]] = []
    with crew_of(workers, 10) as crew:
        for number, answer in crew.answers(told, [(0,), (1,), (2,)], hear=lambda *news: heard.append(news)):
            assert answer == number
            assert [news for who, news in heard if who == number] == [10 + number, "nearly"]
        assert [answer for _, answer in crew.answers(told, [(5,)])] == [5]  # nobody listens


def test_calls_that_are_asked_to_stop_answer_with_what_they_have() -> None:
    """After `stop` the calls at work end, and their answers come."""
    with crew_of(2, 0) as crew:
        answers = crew.answers(until_stopped, [(0,), (1,), (2,)])
        assert next(answers) == (0, "at once")
        crew.stop()
        assert list(answers) == [(1, "stopped"), (2, "stopped")]


def test_nobody_is_left_when_the_reader_goes() -> None:
    """Answers that nobody reads any more are not worked on: the processes are gone at once."""
    crew = Processes(2, 0)
    started = time.monotonic()
    with crew:
        for _ in crew.answers(until_stopped, [(0,), (1,), (2,)]):
            break
    assert time.monotonic() - started < 10


def test_an_interrupt_asks_for_what_there_is_and_goes_on() -> None:
    """Ctrl-C in the parent: those at work are asked to stop, their answers come in order, then the interrupt."""
    crew: Crew = Processes(2, 0)
    read: list[tuple[int, str | Lost]] = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        with crew, pytest.raises(KeyboardInterrupt):
            _read(crew.answers(until_stopped, [(0,), (1,), (2,)]), read)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, before)
    assert read == [(0, "at once"), (1, "stopped"), (2, "stopped")]


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    """A parent that is killed leaves no process behind, whatever it works on."""
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, time
            from pavane.workers.processes import Processes

            def endless(shared, contact, file):
                open(file, "w").write(str(os.getpid()))
                while True:
                    time.sleep(0.01)

            if __name__ == "__main__":
                with Processes(2, None) as crew:
                    list(crew.answers(endless, [("one",), ("two",)]))
            """
        )
    )
    parent = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path)
    files = [tmp_path / "one", tmp_path / "two"]
    _wait(lambda: all(file.exists() and file.read_text() for file in files))
    parent.kill()
    parent.wait()
    _wait(lambda: not any(_is_alive(int(file.read_text())) for file in files))


def _read(answers: Iterator[tuple[int, str | Lost]], read: list[tuple[int, str | Lost]]) -> None:
    """Note answers one by one, so that those before an interrupt are there."""
    for answer in answers:
        read.append(answer)  # noqa: PERF402


def _wait(until: Callable[[], bool]) -> None:
    limit = time.monotonic() + 20
    while not until():
        assert time.monotonic() < limit
        time.sleep(0.02)


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False
