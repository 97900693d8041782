"""Quantities of a workload: bytes, times, operations, speeds and counts, with units or as formulas.

`1MiB`, `10us` and `100GFLOP` are numbers with units, `16*n*n/P` is a formula whose result is in bytes, in seconds or
in operations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from pavane.campaign.workload_model.expressions import Expression, expression
from pavane.errors import InputError, shortened
from pavane.timing import read_size, read_time

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}

MOST_TIMES = 10**12
"""The most repetitions of a phase."""


@dataclass(frozen=True)
class Quantity:
    """A number with a unit, or a formula."""

    text: str
    where: str
    unit: str
    """The unit of a formula: bytes, seconds, operations; empty for a count."""
    fixed: float | None = None
    """The value of a number with a unit; None for a formula, whose value depends on names."""

    def value(self, names: Mapping[str, float]) -> float:
        """Return the number; refuse negative ones."""
        found = Expression(self.text, self.where).value(names) if self.fixed is None else self.fixed
        if found < 0:
            raise InputError(f"{self.where}: {shortened(self.text)} is {found:g} {self.unit}; give 0 or more")
        return found

    def count(self, names: Mapping[str, float], least: int = 1) -> int:
        """Return the value as a whole number; refuse fractions."""
        found = self.value(names)
        whole = round(found)
        if abs(found - whole) > 1e-9 * max(1.0, abs(found)) or not least <= whole <= MOST_TIMES:
            raise InputError(
                f"{self.where}: {shortened(self.text)} is {found:g}; give a whole number from {least} to {MOST_TIMES:,}"
            )
        return whole


def count_of(text: str, where: str, known: Collection[str]) -> Quantity:
    """Read a whole number, or a formula of one."""
    return Quantity(expression(text, where, known).text, where, "")


def _quantity(text: str, where: str, known: Collection[str], unit: str, read: Callable[[str, str], float]) -> Quantity:
    try:
        return Quantity(text, where, unit, float(read(text, where)))
    except InputError as error:
        # A number that is followed by letters was meant to have a unit, anything else to be a formula.
        if re.fullmatch(r"\s*[\d.]+\s*[A-Za-zµμ][\w/ ]*", text) and not re.fullmatch(r"\s*[\d.]+[eE]\d+\s*", text):
            raise InputError(str(error).replace(f"{where} ", f"{where}: ", 1)) from None
    return Quantity(expression(text, where, known).text, where, unit)


def read_operations(text: str, what: str = "operations") -> float:
    """Read a number of operations like 100GFLOP, 5 Mop or 1e9."""
    return _operations(text, what, "")


def read_speed(text: str, what: str = "speed") -> float:
    """Read operations a second like 10GFLOP/s, 1TFLOPS or 1e9."""
    return _operations(text, what, r"(?:/s|S|s|ps)")


def _operations(text: str, what: str, per_second: str) -> float:
    number = r"((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)"
    unit = rf"(?:([kMGTPE]?)(?:FLOP|flop|Flop|op|OP){per_second}|([kMGTPE]?))"
    match = re.fullmatch(rf"\s*{number}\s*{unit}\s*", text, re.ASCII)
    found = math.inf if match is None else float(match[1]) * _PREFIXES[match[2] or match[3] or ""]
    if not math.isfinite(found):
        example = "10GFLOP/s" if per_second else "100GFLOP"
        raise InputError(f"{what} {text!r:.40} is not a number of operations; write one like {example} or 1e9")
    return found


size_of = partial(_quantity, unit="bytes", read=read_size)
"""Reads bytes: 1KiB, 4, or a formula."""

time_of = partial(_quantity, unit="seconds", read=read_time)
"""Reads a time: 10us, or a formula of seconds."""

operations_of = partial(_quantity, unit="operations", read=read_operations)
"""Reads a number of operations: 100GFLOP, or a formula."""

speed_of = partial(_quantity, unit="operations a second", read=read_speed)
"""Reads a speed: 10GFLOP/s, or a formula of operations a second."""
