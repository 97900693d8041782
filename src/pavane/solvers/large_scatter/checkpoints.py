"""Checkpoints of packing: written as marks, and validated when read, before any kernel sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pavane.judge.rules import verify
from pavane.model.arrays import Ints, Longs
from pavane.parallel.loop_state import Array, LoopState, column, generator_state, set_generator, whole
from pavane.solvers.large_scatter.effort import RemainingEffort
from pavane.solvers.large_scatter.kernels.path_ejection import MOST_WEIGHT
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays


def best_mark(kind: str, best: PackedSchedule, figures: dict[str, Any]) -> LoopState:
    """Return a mark of the best schedule so far, with figures of the strategy."""
    return LoopState(kind, {"num_steps": best.num_steps, **figures}, {"step_of": best.step_of, "paths": best.paths})


def read_best(arrays: ScatterArrays, mark: LoopState) -> PackedSchedule:
    """Return the best schedule of a mark; ValueError if it breaks a rule."""
    num_steps = whole(mark.figures["num_steps"], arrays.num_messages + 1, 1)
    step_of = column(mark, "step_of", (arrays.num_messages,), num_steps).astype(np.int32)
    paths = column(mark, "paths", (arrays.num_hops,), arrays.problem.network.num_channels).astype(np.int32)
    best = PackedSchedule(num_steps, step_of, arrays.path_lengths, paths)
    violations = verify(arrays.problem, arrays.schedule(best), most=1)
    if violations:
        raise ValueError(f"the best schedule breaks a rule: {violations[0].text}")
    return best


def effort_figures(effort: RemainingEffort, rng: np.random.Generator) -> dict[str, Any]:
    """Return the remaining effort and the state of a generator."""
    return {"cells": effort.cells, "placements": effort.placements, "rng": generator_state(rng)}


def set_effort(effort: RemainingEffort, rng: np.random.Generator, figures: dict[str, Any]) -> None:
    """Set the effort and the generator to those of a mark; the effort cannot grow."""
    cells = whole(figures["cells"], effort.cells + 1, -(2**62))
    if effort.placements is not None:
        effort.placements = whole(figures["placements"], effort.placements + 1)
    effort.cells = cells
    set_generator(rng, figures["rng"])


def read_ejection(
    arrays: ScatterArrays, draft: PackedSchedule, weights: Ints, mark: LoopState
) -> tuple[Longs, int, int, dict[str, Array]]:
    """Set a draft and weights to those of an insertion; ValueError unless every message has a path, and a step or none.

    Returns the messages to be inserted, in the kernel's order; the moves since there were fewer of them; the fewest so
    far; and the lanes of messages where there are several, by units, injection and ejection ports.
    """
    num_messages, num_channels = arrays.num_messages, arrays.problem.network.num_channels
    step_of = column(mark, "step_of", (num_messages,), draft.num_steps, -1)
    moved = column(mark, "moved", (arrays.num_hops,), num_channels, -num_channels)
    paths = draft.paths + moved
    unplaced = column(mark, "outside", (int((step_of < 0).sum()),), num_messages)
    if not np.array_equal(np.sort(unplaced), np.flatnonzero(step_of < 0)):
        raise ValueError("messages outside are not those without a step")
    if paths.size and not (paths.min() >= 0 and paths.max() < num_channels and _are_paths(arrays, paths)):
        raise ValueError("a path does not lead from its sender to its receiver")
    read_weights = column(mark, "weights", (num_messages,), MOST_WEIGHT + 1, 1)
    waited, fewest = whole(mark.figures["waited"]), whole(mark.figures["fewest"], num_messages + 1)
    draft.step_of[:], draft.paths[:], weights[:] = step_of, paths, read_weights
    lanes = {name: array for name, array in mark.arrays.items() if name.endswith("_lanes")}
    return unplaced, waited, fewest, lanes


def read_lanes(numbers: Array, capacity: Ints) -> Longs:
    """Return the lanes of messages; ValueError unless units and ports have so many."""
    if numbers.dtype.kind not in "iu" or numbers.shape != capacity.shape:
        raise ValueError(f"lanes of shape {numbers.shape}, where {capacity.shape} was expected")
    lanes = numbers.astype(np.int64)
    if (lanes < 0).any() or (lanes >= capacity).any():
        raise ValueError("a lane is out of range")
    return lanes


def _are_paths(arrays: ScatterArrays, paths: Array) -> bool:
    """Whether each path leads, channel by channel, from its sender to its receiver."""
    wiring, messages, lengths = arrays.fabric.wiring, arrays.messages, arrays.path_lengths
    tails, heads = wiring.tails[paths], wiring.heads[paths]
    owner = np.repeat(np.arange(arrays.num_messages), lengths)
    is_inner = owner[1:] == owner[:-1]
    has_path = lengths > 0
    firsts, lasts = messages.path_offsets[:-1][has_path], messages.path_offsets[1:][has_path] - 1
    return bool(
        (tails[1:] == heads[:-1])[is_inner].all()
        and (tails[firsts] == messages.sources[has_path]).all()
        and (heads[lasts] == messages.targets[has_path]).all()
    )
