"""Random words for the kernels of evolutionary algorithms, each found by its number instead of one after the other.

A word is a whole number below 2^32, a function of a key and of the number of the word under it. So it does not matter
in which order words are drawn, or by how many at once: machine code, plain Python and the threads of a GPU
(kernels/islands.cu) draw the same ones. What each word is for is fixed by its number; the numbers of this file
say from where on.

All products stay below 2^63, so that nothing overflows where numbers have 64 bits and a sign.
"""

from __future__ import annotations

from typing import NamedTuple

from pavane.jit.compiling import inlined

WORD = 0xFFFFFFFF

ONE, TWO = 0x2749562D, 0x4E4CBD1B
"""Odd numbers below 2^31: of sixty random pairs the one whose words change most evenly when a bit of a number does."""

ITEMS = 0
"""Word ITEMS + i is for item i: its first value, or the parent that it is from."""
STARTS = 1 << 20
"""Where the acceleration of each sender starts."""
MOVES = 2 << 20
"""Where the acceleration moves each gene."""
SOURCES = 3 << 20
"""The new source that the restoration gives each gene."""
PATHS = 4 << 20
"""The new path that the restoration gives each gene."""
CHANGES = 5 << 20
"""What a mutation does."""
POLISHES = 6 << 20
"""Where each move of the polish starts, and its key to break ties with."""
CROSSINGS = 7 << 20
"""Where two parents are crossed, and whether they are."""
MEETINGS = 8 << 20
"""Who meets in tournaments."""


class Key(NamedTuple):
    """Two whole numbers below 2^32."""

    low: int
    high: int


@inlined
def mixed(number: int) -> int:
    """Mix the bits of a number below 2^32; different numbers stay different."""
    number ^= number >> 16
    number = (number * ONE) & WORD
    number ^= number >> 15
    number = (number * TWO) & WORD
    return number ^ (number >> 16)


@inlined
def word(key: Key, number: int) -> int:
    """Return a random word; different numbers below 2^32 have different words under a key."""
    return mixed((mixed((number + key.low) & WORD) + key.high) & WORD)


@inlined
def below(key: Key, number: int, limit: int) -> int:
    """Return a random number from 0 to limit - 1."""
    return (word(key, number) * limit) >> 32


@inlined
def happens(key: Key, number: int, probability: float) -> bool:
    """Return True with the given probability."""
    return word(key, number) < probability * 4294967296.0


@inlined
def key_of(key: Key, evaluation: int) -> Key:
    """Return the key of the words for one evaluation of a run."""
    return Key(word(key, 2 * evaluation), word(key, 2 * evaluation + 1))
