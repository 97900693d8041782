"""Random words by number: even, independent of order, different under different keys."""

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.solvers.evolutionary.kernels.bit_words import Key, below, happens, key_of, word

KEY = Key(0x89ABCDEF, 0x01234567)


def table(key: Key, size: int, out: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    """Fill in the first words under a key."""
    for number in range(size):
        out[number] = word(key, number)


def first_words(key: Key, size: int = 1 << 14) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the first words under a key, by machine code."""
    out = np.zeros(size, dtype=np.int64)
    compiled(table)(key, size, out)
    return out


def test_plain_python_and_machine_code_draw_the_same_words() -> None:
    """Whole numbers of any size and of 64 bits with a sign come to the same."""
    assert first_words(KEY, 200).tolist() == [word(KEY, number) for number in range(200)]


def test_every_bit_is_even_and_depends_on_every_bit_of_the_number() -> None:
    """A bit of the words is set half of the time, and changes half of the time with a bit of the number or the key."""
    words = first_words(KEY)
    numbers = np.arange(len(words))
    bits = [(words >> bit) & 1 for bit in range(32)]
    # Five standard deviations of the mean of 2^14 fair bits are 0.0195.
    assert max(abs(bit.mean() - 0.5) for bit in bits) < 0.0195
    for other in (1, 2, 64, 8191):
        changed = words ^ words[numbers ^ other]
        assert max(abs(((changed >> bit) & 1).mean() - 0.5) for bit in range(32)) < 0.0276
    for key in (Key(KEY.low ^ 1, KEY.high), Key(KEY.low, KEY.high ^ 1), key_of(KEY, 0), key_of(KEY, 1)):
        changed = words ^ first_words(key)
        assert max(abs(((changed >> bit) & 1).mean() - 0.5) for bit in range(32)) < 0.0195


def test_numbers_below_a_limit_are_even() -> None:
    """Each of n numbers is drawn about as often as the others."""
    drawn = np.bincount([below(KEY, number, 10) for number in range(20_000)], minlength=10)
    # Nine degrees of freedom: chi-square is above 27.9 once in a thousand times; the key is fixed.
    assert ((drawn - 2000) ** 2 / 2000).sum() < 27.9


@pytest.mark.parametrize(("probability", "least", "most"), [(1.0, 1000, 1000), (0.0, 0, 0), (0.3, 242, 358)])
def test_what_has_a_probability_happens_as_often(probability: float, least: int, most: int) -> None:
    """What is certain always does, what is impossible never; the rest within four standard deviations."""
    count = sum(happens(key_of(KEY, number), 7, probability) for number in range(1000))
    assert least <= count <= most
