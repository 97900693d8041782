"""What edges of a file say about how much they carry, made capacities of channels where that can be done.

`capacity` comes first: whole numbers are taken as they are, and an edge that has none carries 1. Anything else is a
speed, of which the ratios count: a `capacity` that is not whole, `bandwidth`, and `weight`, which all edges must have.
A weight may well be a length or a cost. So where weights have no small whole ratios they are left out, and otherwise
a note tells what became of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pavane.errors import InputError
from pavane.io.file_notes import note
from pavane.io.files import File
from pavane.io.ignored_attributes import LeftOut
from pavane.io.parsing import shown
from pavane.io.speeds import as_capacities, whole_ratios
from pavane.model.network_checks import MOST_CAPACITY
from pavane.text import counted

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
    """Collects the attributes of edges by the numbers of the edges; `made` makes capacities of them."""

    def __init__(self, file: File, keys: tuple[str, ...] = KEYS) -> None:
        self.file = file
        self.said: dict[str, dict[int, Any]] = {key: {} for key in keys}
        self.left_out = LeftOut(file)

    def see(self, edge: int, attributes: Mapping[str, Any], count: int = 1) -> None:
        """Look at the attributes of an edge, or of several alike from that one on."""
        for key, value in attributes.items():
            values = self.said.get(key.lower())
            if values is not None:
                values.update(dict.fromkeys(range(edge, edge + count), value))
        self.left_out.see(attributes, count)

    def made(self, num_edges: int) -> list[int] | None:
        """Return the capacity of every edge, None where each is 1; tell what was read how, and what was left out."""
        for key, values in self.said.items():
            found = self._of_key(key, values, num_edges) if values else None
            if found is not None:
                self.left_out.tell(key)
                return found if max(found, default=1) > 1 else None
        self.left_out.tell()
        return None

    def _of_key(self, key: str, values: dict[int, Any], num_edges: int) -> list[int] | None:
        """Return what an attribute says of each edge; None where that is no capacity."""
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
                note(self.file, f"{counted(missing, 'edge')} without `capacity` {verb} 1 a step")
            return [int(amounts.get(edge) or 1) for edge in range(num_edges)]
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
        advice = "; rename it where it is no speed" if key == "weight" else ""
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
        return None
    number = Fraction(found[1]) * Fraction(10) ** int(found[2] or 0) * PREFIXES[found[3] or ""]
    return number * 8 if (found[4] or "").startswith(("B", "byte")) else number


def _is_literal(value: Any, amount: Fraction | None) -> bool:
    """Tell a whole number from 1 up, without a unit."""
    is_plain = not isinstance(value, str) or not re.search(r"[A-Za-z]", value)
    return is_plain and amount is not None and amount.denominator == 1 and 1 <= amount <= MOST_CAPACITY
