"""Hierarchical rings: counterparts rotate their messages on one level after the other (noc section 3.2, Table 3).

Ring sizes are s_0 ... s_L from level 0 outward, P is the number of processors. Counterparts (see `counterparts`) of the
outermost level rotate their messages, then those of the next level what they hold by then, and so on inward. That gives
P - 1 steps and the sum of (s_l - 1) P / s_l for TCO: 15/24 for 16 = 4*4 processors and 63/144 for 64 = 4*4*4.

The paper has 99/252 for 64: it hands the messages out in each group as `hierarchical-exchange` does, which is the other
way to read it. Without combining messages go one by one, and the steps are as many as the TCO. Reduce-scatter runs
backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pavane.model.problem import Problem
from pavane.solvers.constructions.counterparts import exchanging_rings, rotation
from pavane.solvers.constructions.shapes import Hierarchy
from pavane.solvers.constructions.steps import Step, has_steps, whole_kind, written
from pavane.solvers.solver import answer


@dataclass(frozen=True)
class HierarchicalLevels:
    """Rotation among counterparts, one level of the hierarchy after the other; all seeds give the same."""

    name: str = "hierarchical-levels"

    def steps(self, problem: Problem) -> Iterator[Step] | None:
        """Return the rotations: AAB on hierarchical rings, wormhole and full duplex; None elsewhere."""
        return _construct(problem)

    supports, find, __call__ = has_steps, written, answer


def _construct(problem: Problem) -> Iterator[Step] | None:
    rings = exchanging_rings(problem) if whole_kind(problem) == "AAB" else None
    if rings is None:
        return None
    steps = _rotations(problem, rings)
    return steps if problem.rules.combining else (single for step in steps for single in step.one_by_one())


def _rotations(problem: Problem, rings: Hierarchy) -> Iterator[Step]:
    for level in reversed(range(len(rings.sizes))):
        yield from rotation(problem, rings, level)
