"""Marks: where a loop is, as figures and arrays, and how they are read again without being believed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Mark(NamedTuple):
    """Where something is: figures, which JSON can say, and arrays."""

    kind: str
    """Who can go on from here."""
    figures: dict[str, Any]
    arrays: dict[str, Array]


def generator_figures(rng: np.random.Generator) -> dict[str, Any]:
    """Return the state of a random generator; its numbers are too long for JSON, and stand as text."""
    state = rng.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def set_generator(rng: np.random.Generator, figures: Any) -> None:
    """Set a random generator to a state that was read."""
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {name: whole(int(figures[name]), 2**128) for name in ("state", "inc")},
        "has_uint32": whole(figures["has_uint32"], 2),
        "uinteger": whole(figures["uinteger"], 2**32),
    }


def whole(number: Any, below: int = 2**62, least: int = 0) -> int:
    """Return a whole number that was read, if it lies in its range."""
    if type(number) is not int or not least <= number < below:
        raise ValueError(f"{number!r:.40} is no whole number from {least} to {below - 1}")
    return number


def column(mark: Mark, name: str, shape: tuple[int, ...], below: int | Array, least: int = 0) -> Array:
    """Return an array of whole numbers of a mark, if it has that shape and all its numbers lie in their range."""
    found = mark.arrays[name]
    if found.dtype.kind not in "iu" or found.shape != shape:
        raise ValueError(f"{name} is {found.dtype.name} of shape {found.shape}, where {shape} was expected")
    wide = found.astype(np.int64)
    if wide.size and ((wide < least).any() or (wide >= below).any()):
        raise ValueError(f"{name} has numbers out of their range")
    return wide
