"""Several collectives in words."""

from __future__ import annotations

import pytest

from pavane.io.several_texts import MOST_COLOURS, collective_name, colour_groups, members_text
from pavane.model.collectives import named, pairs
from pavane.model.problem import Problem
from pavane.networks import network


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ([2, 3], "2, 3"),
        ([2, 3, 4], "2-4"),
        ([0, 4, 8, 12], "0, 4, ... 12"),
        ([0, 1, 3, 7, 9, 11, 20, 21], "0, 1, 3, 7, 9, 11 and 2 more"),
    ],
)
def test_members_are_short(members: list[int], text: str) -> None:
    """Ranges and equal distances are shortened, other members listed."""
    assert members_text(members) == text


def test_a_name_has_the_members_and_the_root() -> None:
    """The kind, the processors that take part, and the root if there is one."""
    assert collective_name(named("aab", range(4))) == "allgather (AAB) of 0-3"
    assert collective_name(named("oab", range(4), root=2)) == "broadcast (OAB) of 0-3, root 2"
    assert collective_name(named("aog", range(4), root=1)) == "gather (AOG) of 0-3, root 1"
    assert collective_name(pairs([(0, 5), (1, 4)])) == "PAIRS of 0, 1, 4, 5"


def test_many_collectives_share_colours() -> None:
    """Few collectives have a colour each; of many those of one kind that follow each other share one."""
    ring = network("ring:40")
    few = Problem(ring, [named("aab", [0, 1]), named("aas", [2, 3])])
    assert colour_groups(few) == (["0: allgather (AAB) of 0, 1", "1: alltoall (AAS) of 2, 3"], [0, 1])
    many = [named("aab", [2 * at, 2 * at + 1]) for at in range(MOST_COLOURS)]
    names, group_of = colour_groups(Problem(ring, [*many, named("aas", [38, 39])]))
    assert names == [
        "0-13: allgather (AAB) from 2 senders to 2 receivers",
        "14: alltoall (AAS) from 2 senders to 2 receivers",
    ]
    assert group_of == [0] * MOST_COLOURS + [1]
