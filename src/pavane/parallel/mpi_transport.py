"""Transport to the processes of an MPI job: the first one searches, reads, writes and prints; the others are workers.

MPI cannot lose a process and continue: the job then ends, and the same command resumes from the recorded runs. Waiting
is done with short sleeps, because MPI itself waits at full CPU load.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from pavane.errors import InputError
from pavane.parallel.remote_worker import Reply, TaskMessage, run_task, stop_tasks
from pavane.parallel.tasks import WorkerLost
from pavane.text import installing

CALL, REPLY, STOP, END = 1, 2, 3, 4
"""MPI tags."""

LEAST_SLEEP, MOST_SLEEP = 0.0001, 0.005

LEAVE_SECONDS = 5.0
"""How long processes may take to end before the job is aborted."""

RETURN_SECONDS = 0.5
"""How long to wait for replies before control returns to the dispatch loop."""


class MpiTransport:
    """All processes of the job except the first."""

    def __init__(self) -> None:
        self._world = _world()
        self._busy: set[int] = set()
        """Busy workers, including those with abandoned tasks."""
        self.num_workers = self._world.Get_size() - 1
        if self.num_workers == 0:
            raise InputError("`cluster=mpi` needs at least two processes; start them with: mpiexec -n 4 pavane ...")

    def free(self) -> Sequence[str]:
        """Return the idle workers."""
        return [str(worker) for worker in range(1, self.num_workers + 1) if worker not in self._busy]

    def send(self, worker: str, message: TaskMessage) -> None:
        """Send a task to an idle worker."""
        self._busy.add(int(worker))
        self._world.send(tuple(message), int(worker), CALL)

    def replies(self, seconds: float | None) -> list[tuple[str, Reply | WorkerLost]]:
        """Wait for replies, for half a second at most, and return them with their workers."""
        until = time.monotonic() + (RETURN_SECONDS if seconds is None else min(seconds, RETURN_SECONDS))
        sleep = _Sleep()
        replies: list[tuple[str, Reply | WorkerLost]] = []
        while not replies and time.monotonic() < until:
            sleep()
            replies = self._received()
        return replies

    def refuse(self, worker: str, version: str) -> None:
        """End the job: one of its processes has different sources, and MPI cannot exclude it."""
        raise InputError(f"process {worker} of the MPI job has pavane {version}; install the same version everywhere")

    def stop(self, token: str) -> None:
        """Request all busy workers to stop the tasks of a token and return their best results so far."""
        for worker in self._busy:
            self._world.send(token, worker, STOP)

    def end(self, code: int) -> None:
        """End all workers; if some do not end soon, abort the job with the exit code."""
        for worker in range(1, self.num_workers + 1):
            self._world.send(None, worker, END)
        until = time.monotonic() + LEAVE_SECONDS
        sleep = _Sleep()
        while self._busy and time.monotonic() < until:
            sleep()
            self._received()
        if self._busy:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            self._world.Abort(code)

    def _received(self) -> list[tuple[str, Reply | WorkerLost]]:
        """Return the replies that have arrived."""
        replies: list[tuple[str, Reply | WorkerLost]] = []
        for worker in sorted(self._busy):
            if self._world.iprobe(worker, REPLY):
                replies.append((str(worker), Reply(*self._world.recv(None, worker, REPLY))))
                self._busy.discard(worker)
        return replies


class _Sleep:
    """Sleeps longer and longer."""

    def __init__(self) -> None:
        self._seconds = LEAST_SLEEP

    def __call__(self) -> None:
        time.sleep(self._seconds)
        self._seconds = min(MOST_SLEEP, 1.5 * self._seconds)


def _world() -> Any:
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):  # RuntimeError: the package finds no MPI library
        raise InputError(f"`cluster=mpi` needs more packages; install them with: {installing('mpi')}") from None
    return MPI.COMM_WORLD


def work() -> None:
    """Run tasks of the first process until it ends the job."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the first process handles these
        signal.signal(number, signal.SIG_IGN)
    world = _world()

    def poll() -> None:
        while world.iprobe(0, STOP):
            stop_tasks(world.recv(None, 0, STOP))

    sleep = _Sleep()
    while not world.iprobe(0, END):
        poll()
        if not world.iprobe(0, CALL):
            sleep()
            continue
        message = TaskMessage(*world.recv(None, 0, CALL))
        world.send(tuple(run_task(message, poll)), 0, REPLY)
        sleep = _Sleep()
    world.recv(None, 0, END)


@cache
def open_mpi_transport() -> MpiTransport:
    """Return the one transport of this process."""
    return MpiTransport()


def run_job(lead: Callable[[], None]) -> None:
    """Run `lead` in the first process of an MPI job; all others are its workers until it has ended."""
    try:
        world = _world()
    except InputError:
        lead()  # it reports the error
        return
    if world.Get_rank() > 0:
        work()
        return
    code = 1
    try:
        lead()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    finally:
        if world.Get_size() > 1:
            open_mpi_transport().end(code)
