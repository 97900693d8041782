"""Tables for all-to-all scatter by wormhole on tori of even sides: n_max N / 8 steps, the bound.

The sides are n_i = 2 m_i, the longest is 2 M, and there are N routers. The router opposite to r is r + m, with m_i
added along every axis. A *trail* leads from some router to the opposite one in two messages that meet at a router P: A
comes to P by lengths a_i from 0 to m_i along axes 0, 1, 2, ...; B goes on from P by m_i - a_i along the axes in REVERSE
order. Both go in step F(P) = sum of (P_i mod m_i), modulo M.

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

As a table: phases are the coordinates modulo half of each side, so that a row with phase c goes in step F(w + c), and P
is the sender of the second message and lies ahead of the sender of the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import Clock, SymmetricSchedule
from pavane.solvers.supports import EXCHANGE
from pavane.solvers.tables.rows import RowColumns, table_of
from pavane.symmetry.cayley import CayleyNetwork


def antipodal_trails(problem: Problem, cayley: CayleyNetwork) -> SymmetricSchedule | None:
    """Return the table for all-to-all scatter by wormhole on a torus of even sides, all-port."""
    axes, sizes = cayley.axis_kinds(), cayley.sizes
    is_open = (problem.rules.switching, problem.rules.ports) == ("wormhole", "all")
    if axes is None or sizes is None or not is_open or not EXCHANGE(problem):
        return None
    if any(size % 2 for size in sizes) or len(sizes) < 2 or max(sizes) == 2:
        return None
    # Sides of 2, where both ways are one channel, come last.
    order = np.argsort(np.array(sizes) == 2, kind="stable")
    strides = np.array([np.prod(sizes[axis + 1 :], dtype=np.int64) for axis in order])
    sides, (up, down) = np.array(sizes)[order], np.array(axes)[:, order]
    half = sides // 2
    lengths, ways, onward = np.concatenate(list(_stages(half))).transpose(1, 0, 2, 3)
    # Of each stage four rows: the first and the second message of either side.
    moves = np.stack([ways * lengths, onward * (half - lengths)], axis=2)
    phases = moves * np.array([1, 0])[:, None]
    if half[-1] == 1:
        # Both sides use the same channels along sides of 2, and one of them goes a step later.
        phases[:, 1, :, half.argmax()] += 1
    steps = np.repeat(np.arange(len(moves)) * half.max(), 4)
    # The second message takes the axes in reverse order.
    places = np.array([np.arange(len(sides)), np.arange(len(sides))[::-1]])
    along = np.take_along_axis(moves, places[None, None], axis=3)
    kinds = np.where(along > 0, up[places], down[places])
    increments = np.zeros((cayley.kinds.num_kinds, len(sides)), dtype=np.int64)
    increments[down], increments[up] = -np.eye(len(sides)), np.eye(len(sides))
    flat = (-1, len(sides))
    rows = RowColumns(
        steps,
        (moves % sides @ strides).reshape(-1),
        kinds.reshape(flat),
        np.abs(along).reshape(flat),
        phases.reshape(flat),
    )
    clock = Clock(tuple(half.tolist()), increments)
    num_steps = len(moves) * int(half.max())
    return table_of([rows], num_steps, cayley.translations, (clock,), problem.collective.pieces)


def _stages(half: Longs) -> Iterator[Longs]:
    """Yield stages in blocks: of each side the lengths to the meeting point, ways to it, and ways on from it."""
    # What comes later in this order comes as the second message of a pair, or is half of everything.
    numbers = np.arange(np.prod(half + 1) // 2)
    lengths = np.stack(np.unravel_index(numbers, tuple(half + 1)), axis=1)
    between = (lengths > 0) & (lengths < half)
    first, signs = between.argmax(axis=1), list(product((1, -1), repeat=len(half)))
    upward = [np.array(ways) for ways in signs if ways[0] == 1]
    for ways in map(np.array, signs):
        # Up along the first axis between, both ways along the other ones between, and up along the rest.
        is_allowed = ((ways == 1) | between).all(axis=1) & (ways[first] == 1) & between.any(axis=1)
        chosen = lengths[is_allowed]
        ones = np.ones_like(chosen)
        yield np.stack([[chosen, ways * ones, ways * ones], [chosen, -ways * ones, -ways * ones]]).transpose(2, 1, 0, 3)
    corners = lengths[~between.any(axis=1)]
    ones = np.ones_like(corners[::2])
    yield np.stack([[corners[::2], ones, ones], [corners[1::2], -ones, -ones]]).transpose(2, 1, 0, 3)
    if not (half % 2).any():
        for one, other in zip(upward[::2], upward[1::2], strict=True):
            yield np.array([[[half // 2, half // 2], [one, -one], [other, -other]]])
