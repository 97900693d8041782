"""Limits of a job and of the server, which the page states."""

from __future__ import annotations

from dataclasses import dataclass

from pavane.errors import InputError, PavaneError


class Busy(PavaneError):
    """The server cannot accept more now: its queue is full, or there is no room to store a job."""


@dataclass(frozen=True)
class ServerLimits:
    """Bounds on every job and on the server as a whole."""

    seconds: float = 60.0
    """The longest search, and the limit of a request without one."""
    messages: int = 300_000
    """Maximum number of deliveries of a collective, of messages or of their pieces."""
    channels: int = 100_000
    """The most channels or processors of a network of the catalogue; more are refused before they are built."""
    upload: int = 1_000_000
    """Bytes of a network file."""
    waiting: int = 20
    """Jobs that may wait; more are refused."""
    workers: int = 1
    """Searches at a time, each in a process of its own."""
    cluster: str | None = None
    """The address of a dask scheduler whose workers take part in searches; None: no cluster."""
    memory: int = 4 * 2**30
    """Bytes that a search may use."""
    kept: int = 500
    """Maximum number of finished results; the oldest are deleted."""
    short_tasks: int = 2
    """Files read and pictures drawn at a time, each in a process of its own."""
    short_tasks_waiting: int = 20
    """Of those, how many may wait; more are refused. Less than the threads of the server, so that it still answers."""
    short_task_seconds: float = 30.0
    """The longest of them."""
    cached: int = 64 * 2**20
    """Bytes of the cache of pictures and other renderings."""

    @property
    def request(self) -> int:
        """Return the most bytes of a request: a file in JSON, and the sizes of messages beside it."""
        return 2 * self.upload + 400_000

    def refuse_time(self, seconds: float | None) -> None:
        """Refuse a search that is to take too long."""
        if seconds is not None and seconds > self.seconds:
            raise InputError(f"{seconds:g} s are too long; this page searches {self.seconds:g} s at most")
