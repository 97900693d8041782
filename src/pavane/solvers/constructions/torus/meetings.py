"""Messages by where they meet: tori of even sides, with perhaps one odd side, and the steps of all that meet somewhere.

What passes a meeting point P goes in step F(P) = sum of (P_i mod m_i) over the even sides n_i = 2 m_i, counted round a
stage of M = max m_i steps. Along every even axis, m_i neighbouring meeting points have different steps.

**Crossing a ring of odd length.** Along the ring, of 2 h + 1 routers, every router is a meeting point of four messages:
two arrive there, one up and one down the ring, and two leave, one up and one down. A message of each kind, in each of
the two *sides* of a stage, is to go by every displacement from -h to h. In a stage the routers have different *parts*;
from stage to stage the parts move on by one router, so that after 2 h + 1 stages every router has had every part.

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

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from pavane.model.arrays import Longs
from pavane.solvers.constructions.torus.tori import Departure, Move, Torus


@dataclass(frozen=True, eq=False)
class Meetings:
    """A torus, its even axes and the odd one, and when messages go that meet at a router."""

    torus: Torus
    even: tuple[int, ...]
    """The axes of even size, those of size 2 last."""
    odd: int | None
    """The axis of odd size; None: there is none."""

    @classmethod
    def on(cls, torus: Torus) -> Self | None:
        """Classify the axes; None: there are several odd ones, or one is longest, or beside one of size 2."""
        sizes = torus.sizes
        even = tuple(axis for axis, size in enumerate(sizes) if size % 2 == 0)
        odd = [axis for axis, size in enumerate(sizes) if size % 2 and size > 1]
        longest = max((sizes[axis] for axis in even), default=0)
        if longest < 4 or len(odd) > 1:
            return None
        if odd and (sizes[odd[0]] > longest or min(sizes[axis] for axis in even) == 2):
            return None
        return cls(torus, tuple(sorted(even, key=lambda axis: sizes[axis] == 2)), odd[0] if odd else None)

    @cached_property
    def half(self) -> tuple[int, ...]:
        """Half of every even side, in the order of the axes."""
        return tuple(self.torus.sizes[axis] // 2 for axis in self.even)

    @property
    def num_rows(self) -> int:
        """Return the size of the odd axis, 1 where there is none."""
        return 1 if self.odd is None else self.torus.sizes[self.odd]

    @property
    def num_steps(self) -> int:
        """Return the steps of a stage."""
        return max(self.half)

    @cached_property
    def routers(self) -> Longs:
        """All routers."""
        return np.arange(self.torus.num_routers)

    @cached_property
    def rows(self) -> Longs:
        """Where each router stands along the odd axis."""
        return np.zeros_like(self.routers) if self.odd is None else self.torus.coordinates[self.odd]

    @cached_property
    def steps(self) -> Longs:
        """F of each router."""
        steps = np.zeros_like(self.routers)
        for axis, size in zip(self.even, self.half, strict=True):
            steps += self.torus.coordinates[axis] % size
        return steps

    def across(self, length: int) -> tuple[Move, ...]:
        """Return the move along the odd axis."""
        return () if self.odd is None else ((self.odd, length),)

    def departure(self, before: tuple[Move, ...], after: tuple[Move, ...], steps: Longs) -> Departure:
        """Return messages over every meeting point, by the moves that lead there and on, and the step of each."""
        senders = self.routers
        for axis, length in before:
            senders = self.torus.moved(senders, (axis, -length))
        return Departure(senders, steps, before + after)


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
