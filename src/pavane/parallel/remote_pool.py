"""A crew that works elsewhere: on other machines, or in other processes that somebody else has started.

An engine knows who is there and carries bytes to and fro; this crew packs calls, sends what they share once to each
worker, and gives each worker one call at a time, so that the seconds left are right when a call begins and who joins
late gets work at once.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from pavane.parallel.dispatch import answers_of
from pavane.parallel.pool import Hearing, Lost
from pavane.parallel.remote_worker import Parcel, Reply, sources

T = TypeVar("T")

GRACE = 5.0
"""The seconds in which answers are still taken after an interrupt."""


class Engine(Protocol):
    """How calls get to workers elsewhere; it serves one crew at a time."""

    @property
    def num_workers(self) -> int:
        """Return how many workers are there now and may be given calls."""
        ...

    def free(self) -> Sequence[str]:
        """Return the workers that have nothing to do now."""
        ...

    def send(self, worker: str, parcel: Parcel) -> None:
        """Send a call to a worker that is free."""
        ...

    def replies(self, seconds: float | None) -> Sequence[tuple[str, Reply | Lost]]:
        """Wait for replies, for some seconds at most, and return them with who replied.

        It returns without any as soon as a worker has come, or after a while. Where nobody is left and nobody will
        come, it raises `CrewLost`.
        """
        ...

    def refuse(self, worker: str, there: str) -> None:
        """Give a worker whose sources are others no more calls."""
        ...

    def stop(self, token: str) -> None:
        """Tell all workers that calls of a token should end with what they have."""
        ...


class Shared(NamedTuple):
    """What calls share, as bytes."""

    digest: str
    content: bytes


def packed(shared: Any) -> Shared:
    """Pack what calls share."""
    content = pickle.dumps(shared)
    return Shared(hashlib.sha256(content).hexdigest(), content)


class Elsewhere:
    """As many workers as there are at a time, up to `most`."""

    grace = GRACE

    def __init__(self, engine: Engine, most: int | None, shared: Shared) -> None:
        self._engine, self._most, self._shared = engine, most, shared
        self._asked: dict[str, tuple[int, Callable[..., Any], tuple[Any, ...]]] = {}
        """The call that each worker has: number, function, arguments."""
        self._token = ""
        self.are_stopping = False

    @property
    def size(self) -> int:
        """Return how many workers there are now."""
        there = max(1, self._engine.num_workers)
        return there if self._most is None else min(there, self._most)

    def answers(
        self,
        function: Callable[..., T],
        calls: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        hear: Hearing | None = None,
    ) -> Iterator[tuple[int, T | Lost]]:
        """Yield the number of each call and its answer; what calls tell on the way does not travel."""
        self._token, self.are_stopping = secrets.token_hex(8), False
        return answers_of(self, function, calls, in_order, hear)

    @property
    def are_busy(self) -> bool:
        """Whether calls are being worked on."""
        return bool(self._asked)

    @property
    def are_free(self) -> bool:
        """Whether a worker has nothing to do."""
        return (self._most is None or len(self._asked) < self._most) and bool(self._engine.free())

    def hand(self, number: int, function: Callable[..., Any], call: tuple[Any, ...]) -> None:
        """Give a call to a worker that has nothing to do."""
        self._give(self._engine.free()[0], number, function, call, None)

    def come(self, hear: Hearing | None, seconds: float | None) -> Iterator[tuple[int, Any]]:
        """Wait for replies, and yield the answers among them."""
        for worker, reply in self._engine.replies(seconds):
            if worker not in self._asked:
                continue  # to a call that was dropped
            number, function, call = self._asked.pop(worker)
            if isinstance(reply, Lost):
                yield number, reply
            elif reply.kind == "missing":
                self._give(worker, number, function, call, self._shared.content)
            elif reply.kind == "differs":
                self._engine.refuse(worker, reply.content.decode())
                yield number, Lost(f"the worker at {worker} has another pavane")
            elif reply.kind == "error":
                raise pickle.loads(reply.content)
            else:
                yield number, pickle.loads(reply.content)

    def stop(self) -> None:
        """Ask the calls that are being worked on to end with what they have."""
        self.are_stopping = True
        self._engine.stop(self._token)

    def drop(self) -> None:
        """Ask for an end of the calls that are being worked on, and forget them; a worker is free when it has ended."""
        self.stop()
        self._asked.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._asked:
            self.drop()

    def _give(
        self, worker: str, number: int, function: Callable[..., Any], call: tuple[Any, ...], shared: bytes | None
    ) -> None:
        # Packed now: a budget travels as the seconds that are left.
        asked = pickle.dumps((function, call))
        self._asked[worker] = number, function, call
        self._engine.send(worker, Parcel(sources(), self._token, self._shared.digest, shared, asked, self.are_stopping))
