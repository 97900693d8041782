"""Random numbers."""

import pytest

from pavane.networks.prng import Dice


def splitmix64(state: int, count: int) -> list[int]:
    """Return the words of SplitMix64 as its authors give it, in Python's own whole numbers."""
    mask = 2**64 - 1
    words = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        word = state
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        words.append(word ^ (word >> 31))
    return words


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1, 10**18])
def test_stream(seed: int) -> None:
    """The stream of a seed is that of SplitMix64 from the first word of the seed, however it is drawn."""
    expected = splitmix64(splitmix64(seed, 1)[0], 12)
    dice = Dice(seed)
    assert [*dice.words(5).tolist(), *dice.words(0).tolist(), *dice.words(7).tolist()] == expected


def test_below() -> None:
    """Numbers below a limit reach every value below it."""
    dice = Dice(3)
    assert {dice.below(6) for _ in range(3000)} == set(range(6))
