"""Hierarchical rings: all exchange with their counterparts, then distribute in their groups (noc section 3.2, Table 3).

Ring sizes are s_0 ... s_L from level 0 outward, G_l = s_0 ... s_(l-1) is the size of a group of level l. Counterparts
are processors in the same position of the groups that one ring joins. Only one processor of a group sends, and only one
receives, in a step: up to the ring, along it, and down, on shortest paths; in every ring on the way what goes up and
what comes down share no channel under full duplex.

* AAS, private messages sent singly: on each ring of level l, outermost first, a direct exchange of groups, in which
  each step is repeated for the G_l * G_l pairs of positions. With T(s) steps for a direct exchange on a ring of s
  (T = 1, 2, 3 for s = 2, 3, 4) that is the sum of T(s_l) G_l^2 steps: 48 + 3 = 51 for 16 = 4*4 processors,
  768 + 48 + 3 = 819 for 64 = 4*4*4, as in Table 3. It needs no combining.
* AAB: counterparts of the outermost level rotate their messages, (s_L - 1) G_L steps; then every processor has s_L
  messages that its group lacks, and sends them to each member of the group as the AAS above does. The paper calls
  this phase an AAS, and so its figures come out exactly: 12 + 3 steps with TCO 12 + 3*4, 15/24, for 16; and 48 + 51
  steps with TCO 48 + 51*4, 99/252, for 64. Read the other way, with a
  rotation among the counterparts of every level, the figures would be 15/24 and 63/144.

The paper lists this AAB under "non-combining", but transfers of its second phase carry 4m. The start-ups above are
therefore those under combining; without it such messages go one by one, and the steps are as many as the TCO: 24 for
16, and 252 for 64.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from papers.noc_schedules.ring_exchange import exchange_steps
from papers.noc_schedules.shapes import Hierarchy, hierarchy_of
from papers.noc_schedules.steps import RouterStep, whole_kind
from pavane.model.problem import Problem


def hierarchical_exchange(problem: Problem) -> Iterator[RouterStep] | None:
    """Return the exchanges: AAB and AAS on hierarchical rings, wormhole and full duplex; None elsewhere."""
    kind, rules = whole_kind(problem), problem.rules
    if kind not in ("AAB", "AAS") or rules.switching != "wormhole" or rules.duplex != "full":
        return None
    rings = None if problem.restriction is not None else hierarchy_of(problem.network)
    if rings is None:
        return None
    if kind == "AAS":
        return _private(problem, rings)
    steps = _two_phases(problem, rings)
    return steps if rules.combining else (single for step in steps for single in step.one_by_one())


def _private(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    size = rings.num_routers
    for paths in _direct(rings, len(rings.sizes) - 1):
        yield RouterStep.of(problem.network, ((path, path[0] * size + path[-1]) for path in paths))


def _two_phases(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    yield from _rotation(problem, rings)
    stride = rings.strides[-1]
    for paths in _direct(rings, len(rings.sizes) - 2):
        # A router has the messages of its counterparts in all groups that the outermost ring joins.
        counterparts = (np.arange(path[0] % stride, rings.num_routers, stride) for path in paths)
        yield RouterStep.of(problem.network, zip(paths, counterparts, strict=True))


def _direct(rings: Hierarchy, highest: int) -> Iterator[list[list[int]]]:
    """Yield the paths of each step of a direct exchange of all with all in each group, level by level inward."""
    for level in range(highest, -1, -1):
        stride, length = rings.strides[level], rings.sizes[level]
        firsts = range(0, rings.num_routers, stride * length)
        for arcs in exchange_steps(length):
            for here in range(stride):
                for there in range(stride):
                    yield [
                        rings.path(level, first + arc[0] * stride + here, arc, first + arc[-1] * stride + there)
                        for first in firsts
                        for arc in arcs
                    ]


def _rotation(problem: Problem, rings: Hierarchy) -> Iterator[RouterStep]:
    """Yield the rotation of single messages among the counterparts of the outermost level."""
    level = len(rings.sizes) - 1
    stride, length = rings.strides[level], rings.sizes[level]
    for step in range(length - 1):
        for here in range(stride):
            moves = []
            for index in range(length):
                arc = (index, (index + 1) % length)
                sender, receiver = (end * stride + here for end in arc)
                moves.append((rings.path(level, sender, arc, receiver), (index - step) % length * stride + here))
            yield RouterStep.of(problem.network, moves)
