"""Workers of a cluster by its address: a dask scheduler, or the MPI job that this process is part of."""

from __future__ import annotations

import logging
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pavane.errors import InputError
from pavane.parallel.executor_pool import WAIT_SECONDS, ExecutorPool, RemoteWorkers, polls, stop_tasks
from pavane.parallel.pools import Workers
from pavane.text import installing

MPI = "mpi"
ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):\d{1,5}")
LOOPBACK = ("127.0.0.1", "[::1]", "localhost")

CONNECT_SECONDS = 10.0
"""The time limit for connecting to a scheduler."""

STOP_SECONDS = 1.0
"""How long to wait until all workers know that they should stop."""

STOP = 1
"""The MPI tag of requests to stop."""

_job: list[RemoteWorkers] = []
"""The other processes of the MPI job of which this is the first."""


@contextmanager
def cluster_workers(
    address: str, most: int | None = None, note: Callable[[str], None] = lambda _: None
) -> Iterator[Workers]:
    """Yield the workers of a cluster, at most `most` of them, for the duration of the block.

    They are counted now; workers that join later receive tasks, too.
    """
    if most is not None and most < 1:
        raise InputError(f"workers {most}: a search needs at least one; give 1 or more")
    with _mpi_job() if address == MPI else _dask(address, note) as remote:
        size = remote.count() if most is None else min(most, remote.count())
        yield Workers(size, lambda _, shared: ExecutorPool(remote, most, shared))


@contextmanager
def _dask(address: str, note: Callable[[str], None]) -> Iterator[RemoteWorkers]:
    """Connect to a scheduler and wait for a first worker; errors name the parameter `cluster`."""
    matched = ADDRESS.fullmatch(address)
    if matched is None:
        raise InputError(f"`cluster={address}` is not an address; write tcp://host:8786, tls://host:8786 or mpi")
    if matched[1] == "tcp" and matched[2] not in LOOPBACK:
        note(
            f"{address}: anyone who can reach that port can run programs as you, and the traffic is not encrypted; "
            "use tls:// with distributed.comm.tls of dask's configuration (see docs/cluster.md)"
        )
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            f"`cluster={address}` needs more packages; install them with: {installing('cluster')}"
        ) from None
    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are reported in one line
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError):
        raise InputError(f"`cluster={address}`: no dask scheduler answers there; is it running?") from None
    except (ImportError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"`cluster={address}` cannot be used: {error}") from None
    connection = client.scheduler_comm

    def count() -> int:
        if client.scheduler_comm is not connection:
            raise ConnectionError("a scheduler that was lost has no results, even if it is back")
        return sum(client.nthreads().values())

    def stop(token: str) -> None:
        def send() -> None:
            with suppress(Exception):  # the loss of a scheduler is detected elsewhere
                client.run(stop_tasks, token, on_error="ignore")

        thread = threading.Thread(target=send, daemon=True)  # a worker that does not react must not delay the others
        thread.start()
        thread.join(STOP_SECONDS)

    try:
        # A lost task is sent again by the pool, once. By value: a scheduler need not have pavane.
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except TimeoutError:
            raise InputError(
                f"`cluster={address}`: no worker has joined; start some with: dask worker --nthreads 1 {address}"
            ) from None
        yield RemoteWorkers(client.get_executor(pure=False), f"the dask scheduler at {address}", count, stop)
    finally:
        with suppress(Exception):
            client.close(timeout=2)


@contextmanager
def _mpi_job() -> Iterator[RemoteWorkers]:
    _world()
    if not _job or not _job[0].count():
        raise InputError("`cluster=mpi` needs at least two processes; start them with: mpiexec -n 4 pavane ...")
    yield _job[0]


def run_job(lead: Callable[[], None]) -> None:
    """Run `lead` in the first process of an MPI job; all others are its workers until it has ended."""
    try:
        world = _world()
    except InputError:
        lead()  # it reports the error
        return
    from mpi4py.futures import MPICommExecutor

    num_workers = world.Get_size() - 1

    def stop(token: str) -> None:
        for worker in range(1, num_workers + 1):
            world.send(token, worker, STOP)

    def poll() -> None:
        while world.iprobe(0, STOP):
            stop_tasks(world.recv(None, 0, STOP))

    if world.Get_rank() > 0:
        polls.append(poll)
        for number in (signal.SIGINT, signal.SIGTERM):  # the first process handles these
            signal.signal(number, signal.SIG_IGN)
    executor: Any  # of the first process; None in the others, when the job has ended
    with MPICommExecutor(world) as executor:
        if executor is not None:
            _job[:] = [RemoteWorkers(executor, "the MPI job", lambda: num_workers, stop)]
            lead()


def _world() -> Any:
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):  # RuntimeError: the package finds no MPI library
        raise InputError(f"`cluster=mpi` needs more packages; install them with: {installing('mpi')}") from None
    return MPI.COMM_WORLD
