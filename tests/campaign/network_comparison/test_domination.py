"""The Pareto set, held against its definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pavane.campaign.network_comparison.domination import undominated

POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 2)), max_size=30)


@given(POINTS)
def test_by_definition(points: list[tuple[int, int, int]]) -> None:
    """A point stays exactly if no other is nowhere larger and somewhere smaller."""
    expected = [
        not any(
            other[0] <= point[0] and other[1] <= point[1] and other[2] <= point[2] and other != point
            for other in points
        )
        for point in points
    ]
    assert undominated(points) == expected


def test_equal_points_both_stay() -> None:
    """Neither of two equal ones is better."""
    assert undominated([(1, 2), (1, 2), (2, 1), (2, 2)]) == [True, True, True, False]
    assert undominated([]) == []
