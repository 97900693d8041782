"""A pseudorandom number generator (SplitMix64) whose numbers are the same on every machine and with every library."""

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Dice:
    """A stream of 64-bit random words that depends on its seed alone."""

    def __init__(self, seed: int) -> None:
        self._state = _mixed(np.array([seed % 2**64], dtype=np.uint64) + _GOLDEN)
        self._spare: list[int] = []

    def words(self, count: int) -> Words:
        """Return the next words."""
        states = self._state + np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
        self._state = states[-1:] if count else self._state
        return _mixed(states)

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit - 1; the bias of the remainder is below 1e-12."""
        if not self._spare:
            self._spare = self.words(1024).tolist()
        return self._spare.pop() % limit


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
