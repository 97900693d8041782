"""Bytes, times, operations and speeds, with units or as formulas."""

from __future__ import annotations

import pytest

from pavane.campaign.workload_model.quantities import (
    count_of,
    operations_of,
    read_operations,
    read_speed,
    size_of,
    speed_of,
    time_of,
)
from pavane.errors import InputError

NAMES = {"n": 3.0}


def test_units_are_read() -> None:
    """A number with a unit is that many bytes, seconds or operations."""
    assert size_of("1KiB", "bytes", NAMES).value({}) == 1024
    assert size_of("1K", "bytes", NAMES).value({}) == 1024
    assert time_of("10us", "compute", NAMES).value({}) == 1e-5
    assert operations_of("100GFLOP", "operations", NAMES).value({}) == 1e11
    assert speed_of("10 GFLOP/s", "speed", NAMES).value({}) == 1e10
    assert read_speed("1TFLOPS") == read_speed("1e12") == read_operations("1Tflop") == 1e12


def test_formulas_are_numbers_of_the_same() -> None:
    """A formula counts bytes, seconds and operations."""
    assert size_of("2*n", "bytes", NAMES).value(NAMES) == 6
    assert time_of("n/2", "compute", NAMES).value(NAMES) == 1.5
    assert operations_of("5*n", "operations", NAMES).value(NAMES) == 15
    assert count_of("n+1", "times", NAMES).count(NAMES) == 4


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (size_of, "1Kb", r"^x: '1Kb' is not a size: write a number"),
        (size_of, "10 parsecs", "is not a size"),
        (time_of, "10 weeks", r"^x: '10 weeks' is not a time"),
        (operations_of, "5 GHz", "is not a number of operations"),
        (speed_of, "10GFLOP", "is not a number of operations"),
    ],
)
def test_unknown_units_are_refused(read: object, text: str, said: str) -> None:
    """A number with letters behind it was meant to have a unit, and the error speaks of units."""
    with pytest.raises(InputError, match=said):
        read(text, "x", NAMES)  # type: ignore[operator]


def test_negative_numbers_and_parts_are_refused() -> None:
    """Nothing takes less than no time, and nothing is repeated half a time."""
    with pytest.raises(InputError, match="bytes: '-n' is -3 bytes; give 0 or more"):
        size_of("-n", "bytes", NAMES).value(NAMES)
    with pytest.raises(InputError, match=r"times: 'n/2' is 1.5; give a whole number from 1"):
        count_of("n/2", "times", NAMES).count(NAMES)
