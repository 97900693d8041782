"""Messages by where they meet: tori of even sides, with perhaps one odd side, and the steps of all that meet somewhere.

What passes a meeting point P goes in step F(P) = sum of (P_i mod m_i) over the even sides n_i = 2 m_i, counted round a
stage of M = max m_i steps. Along every even axis, m_i neighbouring meeting points have different steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from pavane.model.arrays import Longs
from pavane.solvers.constructions.tori import Departure, Move, Torus


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
        """Tell the axes apart; None: there are several odd ones, or one is longest, or beside one of size 2."""
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
