"""Capacities of channels from what the edges of a file say about their speed.

Speeds become the smallest whole numbers in the same ratio, exactly or within 1 %: 50 and 100 are capacities 1 and 2,
100 and 150 are 2 and 3. What has no small whole ratios is refused; rounding is the user's choice.

Of the attributes of edges `capacity` comes first: numbers are taken as they are, and an edge without one has capacity
1. Where some are fractions, like 0.5 or 1/2, all are multiplied by their common denominator, and a note says the unit.
Anything else is a speed, of which the ratios count: a `capacity` with a unit, `bandwidth`, and `weight`, which all
edges must have. A weight may be a length or a cost: weights without small whole ratios are ignored, and otherwise a
note reports the capacities. Other attributes about speed or latency are ignored. That changes what the network means
unless they are 1, so a note reports them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeVar

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
"""A note lists this many numbers or names."""


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


def as_capacities(file: File, speeds: Mapping[K, Fraction], words: str, advice: str = "") -> dict[K, int]:
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
        file.note(text + ("" if exactly else ", within 1 %") + advice)
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


STEMS = re.compile(r"weight|capacit|bandwidth|throughput|speed|latenc|delay", re.IGNORECASE)
"""Attributes are about speed whose names contain one of these: `LinkSpeed`, `capacity_gbps`."""

WORDS = frozenset({"bw", "cap", "cost", "gbps", "lanes", "length", "mbps", "rate", "width"})
"""Or consist of such a word, alone or beside others: `max_rate`."""

PLAIN = frozenset({"capacity", "bandwidth"})
"""These are reported even if they are not numbers, because they should be."""

LABELS = frozenset({"label", "linklabel", "xlabel", "headlabel", "taillabel"})
"""Texts for people, which are about speed if they say an amount and nothing else."""

LABEL_AMOUNT = re.compile(r"\s*[<>~]?\s*\d[\d.,]*\s*(?:[kmgt]?i?(?:bit|byte|b)?s?(?:ps|/s)?)\s*", re.IGNORECASE)
"""An amount as people write it: `10`, `2.5 Gb/s`, `100G`."""


@lru_cache(maxsize=4096)
def kind_of_attribute(key: str) -> Literal["speed", "label"] | None:
    """Return what an attribute of this name may be about."""
    words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()))
    if STEMS.search(key) or words & WORDS:
        return "speed"
    return "label" if key.lower() in LABELS else None


def is_edge_key(key: str) -> bool:
    """Return whether an attribute of edges is about speed, which is read or noted, or names the edge or its ends."""
    return key.lower() in EDGE_KEYS or kind_of_attribute(key[:80]) is not None


def _is_one(text: str) -> bool:
    try:
        return float(text) == 1
    except ValueError:
        return False


COLOURS = frozenset(("bc", "c", "color", "colour", "fillcolor", "fontcolor", "ic", "style"))
SHAPES = frozenset(("fontname", "fontsize", "height", "len", "margin", "penwidth", "pos", "shape", "size", "width"))
LOOKS = COLOURS | SHAPES | {"dir", "graphics", "title", "tooltip", "viz"}
"""Attributes of drawings, whose names say so."""

EDGE_KEYS = LOOKS | {"channel", "id", "key", "name", "source", "target"}
"""Attributes that name an edge or its ends, or are about its looks; `channel` is its number in our own drawings."""

KEYS = ("capacity", "bandwidth", "weight")
"""The attributes that say how much an edge carries, the first of them that does is taken."""

AMOUNT = re.compile(
    r"\s*(?:np\.\w{1,20}\()?([+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20}))(?:[eE]([+-]?\d{1,2}))?\)?"
    r"\s*(?:([kKMGTP]i?)?(bits?|[Bb]ytes?|[bB])?(?:ps|/s|/sec)?)?\s*",
    re.ASCII,
)
"""An amount as people and NetworkX write it: `10`, `2.5e3`, `100 Gb/s`, `12GBps`, `np.float64(3.5)`."""

ENDLESS = re.compile(r"\s*[+-]?(?:nan|inf|infinity)\s*", re.IGNORECASE)

PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
PREFIXES |= {f"{each}i": 2 ** (10 * power) for power, each in enumerate("kMGTP", 1)} | {"Ki": 2**10}


class EdgeCapacities:
    """Collects the attributes of edges by the numbers of the edges, to make capacities of them."""

    def __init__(self, file: File, keys: tuple[str, ...] = KEYS) -> None:
        self.file = file
        self.values: dict[str, dict[int, Any]] = {key: {} for key in keys}
        self.num_edges: Counter[str] = Counter()
        """How many edges have each attribute about speed."""
        self.meaningful: set[str] = set()
        """The attributes about speed that are not 1 on every edge that has them."""

    def see(self, edge: int, attributes: Mapping[str, Any], count: int = 1) -> None:
        """Take the attributes of an edge, or of several alike from that one on."""
        for key, value in attributes.items():
            values = self.values.get(key.lower())
            if values is not None:
                values.update(dict.fromkeys(range(edge, edge + count), value))
            kind = kind_of_attribute(key[:80])
            if kind is None or isinstance(value, bool):
                continue
            text = str(value)[:80]
            is_amount = LABEL_AMOUNT.fullmatch(text) if kind == "label" else re.search(r"\d", text)
            if is_amount or (key.lower() in PLAIN and text):
                self.num_edges[key] += count
                if kind == "label" or not _is_one(text):
                    self.meaningful.add(key)

    def capacities(self, num_edges: int) -> list[Fraction | int]:
        """Return the capacity of every edge, perhaps a fraction; note how attributes were read or ignored."""
        for key, values in self.values.items():
            capacities = self._of_key(key, values, num_edges) if values else None
            if capacities is not None:
                self._note_ignored(key)
                return capacities
        self._note_ignored()
        return [1] * num_edges

    def _note_ignored(self, read: str = "") -> None:
        """Note in one line the attributes about speed that were ignored; one attribute may have been read."""
        ignored = [key for key in self.num_edges if key in self.meaningful and key.lower() != read]
        if not ignored:
            return
        names = [f"`{key[:40]}` of {counted(self.num_edges[key], 'edge')}" for key in ignored[:MOST_LISTED]]
        more = f" and {counted(len(ignored) - MOST_LISTED, 'attribute')} more" if len(ignored) > len(names) else ""
        verb = "is" if len(ignored) == 1 else "are"
        carries = f"what channels carry is said by `{read}`" if read else "every channel carries one message a step"
        self.file.note(f"{', '.join(names)}{more} {verb} left out; {carries}")

    def _of_key(self, key: str, values: dict[int, Any], num_edges: int) -> list[Fraction | int] | None:
        """Return what an attribute says of each edge; None if that is not a capacity."""
        endless = next(
            (value for value in values.values() if key != "weight" and ENDLESS.fullmatch(str(value)[:40])), None
        )
        if endless is not None:
            raise InputError(f"{self.file}: an edge has `{key}` {shown(endless)}; give numbers above 0")
        amounts = {edge: _amount(value) for edge, value in values.items()}
        if key == "capacity" and all(_is_literal(value, amounts[edge]) for edge, value in values.items()):
            if len(values) < num_edges and any(amount != 1 for amount in amounts.values()):
                missing = num_edges - len(values)
                verb = "carries" if missing == 1 else "carry"
                self.file.note(f"{counted(missing, 'edge')} without `capacity` {verb} 1 a step")
            return [amounts.get(edge) or 1 for edge in range(num_edges)]
        speeds = {edge: amount for edge, amount in amounts.items() if amount is not None}
        slowest = min(speeds, key=speeds.__getitem__, default=None)
        if slowest is not None and speeds[slowest] <= 0 and key != "weight":
            raise InputError(
                f"{self.file}: an edge has `{key}` {shown(values[slowest])}; give numbers above 0, and leave edges out "
                "that carry nothing"
            )
        if slowest is None or len(speeds) < num_edges or speeds[slowest] <= 0:
            return None
        if key == "weight" and whole_ratios(set(speeds.values())) is None:
            return None
        advice = "; rename it where it is not a speed" if key == "weight" else ""
        capacities = as_capacities(self.file, speeds, f"`{key}`", advice)
        return [capacities[edge] for edge in range(num_edges)]


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


def _is_literal(value: Any, amount: Fraction | None) -> bool:
    """Return whether a value is a number of messages: above 0, and without a unit."""
    is_plain = not isinstance(value, str) or not re.search(r"[A-Za-z]", value)
    return is_plain and amount is not None and 0 < amount <= MOST_CAPACITY
