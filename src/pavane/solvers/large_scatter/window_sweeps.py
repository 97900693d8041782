"""Sweeps over a window of steps: each message along its planned path and no other (kernels/window_lns.py).

A sweep places a message in the step in which the conflicting messages are worth least. Worth is fixed while the
windows of large networks are filled. For the last steps of a plan with detours, which must take all messages, it is
learnt: a message that a sweep leaves unplaced is worth more in the next.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.kernels.window_lns import MOST_STEPS, StepWindow, SweepCandidates, gather_paths, sweep
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.rerouting import Rerouting

COLD = 1e-9
"""A temperature at which no loss of worth is accepted."""


def sweep_window(
    arrays: ScatterArrays,
    rerouting: Rerouting,
    messages: Longs,
    worth: npt.NDArray[np.float32],
    num_steps: int,
    num_sweeps: int,
    rng: np.random.Generator,
) -> list[Longs]:
    """Fill a window by sweeps at falling temperatures; return the messages of its steps, the last step first."""
    noisy_worth = worth * (1.0 + TUNING.noise_of_worth * rng.random(len(worth), dtype=np.float32))
    order = np.argsort(-noisy_worth, kind="stable")
    messages = messages[order]
    candidates, window = _empty_window(arrays, rerouting, messages, worth[order], num_steps)
    for heat in (*np.geomspace(TUNING.hottest, TUNING.hottest / 10, num_sweeps - 1).tolist(), COLD):
        compiled(sweep)(candidates, window, heat, rng)
    placed = np.flatnonzero(window.step_of >= 0)
    placed = placed[np.argsort(-window.step_of[placed], kind="stable")]
    ends = np.searchsorted(-window.step_of[placed], -np.arange(num_steps - 1, 0, -1), side="right")
    return np.split(messages[placed], ends)


def fit_planned_paths(
    arrays: ScatterArrays,
    rerouting: Rerouting,
    messages: Longs,
    num_steps: int,
    rng: np.random.Generator,
    budget: Budget,
) -> Longs | None:
    """Return a step below `num_steps` for each of the messages along their planned paths; None if not all fit."""
    if num_steps > MOST_STEPS or (len(messages) and rerouting.most_load > num_steps):
        return None
    worth = rerouting.paths.lengths[messages].astype(np.float32)
    candidates, window = _empty_window(arrays, rerouting, messages, worth, num_steps)
    fewest, num_failed = len(messages), 0
    for _ in range(4 * TUNING.detour_patience):
        compiled(sweep)(candidates, window, COLD, rng)
        unplaced = np.flatnonzero(window.step_of < 0)
        if not len(unplaced):
            return window.step_of.astype(np.int64)
        num_failed = 0 if len(unplaced) < fewest else num_failed + 1
        fewest = min(fewest, len(unplaced))
        if num_failed > TUNING.detour_patience or budget.is_over:
            return None
        candidates.worth[unplaced] += TUNING.noise_of_worth * (1.0 + rng.random(len(unplaced), dtype=np.float32))
    return None


def _empty_window(
    arrays: ScatterArrays, rerouting: Rerouting, messages: Longs, worth: npt.NDArray[np.float32], num_steps: int
) -> tuple[SweepCandidates, StepWindow]:
    """Return the planned paths of messages, and a window with none of them; steps beyond the last are never idle."""
    num_messages, num_units = len(messages), arrays.num_units
    num_hops = int(rerouting.paths.lengths[messages].sum())
    offsets = np.zeros(num_messages + 1, dtype=np.int64)
    candidates = SweepCandidates(offsets, np.empty(num_hops, dtype=np.int32), worth)
    compiled(gather_paths)(arrays.fabric.unit_of, rerouting.paths, messages, candidates)
    return candidates, StepWindow(
        np.full((num_units, MOST_STEPS), -1, dtype=np.int32),
        np.full(num_units, 2**num_steps - 1, dtype=np.uint64),
        np.full(num_messages, -1, dtype=np.int32),
        np.zeros(2, dtype=np.int64),
    )
