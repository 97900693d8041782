"""Serializable loop state for checkpoints, validated on load."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class LoopState(NamedTuple):
    """The state of a loop: figures, which JSON can represent, and arrays."""

    kind: str
    """Names the loop that can resume from this state."""
    figures: dict[str, Any]
    arrays: dict[str, Array]


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """Return the state of a random generator; its numbers are too long for JSON, so they are text."""
    state = rng.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def set_generator(rng: np.random.Generator, figures: Any) -> None:
    """Set a random generator to a loaded state."""
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {name: whole(int(figures[name]), 2**128) for name in ("state", "inc")},
        "has_uint32": whole(figures["has_uint32"], 2),
        "uinteger": whole(figures["uinteger"], 2**32),
    }


def whole(number: Any, below: int = 2**62, least: int = 0) -> int:
    """Return a loaded whole number if it lies in its range; otherwise raise ValueError."""
    if type(number) is not int or not least <= number < below:
        raise ValueError(f"{number!r:.40} is not a whole number from {least} to {below - 1}")
    return number


def column(state: LoopState, name: str, shape: tuple[int, ...], below: int | Array, least: int = 0) -> Array:
    """Return a loaded array of whole numbers if its shape and all its numbers are valid; otherwise raise ValueError."""
    array = state.arrays[name]
    if array.dtype.kind not in "iu" or array.shape != shape:
        raise ValueError(f"{name} is {array.dtype.name} of shape {array.shape}, expected {shape}")
    wide = array.astype(np.int64)
    if wide.size and ((wide < least).any() or (wide >= below).any()):
        raise ValueError(f"{name} has numbers out of range")
    return wide
