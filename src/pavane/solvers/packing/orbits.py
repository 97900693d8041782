"""Small groups of symmetries under which large scatter problems are packed: one message per orbit stands for all.

If every symmetry of a group moves every message and every channel, a message and its images can share a step, as long
as no path of the message meets an image of itself. Channels of one orbit then count as one, there are as many times
fewer messages as the group has members, and what is found is lifted to all of them. Shortest paths never meet their
images if no channel lies with an image of it on one shortest path, which the distances tell.

Groups are made of commuting symmetries of order two: half turns of tori and rings, reflections of meshes, antipodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import prod

import numpy as np

from pavane.model.problem import Problem
from pavane.model.symmetry import Symmetry, free_involutions
from pavane.model.translation_groups import translations

MOST_MEMBERS = 8
"""The most members of a group, the identity counted."""

MOST_ROUTERS_SEARCHED = 300
"""Above this symmetries are not searched for, but those of networks numbered row by row are known."""

MOST_INVOLUTIONS = 4
"""How many symmetries of order two are looked at."""

MOST_TRIES = 400
"""How many images of routers are tried to find each of them."""


def quotient(problem: Problem) -> tuple[Symmetry, ...]:
    """Return a group of symmetries without the identity; empty where there is none that does no harm."""
    rules, network = problem.rules, problem.network
    if problem.restriction is not None or rules.duplex != "full" or rules.ports != "all" or not network.is_slim:
        return ()
    group: tuple[Symmetry, ...] = ()
    for found in _involutions(problem):
        if 2 * (len(group) + 1) > MOST_MEMBERS:
            break
        larger = _joined(group, found)
        if larger is not None and all(s.is_free and is_harmless(problem, s) for s in larger[len(group) :]):
            group = larger
    return group


def is_harmless(problem: Problem, symmetry: Symmetry) -> bool:
    """Say whether no shortest path leads through a channel and then through its image."""
    network = problem.network
    tails, heads, image = network.tails, network.heads, symmetry.channels
    between = network.distances[heads, tails[image]].astype(np.int64)
    across = network.distances[tails, heads[image]].astype(np.int64)
    return not ((between >= 0) & (across == between + 2)).any()


def _involutions(problem: Problem) -> Iterator[Symmetry]:
    shape = next(translations(problem), None)
    if shape is not None:
        yield from _half_turns(problem, shape)
    elif problem.network.num_routers <= MOST_ROUTERS_SEARCHED:
        yield from islice(free_involutions(problem, MOST_TRIES), MOST_INVOLUTIONS)


def _half_turns(problem: Problem, shape: tuple[int, ...]) -> Iterable[Symmetry]:
    """Yield the translations by half of one dimension."""
    coordinates = np.stack(np.unravel_index(np.arange(prod(shape)), shape))
    for axis, size in enumerate(shape):
        if size % 2 == 0:
            moved = coordinates.copy()
            moved[axis] = (moved[axis] + size // 2) % size
            symmetry = Symmetry.of(problem, np.ravel_multi_index(tuple(moved), shape))
            if symmetry is not None:
                yield symmetry


def _joined(group: tuple[Symmetry, ...], found: Symmetry) -> tuple[Symmetry, ...] | None:
    """Return the group of twice the order; None where the symmetry is in the group or does not commute with it."""
    added = [found]
    for member in group:
        there, back = member.then(found), found.then(member)
        if np.array_equal(member.routers, found.routers) or not np.array_equal(there.routers, back.routers):
            return None
        added.append(there)
    return (*group, *added)
