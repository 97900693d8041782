"""Finite fields."""

import numpy as np
import pytest

from pavane.networks.galois import field, prime_power


@pytest.mark.parametrize(
    ("number", "factors"),
    [
        *[(1, None), (2, (2, 1)), (4, (2, 2)), (6, None), (8, (2, 3)), (12, None), (27, (3, 3)), (97, (97, 1))],
        (121, (11, 2)),
    ],
)
def test_prime_power(number: int, factors: tuple[int, int] | None) -> None:
    """A prime power is told apart from other numbers."""
    assert prime_power(number) == factors


@pytest.mark.parametrize(
    ("prime", "exponent"), [(2, 1), (3, 1), (7, 1), (2, 2), (2, 3), (3, 2), (2, 4), (5, 2), (3, 3)]
)
def test_laws(prime: int, exponent: int) -> None:
    """Sums and products obey the laws of a field, and the powers of one element are all but 0."""
    made = field(prime, exponent)
    order = prime**exponent
    a, b, c = np.indices((order, order, order)).reshape(3, -1)
    plus, times = made.sums, made.products
    assert np.array_equal(plus, plus.T)
    assert np.array_equal(times, times.T)
    assert np.array_equal(plus[plus[a, b], c], plus[a, plus[b, c]])
    assert np.array_equal(times[times[a, b], c], times[a, times[b, c]])
    assert np.array_equal(times[a, plus[b, c]], plus[times[a, b], times[a, c]])
    assert np.array_equal(plus[0], np.arange(order))
    assert np.array_equal(times[1], np.arange(order))
    assert all(sorted(row) == list(range(order)) for row in plus.tolist())
    assert all(sorted(row) == list(range(order)) for row in times[1:].tolist())
    assert sorted(made.powers) == list(range(1, order))


@pytest.mark.parametrize("prime", [3, 5, 7, 11])
def test_prime_field_is_residues(prime: int) -> None:
    """The field of a prime order is arithmetic modulo that prime."""
    made = field(prime, 1)
    numbers = np.arange(prime)
    assert np.array_equal(made.sums, np.add.outer(numbers, numbers) % prime)
    assert np.array_equal(made.products, np.multiply.outer(numbers, numbers) % prime)
