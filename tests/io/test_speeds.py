"""Speeds of links become the smallest whole numbers in the same ratio."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io.file_notes import kept_notes
from pavane.io.files import File
from pavane.io.speeds import MOST_RATIO, as_capacities, whole_ratios

FILE = File.of(b"x", "f")


@pytest.mark.parametrize(
    ("speeds", "capacities", "told"),
    [
        (["50", "100"], [1, 2], "speeds 50 and 100 became capacities 1 and 2"),
        (["100", "150"], [2, 3], "speeds 100 and 150 became capacities 2 and 3"),
        (["300", "25", "16"], [300, 25, 16], "speeds 16, 25 and 300 became capacities 16, 25 and 300"),
        (["54.56", "100"], [6, 11], "speeds 54.56 and 100 became capacities 6 and 11, within 1 %"),
        (["1", "2", "3", "4", "5"], [1, 2, 3, 4, 5], "speeds 1 to 5 became capacities 1 to 5"),
        (["0.001", "1"], [1, 1000], "speeds 0.001 and 1 became capacities 1 and 1000"),
        (["1", "399.5"], [1, 400], "speeds 1 and 399.5 became capacities 1 and 400, within 1 %"),
        (["7", "7"], [1, 1], None),
        ([], [], None),
    ],
)
def test_ratios_are_kept(speeds: list[str], capacities: list[int], told: str | None) -> None:
    """Exactly where small numbers can say it, otherwise within 1 %, and a note tells what became of them."""
    with kept_notes() as notes:
        found = as_capacities(FILE, {key: Fraction(speed) for key, speed in enumerate(speeds)}, "speeds")
    assert list(found.values()) == capacities
    assert notes == ([] if told is None else [f"f: {told}"])


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        (
            ["1", "1001"],
            "f: speeds from 1 to 1001 differ by too large a ratio to be capacities, whole numbers up to 1,000",
        ),
        (["1", "1.5", "999"], "f: speeds from 1 to 999 have no small whole ratios to be capacities"),
    ],
)
def test_other_ratios_are_refused(speeds: list[str], said: str) -> None:
    """In one line that says what to do."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        as_capacities(FILE, {speed: Fraction(speed) for speed in speeds}, "speeds")
    assert str(caught.value).endswith("round the figures, or leave them out")


@given(st.lists(st.fractions(Fraction(1, 100), 100), min_size=1, max_size=6))
def test_every_ratio_is_within_a_hundredth(speeds: list[Fraction]) -> None:
    """Whatever is found is small and near enough, and where the fastest is twenty times the slowest it is found."""
    found = whole_ratios(set(speeds))
    if found is None:
        assert max(speeds) > 20 * min(speeds)
        return
    assert 1 <= min(found.values()) <= max(found.values()) <= MOST_RATIO
    slowest = min(speeds)
    for speed in speeds:
        assert Fraction(found[speed], found[slowest]) / (speed / slowest) == pytest.approx(1, abs=0.0101)
