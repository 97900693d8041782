"""All-to-all at the bound of one port: every step is a cyclic shift of the processors.

Messages to the processor i places onward share step i, so that only their paths are searched: a fat tree carries all
these permutations.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.path_ejection import PathEjection
from pavane.solvers.large_scatter.scatter_arrays import NO_STEP, PackedSchedule


def can_pack_shifts(problem: Problem, num_steps: int) -> bool:
    """Whether all processors, with one port each, send to all others in one step less than there are processors."""
    size = problem.network.num_processors
    one_port = bool((problem.injection == 1).all() and (problem.ejection == 1).all())
    is_whole = problem.collective.is_plain and problem.num_messages == size * (size - 1)
    return one_port and num_steps == size - 1 and is_whole


def pack_shifts(restarts: int, weights: Ints, ejection: PathEjection, budget: Budget) -> PackedSchedule | None:
    """Search for paths, restarting unfinished steps up to `restarts` times; None if some message has no path."""
    problem = ejection.arrays.problem
    num_steps = problem.network.num_processors - 1
    shifts = (problem.ends[:, 1] - problem.ends[:, 0]) % problem.network.num_processors
    steps = (shifts - 1).astype(np.int32)
    draft = ejection.arrays.empty_schedule(num_steps)
    for _ in range(restarts):
        # Steps are independent here: unfinished ones restart, with equal weights.
        is_unfinished = np.zeros(num_steps, dtype=bool)
        is_unfinished[steps[draft.step_of == NO_STEP]] = True
        restarted = is_unfinished[steps]
        draft.step_of[restarted] = NO_STEP
        if ejection.insert(draft, np.where(restarted, 1, weights).astype(np.int32), budget, only_step=steps):
            return draft.without_empty_steps()
        if ejection.effort.is_over(budget):
            break
    return None
