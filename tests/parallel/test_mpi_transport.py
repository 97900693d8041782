"""Pools in an MPI job: the tests of all pools are run by its first process."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel import mpi_transport
from pavane.parallel.mpi_transport import END, STOP, MpiTransport, run_job, work
from pavane.parallel.remote_worker import Reply, TaskMessage, source_version
from tests.execution.small import need_mpi
from tests.parallel.clusters import ROOT, environment
from tests.parallel.conftest import IN_MPI_JOB

JOB = """
import sys
import pytest
from pavane.parallel.mpi_transport import run_job

def lead():
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "mpi", "tests/parallel/test_pool.py"]
    sys.exit(pytest.main(arguments))

run_job(lead)
"""


def test_the_tests_of_all_crews_hold_in_an_mpi_job() -> None:
    """Order, errors, stopping and interrupts, with two workers; all processes end with the first."""
    mpiexec = need_mpi()
    made = subprocess.run(
        [mpiexec, "-n", "3", sys.executable, "-c", JOB],
        cwd=ROOT,
        env={**environment(), IN_MPI_JOB: "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert made.stdout.count("[100%]") == 1, made.stdout
    assert ("." * 6) in made.stdout


def test_one_process_is_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says how to start more."""

    class World:
        """A job of one."""

        def Get_size(self) -> int:  # noqa: N802
            """Return its size."""
            return 1

    monkeypatch.setattr("pavane.parallel.mpi_transport._world", World)
    with pytest.raises(InputError, match=r"needs at least two processes; start them with: mpiexec -n 4 pavane \.\.\.$"):
        MpiTransport()


class Job:
    """A job of some processes, of which this is the first: it keeps what is sent, and who answers is told before."""

    def __init__(self, size: int, answers: dict[int, Reply] | None = None) -> None:
        self.size, self.answers, self.sent = size, answers or {}, list[tuple[Any, int, int]]()
        self.code: int | None = None

    def Get_size(self) -> int:  # noqa: N802
        """Return its size."""
        return self.size

    def Get_rank(self) -> int:  # noqa: N802
        """Return the number of this process."""
        return 0

    def Abort(self, code: int) -> None:  # noqa: N802
        """End all processes."""
        self.code = code

    def send(self, what: Any, to: int, tag: int) -> None:
        """Keep a message."""
        self.sent.append((what, to, tag))

    def iprobe(self, source: int, tag: int) -> bool:
        """Say whether somebody has answered."""
        return source in self.answers

    def recv(self, _: None, source: int, tag: int) -> tuple[Any, ...]:
        """Return the answer."""
        return tuple(self.answers.pop(source))


PARCEL = TaskMessage(source_version(), "token", "digest", None, b"", False)


def engine_of(job: Job, monkeypatch: pytest.MonkeyPatch) -> MpiTransport:
    """Return the engine of a job."""
    monkeypatch.setattr(mpi_transport, "_world", lambda: job)
    return MpiTransport()


def test_who_works_is_asked_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else is; and one with other sources ends the job, for MPI knows no other processes."""
    job = Job(3)
    engine = engine_of(job, monkeypatch)
    engine.send("2", PARCEL)
    engine.stop("token")
    assert job.sent[1:] == [("token", 2, STOP)]
    with pytest.raises(
        InputError, match=r"process 2 of the MPI job has pavane 0\.0\.1; install the same version everywhere"
    ):
        engine.refuse("2", "0.0.1")


@pytest.mark.parametrize("does_answer", [True, False])
def test_who_does_not_end_is_ended_with_the_job(does_answer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that answer are waited for; where one does not, the job is aborted with the exit code of the first."""
    monkeypatch.setattr(mpi_transport, "LEAVE_SECONDS", 0.05)
    job = Job(2, {1: Reply("answer", b"")} if does_answer else {})
    engine = engine_of(job, monkeypatch)
    engine.send("1", PARCEL)
    engine.end(3)
    assert job.sent[1:] == [(None, 1, END)]
    assert job.code == (None if does_answer else 3)


def test_without_mpi_the_first_process_leads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is missing where workers are asked for."""
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    led: list[str] = []
    run_job(lambda: led.append("here"))
    assert led == ["here"]
    with pytest.raises(InputError, match="`cluster=mpi` needs more packages; install them with: "):
        MpiTransport()


def test_a_first_process_that_simply_ends_lets_the_others_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """With exit code 0; what it raises goes on, with code 1."""
    ends: list[int] = []
    monkeypatch.setattr(mpi_transport, "_world", lambda: Job(2))
    monkeypatch.setattr(mpi_transport, "open_mpi_transport", lambda: SimpleNamespace(end=ends.append))
    run_job(lambda: None)

    def broken() -> None:
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        run_job(broken)
    assert ends == [0, 1]


def test_a_worker_hears_that_it_should_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything else, and ends when there will be no more calls."""
    heard: list[str] = []
    arriving = [(STOP, "token"), (END, None)]
    world = SimpleNamespace(
        iprobe=lambda source, tag: arriving[0][0] == tag, recv=lambda buffer, source, tag: arriving.pop(0)[1]
    )
    monkeypatch.setattr(mpi_transport, "_world", lambda: world)
    monkeypatch.setattr(mpi_transport, "stop_tasks", heard.append)
    monkeypatch.setattr(
        mpi_transport, "signal", SimpleNamespace(SIGINT=0, SIGTERM=0, SIG_IGN=0, signal=lambda *_: None)
    )
    work()
    assert (heard, arriving) == (["token"], [])
