"""Speeds of links as capacities: the smallest whole numbers in the same ratio, exactly or within 1 %.

A step takes as long as one piece takes on a channel of capacity 1, so that speeds of 50 and 100 are capacities 1 and 2,
and speeds of 100 and 150 are 2 and 3. What cannot be said with small numbers is refused; rounding is the user's choice.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

import numpy as np

from pavane.errors import InputError
from pavane.io.file_notes import note
from pavane.io.files import File

K = TypeVar("K", bound=Hashable)

MOST_RATIO = 1000
"""The most that speeds become capacities; larger numbers would ask for more pieces than anybody cuts."""

MOST_EXACT = 400
"""Up to here capacities are in the very ratio of the speeds; where that would need larger ones, they are rounded."""

TOLERANCE = 0.01
"""By which part of itself a speed may be rounded."""

MOST_UNITS = 50
"""Where the slowest link has this capacity, all are within the tolerance."""

MOST_TOLD = 4


def as_capacities(file: File, speeds: Mapping[K, Fraction], words: str, advice: str = "") -> dict[K, int]:
    """Return the capacity of each speed, and tell what became of them; refuse what has no small whole ratios."""
    ratios = whole_ratios(set(speeds.values()))
    if ratios is None:
        slowest, fastest = min(speeds.values()), max(speeds.values())
        wrong = "differ by too large a ratio" if fastest > MOST_RATIO * slowest else "have no small whole ratios"
        raise InputError(
            f"{file}: {words} from {float(slowest):g} to {float(fastest):g} {wrong} to be capacities, whole numbers up "
            f"to {MOST_RATIO:,} within 1 %; round the figures, or leave them out"
        )
    if len(ratios) > 1:
        unit = min(speeds.values()) / ratios[min(speeds.values())]
        exactly = all(speed == unit * ratio for speed, ratio in ratios.items())
        told = f"{words} {listed(ratios)} became capacities {listed(set(ratios.values()))}"
        note(file, told + ("" if exactly else ", within 1 %") + advice)
    return {key: ratios[speed] for key, speed in speeds.items()}


def whole_ratios(speeds: Collection[Fraction]) -> dict[Fraction, int] | None:
    """Return the smallest whole numbers in the ratio of speeds above 0.

    They are exact where numbers up to `MOST_EXACT` can be, otherwise within 1 %; None where those cannot be, either.
    """
    if not speeds:
        return {}
    slowest, fastest = min(speeds), max(speeds)
    if fastest > MOST_RATIO * slowest:
        return None
    unit = slowest
    for speed in speeds:
        unit = _common_unit(unit, speed)
        if fastest > MOST_EXACT * unit:
            return _rounded(list(speeds), slowest)
    return {speed: int(speed / unit) for speed in speeds}


def _common_unit(a: Fraction, b: Fraction) -> Fraction:
    """Return the largest number of which both are whole multiples."""
    return Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _rounded(speeds: list[Fraction], slowest: Fraction) -> dict[Fraction, int] | None:
    ratios = np.array([float(speed / slowest) for speed in speeds])
    for units in range(1, MOST_UNITS + 1):
        wanted = ratios * units
        whole = np.rint(wanted)
        if whole.max() > MOST_RATIO:
            return None
        if (np.abs(whole - wanted) <= TOLERANCE * wanted).all():
            return dict(zip(speeds, whole.astype(int).tolist(), strict=True))
    return None


def listed(numbers: Collection[Fraction | int]) -> str:
    """Name some numbers in order: "1, 2 and 12", or "1 to 40" where they are many."""
    texts = list(dict.fromkeys(f"{float(number):g}" for number in sorted(numbers)))
    if len(texts) > MOST_TOLD:
        return f"{texts[0]} to {texts[-1]}"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
