"""Tables for allgather, reduce-scatter and allreduce on meshes: trees along lines, near the bound in all dimensions.

A corner of a mesh of d dimensions receives over d channels, so that ceil((N - 1) / d) steps are the fewest. A message
arrives there by the last of its legs, and these go along all dimensions alike if first dimensions are spread alike.

**Classes.** The class of a message is its first dimension; it depends on the sum of its coordinates alone, so that all
lines have about as many messages of each. Let f_c be the share of class c. The last channel of a line along dimension a
carries the last leg of all messages of one class, the leg before it of those of another class in one plane of the line,
and so on, less those whose origin is at its end. These loads are equal for all dimensions if the shares solve a system
of equations; with equal sides all shares are equal. On narrow meshes classes wait long for their first leg; half-way
between these shares and equal ones is better there.

**Slots.** Legs of one way along a line never wait, and use its last channel in different steps, their slots. Lines of a
dimension have the same slots, leg by leg: the first leg of the i-th message in each line has the i-th slot that none of
them is too late for, and so on with planes for the next leg, in slots that are still free. Messages are in the order in
which they could reach the last channel. Of a side n, about n / 2 steps pass before the second leg of any message can
start; in these (1 - 1 / d) n / 2 slots stay empty, and later ones none.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Ints, Longs, Reals
from pavane.model.mesh_trees import MeshTrees
from pavane.model.problem import Problem


def line_trees(problem: Problem) -> MeshTrees | None:
    """Return trees along the lines of a mesh, all-port; None where there is a cycle at the bound (`mesh_cycles`)."""
    grid = problem.network.grid
    longer = [] if grid is None else [size for size in grid.sizes if size > 1]
    has_cycle = len(longer) == 2 and any(size % 2 == 0 for size in longer)
    return None if has_cycle else trees_of_mesh(problem)


def trees_of_mesh(problem: Problem) -> MeshTrees | None:
    """Return trees along the lines of any mesh, all-port; the loss of a channel cuts few of their branches."""
    grid, rules, collective = problem.network.grid, problem.rules, problem.collective
    if (
        grid is None
        or any(grid.wraps)
        or problem.network.num_channels != grid.num_channels
        or collective.kind not in ("AAB", "AAR", "ALLREDUCE")
        or not problem.is_plain
        or not problem.network.is_slim
        or rules.has_slots
        or (rules.ports, rules.duplex, rules.combining) != ("all", "full", False)
        or rules.routing not in ("minimal", "any")
        or len(collective.senders) < grid.num_routers
        or len(collective.receivers) < grid.num_routers
    ):
        return None
    longer = [size for size in grid.sizes if size > 1]
    if not longer:
        return None
    shares = _balanced_shares(grid.sizes)
    equal = (np.array(grid.sizes) > 1) / len(longer)
    tried = [shares] if np.allclose(shares, equal) else [shares, (shares + equal) / 2]
    best = min((_Slots(grid.sizes, _classes(grid.sizes, each)) for each in tried), key=lambda slots: slots.num_steps)
    num_phases = 2 if collective.kind == "ALLREDUCE" else 1
    return MeshTrees(num_phases * best.num_steps, grid.sizes, best.first_axes, best.starts)


def _balanced_shares(sizes: tuple[int, ...]) -> Reals:
    """Return the share of each class with which the last channels along all dimensions have the same load."""
    longer = np.flatnonzero(np.array(sizes) > 1)
    loads = np.empty((len(longer), len(longer)))
    for row, axis in enumerate(longer.tolist()):
        for column, first in enumerate(longer.tolist()):
            leg = (axis - first) % len(sizes)
            ahead = [sizes[(axis + more) % len(sizes)] for more in range(1, len(sizes) - leg)]
            loads[row, column] = (1 - 1 / sizes[axis]) / np.prod(ahead)
    shares = np.zeros(len(sizes))
    shares[longer] = np.clip(np.linalg.solve(loads, np.ones(len(longer))), 0, None)
    shares /= shares.sum()
    return shares


def _classes(sizes: tuple[int, ...], shares: Reals) -> Ints:
    """Return the class of each router: along a line classes follow one another as evenly as their shares allow."""
    sums = np.indices(sizes).sum(axis=0).reshape(-1)
    word, counts = np.zeros(int(sums.max()) + 1, dtype=np.int32), np.zeros(len(sizes))
    for place in range(len(word)):
        # The class that lacks most; sums of shares are rounded so that equal ones stay equal.
        word[place] = int(np.argmax(np.round(shares * (place + 1) - counts, 9)))
        counts[word[place]] += 1
    classes: Ints = word[sums]
    return classes


class _Slots:
    """The starts of all legs, for given classes."""

    def __init__(self, sizes: tuple[int, ...], first_axes: Ints) -> None:
        self.sizes, self.first_axes, self.num_steps = sizes, first_axes, 1
        self.places = np.indices(sizes).reshape(len(sizes), -1).astype(np.int64)
        self.starts = np.zeros((len(sizes), 2, len(first_axes)), dtype=np.int64)
        self.is_used = [[np.zeros(0, dtype=bool)] * 2 for _ in sizes]
        """Which slots are used, by dimension and way; all later ones are not."""
        ready = np.zeros(len(first_axes), dtype=np.int64)
        for leg in range(len(sizes)):
            ends = [self._placed(leg, axis, way, ready) for axis in range(len(sizes)) for way in range(2)]
            ready = np.maximum.reduce([ready, *ends])

    def _placed(self, leg: int, axis: int, way: int, ready: Longs) -> Longs:
        """Place the legs of one way along a dimension; return the first step after each, 0 for all other messages."""
        here = self.places[axis]
        lengths = self.sizes[axis] - 1 - here if way == 0 else here
        routers = np.flatnonzero((self.first_axes == (axis - leg) % len(self.sizes)) & (lengths > 0))
        earliest = (ready + lengths)[routers] - 1
        groups = np.zeros(len(routers), dtype=np.int64)
        for more in range(1, len(self.sizes) - leg):
            other = (axis + more) % len(self.sizes)
            groups = groups * self.sizes[other] + self.places[other, routers]
        order = np.lexsort((earliest, groups))
        is_first = np.diff(groups[order], prepend=-1) != 0
        numbers = np.arange(len(order))
        ranks = numbers - np.maximum.accumulate(np.where(is_first, numbers, 0))
        slots = self._slots(axis, way, _latest(ranks, earliest[order]))
        ends = np.zeros_like(ready)
        ends[routers[order]] = slots[ranks] + 1
        self.starts[leg, way, routers] = (ends - lengths)[routers]
        self.num_steps = max(self.num_steps, int(ends.max(initial=0)))
        return ends

    def _slots(self, axis: int, way: int, earliest: Longs) -> Longs:
        """Return a free slot for each of some legs, in this order, not before the earliest of each, and use it."""
        used = self.is_used[axis][way]
        size = max(len(used), int(earliest.max(initial=0))) + len(earliest) + 1
        is_used = np.concatenate([used, np.zeros(size - len(used), dtype=bool)])
        free = np.flatnonzero(~is_used)
        numbers = np.arange(len(earliest))
        at = numbers + np.maximum.accumulate(np.searchsorted(free, earliest) - numbers)
        is_used[free[at]] = True
        self.is_used[axis][way] = is_used
        return free[at]


def _latest(ranks: Longs, earliest: Longs) -> Longs:
    """Return the latest of what the messages of each rank have as their earliest slots."""
    latest = np.zeros(int(ranks.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(latest, ranks, earliest)
    return latest
