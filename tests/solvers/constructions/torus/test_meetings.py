"""The parts of a ring of odd size: every displacement once on each side, and couples without conflicts."""

from __future__ import annotations

import pytest

from pavane.solvers.constructions.torus.meetings import crossing_parts


@pytest.mark.parametrize("size", [1, 3, 5, 7, 9, 31])
def test_each_side_has_every_displacement_once(size: int) -> None:
    """What leaves and what arrives goes by every displacement, on either side."""
    parts = crossing_parts(size)
    every = list(range(-(size // 2), size // 2 + 1))
    for side in (0, 1):
        assert sorted(part.leaving[side] for part in parts) == every
        assert sorted(part.arriving[side] for part in parts) == every


@pytest.mark.parametrize("size", [1, 3, 5, 7, 9, 31])
def test_couples_share_no_channel(size: int) -> None:
    """Of all that goes in the same steps, no two use a channel of the ring in the same way."""
    used = set()
    for router, part in enumerate(crossing_parts(size)):
        for side in (0, 1):
            for start, length in (
                (router, part.leaving[side]),
                (router - part.arriving[side], part.arriving[side]),
            ):
                way = 1 if length > 0 else -1
                for hop in range(abs(length)):
                    channel = (part.couple, way, (start + way * hop) % size)
                    assert channel not in used
                    used.add(channel)


def test_there_are_few_couples() -> None:
    """A ring of 2 h + 1 routers needs h + 1 steps."""
    assert {part.couple for part in crossing_parts(9)} == {0, 1, 2, 3, 4}
