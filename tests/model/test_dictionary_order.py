"""Permutations in the order of a dictionary."""

import itertools

import pytest

from pavane.model.dictionary_order import permutations, ranks


@pytest.mark.parametrize("size", range(1, 6))
def test_order_of_a_dictionary(size: int) -> None:
    """Permutations stand in the order of a dictionary, and their ranks are their numbers in it."""
    rows = permutations(size)
    assert rows.tolist() == [list(each) for each in itertools.permutations(range(size))]
    assert ranks(rows).tolist() == list(range(len(rows)))
    assert ranks(rows[::-1]).tolist() == list(range(len(rows)))[::-1]
