"""A crew works on calls of one function and answers them, here or elsewhere: searches do not know which.

Every call is `function(shared, is_stopped, *call)`: what all calls have in common, whether to end with what there is,
and the call's own arguments. A call whose process is lost is answered by `Lost`; all others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Lost:
    """Stands for the answer of a call whose process has ended: killed, or out of memory."""

    why: str


class Crew(Protocol):
    """Who answers calls."""

    @property
    def size(self) -> int:
        """Return how many calls are worked on at a time."""
        ...

    def answers(
        self, function: Callable[..., T], calls: Sequence[tuple[Any, ...]], *, in_order: bool = True
    ) -> Iterator[tuple[int, T | Lost]]:
        """Yield the number of each call and its answer, in the order of the calls or as they come.

        At an interrupt (Ctrl-C) the calls that are being worked on are asked to stop; in order, their answers are
        yielded before the interrupt goes on.
        """
        ...

    def stop(self) -> None:
        """Ask the calls that are being worked on to end with what they have."""
        ...

    def __enter__(self) -> Self:
        """Return the crew."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the crew go: what it still works on is dropped."""
        ...


def crew_of(workers: int, shared: Any) -> Crew:
    """Return a crew of processes on this machine, or of this process alone where one worker is enough."""
    if workers == 1:
        return Alone(shared)
    from pavane.workers.processes import Processes

    return Processes(workers, shared)


class Alone:
    """This process: one call after the other; an interrupt comes through as it is."""

    size = 1

    def __init__(self, shared: Any) -> None:
        self.shared = shared
        self.is_stopped = False

    def answers(
        self, function: Callable[..., T], calls: Sequence[tuple[Any, ...]], *, in_order: bool = True
    ) -> Iterator[tuple[int, T | Lost]]:
        """Yield the answers in the order of the calls, each made when it is asked for."""
        for number, call in enumerate(calls):
            yield number, function(self.shared, lambda: self.is_stopped, *call)

    def stop(self) -> None:
        """Let the call that is being worked on end."""
        self.is_stopped = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
