"""Phrases that several explanations of bounds need."""

from __future__ import annotations

from typing import NamedTuple

from pavane.model.problem import Problem

MOST_NAMES = 4
"""Longer lists of names are cut short."""


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


def some_of(names: list[str]) -> str:
    """List the first few names."""
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
