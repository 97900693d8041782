"""Who crosses a ring of odd length, and when: what trails along even axes do with one axis of odd length.

Along the ring, of 2 h + 1 routers, every router is a meeting point of four messages: two arrive there, one up and one
down the ring, and two leave, one up and one down. A message of each kind, in each of the two *sides* of a stage, is to
go by every displacement from -h to h. In a stage the routers have different *parts*; from stage to stage the parts move
on by one router, so that after 2 h + 1 stages every router has had every part.

Parts 0 to h - 1 are the first of h couples, parts h to 2 h - 1 the second, in the same order, and the last one is
alone. The two of a couple share their steps; couples do not. From the first up to the second it is h channels, from the
second on to the first h + 1. So a couple is free of conflicts if what leaves one and what arrives at the other in the
same way do not take more than that together. In couple k

    the first sends k up, and k down (h if k is 0);       the second receives h - k up, and h + 1 - k down (1);
    the second sends k up (h if k is 0), and k down;      the first receives h + 1 - k up (1), and h - k down,

which is h or h + 1 in every case. The one alone sends h both ways and receives nothing. One side leaves down at the
first parts and up at the second, the other side the opposite; 0 and h are dealt out so that both have all.

There must be steps for h couples and the one alone: h + 1 at least.
"""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """What a router of the ring does in a stage; of two numbers each is for one side."""

    couple: int
    """Parts of different couples go in different steps."""
    leaving: tuple[int, int]
    """By how many routers messages leave along the ring, below 0 down."""
    arriving: tuple[int, int]
    """By how many routers they have come along it."""


def crossing_parts(size: int) -> list[Part]:
    """Return the parts of a ring of odd size, in the order of its routers in the first stage."""
    half = size // 2
    first, second = [], []
    for k in range(half):
        leaving = (-k, k) if k else (0, -half)
        first.append(Part(k, leaving, ((half + 1 - k) if k else 1, k - half)))
        leaving = (k, -k) if k else (half, 0)
        second.append(Part(k, leaving, (k - half - 1 if k else -1, half - k)))
    return [*first, *second, Part(half, (-half, half), (0, 0))]
