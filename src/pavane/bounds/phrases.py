"""Phrases that several explanations of bounds need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from pavane.model.problem import Problem

MOST_NAMES = 4
"""Longer lists of names are cut short."""

REST = "`bounds --all` names them"
"""Where a short list is had whole."""

_is_whole: ContextVar[bool] = ContextVar("is_whole", default=False)


@contextmanager
def whole_lists() -> Iterator[None]:
    """List all names in the explanations made in a block."""
    token = _is_whole.set(True)
    try:
        yield
    finally:
        _is_whole.reset(token)


class Unit(NamedTuple):
    """What a bound counts, in words: each unit can carry only so much."""

    subject: str
    """As in "and a step has 8 channels"."""
    each: str
    """As in "2 messages a step"."""


STEP = Unit("a step", "a step")
OCCUPANCY = Unit("a unit of occupancy", "per unit of occupancy")


def every(num_slots: int) -> str:
    """Return how often packets of so many slots follow each other: "a slot" or "every 3 slots"."""
    return "a slot" if num_slots == 1 else f"every {num_slots:,} slots"


def carried(problem: Problem) -> str:
    """Return what travels: messages or, where any has several, their pieces."""
    return "piece" if problem.has_pieces else "message"


def some_of(names: list[str], most: int = MOST_NAMES) -> str:
    """List the first few names, or all in a block of `whole_lists`."""
    if len(names) <= most or _is_whole.get():
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most:,} more ({REST})"
