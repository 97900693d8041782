"""Pools of processes on this machine: lost tasks are reported as lost, and no worker outlives the parent."""

import os
import signal
import subprocess
import sys
import textwrap
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from pavane.jit import clock
from pavane.parallel.pools import local_pool
from pavane.parallel.processes import ProcessPool
from pavane.parallel.tasks import WorkerLost
from tests.parallel.clusters import wait_until
from tests.parallel.errands import compiling, lost, lost_once, until_stopped


def test_a_lost_process_costs_its_own_call() -> None:
    """A process that is killed is told as lost, with its code; all other calls are answered."""
    with local_pool(2, 0) as pool:
        answers = dict(pool.results(lost, [(n,) for n in range(5)]))
    assert answers == {
        0: 0,
        1: WorkerLost("its process ended with code -9; killed, or out of memory?"),
        2: 2,
        3: 3,
        4: 4,
    }


def test_a_call_whose_process_is_lost_is_made_once_more_and_fewer_go_on(tmp_path: Path) -> None:
    """The call of a lost process is answered by another; the process is not replaced while there are others."""
    with local_pool(2, tmp_path) as pool:
        answers = dict(pool.results(lost_once, [(n,) for n in range(6)]))
    assert answers == {n: n for n in range(6)}
    made = [line.split() for line in (tmp_path / "made").read_text().splitlines()]
    assert sorted(number for number, _ in made) == ["0", "1", "1", "2", "3", "4", "5"]
    assert len({process for _, process in made}) == 2


def test_the_last_process_is_replaced_when_it_is_lost() -> None:
    """However many are lost, the calls go on: somebody is always there."""
    with local_pool(2, 0) as pool:
        answers = dict(pool.results(lost, [(1,), (1,), (1,), (2,)]))
    assert [isinstance(answers[number], WorkerLost) for number in range(3)] == [True] * 3
    assert answers[3] == 2


def test_what_a_process_compiles_is_heard_by_who_listens_here() -> None:
    """So that a progress line names it; the clock here goes on."""
    heard: list[str] = []
    with clock.reporting_to(heard.append), ProcessPool(2, 0) as pool:
        stopped = clock._seconds_before
        assert dict(pool.results(compiling, [(0,), (1,), (2,)])) == {0: 0, 1: 1, 2: 2}
    assert {"kernel 0", "kernel 1", "kernel 2", ""} == set(heard)
    assert clock._seconds_before == stopped


@pytest.mark.parametrize("method", ["send", "recv"])
def test_an_interrupt_between_two_processes_loses_no_task(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C just before a task is sent, or just after a result is received: all running tasks still end."""
    parent, transmit = os.getpid(), getattr(Connection, method)
    calls = iter(range(100))

    def interrupted(self: Connection, *content: object) -> object:
        is_sent = method == "send"
        if os.getpid() == parent and is_sent and next(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        result = transmit(self, *content)
        if os.getpid() == parent and not is_sent and next(calls) == 0:
            signal.raise_signal(signal.SIGINT)
        return result

    monkeypatch.setattr(Connection, method, interrupted)
    monkeypatch.setattr(ProcessPool, "grace", 60.0)  # a lost task is awaited for ever without it
    numbers: list[int] = []
    with local_pool(2, 0) as pool, pytest.raises(KeyboardInterrupt):
        numbers.extend(number for number, _ in pool.results(until_stopped, [(0,), (1,)]))
    assert numbers == [0, 1]


def test_nobody_is_left_when_the_reader_goes() -> None:
    """Results that are not read any more are not worked on: the processes are killed."""
    pool = ProcessPool(2, 0)
    processes: list[BaseProcess] = []
    with pool:
        for _ in pool.results(until_stopped, [(0,), (1,), (2,)]):
            processes += pool._workers.values()
            break
    assert [process.exitcode for process in processes if process.exitcode] == [-signal.SIGKILL] * 2


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    """A parent that is killed leaves no process behind, whatever it works on."""
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, time
            from pavane.parallel.processes import ProcessPool

            def endless(shared, contact, file):
                open(file, "w").write(str(os.getpid()))
                while True:
                    time.sleep(0.01)

            if __name__ == "__main__":
                with ProcessPool(2, None) as pool:
                    list(pool.results(endless, [("one",), ("two",)]))
            """
        )
    )
    parent = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path)
    files = [tmp_path / "one", tmp_path / "two"]
    wait_until(lambda: all(file.exists() and file.read_text() for file in files))
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(_is_alive(int(file.read_text())) for file in files))


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False
