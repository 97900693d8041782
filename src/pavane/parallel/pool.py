"""A crew works on calls of one function and answers them, here or elsewhere: searches do not know which.

Every call is `function(shared, contact, *call)`: what all calls have in common, the contact to whoever asks, and the
call's own arguments. A call whose process is lost is made once more; when that is lost, too, it is answered by `Lost`,
and all others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from pavane.errors import PavaneError

T = TypeVar("T")

Hearing = Callable[[int, Any], None]
"""Who hears what a call tells before it has its answer: the number of the call, and the news."""


@dataclass(frozen=True)
class Lost:
    """Stands for the answer of a call whose process has ended: killed, or out of memory."""

    why: str


class CrewLost(PavaneError):
    """The whole crew is gone: nobody is left to answer, and nobody will come."""


class Contact(Protocol):
    """What a call has of whoever asked."""

    def is_stopped(self) -> bool:
        """Whether to end now, with what there is."""
        ...

    def tell(self, news: Any) -> None:
        """Tell something before the answer is there; who works far away may not be heard."""
        ...


class Crew(Protocol):
    """Who answers calls."""

    @property
    def size(self) -> int:
        """Return how many calls are worked on at a time."""
        ...

    def answers(
        self,
        function: Callable[..., T],
        calls: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        hear: Hearing | None = None,
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
    from pavane.parallel.processes import Processes

    return Processes(workers, shared)


@dataclass(frozen=True)
class ContactHere:
    """The contact of a call to its own process."""

    is_stopped: Callable[[], bool]
    tell: Callable[[Any], None]


class Alone:
    """This process: one call after the other; an interrupt comes through as it is."""

    size = 1

    def __init__(self, shared: Any) -> None:
        self.shared = shared
        self.is_stopped = False

    def answers(
        self,
        function: Callable[..., T],
        calls: Sequence[tuple[Any, ...]],
        *,
        in_order: bool = True,
        hear: Hearing | None = None,
    ) -> Iterator[tuple[int, T | Lost]]:
        """Yield the answers in the order of the calls, each made when it is asked for."""
        for number, call in enumerate(calls):
            contact = ContactHere(lambda: self.is_stopped, _heard_as(number, hear))
            yield number, function(self.shared, contact, *call)

    def stop(self) -> None:
        """Let the call that is being worked on end."""
        self.is_stopped = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


def _heard_as(number: int, hear: Hearing | None) -> Callable[[Any], None]:
    return (lambda news: None) if hear is None else (lambda news: hear(number, news))
