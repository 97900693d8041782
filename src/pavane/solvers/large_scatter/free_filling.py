"""Filling along any shortest paths: one step after the other, each as full as possible (kernels/step_lns.py).

On a torus or a hypercube a pending message nearly always finds a path over idle channels, so that steps fill up to the
last channel while many messages are pending. That pays if loads are even when every message is spread over its shortest
paths; otherwise the busiest channels decide, and path ejection does better.

Channels that carry several messages in a step are replaced by parallel ones.

With a group of symmetries (see `orbit_filling`) one message of each orbit is placed, and the others take the images of
its path: with fewer messages each is considered more often, and steps become fuller.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs, ranges
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.kernels.step_lns import (
    FreeStep,
    FreeStepOptions,
    OrbitNetwork,
    empty_free_step,
    fill_free_step,
    spread_loads,
)
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.solvers.reductions.unit_capacities import MOST_CHANNELS, with_unit_capacities


class PendingPairs(NamedTuple):
    """Pending messages, by source and target."""

    counts: Ints
    """[source, target]: how many are pending."""
    first_of_pair: Longs
    """[source * routers + target]: where the pair's messages begin in `by_pair`; pending ones come first."""
    by_pair: Longs
    """All messages, pair by pair."""

    @classmethod
    def of(cls, arrays: ScatterArrays) -> PendingPairs:
        """Return all messages as pending."""
        size = arrays.problem.network.num_routers
        pairs = arrays.messages.sources.astype(np.int64) * size + arrays.messages.targets
        by_pair = np.argsort(pairs, kind="stable")
        counts = np.bincount(pairs, minlength=size * size).astype(np.int32).reshape(size, size)
        return cls(counts, np.searchsorted(pairs[by_pair], np.arange(size * size)), by_pair)


def binds_channels_alone(arrays: ScatterArrays) -> bool:
    """Whether units alone bind and tables between all pairs fit: no ports, no path of length 0, no orbits."""
    return (
        arrays.num_messages > 0
        and not arrays.group
        and arrays.problem.network.num_routers <= TUNING.most_routers
        and len(arrays.port_capacity) == 1
        and bool((arrays.path_lengths > 0).all())
    )


def can_fill(arrays: ScatterArrays) -> bool:
    """Whether channels alone bind: no ports, no half duplex, no path of length 0, no orbits."""
    return (
        binds_channels_alone(arrays)
        and arrays.problem.network.capacity.sum(dtype=np.int64) <= MOST_CHANNELS
        and bool((arrays.fabric.unit_of == np.arange(arrays.num_units)).all())
    )


def fill(
    arrays: ScatterArrays, fewer_than: int, num_moves: int, rng: np.random.Generator, budget: Budget
) -> PackedSchedule | None:
    """Fill steps with `num_moves` each; None if loads are uneven, too many steps are needed, or time is over."""
    if arrays.problem.network.capacities is not None:
        spread, channel_of = with_unit_capacities(arrays.problem)
        packed = fill(ScatterArrays.of(spread), fewer_than, num_moves, rng, budget)
        return None if packed is None else replace(packed, paths=channel_of[packed.paths])
    if not is_even(arrays):
        return None
    return fill_evenly(arrays, None, fewer_than, num_moves, rng, budget)


def fill_evenly(
    arrays: ScatterArrays,
    orbits: OrbitNetwork | None,
    fewer_than: int,
    num_moves: int,
    rng: np.random.Generator,
    budget: Budget,
) -> PackedSchedule | None:
    """Fill steps in which all units have the same worth; None if too many are needed, or time is over."""
    pending, step = PendingPairs.of(arrays), empty_step(arrays)
    fill_step = compiled(fill_free_step, "" if orbits is None else "orbits")
    options = FreeStepOptions(TUNING.free_hottest, TUNING.free_hottest / 10, num_moves, np.ones(arrays.num_units))
    packed = arrays.empty_schedule(0)
    num_empty = 0
    num_pending, num_steps, load = arrays.num_messages, 0, arrays.num_hops
    while num_pending:
        if budget.is_over or num_steps - (-load // arrays.num_units) >= fewer_than:
            return None
        num_paths = fill_step(arrays.fabric, orbits, pending.counts, step, options, rng)
        num_empty = 0 if num_paths else num_empty + 1
        if num_empty == 8:
            return None  # all paths of the pending messages conflict with their own images
        if not num_paths:
            continue
        messages = assign_paths(arrays, step, num_paths, pending, packed.paths)
        packed.step_of[messages] = num_steps
        num_pending -= num_paths
        load -= int((step.units.user >= 0).sum())
        num_steps += 1
    return replace(packed, num_steps=num_steps)


def is_even(arrays: ScatterArrays) -> bool:
    """Whether all channels carry nearly the same if messages are spread evenly over their shortest paths."""
    nearest_first = np.argsort(arrays.fabric.distances, axis=1, kind="stable").astype(np.int32)
    loads = np.zeros(arrays.num_units)
    compiled(spread_loads)(arrays.fabric, nearest_first, PendingPairs.of(arrays).counts, loads)
    return bool(loads.max() <= TUNING.most_unevenness * loads.mean())


def channels_per_hop(arrays: ScatterArrays) -> float:
    """Return the channels on shortest paths for each channel of a path, sampled: how rich in paths a network is."""
    wiring, distances = arrays.fabric.wiring, arrays.fabric.distances
    num_channels = num_hops = 0
    for source in np.unique(arrays.messages.sources)[:8].tolist():
        targets = arrays.messages.targets[arrays.messages.sources == source]
        through = distances[source][wiring.tails][:, None] + 1 + distances[wiring.heads][:, targets]
        num_channels += int((through == distances[source, targets]).sum())
        num_hops += int(distances[source, targets].sum())
    return num_channels / max(1, num_hops)


def empty_step(arrays: ScatterArrays) -> FreeStep:
    """Return an empty step of any shortest paths."""
    longest_path = int(arrays.path_lengths.max())
    return empty_free_step(len(arrays.fabric.distances), arrays.num_units, longest_path, TUNING.free_bonus)


def assign_paths(arrays: ScatterArrays, step: FreeStep, num_paths: int, pending: PendingPairs, paths: Ints) -> Longs:
    """Assign the paths of a step to messages between their ends, the last of a pair first; return the messages."""
    ends = step.path_ends[:num_paths]
    pairs = ends[:, 0].astype(np.int64) * len(pending.counts) + ends[:, 1]
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    number = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    messages = pending.by_pair[pending.first_of_pair[ordered] + pending.counts.reshape(-1)[ordered] + number]
    lengths = arrays.path_lengths[messages]
    hops = ranges(np.zeros_like(lengths), lengths)
    entries = ranges(arrays.messages.path_offsets[messages], lengths)
    paths[entries] = step.path_channels[np.repeat(order, lengths), hops]
    return messages
