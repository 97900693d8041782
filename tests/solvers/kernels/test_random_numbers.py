"""The kernels' random numbers: even, and as likely as asked for."""

import numpy as np
import numpy.typing as npt

from pavane.solvers.kernels.random_numbers import draw, draw_real, next_number


def new_state(seed: int) -> npt.NDArray[np.int64]:
    """Return a state of the random numbers."""
    return np.random.default_rng(seed).integers(1, 2**32, size=4, dtype=np.int64)


def test_it_is_marsaglias_generator() -> None:
    """From the seeds of his paper (Xorshift RNGs, 2003) the first numbers are the known ones."""
    state = np.array([123456789, 362436069, 521288629, 88675123])
    assert [int(next_number(state)) for _ in range(3)] == [3701687786, 458299110, 2500872618]


def test_random_numbers_are_even() -> None:
    """Each of n numbers is drawn about as often as the others."""
    state = new_state(0)
    drawn = np.bincount([draw(state, 10) for _ in range(20_000)], minlength=10)
    # Nine degrees of freedom: chi-square is above 27.9 once in a thousand times; the seed is fixed.
    assert ((drawn - 2000) ** 2 / 2000).sum() < 27.9


def test_real_numbers_are_even() -> None:
    """Numbers from 0 to 1 fall into each tenth about as often as into the others."""
    state = new_state(1)
    numbers = np.array([draw_real(state) for _ in range(20_000)])
    assert ((numbers >= 0) & (numbers < 1)).all()
    drawn = np.bincount((numbers * 10).astype(np.int64), minlength=10)
    assert ((drawn - 2000) ** 2 / 2000).sum() < 27.9
