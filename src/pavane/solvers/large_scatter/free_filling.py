"""Fills one step after the other, each as full as possible (kernels/filling.py): a start where paths abound.

On a torus or a hypercube a waiting message nearly always finds a way through what is idle, so that steps fill up to the
last channel as long as many messages wait. That pays where no channel has more to carry than others if every message
is spread evenly over its shortest paths; where some have, those decide, and pushing alone does better.

Where channels carry several messages in a step, parallel ones are filled in their stead.

With a group of symmetries (see `orbits`) one message of each orbit is filled in, and the others take the images of its
path: the fewer messages, the more often each is looked at, and the fuller the steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.parallel.budget import Budget
from pavane.solvers.large_scatter.kernels.step_lns import (
    FreeStep,
    FreeStepOptions,
    OrbitNetwork,
    fill_free_step,
    spread_loads,
)
from pavane.solvers.large_scatter.scatter_arrays import PackedSchedule, ScatterArrays, positions
from pavane.solvers.unit_capacities import MOST_CHANNELS, ExpandedProblem

MOST_ROUTERS = 2048
"""Above this the tables between all pairs of routers become too large."""

BONUS = 0.03
"""What each channel of a path adds to the worth of all its channels."""

HOTTEST = 1.0
"""Worth that is given up lightly at the first move of a step."""

COLDEST = 0.1
"""Worth that is given up lightly at the last move of a step."""

MOST_UNEVENNESS = 1.02
"""The largest load over the mean load up to which a network counts as even."""

MOST_IN_VAIN = 8
"""How often a step is begun anew in which nobody finds a path; walks are made by lot."""

SOURCES_LOOKED_AT = 8
"""How many routers say how rich in paths a network is."""


class PendingPairs(NamedTuple):
    """The messages that wait, by the routers they go from and to."""

    counts: Ints
    """[source, target]: how many wait."""
    first_of_pair: Longs
    """[source * routers + target]: where the pair's messages begin in `by_pair`; those that wait come first."""
    by_pair: Longs
    """All messages, pair by pair."""

    @classmethod
    def of(cls, arrays: ScatterArrays) -> PendingPairs:
        """Let all messages wait."""
        size = arrays.problem.network.num_routers
        pairs = arrays.messages.sources.astype(np.int64) * size + arrays.messages.targets
        by_pair = np.argsort(pairs, kind="stable")
        counts = np.bincount(pairs, minlength=size * size).astype(np.int32).reshape(size, size)
        return cls(counts, np.searchsorted(pairs[by_pair], np.arange(size * size)), by_pair)


def can_fill(arrays: ScatterArrays) -> bool:
    """Say yes where channels alone bind: no ports, no links in one direction at a time, no path of length 0."""
    return (
        arrays.num_messages > 0
        and not arrays.group
        and arrays.problem.network.num_routers <= MOST_ROUTERS
        and arrays.problem.network.capacity.sum(dtype=np.int64) <= MOST_CHANNELS
        and len(arrays.port_capacity) == 1
        and bool((arrays.fabric.unit_of == np.arange(arrays.num_units)).all())
        and bool((arrays.path_lengths > 0).all())
    )


def fill(
    arrays: ScatterArrays, fewer_than: int, num_moves: int, rng: np.random.Generator, budget: Budget
) -> PackedSchedule | None:
    """Fill steps with `num_moves` each; None if loads are uneven, too many steps are needed, or time is over."""
    if arrays.problem.network.capacities is not None:
        spread = ExpandedProblem.of(arrays.problem)
        wide = fill(ScatterArrays.of(spread.problem), fewer_than, num_moves, rng, budget)
        return None if wide is None else replace(wide, paths=spread.channel_of[wide.paths])
    if not is_even(arrays, PendingPairs.of(arrays)):
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
    """Fill steps in which all units count the same; None if too many are needed, or time is over."""
    pending = PendingPairs.of(arrays)
    fill_one = compiled(fill_free_step, "" if orbits is None else "orbits")
    tuning = FreeStepOptions(BONUS, HOTTEST, COLDEST, num_moves, np.ones(arrays.num_units))
    found = PackedSchedule(
        0,
        np.full(arrays.num_messages, -1, dtype=np.int32),
        arrays.path_lengths,
        np.zeros(arrays.num_hops, dtype=np.int32),
    )
    filled = empty_step(arrays)
    num_in_vain = 0
    num_pending, step, load = arrays.num_messages, 0, arrays.num_hops
    while num_pending:
        if budget.is_over or step - (-load // arrays.num_units) >= fewer_than:
            return None
        num_paths = fill_one(arrays.fabric, orbits, pending.counts, filled, tuning, rng)
        num_in_vain = 0 if num_paths else num_in_vain + 1
        if num_in_vain == MOST_IN_VAIN:
            return None  # those who wait have no paths but such as meet their images
        if not num_paths:
            continue
        messages = assign_paths(arrays, filled, num_paths, pending, found.paths)
        found.step_of[messages] = step
        num_pending -= num_paths
        load -= int((filled.user >= 0).sum())
        step += 1
    return PackedSchedule(step, found.step_of, found.path_lengths, found.paths)


def is_even(arrays: ScatterArrays, pending: PendingPairs) -> bool:
    """Say whether all channels carry nearly the same if messages are spread evenly over their shortest paths."""
    nearest_first = np.argsort(arrays.fabric.distances, axis=1, kind="stable").astype(np.int32)
    loads = np.zeros(arrays.num_units)
    compiled(spread_loads)(arrays.fabric, nearest_first, pending.counts, loads)
    return bool(loads.max() <= MOST_UNEVENNESS * loads.mean())


def channels_per_hop(arrays: ScatterArrays) -> float:
    """Return the channels on shortest paths for each channel of a path, from a few routers: how rich in paths it is."""
    wiring, distances = arrays.fabric.wiring, arrays.fabric.distances
    dag = hops = 0
    for source in np.unique(arrays.messages.sources)[:SOURCES_LOOKED_AT].tolist():
        targets = arrays.messages.targets[arrays.messages.sources == source]
        through = distances[source][wiring.tails][:, None] + 1 + distances[wiring.heads][:, targets]
        dag += int((through == distances[source, targets]).sum())
        hops += int(distances[source, targets].sum())
    return dag / max(1, hops)


def empty_step(arrays: ScatterArrays) -> FreeStep:
    """Return room for the paths of a step."""
    return FreeStep(
        np.empty(arrays.num_units, dtype=np.int32),
        np.zeros((arrays.num_units, 2), dtype=np.int32),
        np.zeros((arrays.num_units, int(arrays.path_lengths.max())), dtype=np.int32),
    )


def assign_paths(arrays: ScatterArrays, filled: FreeStep, num_paths: int, pending: PendingPairs, paths: Ints) -> Longs:
    """Give the paths of a step to messages between their ends, those of a pair last one first; return the messages."""
    ends = filled.path_ends[:num_paths]
    pairs = ends[:, 0].astype(np.int64) * len(pending.counts) + ends[:, 1]
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    number = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    messages = pending.by_pair[pending.first_of_pair[ordered] + pending.counts.reshape(-1)[ordered] + number]
    lengths = arrays.path_lengths[messages]
    hops = positions(lengths)
    begins = np.repeat(arrays.messages.path_offsets[messages], lengths)
    paths[begins + hops] = filled.path_channels[np.repeat(order, lengths), hops]
    return messages
