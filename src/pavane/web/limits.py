"""What one job may ask for; the page states it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds on every job and on the server as a whole."""

    seconds: float = 60.0
    """The longest search; a request without a time gets this."""
    messages: int = 300_000
    """The most deliveries, of messages or of their pieces, that a collective may ask for."""
    upload: int = 1_000_000
    """Bytes of a network file."""
    waiting: int = 20
    """Jobs that may wait; more are refused."""
    workers: int = 1
    """Searches at a time, each in a process of its own."""
    cluster: str | None = None
    """The address of a dask scheduler whose workers take part in searches; None: nobody does."""
    memory: int = 4 * 2**30
    """Bytes that a search may use."""
    kept: int = 500
    """Finished results; the oldest give way."""
