"""Counterparts in hierarchical rings: processors in the same position of the groups that one ring joins.

Only one processor of a group sends, and only one receives, in a step: up to the ring, along it, and down, on shortest
paths; in every ring on the way what goes up and what comes down share no channel under full duplex.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.solvers.constructions.shapes import Hierarchy, hierarchy_of
from pavane.solvers.constructions.steps import Step, is_small


def exchanging_rings(problem: Problem) -> Hierarchy | None:
    """Return the hierarchical rings of the problem, if the rules let counterparts exchange."""
    rules = problem.rules
    if rules.switching != "wormhole" or rules.duplex != "full" or problem.restriction is not None:
        return None
    rings = hierarchy_of(problem.network)
    return None if rings is None or not is_small(problem, 1) else rings


def rotation(problem: Problem, rings: Hierarchy, level: int) -> Iterator[Step]:
    """Yield the rotation among the counterparts of a level, of what each holds from the levels above."""
    stride, length = rings.strides[level], rings.sizes[level]
    firsts = range(0, rings.num_routers, stride * length)
    for step in range(length - 1):
        for here in range(stride):
            moves = []
            for first in firsts:
                for index in range(length):
                    arc = (index, (index + 1) % length)
                    sender, receiver = (first + end * stride + here for end in arc)
                    origin = first + (index - step) % length * stride + here
                    moves.append((rings.path(level, sender, arc, receiver), counterparts_of(rings, level + 1, origin)))
            yield Step.of(problem.network, moves)


def counterparts_of(rings: Hierarchy, level: int, router: int) -> Longs:
    """Return the routers that differ from one at most in the digits from some level on."""
    stride = int(np.prod(rings.sizes[:level]))
    return np.arange(router % stride, rings.num_routers, stride)
