"""Calls take turns: each goes to whoever is free, and answers come back in the order of the calls or as they come.

All crews of several share this; where their hands are, and how a call gets there, is their own.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from pavane.parallel.pool import Hearing, Lost

T = TypeVar("T")

MOST_TRIES = 2
"""How often a call is made before it is given up: a worker may be lost through no fault of its call."""


class Hands(Protocol):
    """Who takes one call each, and brings its answer."""

    @property
    def grace(self) -> float | None:
        """Return the seconds in which answers are still taken after an interrupt; None: as long as it takes."""
        ...

    @property
    def are_busy(self) -> bool:
        """Whether calls are being worked on."""
        ...

    @property
    def are_free(self) -> bool:
        """Whether one more call can be handed out now."""
        ...

    @property
    def are_stopping(self) -> bool:
        """Whether they have been asked to stop."""
        ...

    def hand(self, number: int, function: Callable[..., Any], call: tuple[Any, ...]) -> None:
        """Give a call to somebody who is free."""
        ...

    def come(self, hear: Hearing | None, seconds: float | None) -> Iterable[tuple[int, Any]]:
        """Wait for something to happen, for some seconds at most; return the answers that have come, or none yet."""
        ...

    def stop(self) -> None:
        """Ask for what there is."""
        ...

    def drop(self) -> None:
        """Forget the calls that are being worked on: nobody waits for them any more."""
        ...


def answers_of(
    hands: Hands,
    function: Callable[..., T],
    calls: Sequence[tuple[Any, ...]],
    in_order: bool,
    hear: Hearing | None,
) -> Iterator[tuple[int, T | Lost]]:
    """Yield the number of each call and its answer, in the order of the calls or as they come."""
    waiting = deque(range(len(calls)))
    tries = Counter[int]()
    answered: dict[int, T | Lost] = {}
    following = 0

    def take_in(seconds: float | None = None) -> None:
        for number, answer in hands.come(hear, seconds):
            tries[number] += 1
            if isinstance(answer, Lost) and tries[number] < MOST_TRIES and not hands.are_stopping:
                waiting.appendleft(number)
            else:
                answered[number] = answer

    def hand_out() -> None:
        while waiting and hands.are_free:
            number = waiting.popleft()
            hands.hand(number, function, calls[number])

    try:
        while waiting or hands.are_busy:
            hand_out()
            take_in()
            while following in answered or (answered and not in_order):
                number = following if in_order else next(iter(answered))
                following += 1
                hand_out()
                yield number, answered.pop(number)
    except KeyboardInterrupt:
        hands.stop()
        if in_order:
            until = None if hands.grace is None else time.monotonic() + hands.grace
            while hands.are_busy and (until is None or time.monotonic() < until):
                take_in(None if until is None else max(0.0, until - time.monotonic()))
            yield from sorted(answered.items())
        raise
    finally:
        if hands.are_busy:
            hands.drop()
