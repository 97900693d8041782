"""The number of workers of a search, and where their pools come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pavane.errors import InputError, expect_whole
from pavane.parallel.pool import Pool, SerialPool


def local_pool(workers: int, shared: Any) -> Pool:
    """Return a pool of processes on this machine, or a serial pool if there is one worker."""
    if workers == 1:
        return SerialPool(shared)
    from pavane.parallel.processes import ProcessPool

    return ProcessPool(workers, shared)


@dataclass(frozen=True)
class Workers:
    """A number of workers and a factory of their pools; they change the time of a search, not its result."""

    size: int = 1
    open_pool: Callable[[int, Any], Pool] = field(default=local_pool, repr=False)
    """Opens a pool of a size for tasks that share a value; by default processes of this machine."""

    @property
    def is_local(self) -> bool:
        """Whether the workers are processes of this machine."""
        return self.open_pool is local_pool

    @property
    def is_serial(self) -> bool:
        """Whether this process is the only worker."""
        return self.size == 1 and self.is_local

    @property
    def local_size(self) -> int:
        """Return the number of workers on this machine."""
        return self.size if self.is_local else 1

    def pool(self, most: int, shared: Any) -> Pool:
        """Open a pool of at most `most` workers: as many as can be busy at a time."""
        size = max(1, min(self.size, most))
        return self.open_pool(size, shared)


SERIAL = Workers()
"""This process and no other."""


def as_workers(workers: int | Workers) -> Workers:
    """Return workers as they are; a number means processes of this machine."""
    if isinstance(workers, Workers):
        return workers
    if expect_whole(workers, "workers", 2) < 1:
        raise InputError(f"workers {workers}: a search needs at least one; give 1 or more")
    return Workers(workers)
