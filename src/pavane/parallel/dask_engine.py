"""Workers of a dask scheduler, which come and go as they like.

Each call is sent to one worker that was asked for its sources before. Whether a worker is lost is seen here, too: dask
would wait for it to come back. The packages of the extra `cluster` are imported when somebody asks for them.
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
from pavane.parallel.pool import CrewLost, Lost
from pavane.parallel.remote_worker import Parcel, Reply, carried_out, note_stopped, sources
from pavane.text import counted, installing

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer."""

BACK_SECONDS = 4.0
"""How long it may take to be back after its connection broke."""

LOOK_SECONDS = 0.5
"""How often it is looked who is there."""

WAIT_SECONDS = 60.0
"""How long nobody may be there before the crew is given up."""

FETCH_SECONDS = 2.0
"""How long an answer may take to be fetched before it is looked whether its worker is still there."""

STOP_SECONDS = 1.0
"""How long it is waited for all workers to know that they should stop."""

LOUD = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado")
"""What dask logs in several lines is said here in one."""


@contextmanager
def connected(address: str, note: Callable[[str], None], wait: float = WAIT_SECONDS) -> Iterator[DaskEngine]:
    """Connect to a scheduler and wait for a first worker; errors name the parameter `cluster`."""
    need_dask(address)
    need_certificates(address, "client")
    from distributed import Client
    from distributed.versions import VersionMismatchWarning

    for name in LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VersionMismatchWarning)  # pavane's own sources are compared instead
        warnings.filterwarnings("ignore", "Sending large graph")
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            why = in_one_line(error).partition(": ")[2].partition(" (")[0]
            raise InputError(f"`cluster={address}`: no dask scheduler answers there: {why}; is it running?") from None
        except (ValueError, TypeError, ImportError) as error:
            raise InputError(f"`cluster={address}` cannot be used: {error}; write tcp://host:8786") from None
        try:
            engine = DaskEngine(client, address, note, wait)
            engine.meet()
            yield engine
        finally:
            with suppress(Exception):
                client.close(timeout=2)


def need_dask(address: str) -> None:
    """Refuse to go on without the packages of the extra `cluster`."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise InputError(
            f"`cluster={address}` needs more packages; install them with: {installing('cluster')}"
        ) from None


def need_certificates(address: str, role: str) -> None:
    """Refuse an address that asks for TLS where dask's configuration names no certificates for a client or worker."""
    from distributed import Security

    if address.startswith("tls:") and Security().get_connection_args(role).get("ssl_context") is None:
        raise InputError(
            f"`cluster={address}`: dask has no certificates here; name them in its configuration, distributed.comm.tls"
            f".ca-file, .{role}.cert and .{role}.key (see docs/cluster.md)"
        )


class _Made:
    """Bytes that are a reply when they are unpickled: a scheduler reads tasks, too, and may have no pavane."""

    def __init__(self, parcel: Parcel) -> None:
        self._parcel = parcel

    def __reduce__(self) -> tuple[Callable[[Parcel], Reply], tuple[Parcel]]:
        return carried_out, (self._parcel,)


class DaskEngine:
    """A connection to a scheduler, and who is there."""

    def __init__(self, client: Any, address: str, note: Callable[[str], None], wait: float = WAIT_SECONDS) -> None:
        self._client, self._address, self._note, self._wait = client, address, note, wait
        self._accepted: list[str] = []
        self._refused: set[str] = set()
        self._out: dict[str, Any] = {}
        """The future of each worker that has a call, dropped ones included."""
        self._done: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._looked = self._last_seen = time.monotonic()
        self._has_noted_nobody = False

    def meet(self) -> None:
        """Wait until a worker is there, and refuse to begin where all are others."""
        while True:
            self._look()
            if self._accepted:
                return
            if self._refused:
                raise InputError(
                    f"`cluster={self._address}`: all workers there have another pavane than this one, {sources()}; "
                    "install the same on all"
                )
            try:
                self._refuse_to_wait_for_ever()
            except CrewLost:
                raise InputError(f"`cluster={self._address}`: no worker has come; {self._how_to_start}") from None
            time.sleep(LOOK_SECONDS)

    @property
    def num_workers(self) -> int:
        """Return how many workers may be given calls."""
        return len(self._accepted)

    def free(self) -> Sequence[str]:
        """Return the workers that have nothing to do now."""
        return [worker for worker in self._accepted if worker not in self._out]

    def send(self, worker: str, parcel: Parcel) -> None:
        """Send a call to a worker that is free."""
        with self._or_gone():
            future = self._client.submit(pickle.loads, pickle.dumps(_Made(parcel)), workers=[worker], pure=False)
            future.add_done_callback(lambda _: self._done.put(worker))
        self._out[worker] = future

    def replies(self, seconds: float | None) -> list[tuple[str, Reply | Lost]]:
        """Wait for replies, for half a second at most, and return them with who replied."""
        found: list[tuple[str, Reply | Lost]] = []
        with suppress(queue.Empty):
            worker = self._done.get(timeout=LOOK_SECONDS if seconds is None else min(seconds, LOOK_SECONDS))
            while True:
                found += self._fetched(worker)
                worker = self._done.get_nowait()
        if time.monotonic() - self._looked > LOOK_SECONDS:
            found += self._look()
        if not self._accepted:
            self._refuse_to_wait_for_ever()
        return found

    def refuse(self, worker: str, there: str) -> None:
        """Give a worker whose sources are others no more calls."""
        self._note(f"the worker at {worker} has {there}, and pavane {sources()} is here: it gets no work")
        self._refused.add(worker)
        self._accepted = [one for one in self._accepted if one != worker]

    def stop(self, token: str) -> None:
        """Tell all workers that calls of a token should end with what they have, and wait a moment for them to know."""

        def tell() -> None:
            with suppress(Exception):  # a scheduler that is gone shows elsewhere
                self._client.run(note_stopped, token, workers=self._accepted, on_error="ignore")

        telling = threading.Thread(target=tell, daemon=True)  # one that does not react must not hold up the others
        telling.start()
        telling.join(STOP_SECONDS)

    def _fetched(self, worker: str) -> list[tuple[str, Reply | Lost]]:
        """Fetch the answer of a worker; none where its future is not done, as when its machine went before that."""
        future = self._out.get(worker)
        if future is None or not future.done():
            return []
        reply: Reply | Lost
        if future.status == "finished":
            try:
                reply = future.result(timeout=FETCH_SECONDS)
            except Exception:
                return []  # the next look tells whether it is lost
        elif future.status == "error":
            reply = Lost(f"the worker at {worker} could not answer: {in_one_line(future.exception())}")
        else:
            self._refuse_without_scheduler()
            reply = Lost(f"the worker at {worker} was restarted")
        del self._out[worker]
        return [(worker, reply)]

    def _look(self) -> list[tuple[str, Reply | Lost]]:
        """See who is there: check those who have come, and return the calls of those who are lost."""
        self._refuse_without_scheduler()
        with self._or_gone():
            there = set(self._client.sync(self._client.scheduler.ncores, callback_timeout=CONNECT_SECONDS))
        self._looked = time.monotonic()
        lost: list[tuple[str, Reply | Lost]] = []
        for worker in [one for one in self._out if one not in there]:
            self._out.pop(worker).release()
            lost.append((worker, Lost(f"the worker at {worker} is gone; killed, or out of memory?")))
        for worker in list(self._out):
            lost += self._fetched(worker)
        self._refused &= there
        self._accepted = [one for one in self._accepted if one in there]
        self._check([one for one in there if one not in self._accepted and one not in self._refused])
        if self._accepted:
            self._last_seen, self._has_noted_nobody = self._looked, False
        return lost

    def _check(self, new: list[str]) -> None:
        """Ask workers for their sources before they are given anything."""
        if not new:
            return
        with self._or_gone():
            said = self._client.run(sources, workers=new, on_error="return")
        for worker, there in sorted(said.items()):
            if there == sources():
                self._accepted.append(worker)
            elif isinstance(there, str):
                self.refuse(worker, f"pavane {there}")
            elif not isinstance(there, OSError):  # those are gone again
                self.refuse(worker, "none, or an older pavane")

    @property
    def _how_to_start(self) -> str:
        return f"start some with: pavane worker {self._address}"

    def _refuse_to_wait_for_ever(self) -> None:
        """Give up when nobody has been there for long; say once that somebody is waited for."""
        if time.monotonic() - self._last_seen > self._wait:
            raise CrewLost(
                f"no worker is left at {self._address}; {self._how_to_start}, and run the same command again "
                "(finished runs are kept where a folder was named)"
            )
        if not self._has_noted_nobody:
            self._has_noted_nobody = True
            waited = counted(round(self._wait), "second")
            self._note(f"no worker is at {self._address}; {self._how_to_start}; they are waited for, {waited} at most")

    def _refuse_without_scheduler(self) -> None:
        """Give up when the scheduler is gone and does not come back soon."""
        until = time.monotonic() + BACK_SECONDS
        while self._client.status == "connecting" and time.monotonic() < until:
            time.sleep(0.1)
        if self._client.status != "running":
            raise self._gone()

    @contextmanager
    def _or_gone(self) -> Iterator[None]:
        """Say in one line that the scheduler cannot be reached any more."""
        try:
            yield
        except Exception as error:
            raise self._gone() from error

    def _gone(self) -> CrewLost:
        return CrewLost(
            f"the dask scheduler at {self._address} is gone; start it and its workers, and run the same command again "
            "(finished runs are kept where a folder was named)"
        )
