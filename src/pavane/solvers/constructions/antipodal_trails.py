"""A construction for all-to-all scatter on tori of even sides, rectangular ones too: n_max N / 8 steps, the bound.

The sides are n_i = 2 m_i, the longest is 2 M, and there are N routers. The router opposite to r is r + m, with m_i
added along every axis. A *trail* leads from r to the opposite router in two messages: A goes by lengths a_i from 0 to
m_i along axes 0, 1, 2, ...; B goes on from where A ended by b_i = m_i - a_i, in the same ways, along the axes in
REVERSE order. Both messages of the trail from r go in step F(r) = sum of (r_i mod m_i), modulo M.

Such a pair of displacements, with N trails, is free of conflicts in M steps. Take a channel along axis i that begins at
router c. Message A of the trail from r uses it only if c is r + a along the axes before i, r along those after it, and
less than a_i beyond r along axis i. When B comes to axis i it has finished all the axes after it, so B uses the channel
only if c is r + a along the axes before i, r + m along those after it, and between a_i and m_i beyond r along axis i.
In both cases c tells r modulo m along every other axis, and all that use the channel differ in r_i by less than m_i.
Modulo m, then, they are different routers of one row, and F differs along a row, because M is at least m_i. And a
channel along the longest axis is used in all M steps: nothing is lost.

A trail uses one way along each axis, so a stage of M steps has room for a pair and its opposite, the same lengths in
all the opposite ways. N displacements, the empty one counted, are N/4 such stages, if each comes up once:

* Lengths 0 and m_i lead to the same router in both ways. Such an axis goes the way of the first axis of the pair whose
  length is strictly between: so a pair and its opposite have opposite ways everywhere, and are two.
* Where all lengths are 0 or m_i the ways are free: one such pair goes up along all axes, the next one down.
* Where all lengths are m_i / 2, A and B are the same displacement. Four of them share a stage, ways g, -g, h and -h,
  without any B. Let r_i be x_i + y_i m_i / 2 modulo m_i, with y_i 0 or 1. Displacements g and -g go in step
  F'(r) = (sum of x_i modulo M/2) + (sum of y_i modulo 2) M/2, and h and -h go M/2 steps from that. Of g and -g, and of
  h and -h, one each goes the way of a channel. They start from the same routers modulo m, half a row of them; F'
  differs along a row, and M/2 steps away are the values of the other half of the row.

Where a side is 2, both ways are one channel. Axes of that size come first in the order. The trail from r uses a channel
there once, and c is r modulo m; so it is enough that the opposite pair goes a step later, F(r) + 1 modulo M.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.constructions.tori import Departure, Torus, is_wormhole_exchange, scheduled, torus_of
from pavane.solvers.solver import answer
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class AntipodalTrails:
    """A construction for tori of even sides: two displacements at a time lead from every router to its opposite."""

    name: str = "antipodal-trails"

    def supports(self, problem: Problem) -> bool:
        """Say yes to all-to-all scatter on a torus of even sides, two or more, numbered row by row, all-port."""
        return is_wormhole_exchange(problem) and _even_torus(problem) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Write the construction down; no schedule if fewer steps are asked for than it has."""
        torus = _even_torus(problem)
        if torus is None:
            return None
        needed = max(torus.sizes) * torus.num_routers // 8
        if num_steps is not None and num_steps < needed * problem.collective.pieces:
            return None
        return scheduled(problem, torus, needed, _departures(torus))

    __call__ = answer


def _even_torus(problem: Problem) -> Torus | None:
    """Return the torus of even sides, at least two, not all of size 2: that is a hypercube."""
    torus = torus_of(problem.network)
    if torus is None or len(torus.sizes) < 2 or max(torus.sizes) < 4 or any(size % 2 for size in torus.sizes):
        return None
    return torus


Vector = tuple[int, ...]
"""A number for each axis."""


def _departures(torus: Torus) -> Iterator[Departure]:
    """Yield all messages, stage after stage."""
    half = tuple(size // 2 for size in torus.sizes)
    order = sorted(range(len(half)), key=lambda axis: torus.sizes[axis] > 2)
    every, longest, first = np.arange(torus.num_routers), max(half), 0
    rows = sum((here % size for here, size in zip(torus.coordinates, half, strict=True)), np.zeros_like(every))
    for stage in _stages(half):
        for later, (lengths, ways) in enumerate(stage):
            steps = first + (rows + later) % longest
            there = tuple((axis, ways[axis] * lengths[axis]) for axis in order)
            onward = tuple((axis, ways[axis] * (half[axis] - lengths[axis])) for axis in reversed(order))
            start = every
            for axis, length in there:
                start = torus.moved(start, (axis, -length))
            yield Departure(every, steps, there)
            yield Departure(every, steps[start], onward)
        first += longest
    halves = _steps_in_halves(torus, half)
    for stage_ways in _stages_of_halves(half):
        for number, ways in enumerate(stage_ways):
            steps = first + (halves + number // 2 * (longest // 2)) % longest
            yield Departure(every, steps, tuple((axis, ways[axis] * half[axis] // 2) for axis in order))
        first += longest


def _stages(half: Vector) -> Iterator[list[tuple[Vector, Vector]]]:
    """Yield the two pairs of each stage, as the lengths of A and the ways."""
    up, down = (1,) * len(half), (-1,) * len(half)
    corners = []
    for lengths in product(*(range(size + 1) for size in half)):
        if lengths >= tuple(size - length for size, length in zip(half, lengths, strict=True)):
            continue  # it comes as B of another pair, or is half of everything
        between = [axis for axis, length in enumerate(lengths) if 0 < length < half[axis]]
        if not between:
            corners.append(lengths)
        for signs in product((1, -1), repeat=len(between) - 1) if between else ():
            ways = dict(zip(between[1:], signs, strict=True))
            upward = tuple(ways.get(axis, 1) for axis in range(len(half)))
            yield [(lengths, upward), (lengths, _opposite(upward))]
    for one, other in zip(corners[::2], corners[1::2], strict=True):
        yield [(one, up), (other, down)]


def _stages_of_halves(half: Vector) -> Iterator[list[Vector]]:
    """Yield the ways of the four displacements by half of everything that share a stage: g, -g, h, -h."""
    if any(size % 2 for size in half):
        return
    upward = [(1, *signs) for signs in product((1, -1), repeat=len(half) - 1)]
    for one, other in zip(upward[::2], upward[1::2], strict=True):
        yield [one, _opposite(one), other, _opposite(other)]


def _opposite(ways: Vector) -> Vector:
    return tuple(-way for way in ways)


def _steps_in_halves(torus: Torus, half: Vector) -> Longs:
    """Return F' of every router: M/2 steps from it are the steps of the other half of any row."""
    within, changes = np.zeros(torus.num_routers, dtype=np.int64), np.zeros(torus.num_routers, dtype=np.int64)
    for here, size in zip(torus.coordinates, half, strict=True):
        change, rest = np.divmod(here % size, max(1, size // 2))
        within, changes = within + rest, changes + change
    quarter = max(1, max(half) // 2)
    return within % quarter + changes % 2 * quarter
