"""Capacities of channels from what the edges of a file say about their speed.

Speeds become the smallest whole numbers in the same ratio, exactly or within 1 %: 50 and 100 are capacities 1 and 2,
100 and 150 are 2 and 3. What has no small whole ratios is refused; rounding is the user's choice.

Of the attributes of edges `capacity` comes first: numbers are taken as they are, and an edge without one has capacity
1. Where some are fractions, like 0.5 or 1/2, all are multiplied by their common denominator, and a note says the unit.
A `capacity` with a unit, or else a `bandwidth`, is a speed, of which the ratios count, and which all edges must have.
A note names the attributes that are not read.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from pavane.errors import InputError
from pavane.io.files import File, note
from pavane.io.parsing import shown
from pavane.model.network_checks import MOST_CAPACITY
from pavane.text import counted

K = TypeVar("K", bound=Hashable)

MOST_RATIO = 1000
"""The most that speeds become capacities; larger numbers would need too many pieces."""

MOST_EXACT = 400
"""Up to here capacities are in the very ratio of the speeds; where that would need larger ones, they are rounded."""

TOLERANCE = 0.01
"""By which part of itself a speed may be rounded."""

MOST_UNITS = 50
"""Where the slowest link has this capacity, all are within the tolerance."""

MOST_LISTED = 4
"""A note lists this many numbers."""

MOST_NAMED = 6
"""Attributes that are not read and named in a note."""

FRACTION = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:/(\d{1,9}))?", re.ASCII)
"""A number above 0 as people write it: `2`, `0.5`, `1/2`."""


def fraction_of(text: str) -> Fraction | None:
    """Return the number that a text is; None where it is none."""
    found = FRACTION.fullmatch(text.strip())
    return Fraction(found[1]) / int(found[2] or 1) if found and int(found[2] or 1) else None


def common_unit(where: object, capacities: Iterable[Fraction | int]) -> int:
    """Return the least common denominator of some capacities; refuse fractions that would become large numbers."""
    unit = math.lcm(*{capacity.denominator for capacity in capacities})
    if unit > MOST_RATIO:
        raise InputError(
            f"{where}: the capacities are multiples of no fraction down to 1/{MOST_RATIO}, so that whole numbers for "
            "them would be too large; round them, or write them like 1/3"
        )
    return unit


def in_whole_numbers(where: object, capacities: Sequence[Fraction | int]) -> list[int]:
    """Return capacities multiplied by their least common denominator; a note says what the unit is."""
    unit = common_unit(where, capacities)
    if unit > 1:
        note(f"{where}: capacity 1 is 1/{unit} of that in the file: a step carries {unit} messages where it says 1")
    return [int(capacity * unit) for capacity in capacities]


def as_capacities(file: File, speeds: Mapping[K, Fraction], words: str) -> dict[K, int]:
    """Return the capacity of each speed, with a note; refuse speeds without small whole ratios."""
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
        text = f"{words} {join_numbers(ratios)} became capacities {join_numbers(set(ratios.values()))}"
        file.note(text + ("" if exactly else ", within 1 %"))
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


def join_numbers(numbers: Collection[Fraction | int]) -> str:
    """Name some numbers in order: "1, 2 and 12", or "1 to 40" where they are many."""
    texts = list(dict.fromkeys(f"{float(number):g}" for number in sorted(numbers)))
    if len(texts) > MOST_LISTED:
        return f"{texts[0]} to {texts[-1]}"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


COLOURS = frozenset(("bc", "c", "color", "colour", "fillcolor", "fontcolor", "ic", "style"))
SHAPES = frozenset(("fontname", "fontsize", "height", "len", "margin", "penwidth", "pos", "shape", "size", "width"))
LOOKS = COLOURS | SHAPES | {"dir", "graphics", "title", "tooltip", "viz"}
"""Attributes of drawings, whose names say so."""

EDGE_KEYS = LOOKS | {"channel", "id", "key", "label", "name", "source", "target"}
"""Attributes that name an edge or its ends, or are about its looks; `channel` is its number in our own drawings."""

KEYS = ("capacity", "bandwidth")
"""The attributes that say how much an edge carries; the first of them that does is taken."""

AMOUNT = re.compile(
    r"\s*(?:np\.\w{1,20}\()?([+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20}))(?:[eE]([+-]?\d{1,2}))?\)?"
    r"\s*(?:([kKMGTP]i?)?(bits?|[Bb]ytes?|[bB])?(?:ps|/s|/sec)?)?\s*",
    re.ASCII,
)
"""An amount as people and NetworkX write it: `10`, `2.5e3`, `100 Gb/s`, `12GBps`, `np.float64(3.5)`."""

PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
PREFIXES |= {f"{each}i": 2 ** (10 * power) for power, each in enumerate("kMGTP", 1)} | {"Ki": 2**10}


class EdgeCapacities:
    """Collects the attributes of edges by the numbers of the edges, to make capacities of them."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.values: dict[str, dict[int, Any]] = {key: {} for key in KEYS}
        self.unread: Counter[str] = Counter()
        """How many edges have each attribute that is not read."""

    def see(self, edge: int, attributes: Mapping[str, Any]) -> None:
        """Take the attributes of an edge."""
        for key, value in attributes.items():
            if key.lower() in KEYS:
                self.values[key.lower()][edge] = value
            elif key.lower() not in EDGE_KEYS:
                self.unread[key] += 1

    def capacities(self, num_edges: int) -> list[Fraction | int]:
        """Return the capacity of every edge, perhaps a fraction."""
        found = None
        for key, values in self.values.items():
            if values and found is None:
                found = self._of_key(key, values, num_edges)
            if values and found is None:
                self.unread[key] = len(values)
        return found or [1] * num_edges

    def _of_key(self, key: str, values: dict[int, Any], num_edges: int) -> list[Fraction | int] | None:
        """Return what an attribute says of each edge; None if it is a speed that some edges lack."""
        amounts: dict[int, Fraction] = {}
        for edge, value in values.items():
            amount = _amount(value)
            if amount is None or amount <= 0:
                raise InputError(
                    f"{self.file}: an edge has `{key}` {shown(value)}; give numbers above 0, and leave edges out that "
                    "carry nothing"
                )
            amounts[edge] = amount
        if key == "capacity" and all(_is_count(value, amounts[edge]) for edge, value in values.items()):
            if len(values) < num_edges and any(amount != 1 for amount in amounts.values()):
                missing = num_edges - len(values)
                verb = "carries" if missing == 1 else "carry"
                self.file.note(f"{counted(missing, 'edge')} without `capacity` {verb} 1 a step")
            return [amounts.get(edge, 1) for edge in range(num_edges)]
        if len(amounts) < num_edges:
            return None
        capacities = as_capacities(self.file, amounts, f"`{key}`")
        return [capacities[edge] for edge in range(num_edges)]


def note_unread(file: File, unread: Mapping[str, Counter[str]]) -> None:
    """Note the attributes of nodes and edges that are not read, a misspelt one among them."""
    texts = []
    for owners, counts in unread.items():
        names = [f"`{name[:40]}`" for name, _ in counts.most_common(MOST_NAMED)]
        more = f" and {len(counts) - len(names)} more" if len(counts) > len(names) else ""
        texts += [f"{', '.join(names)}{more} of {owners}"] if names else []
    if texts:
        file.note(f"attributes that are not read: {'; '.join(texts)}")


def _amount(value: Any) -> Fraction | None:
    """Return a number, or a number with a unit as bits a second; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return Fraction(repr(value))
    found = AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return fraction_of(value) if isinstance(value, str) else None
    number = Fraction(found[1]) * Fraction(10) ** int(found[2] or 0) * PREFIXES[found[3] or ""]
    return number * 8 if (found[4] or "").startswith(("B", "byte")) else number


def _is_count(value: Any, amount: Fraction) -> bool:
    """Return whether a value is a number of messages: without a unit, and not too large."""
    is_plain = not isinstance(value, str) or not re.search(r"[A-Za-z]", value)
    return is_plain and amount <= MOST_CAPACITY
