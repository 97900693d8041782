"""The last steps of a plan with detours, filled all at once: each message along its planned path and no other.

Pushing (see `pushing`) knows shortest paths alone. Here a message goes into the step in which those in its way are
worth least (kernels/filling_windows.py), sweep after sweep; whoever is outside after a sweep is worth more in the next.
"""

from __future__ import annotations

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.kernels.window_lns import MOST_STEPS, StepWindow, SweepCandidates, gather_paths, sweep
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.rerouting import Rerouting

MOST_SWEEPS = 600
"""Sweeps after which what is outside does not fit."""

PATIENCE = 150
"""Sweeps that may go by without fewer outside."""

GAIN = 0.3
"""What a message that is outside after a sweep is worth more, in channels."""

COLD = 1e-9
"""The heat of sweeps: nothing is given up lightly, as worth is learnt."""


def fit_planned_paths(
    arrays: ScatterArrays,
    rerouting: Rerouting,
    pending_messages: Longs,
    num_steps: int,
    rng: np.random.Generator,
    budget: Budget,
) -> Longs | None:
    """Return a step below `num_steps` for each of some messages along their planned paths; None where not all fit."""
    if num_steps > MOST_STEPS or (len(pending_messages) and rerouting.most_load > num_steps):
        return None
    lengths = rerouting.paths.lengths[pending_messages]
    candidates = SweepCandidates(
        np.zeros(len(pending_messages) + 1, dtype=np.int64),
        np.empty(int(lengths.sum()), dtype=np.int32),
        lengths.astype(np.float32),
    )
    compiled(gather_paths)(arrays.fabric.unit_of, rerouting.paths, pending_messages, candidates)
    # Steps behind the last one are never idle.
    some_steps = np.uint64(2**num_steps - 1)
    window = StepWindow(
        np.full((arrays.num_units, MOST_STEPS), -1, dtype=np.int32),
        np.full(arrays.num_units, some_steps, dtype=np.uint64),
        np.full(len(pending_messages), -1, dtype=np.int32),
        np.zeros(2, dtype=np.int64),
    )
    fewest, waited = len(pending_messages), 0
    for _ in range(MOST_SWEEPS):
        compiled(sweep)(candidates, window, COLD, rng)
        unplaced = np.flatnonzero(window.step_of < 0)
        if not len(unplaced):
            return window.step_of.astype(np.int64)
        waited = 0 if len(unplaced) < fewest else waited + 1
        fewest = min(fewest, len(unplaced))
        if waited > PATIENCE or budget.is_over:
            return None
        candidates.worth[unplaced] += GAIN * (1.0 + rng.random(len(unplaced), dtype=np.float32))
    return None
