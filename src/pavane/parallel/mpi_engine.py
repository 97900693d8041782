"""Processes of an MPI job: the first one searches, reads, writes and prints; the others work for it.

MPI has no way to lose a process and go on: where one is lost, the job ends, and the same command goes on from the runs
that were kept. Waiting is done with short sleeps, because MPI itself waits at full speed.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from pavane.errors import InputError
from pavane.parallel.pool import Lost
from pavane.parallel.remote_worker import Parcel, Reply, carried_out, note_stopped
from pavane.text import installing

CALL, REPLY, STOP, END = 1, 2, 3, 4
"""Tags of messages."""

LEAST_SLEEP, MOST_SLEEP = 0.0001, 0.005

LEAVE_SECONDS = 5.0
"""How long processes may take to end before the job is aborted."""

RETURN_SECONDS = 0.5
"""How often who waits for replies is asked again what it wants."""


class MpiEngine:
    """All processes of the job but the first."""

    def __init__(self) -> None:
        self._world = _world()
        self._busy: set[int] = set()
        """Who has a call, dropped ones included."""
        self.num_workers = self._world.Get_size() - 1
        if self.num_workers == 0:
            raise InputError("`cluster=mpi` needs at least two processes; start them with: mpiexec -n 4 pavane ...")

    def free(self) -> Sequence[str]:
        """Return the workers that have nothing to do now."""
        return [str(worker) for worker in range(1, self.num_workers + 1) if worker not in self._busy]

    def send(self, worker: str, parcel: Parcel) -> None:
        """Send a call to a worker that is free."""
        self._busy.add(int(worker))
        self._world.send(tuple(parcel), int(worker), CALL)

    def replies(self, seconds: float | None) -> list[tuple[str, Reply | Lost]]:
        """Wait for replies, for half a second at most, and return them with who replied."""
        until = time.monotonic() + (RETURN_SECONDS if seconds is None else min(seconds, RETURN_SECONDS))
        sleep = _Sleep()
        found: list[tuple[str, Reply | Lost]] = []
        while not found and time.monotonic() < until:
            sleep()
            found = self._come()
        return found

    def refuse(self, worker: str, there: str) -> None:
        """End the job: one of its processes has other sources, and MPI knows no other processes."""
        raise InputError(f"process {worker} of the MPI job has pavane {there}; start the same one everywhere")

    def stop(self, token: str) -> None:
        """Tell all workers that have calls that those of a token should end with what they have."""
        for worker in self._busy:
            self._world.send(token, worker, STOP)

    def end(self, code: int) -> None:
        """Let all workers go; those that do not end soon are ended with the job and its exit code."""
        for worker in range(1, self.num_workers + 1):
            self._world.send(None, worker, END)
        until = time.monotonic() + LEAVE_SECONDS
        sleep = _Sleep()
        while self._busy and time.monotonic() < until:
            sleep()
            self._come()
        if self._busy:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            self._world.Abort(code)

    def _come(self) -> list[tuple[str, Reply | Lost]]:
        """Take in the replies that are there."""
        found: list[tuple[str, Reply | Lost]] = []
        for worker in sorted(self._busy):
            if self._world.iprobe(worker, REPLY):
                found.append((str(worker), Reply(*self._world.recv(None, worker, REPLY))))
                self._busy.discard(worker)
        return found


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
    except (ImportError, RuntimeError):  # RuntimeError: the package is there, and no MPI that it could load
        raise InputError(f"`cluster=mpi` needs more packages; install them with: {installing('mpi')}") from None
    return MPI.COMM_WORLD


def work() -> None:
    """Answer calls of the first process until it says that there will be no more."""
    for number in (signal.SIGINT, signal.SIGTERM):  # these are for the first process
        signal.signal(number, signal.SIG_IGN)
    world = _world()

    def look() -> None:
        while world.iprobe(0, STOP):
            note_stopped(world.recv(None, 0, STOP))

    sleep = _Sleep()
    while not world.iprobe(0, END):
        look()
        if not world.iprobe(0, CALL):
            sleep()
            continue
        parcel = Parcel(*world.recv(None, 0, CALL))
        world.send(tuple(carried_out(parcel, look)), 0, REPLY)
        sleep = _Sleep()
    world.recv(None, 0, END)


@cache
def engine() -> MpiEngine:
    """Return the one engine of this process."""
    return MpiEngine()


def take_part(lead: Callable[[], None]) -> None:
    """Let the first process of an MPI job lead, and all others work for it until it has ended."""
    try:
        world = _world()
    except InputError:
        lead()  # and say so
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
            engine().end(code)
