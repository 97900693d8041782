"""A construction for all-to-all scatter on tori whose longest side is even: n_max N / 8 steps, the bound.

**All sides even.** The sides are n_i = 2 m_i, the longest is 2 M, and there are N routers. The router opposite to r is
r + m, with m_i added along every axis. A *trail* leads from some router to the opposite one in two messages that meet
at a router P: A comes to P by lengths a_i from 0 to m_i along axes 0, 1, 2, ...; B goes on from P by m_i - a_i along
the axes in REVERSE order. Both go in step F(P) = sum of (P_i mod m_i), modulo M.

The N trails of such a pair of displacements, one over each P, are free of conflicts in M steps. Take a channel along
axis i that begins at router c. A uses it only if c is P along the axes before i, and P - a along those after it; B has
finished the axes after i when it comes to axis i, so it uses the channel only if c is P along the axes before i, and
P + m - a along those after it. In both cases c gives P modulo m along every other axis. Along axis i, P is one of the
a_i routers after c for A, and one of the m_i - a_i routers up to c for B. So modulo m all that use the channel have
different P on one row, and F differs along a row, because M is at least m_i. A channel along the longest axis is used
in all M steps: nothing is lost.

A trail uses one way along each axis, so a stage of M steps has room for two *sides*, a pair and its opposite, the same
lengths in all the opposite ways. Nor must A and B of one side go the same ways: of the two A, and of the two B, one
goes along a channel, whichever it is. N displacements, the empty one counted, are N/4 stages, if each comes up once:

* Lengths 0 and m_i lead to the same router in both ways. Such an axis goes up on the one side and down on the other,
  as does the first axis of the pair whose length is strictly between. So the two sides differ.
* Where all lengths are 0 or m_i the ways are free: one such pair goes up along all axes, another one down.
* Where all lengths are m_i / 2, A and B are the same displacement, and B takes other ways than A.

Where a side is 2, both ways are one channel. Axes of that size come last in A and first in B, so that c is P modulo m
there: it is enough that the other side goes a step later, F(P) + 1 modulo M.

**One side odd**, shorter than the longest, and the others even, from 4 up. A leaves P along the odd axis when all else
is done, and B has come to P along it. Every pair of displacements along the even axes has as many stages as the odd
axis has routers; meetings.py says how far messages leave and arrive, by the part of a row in a stage. Steps are
F(P) + the couple of the part, modulo M: so along the even axes nothing changes, and along the odd one, where P is the
same but for its row, only rows of a couple share steps. A ring by an odd ring lacks other ways for lengths m / 2, and a
second pair of lengths 0 and m: see ring_by_odd_ring.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from pavane.bounds import channel_prices
from pavane.bounds.prices import CertificatePrices, priced
from pavane.model.bound import Bound
from pavane.model.path_blocks import is_wormhole_exchange
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.torus.meetings import Meetings, crossing_parts
from pavane.solvers.constructions.torus.ring_by_odd_ring import special_departures
from pavane.solvers.constructions.torus.tori import Departure, schedule_departures, torus_of
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once


@dataclass(frozen=True)
class AntipodalTrails:
    """A construction for tori whose longest side is even: two displacements at a time lead to the opposite router."""

    name: str = "antipodal-trails"

    def supports(self, problem: Problem) -> bool:
        """Supports all-to-all scatter on a torus of even sides but one at most, numbered row by row, all-port."""
        return is_wormhole_exchange(problem) and _meetings(problem) is not None

    def find(self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget) -> Finding:
        """Write the construction down, with the bound; no schedule if fewer steps are requested than it has."""
        meetings = _meetings(problem)
        if meetings is None:
            return Finding(None)
        needed = -(-meetings.num_steps * meetings.torus.num_routers // 4)
        if num_steps is not None and num_steps < needed * problem.collective.pieces:
            return Finding(None)
        return Finding(
            schedule_departures(problem, meetings.torus, needed, _departures(meetings)), _bounds(problem, meetings)
        )

    __call__ = solve_once


def _meetings(problem: Problem) -> Meetings | None:
    """Return the torus with its axes; None: the construction does not cover this network."""
    torus = torus_of(problem.network)
    meetings = None if torus is None else Meetings.on(torus)
    is_ring = meetings is not None and len(meetings.even) == 1 and meetings.odd is None
    return None if is_ring else meetings


def _bounds(problem: Problem, meetings: Meetings) -> tuple[Bound, ...]:
    """Return the bound by the channels along the longest side; where all are equal, counting proves as much."""
    sizes, straight = meetings.torus.sizes, meetings.torus.straight
    longest = sizes.index(max(sizes))
    if min(sizes) == max(sizes):
        return ()
    busy = np.concatenate([straight[longest, way][:, 0] for way in (1, -1)])
    return (priced(problem, CertificatePrices.of(problem, busy), channel_prices.NAME),)


Vector = tuple[int, ...]
"""A number for each even axis."""


class Side(NamedTuple):
    """A pair of displacements: the lengths of A, and the ways in which A and B go."""

    lengths: Vector
    ways: Vector
    onward: Vector


def _departures(meetings: Meetings) -> Iterator[Departure]:
    """Yield all messages, stage after stage."""
    half, num_steps, first = meetings.half, meetings.num_steps, 0
    parts = crossing_parts(meetings.num_rows)
    for sides in _stages(half):
        for number, side in enumerate(sides):
            lengths = [way * length for way, length in zip(side.ways, side.lengths, strict=True)]
            rest = [way * (size - length) for way, size, length in zip(side.onward, half, side.lengths, strict=True)]
            there = tuple(zip(meetings.even, lengths, strict=True))
            onward = tuple(zip(reversed(meetings.even), reversed(rest), strict=True))
            # Both sides use the same channels along sides of 2, and one of them waits for the other.
            later = number if min(half) == 1 else 0
            for index, part in enumerate(parts):
                stage = first + (index - meetings.rows) % meetings.num_rows * num_steps
                steps = stage + (meetings.steps + part.couple + later) % num_steps
                yield meetings.departure(there, meetings.across(part.leaving[number]), steps)
                yield meetings.departure(meetings.across(part.arriving[number]), onward, steps)
        first += num_steps * meetings.num_rows
    if len(half) == 1:
        yield from special_departures(meetings, first)


def _stages(half: Vector) -> Iterator[tuple[Side, Side]]:
    """Yield the two sides of each stage; one even axis alone has no others than those strictly between."""
    up, down = (1,) * len(half), (-1,) * len(half)
    corners = []
    for lengths in product(*(range(size + 1) for size in half)):
        if lengths >= tuple(size - length for size, length in zip(half, lengths, strict=True)):
            continue  # it comes as B of another pair, or is half of everything
        between = [axis for axis, length in enumerate(lengths) if 0 < length < half[axis]]
        if not between:
            corners.append(lengths)
        for ways in _upward(len(half), between):
            yield Side(lengths, ways, ways), Side(lengths, _opposite(ways), _opposite(ways))
    for one, other in zip(corners[::2], corners[1::2], strict=False):
        yield Side(one, up, up), Side(other, down, down)
    if not any(size % 2 for size in half):
        middle = tuple(size // 2 for size in half)
        upward = list(_upward(len(half), range(len(half))))
        for there, onward in zip(upward[::2], upward[1::2], strict=False):
            yield Side(middle, there, onward), Side(middle, _opposite(there), _opposite(onward))


def _upward(num_axes: int, free: Sequence[int]) -> Iterator[Vector]:
    """Yield the ways of which the first free one is up, and all that are not free."""
    for signs in product((1, -1), repeat=len(free) - 1) if free else ():
        ways = dict(zip(free[1:], signs, strict=True))
        yield tuple(ways.get(axis, 1) for axis in range(num_axes))


def _opposite(ways: Vector) -> Vector:
    return tuple(-way for way in ways)
