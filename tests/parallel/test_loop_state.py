"""Marks: what was read has the shape, the type and the range that it must have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavane.parallel.loop_state import LoopState, column, generator_state, set_generator, whole


def test_a_generator_goes_on_where_it_was() -> None:
    """Its figures are what JSON can say, and a generator that is set to them draws the same."""
    first, second = np.random.default_rng(3), np.random.default_rng(5)
    first.integers(0, 10, 7, dtype=np.int32)
    figures = generator_state(first)
    set_generator(second, figures)
    assert first.random(9).tolist() == second.random(9).tolist()
    assert all(isinstance(value, str | int) for value in figures.values())


@pytest.mark.parametrize("spoiled", [{"state": "-1"}, {"inc": str(2**128)}, {"has_uint32": 2}, {"uinteger": None}])
def test_a_state_that_cannot_be_is_refused(spoiled: dict[str, Any]) -> None:
    """Numbers out of range are refused."""
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="not a whole number"):
        set_generator(rng, {**generator_state(rng), **spoiled})


@pytest.mark.parametrize("number", [-1, 5, True, 2.0, "3", None])
def test_numbers_are_whole_and_in_their_range(number: object) -> None:
    """Neither true nor 2.0 is a whole number."""
    assert whole(4, 5) == 4
    with pytest.raises(ValueError, match="not a whole number from 0 to 4"):
        whole(number, 5)


def test_columns_have_their_shape_and_range() -> None:
    """An array is taken as whole numbers of 64 bits, or not at all."""
    mark = LoopState("it", {}, {"a": np.array([0, 3, 2], dtype=np.uint8), "b": np.array([0.5])})
    found = column(mark, "a", (3,), 4)
    assert (found.dtype.name, found.tolist()) == ("int64", [0, 3, 2])
    assert column(mark, "a", (3,), np.array([1, 4, 4])).tolist() == [0, 3, 2]
    for name, shape, below in (("a", (3,), 3), ("a", (2,), 9), ("b", (1,), 9)):
        with pytest.raises(ValueError, match=name):
            column(mark, name, shape, below)
    with pytest.raises(KeyError):
        column(mark, "c", (3,), 9)
