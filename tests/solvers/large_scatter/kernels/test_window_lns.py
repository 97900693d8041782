"""Sweeps over a window keep its tables right, use no unit twice in a step, and leave out nothing that fits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.solvers.kernels.rerouting import MessagePaths
from pavane.solvers.large_scatter.kernels.window_lns import (
    EXAMINED,
    MOST_STEPS,
    PLACED,
    StepWindow,
    SweepCandidates,
    gather_paths,
    sweep,
)

COLD = 1e-9
BOTH = pytest.mark.parametrize("kernel", [sweep, compiled(sweep)], ids=["plain", "compiled"])
Kernel = Callable[..., Any]


def candidates_of(paths: list[list[int]], worth: list[float]) -> SweepCandidates:
    """Return candidates with their units and worth."""
    offsets = np.cumsum([0, *map(len, paths)])
    return SweepCandidates(offsets, np.concatenate(paths).astype(np.int32), np.array(worth, dtype=np.float32))


def window_of(num_units: int, num_candidates: int, num_steps: int) -> StepWindow:
    """Return an empty window."""
    return StepWindow(
        np.full((num_units, MOST_STEPS), -1, dtype=np.int32),
        np.full(num_units, 2**num_steps - 1, dtype=np.uint64),
        np.full(num_candidates, -1, dtype=np.int32),
        np.zeros(2, dtype=np.int64),
    )


def drawn(num_candidates: int, num_units: int, seed: int) -> SweepCandidates:
    """Draw random paths of one unit to six, each worth a little more than its length."""
    rng = np.random.default_rng(seed)
    paths = [rng.permutation(num_units)[: rng.integers(1, 7)].tolist() for _ in range(num_candidates)]
    return candidates_of(paths, [len(path) * (1 + 0.2 * rng.random()) for path in paths])


def check(candidates: SweepCandidates, window: StepWindow, num_steps: int) -> None:
    """Enter all candidates again, and look for one that would still fit."""
    user = np.full_like(window.user, -1)
    offsets, units, _ = candidates
    for candidate, step in enumerate(window.step_of.tolist()):
        mine = units[offsets[candidate] : offsets[candidate + 1]]
        if step >= 0:
            assert step < num_steps
            assert (user[mine, step] == -1).all()
            user[mine, step] = candidate
    assert (user == window.user).all()
    is_idle = (window.idle[:, None] >> np.arange(num_steps, dtype=np.uint64)) & np.uint64(1)
    assert (is_idle.astype(bool) == (user[:, :num_steps] < 0)).all()
    for candidate in np.flatnonzero(window.step_of < 0).tolist():
        mine = units[offsets[candidate] : offsets[candidate + 1]]
        assert not (user[mine, :num_steps] < 0).all(axis=0).any()


@BOTH
@pytest.mark.parametrize("num_steps", [1, 5, 64])
def test_tables_are_kept_right(kernel: Kernel, num_steps: int) -> None:
    """After sweeps, hot ones and cold ones, the tables agree with a recount, and nothing is left that fits."""
    candidates, rng = drawn(300, 12, 1), np.random.default_rng(0)
    window = window_of(12, 300, num_steps)
    for heat in (2.0, 0.3, *[COLD] * 30):
        kernel(candidates, window, heat, rng)
    check(candidates, window, num_steps)
    assert window.counts[PLACED] >= (window.step_of >= 0).sum() > 0


@BOTH
def test_the_worthier_goes_in(kernel: Kernel) -> None:
    """A message takes the step of one that is worth less, and not that of one that is worth more."""
    for worth, expected in (([1.0, 3.0], [-1, 0]), ([3.0, 1.0], [0, -1])):
        candidates, window = candidates_of([[0, 1, 2], [2, 3, 4]], worth), window_of(5, 2, 1)
        rng = np.random.default_rng(0)
        kernel(candidates, window, COLD, rng)
        assert window.step_of.tolist() == expected
        assert window.counts[EXAMINED] == 1


def test_compiled_equals_uncompiled() -> None:
    """Machine code makes the same moves as the plain functions."""
    steps = []
    for kernel in (sweep, compiled(sweep)):
        candidates, window, rng = drawn(400, 15, 2), window_of(15, 400, 20), np.random.default_rng(5)
        for heat in (0.5, 0.1, COLD):
            kernel(candidates, window, heat, rng)
        steps.append(window.step_of.tolist())
    assert steps[0] == steps[1]


@pytest.mark.parametrize("kernel", [gather_paths, compiled(gather_paths)], ids=["plain", "compiled"])
def test_paths_are_written_out_by_units(kernel: Kernel) -> None:
    """The paths of some messages stand one after the other, as the units that their channels draw on."""
    unit_of = np.array([0, 0, 1, 1], dtype=np.int32)
    lengths, arcs = np.array([2, 1, 1], dtype=np.int32), np.array([0, 2, 1, 3], dtype=np.int32)
    paths = MessagePaths(np.zeros(3, dtype=np.int32), np.array([0, 2, 3, 4]), lengths, arcs)
    made = SweepCandidates(np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int32), np.zeros(2, dtype=np.float32))
    kernel(unit_of, paths, np.array([2, 0]), made)
    assert made.offsets.tolist() == [0, 1, 3]
    assert made.units.tolist() == [1, 0, 1]
