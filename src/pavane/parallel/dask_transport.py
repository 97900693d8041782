"""Transport to the workers of a dask scheduler, which may join and leave at any time.

Each task is sent to one worker whose sources have been compared before. Lost workers are detected here: dask would
wait for them to come back. The packages of the extra `cluster` are imported when they are needed.
"""

from __future__ import annotations

import logging
import pickle
import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from pavane.errors import InputError, in_one_line
from pavane.parallel.remote_worker import Reply, TaskMessage, run_task, source_version, stop_tasks
from pavane.parallel.tasks import PoolLost, WorkerLost
from pavane.text import counted, installing

CONNECT_SECONDS = 10.0
"""The time limit for connecting to a scheduler."""

BACK_SECONDS = 4.0
"""The time limit for reconnecting after the connection broke."""

LOOK_SECONDS = 0.5
"""The interval between two checks of the workers."""

WAIT_SECONDS = 60.0
"""How long a pool without workers is waited for before it is given up."""

FETCH_SECONDS = 2.0
"""The time limit for fetching a result before its worker is checked."""

STOP_SECONDS = 1.0
"""How long to wait until all workers know that they should stop."""

NOISY_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado")
"""dask logs several lines about what is reported here in one."""


@contextmanager
def connect(address: str, note: Callable[[str], None], wait: float = WAIT_SECONDS) -> Iterator[DaskTransport]:
    """Connect to a scheduler and wait for a first worker; errors name the parameter `cluster`."""
    need_dask(address)
    need_certificates(address, "client")
    from distributed import Client
    from distributed.versions import VersionMismatchWarning

    for name in NOISY_LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VersionMismatchWarning)  # pavane compares its own sources instead
        warnings.filterwarnings("ignore", "Sending large graph")
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            why = in_one_line(error).partition(": ")[2].partition(" (")[0]
            raise InputError(f"`cluster={address}`: no dask scheduler answers there: {why}; is it running?") from None
        except (ValueError, TypeError, ImportError) as error:
            raise InputError(f"`cluster={address}` cannot be used: {error}; write tcp://host:8786") from None
        try:
            transport = DaskTransport(client, address, note, wait)
            transport.wait_for_worker()
            yield transport
        finally:
            with suppress(Exception):
                client.close(timeout=2)


def need_dask(address: str) -> None:
    """Raise InputError if the packages of the extra `cluster` are missing."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise InputError(
            f"`cluster={address}` needs more packages; install them with: {installing('cluster')}"
        ) from None


def need_certificates(address: str, role: str) -> None:
    """Raise InputError if the address needs TLS and dask's configuration names no certificates for the role."""
    from distributed import Security

    if address.startswith("tls:") and Security().get_connection_args(role).get("ssl_context") is None:
        raise InputError(
            f"`cluster={address}`: dask has no certificates here; name them in its configuration, distributed.comm.tls"
            f".ca-file, .{role}.cert and .{role}.key (see docs/cluster.md)"
        )


class _Run:
    """Unpickles to the reply of a task: a scheduler unpickles tasks, too, and may have no pavane."""

    def __init__(self, message: TaskMessage) -> None:
        self._message = message

    def __reduce__(self) -> tuple[Callable[[TaskMessage], Reply], tuple[TaskMessage]]:
        return run_task, (self._message,)


class DaskTransport:
    """A connection to a scheduler and its workers."""

    def __init__(self, client: Any, address: str, note: Callable[[str], None], wait: float = WAIT_SECONDS) -> None:
        self._client, self._address, self._note, self._wait = client, address, note, wait
        self._accepted: list[str] = []
        self._refused: set[str] = set()
        self._futures: dict[str, Any] = {}
        """The future of each busy worker, including abandoned tasks."""
        self._done: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._checked = self._last_seen = time.monotonic()
        self._has_noted_wait = False

    def wait_for_worker(self) -> None:
        """Wait for a first worker; raise InputError if none joins or all have different sources."""
        while True:
            self._check_workers()
            if self._accepted:
                return
            if self._refused:
                raise InputError(
                    f"`cluster={self._address}`: the sources of all workers differ from this pavane, "
                    f"{source_version()}; install the same version on all"
                )
            try:
                self._check_patience()
            except PoolLost:
                raise InputError(f"`cluster={self._address}`: no worker has joined; {self._how_to_start}") from None
            time.sleep(LOOK_SECONDS)

    @property
    def num_workers(self) -> int:
        """Return the number of workers that may receive tasks."""
        return len(self._accepted)

    def free(self) -> Sequence[str]:
        """Return the idle workers."""
        return [worker for worker in self._accepted if worker not in self._futures]

    def send(self, worker: str, message: TaskMessage) -> None:
        """Send a task to an idle worker."""
        with self._scheduler_errors():
            future = self._client.submit(pickle.loads, pickle.dumps(_Run(message)), workers=[worker], pure=False)
            future.add_done_callback(lambda _: self._done.put(worker))
        self._futures[worker] = future

    def replies(self, seconds: float | None) -> list[tuple[str, Reply | WorkerLost]]:
        """Wait for replies, for half a second at most, and return them with their workers."""
        replies: list[tuple[str, Reply | WorkerLost]] = []
        with suppress(queue.Empty):
            worker = self._done.get(timeout=LOOK_SECONDS if seconds is None else min(seconds, LOOK_SECONDS))
            while True:
                replies += self._fetch(worker)
                worker = self._done.get_nowait()
        if time.monotonic() - self._checked > LOOK_SECONDS:
            replies += self._check_workers()
        if not self._accepted:
            self._check_patience()
        return replies

    def refuse(self, worker: str, version: str) -> None:
        """Send no more tasks to a worker whose sources differ."""
        self._note(f"the worker at {worker} has {version}, but this is pavane {source_version()}: it receives no tasks")
        self._refused.add(worker)
        self._accepted = [other for other in self._accepted if other != worker]

    def stop(self, token: str) -> None:
        """Request all workers to stop the tasks of a token, and wait a moment until they know."""

        def send_stop() -> None:
            with suppress(Exception):  # the loss of a scheduler is detected elsewhere
                self._client.run(stop_tasks, token, workers=self._accepted, on_error="ignore")

        thread = threading.Thread(
            target=send_stop, daemon=True
        )  # a worker that does not react must not delay the others
        thread.start()
        thread.join(STOP_SECONDS)

    def _fetch(self, worker: str) -> list[tuple[str, Reply | WorkerLost]]:
        """Fetch the reply of a worker; empty if its future is not done, as when its machine was lost before."""
        future = self._futures.get(worker)
        if future is None or not future.done():
            return []
        reply: Reply | WorkerLost
        if future.status == "finished":
            try:
                reply = future.result(timeout=FETCH_SECONDS)
            except Exception:
                return []  # the next check of the workers decides whether it is lost
        elif future.status == "error":
            reply = WorkerLost(f"the worker at {worker} could not run its task: {in_one_line(future.exception())}")
        else:
            self._check_scheduler()
            reply = WorkerLost(f"the worker at {worker} was restarted")
        del self._futures[worker]
        return [(worker, reply)]

    def _check_workers(self) -> list[tuple[str, Reply | WorkerLost]]:
        """List the workers: compare the sources of new ones, and return the tasks of lost ones."""
        self._check_scheduler()
        with self._scheduler_errors():
            present = set(self._client.sync(self._client.scheduler.ncores, callback_timeout=CONNECT_SECONDS))
        self._checked = time.monotonic()
        lost: list[tuple[str, Reply | WorkerLost]] = []
        for worker in [worker for worker in self._futures if worker not in present]:
            self._futures.pop(worker).release()
            lost.append((worker, WorkerLost(f"the worker at {worker} is lost; killed, or out of memory?")))
        for worker in list(self._futures):
            lost += self._fetch(worker)
        self._refused &= present
        self._accepted = [worker for worker in self._accepted if worker in present]
        self._admit([worker for worker in present if worker not in self._accepted and worker not in self._refused])
        if self._accepted:
            self._last_seen, self._has_noted_wait = self._checked, False
        return lost

    def _admit(self, new: list[str]) -> None:
        """Compare the sources of new workers before they receive a task."""
        if not new:
            return
        with self._scheduler_errors():
            versions = self._client.run(source_version, workers=new, on_error="return")
        for worker, version in sorted(versions.items()):
            if version == source_version():
                self._accepted.append(worker)
            elif isinstance(version, str):
                self.refuse(worker, f"pavane {version}")
            elif not isinstance(version, OSError):  # those have left again
                self.refuse(worker, "no pavane, or an older one")

    @property
    def _how_to_start(self) -> str:
        return f"start some with: pavane worker {self._address}"

    def _check_patience(self) -> None:
        """Raise PoolLost if there has been no worker for long; note once that workers are awaited."""
        if time.monotonic() - self._last_seen > self._wait:
            raise PoolLost(
                f"no worker is left at {self._address}; {self._how_to_start}, and run the same command again "
                "(with an output folder, finished runs are not repeated)"
            )
        if not self._has_noted_wait:
            self._has_noted_wait = True
            limit = counted(round(self._wait), "second")
            self._note(f"no worker at {self._address}; {self._how_to_start}; waiting for at most {limit}")

    def _check_scheduler(self) -> None:
        """Raise PoolLost if the scheduler is lost and does not come back soon."""
        until = time.monotonic() + BACK_SECONDS
        while self._client.status == "connecting" and time.monotonic() < until:
            time.sleep(0.1)
        if self._client.status != "running":
            raise self._scheduler_lost()

    @contextmanager
    def _scheduler_errors(self) -> Iterator[None]:
        """Raise PoolLost for any error: the scheduler cannot be reached any more."""
        try:
            yield
        except Exception as error:
            raise self._scheduler_lost() from error

    def _scheduler_lost(self) -> PoolLost:
        return PoolLost(
            f"the dask scheduler at {self._address} is lost; start it and its workers, and run the same command again "
            "(with an output folder, finished runs are not repeated)"
        )
