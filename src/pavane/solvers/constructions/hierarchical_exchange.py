"""Hierarchical rings: everybody exchanges with its counterparts, level by level (noc section 3.2, Table 3).

Ring sizes are s_0 ... s_L from level 0 outward, G_l = s_0 ... s_(l-1) is the size of a group of level l. Processors
in the same place of the groups that one ring joins are counterparts. Only one processor of a group sends, and only
one receives, in a step: up to the ring, along it, and down, on shortest paths; in every ring on the way what goes up
and what comes down share no channel under full duplex.

* AAS, private messages sent singly: on each ring of level l, outermost first, a direct exchange of groups, in which
  each step is repeated for the G_l * G_l pairs of places. With T(s) steps for a direct exchange on a ring of s (T = 1,
  2, 3 for s = 2, 3, 4) that is the sum of T(s_l) G_l^2 steps: 48 + 3 = 51 for 16 = 4*4 processors, 768 + 48 + 3 = 819
  for 64 = 4*4*4, as in Table 3. It needs no combining.
* AAB: counterparts of the outermost level rotate their messages, (s_L - 1) G_L steps; then everybody has s_L messages
  that the rest of its group lacks, and hands them out within the group. There are two readings of how:
  - `hierarchical-exchange` sends them to each member of the group as the AAS above does. The paper calls this phase an
    AAS, and so its figures come out exactly: 12 + 3 steps with TCO 12 + 3*4, 15/24, for 16; and 48 + 51 steps with TCO
    48 + 51*4, 99/252, for 64.
  - `hierarchical-levels` rotates again among the counterparts of the next level, and so on inward. That gives P - 1
    steps and the sum of (s_l - 1) P / s_l for TCO: 15/24 for 16 as well, but 63/144 for 64.

The paper lists these AAB under "non-combining", but transfers of its second phase carry 4m. The start-ups above are
therefore those under combining; without it such messages go one by one, and the steps are as many as the TCO: 24 for
16, and 252 or 144 for 64. Reduce-scatter runs backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.judge.result import Result
from pavane.model.problem import Problem
from pavane.solvers.constructions.ring_exchange import ring_exchange
from pavane.solvers.constructions.shapes import Hierarchy, Longs, hierarchy_of
from pavane.solvers.constructions.steps import Step, answer, forwards, is_small, whole_kind
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class HierarchicalExchange:
    """Exchange among counterparts, then hand out within groups; all seeds give the same."""

    name: str = "hierarchical-exchange"
    level_by_level: bool = False
    """Whether the messages of AAB rotate on inner levels, too, instead of going to each member of the group."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to AAB and AAR on hierarchical rings, and to AAS unless everything is to go level by level."""
        return self._construct(forwards(problem)) is not None

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the exchange, unless it takes more than `num_steps` or there is no time."""
        return answer(self.name, self._construct, problem, num_steps, seed, budget)

    def _construct(self, problem: Problem) -> Iterator[Step] | None:
        kind, rules = whole_kind(problem), problem.rules
        if kind not in ("AAB", "AAS") or (kind == "AAS" and self.level_by_level):
            return None
        if rules.switching != "wormhole" or rules.duplex != "full" or problem.restriction is not None:
            return None
        rings = hierarchy_of(problem.network)
        if rings is None or not is_small(problem, 1):
            return None
        if kind == "AAS":
            return _private(problem, rings)
        steps = _levels(problem, rings) if self.level_by_level else _two_phases(problem, rings)
        return steps if rules.combining else (single for step in steps for single in step.one_by_one())


def _private(problem: Problem, rings: Hierarchy) -> Iterator[Step]:
    size = rings.num_routers
    for paths in _direct(rings, len(rings.sizes) - 1):
        yield Step.of(problem.network, ((path, path[0] * size + path[-1]) for path in paths))


def _two_phases(problem: Problem, rings: Hierarchy) -> Iterator[Step]:
    outermost = len(rings.sizes) - 1
    yield from _rotation(problem, rings, outermost)
    for paths in _direct(rings, outermost - 1):
        yield Step.of(problem.network, ((path, _counterparts(rings, outermost, path[0])) for path in paths))


def _levels(problem: Problem, rings: Hierarchy) -> Iterator[Step]:
    for level in reversed(range(len(rings.sizes))):
        yield from _rotation(problem, rings, level)


def _direct(rings: Hierarchy, highest: int) -> Iterator[list[list[int]]]:
    """Yield the paths of each step of a direct exchange of all with all in each group, level by level inward."""
    for level in range(highest, -1, -1):
        stride, length = rings.strides[level], rings.sizes[level]
        firsts = range(0, rings.num_routers, stride * length)
        for arcs in ring_exchange(length):
            for here in range(stride):
                for there in range(stride):
                    yield [
                        rings.path(level, first + arc[0] * stride + here, arc, first + arc[-1] * stride + there)
                        for first in firsts
                        for arc in arcs
                    ]


def _rotation(problem: Problem, rings: Hierarchy, level: int) -> Iterator[Step]:
    """Yield the rotation among the counterparts of a level, of what each holds from the levels above."""
    stride, length = rings.strides[level], rings.sizes[level]
    firsts = range(0, rings.num_routers, stride * length)
    for step in range(length - 1):
        for here in range(stride):
            moves = []
            for first in firsts:
                for place in range(length):
                    arc = (place, (place + 1) % length)
                    sender, receiver = (first + end * stride + here for end in arc)
                    origin = first + (place - step) % length * stride + here
                    moves.append((rings.path(level, sender, arc, receiver), _counterparts(rings, level + 1, origin)))
            yield Step.of(problem.network, moves)


def _counterparts(rings: Hierarchy, level: int, router: int) -> Longs:
    """Return the routers that differ from one at most in the digits from some level on."""
    stride = int(np.prod(rings.sizes[:level]))
    return np.arange(router % stride, rings.num_routers, stride)
