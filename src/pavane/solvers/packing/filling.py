"""Fills one step after the other as full as can be (kernels/filling.py): a start for packing where paths abound.

On a torus or a hypercube a waiting message nearly always finds a way through what is idle, so that steps fill up to the
last channel as long as many messages wait. That pays where no channel has more to carry than others if every message
is spread evenly over its shortest paths; where some have, those decide, and pushing alone does better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pavane.kernels import compiled
from pavane.kernels.filling import fill_step, spread_loads
from pavane.model.problem import Problem
from pavane.solvers.packing.columns import Columns, Packed
from pavane.workers.budget import Budget

MOST_ROUTERS = 2048
"""Above this the tables between all pairs of routers become too large."""


@dataclass(frozen=True)
class Filling:
    """How steps are filled."""

    bonus: float = 0.03
    """What each channel of a path adds to the worth of all its channels."""
    hottest: float = 1.0
    coldest: float = 0.1
    """Worth that is given up lightly, at the first and the last move of a step."""
    unevenness: float = 1.02
    """The largest load over the mean load up to which a network counts as even."""

    def supports(self, problem: Problem, columns: Columns) -> bool:
        """Say yes where channels alone bind: no ports, no links in one direction at a time, no way of length 0."""
        return (
            problem.num_messages > 0
            and not columns.group
            and problem.network.num_routers <= MOST_ROUTERS
            and len(columns.port_capacity) == 1
            and bool((problem.units == np.arange(columns.num_units)).all())
            and bool((columns.path_lengths > 0).all())
        )

    def fill(
        self, problem: Problem, columns: Columns, fewer_than: int, moves: int, seed: int, budget: Budget
    ) -> Packed | None:
        """Fill steps with so many moves each; None if so few steps do not suffice, or time runs out."""
        network = problem.network
        size = network.num_routers
        distances, in_offsets, in_channels, tails, _ = columns.wiring
        heads = np.ascontiguousarray(network.heads)
        out_channels = np.argsort(tails, kind="stable").astype(np.int32)
        out_offsets = np.searchsorted(tails[out_channels], np.arange(size + 1)).astype(np.int32)
        nearest_first = np.argsort(distances, axis=1, kind="stable").astype(np.int32)
        rng = np.random.default_rng((seed, 2, moves))
        pairs = columns.sources.astype(np.int64) * size + columns.targets
        by_pair = np.argsort(pairs, kind="stable")
        first_of_pair = np.searchsorted(pairs[by_pair], np.arange(size * size))
        waiting = np.bincount(pairs, minlength=size * size).astype(np.int32).reshape(size, size)
        loads = np.zeros(columns.num_units)
        compiled(spread_loads)(distances, nearest_first, in_offsets, in_channels, tails, waiting, loads)
        if loads.max() > self.unevenness * loads.mean():
            return None
        fill_one = compiled(fill_step)
        step_of = np.full(columns.num_messages, -1, dtype=np.int32)
        paths = np.zeros(int(columns.path_offsets[-1]), dtype=np.int32)
        user = np.empty(columns.num_units, dtype=np.int32)
        path_ends = np.zeros((columns.num_units, 2), dtype=np.int32)
        path_channels = np.zeros((columns.num_units, int(columns.path_lengths.max())), dtype=np.int32)
        num_waiting, step, load = columns.num_messages, 0, int(columns.path_offsets[-1])
        while num_waiting:
            if budget.is_over or step - (-load // columns.num_units) >= fewer_than:
                return None
            count = fill_one(
                distances, out_offsets, out_channels, tails, heads, in_offsets, in_channels, waiting,
                self.bonus, self.hottest, self.coldest, moves, user, path_ends, path_channels, rng,
            )  # fmt: skip
            _write(columns, step, path_ends[:count], path_channels, waiting, first_of_pair, by_pair, step_of, paths)
            num_waiting -= count
            load -= int((user >= 0).sum())
            step += 1
        return Packed(step, step_of, columns.path_lengths, paths)


def _write(
    columns: Columns,
    step: int,
    ends: npt.NDArray[np.int32],
    path_channels: npt.NDArray[np.int32],
    waiting: npt.NDArray[np.int32],
    first_of_pair: npt.NDArray[np.int64],
    by_pair: npt.NDArray[np.int64],
    step_of: npt.NDArray[np.int32],
    paths: npt.NDArray[np.int32],
) -> None:
    """Give the paths of a step to messages between their ends; those of a pair go last one first."""
    pairs = ends[:, 0].astype(np.int64) * len(waiting) + ends[:, 1]
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    number = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    messages = by_pair[first_of_pair[ordered] + waiting.reshape(-1)[ordered] + number]
    step_of[messages] = step
    lengths = columns.path_lengths[messages]
    ends_at = np.cumsum(lengths)
    within = np.arange(int(ends_at[-1])) - np.repeat(ends_at - lengths, lengths)
    paths[np.repeat(columns.path_offsets[messages], lengths) + within] = path_channels[
        np.repeat(order, lengths), within
    ]
