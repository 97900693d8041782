"""All-to-all at the bound of one port: every step is a permutation of the processors.

Messages i processors onward share step i, and only their paths are searched: a fat tree carries all these permutations.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.path_ejection import NO_STEP, PartialSchedule, PathEjection
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays


def can_pack_shifts(problem: Problem, num_steps: int) -> bool:
    """Say whether all processors with one port each send to all others, in one step less than there are processors."""
    size = problem.network.num_processors
    one_port = bool((problem.injection == 1).all() and (problem.ejection == 1).all())
    is_whole = problem.collective.is_plain and problem.num_messages == size * (size - 1)
    return one_port and num_steps == size - 1 and is_whole


def pack_shifts(
    arrays: ScatterArrays, restarts: int, weights: Ints, ejection: PathEjection, budget: Budget
) -> PackedSchedule | None:
    """Look for paths, starting stuck steps anew up to `restarts` times; None where some message finds none."""
    problem = arrays.problem
    num_steps = problem.network.num_processors - 1
    shifts = (problem.ends[:, 1] - problem.ends[:, 0]) % problem.network.num_processors
    steps = (shifts - 1).astype(np.int32)
    draft = PartialSchedule(
        num_steps,
        np.full(arrays.num_messages, NO_STEP, dtype=np.int32),
        np.zeros(arrays.num_hops, dtype=np.int32),
        steps,
    )
    found = None
    for _ in range(restarts):
        # Steps do not help each other here: those that are stuck start anew, with equal weights.
        stuck = np.zeros(num_steps, dtype=bool)
        stuck[steps[draft.step_of == NO_STEP]] = True
        draft.step_of[stuck[steps]] = NO_STEP
        found = ejection.insert(draft, np.where(stuck[steps], 1, weights).astype(np.int32), budget)
        if found is not None or ejection.effort.is_over(budget):
            break
    return found
