"""Splits of networks into halves: B_C and 2 Delta of gecco08 section 3."""

import pytest
from papers.splits import narrowest, split_of, split_with

from pavane.networks import network


def test_a_one_way_ring() -> None:
    """Messages back to a router of the same half go around: 6 in each half, each crossing twice."""
    assert split_of(network("ring:8,oneway"), range(4)).figures == (2, 24)


def test_the_octagon() -> None:
    """By number 12 channels join the halves; 8 do where chords stay inside."""
    octagon = network("octagon")
    assert split_of(octagon, range(4)).figures == (12, 8)
    assert split_of(octagon, (0, 1, 4, 5)).figures == (8, 0)
    assert narrowest(octagon).figures == (8, 0)


@pytest.mark.parametrize(("spec", "figures"), [("petersen", (14, 20)), ("kautz:3,2", (24, 80)), ("levi", (26, 136))])
def test_a_split_with_given_figures_is_found(spec: str, figures: tuple[int, int]) -> None:
    """Its figures are counted on the split that is returned."""
    made = network(spec)
    split = split_with(made, figures)
    assert split is not None
    assert split_of(made, split.half) == split
    assert 2 * len(split.half) == made.num_routers


def test_no_split_has_other_figures() -> None:
    """On a one-way ring no split lets all messages of a half stay in it."""
    assert split_with(network("ring:8,oneway"), (2, 0)) is None
