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
from pavane.solvers.large_scatter.kernels.filling import Orbits, Step, Tuning, fill_step, spread_loads
from pavane.solvers.large_scatter.scatter_arrays import Columns, Packed, positions
from pavane.solvers.unit_capacities import MOST_CHANNELS, Spread

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


class Waiting(NamedTuple):
    """The messages that wait, by the routers they go from and to."""

    counts: Ints
    """[source, target]: how many wait."""
    first_of_pair: Longs
    """[source * routers + target]: where the pair's messages begin in `by_pair`; those that wait come first."""
    by_pair: Longs
    """All messages, pair by pair."""

    @classmethod
    def of(cls, columns: Columns) -> Waiting:
        """Let all messages wait."""
        size = columns.problem.network.num_routers
        pairs = columns.messages.sources.astype(np.int64) * size + columns.messages.targets
        by_pair = np.argsort(pairs, kind="stable")
        counts = np.bincount(pairs, minlength=size * size).astype(np.int32).reshape(size, size)
        return cls(counts, np.searchsorted(pairs[by_pair], np.arange(size * size)), by_pair)


def can_fill(columns: Columns) -> bool:
    """Say yes where channels alone bind: no ports, no links in one direction at a time, no path of length 0."""
    return (
        columns.num_messages > 0
        and not columns.group
        and columns.problem.network.num_routers <= MOST_ROUTERS
        and columns.problem.network.capacity.sum(dtype=np.int64) <= MOST_CHANNELS
        and len(columns.port_capacity) == 1
        and bool((columns.fabric.unit_of == np.arange(columns.num_units)).all())
        and bool((columns.path_lengths > 0).all())
    )


def fill(columns: Columns, fewer_than: int, num_moves: int, rng: np.random.Generator, budget: Budget) -> Packed | None:
    """Fill steps with `num_moves` each; None if loads are uneven, too many steps are needed, or time is over."""
    if columns.problem.network.capacities is not None:
        spread = Spread.of(columns.problem)
        wide = fill(Columns.of(spread.problem), fewer_than, num_moves, rng, budget)
        return None if wide is None else replace(wide, paths=spread.channel_of[wide.paths])
    if not is_even(columns, Waiting.of(columns)):
        return None
    return fill_evenly(columns, None, fewer_than, num_moves, rng, budget)


def fill_evenly(
    columns: Columns,
    orbits: Orbits | None,
    fewer_than: int,
    num_moves: int,
    rng: np.random.Generator,
    budget: Budget,
) -> Packed | None:
    """Fill steps in which all units count the same; None if too many are needed, or time is over."""
    waiting = Waiting.of(columns)
    fill_one = compiled(fill_step, "" if orbits is None else "orbits")
    tuning = Tuning(BONUS, HOTTEST, COLDEST, num_moves, np.ones(columns.num_units))
    found = Packed(
        0,
        np.full(columns.num_messages, -1, dtype=np.int32),
        columns.path_lengths,
        np.zeros(columns.num_hops, dtype=np.int32),
    )
    filled = room_for_paths(columns)
    num_in_vain = 0
    num_waiting, step, load = columns.num_messages, 0, columns.num_hops
    while num_waiting:
        if budget.is_over or step - (-load // columns.num_units) >= fewer_than:
            return None
        num_paths = fill_one(columns.fabric, orbits, waiting.counts, filled, tuning, rng)
        num_in_vain = 0 if num_paths else num_in_vain + 1
        if num_in_vain == MOST_IN_VAIN:
            return None  # those who wait have no paths but such as meet their images
        if not num_paths:
            continue
        messages = give_out(columns, filled, num_paths, waiting, found.paths)
        found.step_of[messages] = step
        num_waiting -= num_paths
        load -= int((filled.user >= 0).sum())
        step += 1
    return Packed(step, found.step_of, found.path_lengths, found.paths)


def is_even(columns: Columns, waiting: Waiting) -> bool:
    """Say whether all channels carry nearly the same if messages are spread evenly over their shortest paths."""
    nearest_first = np.argsort(columns.fabric.distances, axis=1, kind="stable").astype(np.int32)
    loads = np.zeros(columns.num_units)
    compiled(spread_loads)(columns.fabric, nearest_first, waiting.counts, loads)
    return bool(loads.max() <= MOST_UNEVENNESS * loads.mean())


def ways_of_a_hop(columns: Columns) -> float:
    """Return the channels on shortest paths for each channel of a path, from a few routers: how rich in paths it is."""
    wiring, distances = columns.fabric.wiring, columns.fabric.distances
    ways = hops = 0
    for source in np.unique(columns.messages.sources)[:SOURCES_LOOKED_AT].tolist():
        targets = columns.messages.targets[columns.messages.sources == source]
        through = distances[source][wiring.tails][:, None] + 1 + distances[wiring.heads][:, targets]
        ways += int((through == distances[source, targets]).sum())
        hops += int(distances[source, targets].sum())
    return ways / max(1, hops)


def room_for_paths(columns: Columns) -> Step:
    """Return room for the paths of a step."""
    return Step(
        np.empty(columns.num_units, dtype=np.int32),
        np.zeros((columns.num_units, 2), dtype=np.int32),
        np.zeros((columns.num_units, int(columns.path_lengths.max())), dtype=np.int32),
    )


def give_out(columns: Columns, filled: Step, num_paths: int, waiting: Waiting, paths: Ints) -> Longs:
    """Give the paths of a step to messages between their ends, those of a pair last one first; return the messages."""
    ends = filled.path_ends[:num_paths]
    pairs = ends[:, 0].astype(np.int64) * len(waiting.counts) + ends[:, 1]
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    number = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    messages = waiting.by_pair[waiting.first_of_pair[ordered] + waiting.counts.reshape(-1)[ordered] + number]
    lengths = columns.path_lengths[messages]
    hops = positions(lengths)
    begins = np.repeat(columns.messages.path_offsets[messages], lengths)
    paths[begins + hops] = filled.path_channels[np.repeat(order, lengths), hops]
    return messages
