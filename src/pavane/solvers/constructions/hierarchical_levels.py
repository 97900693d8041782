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

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.constructions.counterparts import exchanging_rings, rotation
from pavane.solvers.constructions.shapes import Hierarchy
from pavane.solvers.constructions.steps import Step, forwards, whole_kind, written
from pavane.solvers.solver import answer
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class HierarchicalLevels:
    """Rotation among counterparts, one level of the hierarchy after the other; all seeds give the same."""

    name: str = "hierarchical-levels"

    def supports(self, problem: Problem) -> bool:
        """Say yes to AAB and AAR on hierarchical rings, wormhole and full duplex."""
        return _construct(forwards(problem)) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the rotations, unless they take more than `num_steps` or there is no time."""
        return written(_construct, problem, num_steps, budget)

    __call__ = answer


def _construct(problem: Problem) -> Iterator[Step] | None:
    rings = exchanging_rings(problem) if whole_kind(problem) == "AAB" else None
    if rings is None:
        return None
    steps = _rotations(problem, rings)
    return steps if problem.rules.combining else (single for step in steps for single in step.one_by_one())


def _rotations(problem: Problem, rings: Hierarchy) -> Iterator[Step]:
    for level in reversed(range(len(rings.sizes))):
        yield from rotation(problem, rings, level)
