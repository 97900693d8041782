"""Random numbers for the kernels of evolutionary algorithms: Marsaglia's xorshift generator of 128 bits.

numpy's own generator is several times slower where single numbers are drawn. The state is an int64[4] of whole numbers
below 2^32, not all of them 0, kept in 64 bits so that plain Python and machine code draw the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pavane.jit.compiling import inlined

Array = np.ndarray[Any, Any]


@inlined
def next_number(state: Array) -> int:
    """Turn the generator once and return a random number below 2^32."""
    t = state[0]
    t ^= (t << 11) & 0xFFFFFFFF
    w = state[3]
    state[0], state[1], state[2] = state[1], state[2], w
    w = w ^ (w >> 19) ^ t ^ (t >> 8)
    state[3] = w
    return w  # type: ignore[no-any-return]


@inlined
def draw(state: Array, below: int) -> int:
    """Return a random number from 0 to below - 1."""
    return int((next_number(state) * below) >> 32)


@inlined
def draw_real(state: Array) -> float:
    """Return a random number from 0 to 1, 1 excluded."""
    return next_number(state) * 2.0**-32
