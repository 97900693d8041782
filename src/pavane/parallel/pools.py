"""Who may work on a search: how many, and where their crews come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pavane.errors import InputError, expect_whole
from pavane.parallel.pool import Alone, Crew, crew_of


@dataclass(frozen=True)
class Workers:
    """A number of workers, and who hires a crew of them; they change the time of a search, not its answer."""

    size: int = 1
    hire: Callable[[int, Any], Crew] = field(default=crew_of, repr=False)
    """Makes a crew of a size for what its calls share: processes of this machine, where nothing else is said."""

    @property
    def are_here(self) -> bool:
        """Whether they work on this machine."""
        return self.hire is crew_of

    @property
    def is_alone(self) -> bool:
        """Whether there is nobody but this process."""
        return self.size == 1 and self.are_here

    @property
    def size_here(self) -> int:
        """Return the number of processes of this machine among them."""
        return self.size if self.are_here else 1

    def crew(self, most: int, shared: Any) -> Crew:
        """Return a crew of them, of no more than can be busy at a time."""
        size = max(1, min(self.size, most))
        return Alone(shared) if self.are_here and size == 1 else self.hire(size, shared)


ALONE = Workers()
"""This process and no other."""


def workers_of(asked: int | Workers) -> Workers:
    """Return the workers that are meant: a number means processes of this machine."""
    if isinstance(asked, Workers):
        return asked
    if expect_whole(asked, "workers", 2) < 1:
        raise InputError(f"workers {asked}: a search needs at least one; give 1 or more")
    return Workers(asked)
