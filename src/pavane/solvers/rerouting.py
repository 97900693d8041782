"""Plans by rip-up and reroute: one path for every message, so that the busiest unit of capacity carries little.

Messages move to their cheapest paths again and again (kernels/rerouting.py), while the prices become steeper from pass
to pass. The first pass gives a path to all of them, those between near locations first; after that only messages with a
choice move. A plan says nothing about steps: what carries it out keeps to its paths, or to its largest load.

The effort is counted in passes, so that the seed says all; time may end a plan, and what it has then is a plan, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pavane.jit import compiled
from pavane.model.arrays import Flags, Ints, Longs, Reals, ranges
from pavane.parallel.budget import Budget
from pavane.solvers.kernels.rerouting import (
    MOST_EXPONENT,
    ArcNetwork,
    Choices,
    MessagePaths,
    Prices,
    list_arcs,
    reroute,
)
from pavane.solvers.kernels.wiring import Wiring

FIRST_SHARPNESS = 0.05
"""What one more message on a unit of capacity 1 adds to the exponent of its price, in the first pass."""

STEEPENING = 1.3
"""By this factor prices become steeper from pass to pass."""

WORTH_GOING_ON = 0.99
"""A pass has helped if what exceeds the target has fallen to this part of it, or the largest load has fallen."""

LEAST_COMPILED = 2_000
"""Fewer messages are planned before machine code is even loaded."""

MOST_INTERPRETED = 2_000
"""Moves of messages that take less time than loading machine code; with more moves it pays."""

BETWEEN_LOOKS = 20_000
"""Messages moved between two looks at the clock."""

MOST_WAYS = 150_000_000
"""No plan is made where the ways of all messages take more than this: five bytes each."""


@dataclass(frozen=True, eq=False)
class RoutePlan:
    """One path for every message, and the loads that come of them."""

    lengths: Ints
    """By message."""
    arcs: Ints
    """The arcs of all paths, one message after the other."""
    loads: Longs
    """By unit."""
    most_load: int
    """That of the busiest unit, for each message of its capacity, rounded up."""


@dataclass(frozen=True)
class ReroutingEffort:
    """How long a plan is worked on."""

    most_passes: int = 60
    patience: int = 6
    """Passes at the steepest prices that may go by without a better plan."""
    most_sharpness: float = 0.5
    """The steepest prices; with steeper ones the busiest units push their load to and fro."""
    noise: float = 0.0
    """By how many messages the loads of units seem to differ by chance at the steepest prices, below 1.

    Among equals messages then move at random, until a unit that has one too many finds a way to be rid of it.
    """


class Rerouting:
    """The messages of a problem on their ways: each has a path, and may move to another."""

    def __init__(
        self,
        ground: ArcNetwork,
        capacity: Longs,
        sources: Ints,
        targets: Ints,
        slack: int,
        least_compiled: int = LEAST_COMPILED,
    ) -> None:
        """List the ways of messages between locations; no path is longer than the shortest by more than the slack."""
        self.ground, self.capacity, self.slack = ground, capacity, slack
        is_large = len(sources) >= least_compiled
        self.moves_before_compiling = 0 if is_large else MOST_INTERPRETED
        size = len(ground.distances)
        pairs, pair_of = np.unique(sources.astype(np.int64) * size + targets, return_inverse=True)
        starts, ends = ((pairs // size).astype(np.int32), (pairs % size).astype(np.int32))
        self.choices = _choices(ground, starts, ends, slack, is_large)
        """The ways of all messages; None where they are too many."""
        self.shortest: Ints = ground.distances[sources, targets].astype(np.int32)
        offsets = np.concatenate(([0], np.cumsum(self.shortest.astype(np.int64) + slack)))
        self.paths = MessagePaths(
            pair_of.reshape(-1).astype(np.int32),
            offsets,
            np.zeros(len(sources), dtype=np.int32),
            np.zeros(int(offsets[-1]), dtype=np.int32),
        )
        self.loads: Longs = np.zeros(len(capacity), dtype=np.int64)
        self.sharpness = FIRST_SHARPNESS

    @cached_property
    def has_choice(self) -> Flags:
        """Return for each message whether it has more than one path."""
        assert self.choices is not None
        num_ways = np.diff(self.choices.way_offsets)[self.paths.pair_of]
        return (num_ways > self.shortest) & (self.shortest > 0)

    @property
    def most_load(self) -> int:
        """Return the load of the busiest unit, for each message of its capacity, rounded up."""
        return int((-(-self.loads // self.capacity)).max(initial=0))

    def plan(self, target: int, effort: ReroutingEffort, rng: np.random.Generator, budget: Budget) -> RoutePlan | None:
        """Reroute until no unit exceeds the target or passes no longer help; None: time was over in the first one.

        The best plan of all passes is returned, and later moves start from it.
        """
        nearest_first = np.lexsort((rng.random(len(self.shortest)), self.shortest))
        if not self.move(nearest_first, target, self.sharpness, budget):
            return None
        best, least, waited = self.found(), self._excess(target), 0
        movable = np.flatnonzero(self.has_choice)
        for _ in range(1, effort.most_passes):
            if best.most_load <= target or waited >= effort.patience or not len(movable):
                break
            self.sharpness = min(effort.most_sharpness, STEEPENING * self.sharpness)
            noise = effort.noise * (self.sharpness == effort.most_sharpness)
            seeming = noise * rng.random(len(self.loads)) if noise else None
            if not self.move(rng.permutation(movable), target, self.sharpness, budget, seeming):
                break
            excess, waited = self._excess(target), waited + (self.sharpness == effort.most_sharpness)
            if excess[0] < least[0] or excess[1] < WORTH_GOING_ON * least[1]:
                waited = 0
            if excess < least:
                best, least = self.found(), excess
        self.take(best)
        return best

    def move(self, order: Longs, target: int, sharpness: float, budget: Budget, seeming: Reals | None = None) -> bool:
        """Move messages in an order to their cheapest paths, once each; False if time was over before.

        Loads near the target may seem to be some part of a message more than they are.
        """
        assert self.choices is not None
        prices = _prices(self.loads, self.capacity, target, sharpness)
        if seeming is not None:
            raised = prices.sharpness * (1 + seeming / np.maximum(1, target * self.capacity))
            exponents = np.clip(raised * self.loads - prices.zero, -MOST_EXPONENT, MOST_EXPONENT)
            prices = Prices(self.loads, raised, prices.zero, np.exp(exponents))
        self.moves_before_compiling -= len(order)
        kernel = compiled(reroute) if self.moves_before_compiling < 0 else reroute
        for at in range(0, len(order), BETWEEN_LOOKS):
            if budget.is_over:
                return False
            kernel(order[at : at + BETWEEN_LOOKS], self.ground, self.choices, self.paths, self.slack, prices)
        return True

    def found(self) -> RoutePlan:
        """Return the paths as they are, without gaps."""
        lengths = self.paths.lengths.copy()
        return RoutePlan(
            lengths,
            self.paths.arcs[ranges(self.paths.offsets[:-1], lengths.astype(np.int64))],
            self.loads.copy(),
            self.most_load,
        )

    def take(self, plan: RoutePlan) -> None:
        """Let every message have the path that a plan has for it."""
        self.paths.lengths[:] = plan.lengths
        self.paths.arcs[ranges(self.paths.offsets[:-1], plan.lengths.astype(np.int64))] = plan.arcs
        self.loads[:] = plan.loads

    def leave(self, gone: Longs) -> None:
        """Let messages leave: their paths no longer count in the loads, and they are not to be moved any more."""
        lengths = self.paths.lengths[gone].astype(np.int64)
        arcs = self.paths.arcs[ranges(self.paths.offsets[gone], lengths)]
        counts = np.diff(self.ground.unit_offsets)[arcs].astype(np.int64)
        units = self.ground.units[ranges(self.ground.unit_offsets[arcs], counts)]
        self.loads -= np.bincount(units, minlength=len(self.loads))

    def _excess(self, target: int) -> tuple[int, int]:
        """Return the largest load, and by how much the loads exceed the target in all."""
        over = np.maximum(self.loads - target * self.capacity, 0)
        return self.most_load, int(over.sum())


def ground_of(wiring: Wiring, distances: npt.NDArray[np.integer], drawn_on: Sequence[Ints]) -> ArcNetwork:
    """Return arcs, each of which draws on one unit of every list that has one for it; -1 stands for none."""
    columns = np.stack(drawn_on, axis=1).astype(np.int32)
    is_drawn_on = columns >= 0
    offsets = np.concatenate(([0], np.cumsum(is_drawn_on.sum(axis=1)))).astype(np.int32)
    return ArcNetwork(wiring, distances, offsets, columns[is_drawn_on])


def _choices(ground: ArcNetwork, sources: Ints, targets: Ints, slack: int, is_large: bool) -> Choices | None:
    """List the ways of pairs; None where they are too many."""
    kernel = compiled(list_arcs) if is_large else list_arcs
    offsets, ways, detours = kernel(ground, sources, targets, slack, MOST_WAYS)
    return Choices(sources, targets, offsets, ways, detours) if offsets[-1] >= 0 else None


def _prices(loads: Longs, capacity: Longs, target: int, sharpness: float) -> Prices:
    """Return the prices of loads, which are 1 at the target and grow by e to the sharpness with every load more."""
    per_message, zero = sharpness / capacity, sharpness * target
    exponents = np.clip(per_message * loads - zero, -MOST_EXPONENT, MOST_EXPONENT)
    return Prices(loads, per_message, zero, np.exp(exponents))
