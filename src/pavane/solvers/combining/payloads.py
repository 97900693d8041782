"""The payloads of sets of transfers: private messages on paths, broadcasts on trees, annealed with the sets.

Both kinds have the same methods: `anneal` continues from the current state, `tco` is that of the best so far,
`schedule` builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.model.schedule import Schedule
from pavane.solvers.combining.kernels.paths import PathScratch, PayloadPaths, anneal_paths
from pavane.solvers.combining.kernels.transfer_sets import Annealing, BestPayloads, TransferSets, TransferWork
from pavane.solvers.combining.kernels.trees import NEVER, BroadcastTrees, TreeScratch, anneal_trees
from pavane.solvers.combining.layout import CombiningLayout
from pavane.symmetry.involutions import Symmetry

WORK_BETWEEN_LOOKS = 2e7
"""Looks at transfers until the clock is looked at again, about; a fraction of a second."""

UNKNOWN = 1 << 60
"""The TCO of nothing."""

NO_MOVES = Annealing(moves=0, goal=0, fine=0.0, hot=1.0, cold=1.0, progress=0.0, pace=0.0)
"""Annealing that only routes messages."""


class Payloads:
    """What both kinds share: the routes of messages, and the best so far."""

    layout: CombiningLayout
    group: Sequence[Symmetry]
    routes: PayloadPaths | BroadcastTrees
    best: BestPayloads
    kernel: ClassVar[Callable[..., int]]

    @property
    def tco(self) -> int:
        """Return the least sum of largest payloads so far."""
        return int(self.best.tco[0])

    @property
    def level(self) -> float:
        """Return the annealed quantity without fines: the sum of the norms of the steps' loads."""
        return float((np.maximum(self.routes.powers, 0.0) ** (1.0 / self.routes.exponent)).sum())

    def anneal(self, work: TransferWork, annealing: Annealing, rng: np.random.Generator) -> int:
        """Make moves, fewer if the goal is met; return how many."""
        made: int = compiled(self.kernel)(work, self.routes, self.best, annealing, rng)
        return made

    def _start_best(self, sets: TransferSets, step: Ints, inlet: Ints) -> None:
        """Reserve memory for the best sets and routes."""
        tco = np.array([UNKNOWN], dtype=np.int64)
        self.best = BestPayloads(sets.sender.copy(), sets.hops.copy(), sets.path.copy(), step.copy(), inlet.copy(), tco)

    def _schedule(self, steps: Longs, inlets: Longs, messages: Longs) -> Schedule:
        """Put messages that move into one inlet in one step into one transfer; leave out steps without any.

        The messages include the images under all symmetries; the steps and inlets do not.
        """
        layout, best = self.layout, self.best
        num_inlets = layout.num_inlets
        steps = np.tile(steps, 1 + len(self.group))
        inlets = np.concatenate((inlets, layout.fabric.image_inlet[:, inlets].reshape(-1)))
        order = np.lexsort((messages, inlets, steps))
        keys, counts = np.unique(steps * num_inlets + inlets, return_counts=True)
        step, inlet = np.divmod(keys, num_inlets)
        lengths = best.hops[step, inlet].astype(np.int64)
        within = np.arange(best.path.shape[2])[None, :] < lengths[:, None]
        return Schedule.from_columns(
            None,
            step,
            layout.locations[best.sender[step, inlet]],
            layout.locations[layout.fabric.location_of[inlet]],
            (lengths, best.path[step, inlet][within]),
            messages[order],
            counts,
        )


class PathPayloads(Payloads):
    """Private messages on their ways through the steps."""

    routes: PayloadPaths
    kernel = staticmethod(anneal_paths)

    def __init__(self, layout: CombiningLayout, sets: TransferSets, group: Sequence[Symmetry], exponent: float) -> None:
        problem = layout.problem
        numbers = np.arange(problem.num_messages)
        first = np.ones(len(numbers), dtype=bool)
        for symmetry in group:
            first &= numbers < symmetry.messages
        self.layout, self.group, self.messages = layout, group, numbers[first]
        labels = problem.ends[self.messages].astype(np.int64)
        num_steps, num_inlets = sets.sender.shape
        size, num_locations = len(self.messages), len(layout.fabric.home)
        inlet = np.full((num_steps, size), -1, dtype=np.int32)
        room = 2 * size + 64
        self.routes = PayloadPaths(
            origin=labels[:, 0].copy(),
            target=labels[:, 1].copy(),
            inlet=inlet,
            is_lost=np.ones(size, dtype=np.bool_),
            load=np.zeros((num_steps, num_inlets), dtype=np.int64),
            dearer=np.ones((num_steps, num_inlets)),
            powers=np.zeros(num_steps),
            power=np.arange(problem.num_messages + 3.0) ** exponent,
            exponent=exponent,
            scratch=PathScratch(
                cost=np.zeros((num_steps + 1, num_locations + 1)),
                there=np.zeros(num_inlets),
                coefficient=np.full(num_steps, 1.0 / exponent),
                changed=np.zeros(room, dtype=np.int64),
                old_inlet=np.zeros((room, num_steps), dtype=np.int32),
                was_lost=np.zeros(room, dtype=np.bool_),
            ),
        )
        self._start_best(sets, np.zeros((0, 0), dtype=np.int32), inlet)

    def start(self, work: TransferWork, rng: np.random.Generator) -> Iterator[None]:
        """Route every message, twice, so that the first ones know of the others; yields now and then."""
        some = 1 + int(WORK_BETWEEN_LOOKS / work.sets.sender.size)
        for _ in range(2):
            order = rng.permutation(len(self.messages))
            for first in range(0, len(order), some):
                self.anneal(work, NO_MOVES._replace(order=order[first : first + some]), rng)
                yield

    def schedule(self) -> Schedule:
        """Build the best schedule."""
        steps, entries = np.nonzero(self.best.inlet >= 0)
        messages = self.messages[entries]
        all_messages = [messages, *(symmetry.messages[messages] for symmetry in self.group)]
        return self._schedule(steps, self.best.inlet[steps, entries].astype(np.int64), np.concatenate(all_messages))


class TreePayloads(Payloads):
    """Broadcast messages on their trees through the steps."""

    routes: BroadcastTrees
    kernel = staticmethod(anneal_trees)

    def __init__(self, layout: CombiningLayout, sets: TransferSets, group: Sequence[Symmetry], exponent: float) -> None:
        problem = layout.problem
        origins = problem.ends[:, 0].astype(np.int64)
        labels = problem.labels.astype(np.int64)
        first = np.ones(len(origins), dtype=bool)
        for symmetry in group:
            first &= origins < symmetry.processors[origins]
        self.layout, self.group, self.origins, self.labels = layout, group, origins[first], labels[first]
        num_steps, num_inlets = sets.sender.shape
        size, num_locations = len(self.origins), len(layout.fabric.home)
        when = np.full((size, num_locations), NEVER, dtype=np.int32)
        when[np.arange(size), self.origins] = -1
        inlet = np.full((size, num_locations), -1, dtype=np.int32)
        is_target = np.zeros(num_locations, dtype=np.bool_)
        is_target[list(problem.collective.receivers)] = True
        self.routes = BroadcastTrees(
            step=when,
            inlet=inlet,
            is_target=is_target,
            load=np.zeros((num_steps, num_inlets), dtype=np.int64),
            powers=np.zeros(num_steps),
            power=np.arange(problem.num_messages + 2.0) ** exponent,
            exponent=exponent,
            scratch=TreeScratch(
                coefficient=np.zeros(num_steps),
                latest=np.zeros(num_locations, dtype=np.int64),
                is_kept=np.zeros(size, dtype=np.bool_),
                old_step=when.copy(),
                old_inlet=inlet.copy(),
            ),
        )
        self._start_best(sets, when, inlet)

    def start(self, work: TransferWork, rng: np.random.Generator) -> Iterator[None]:
        """Give every message a tree; yields now and then."""
        some = 1 + int(WORK_BETWEEN_LOOKS / (10 * work.sets.sender.size))
        self.routes.scratch.is_kept[:] = True
        self.routes.scratch.old_step[:] = NEVER
        for first in range(0, len(self.origins), some):
            last = min(first + some, len(self.origins))
            self.anneal(work, NO_MOVES._replace(order=np.arange(first, last)), rng)
            yield

    def schedule(self) -> Schedule:
        """Build the best schedule, without relays that serve no target."""
        best = self.best
        when = best.step.copy()
        for message in range(len(when)):
            serves = self.routes.is_target.copy()
            for location in np.argsort(-when[message], kind="stable").tolist():
                if 0 <= when[message, location] < NEVER:
                    if serves[location]:
                        serves[best.sender[when[message, location], best.inlet[message, location]]] = True
                    else:
                        when[message, location] = NEVER
        entries, locations = np.nonzero((when >= 0) & (when < NEVER))
        steps = when[entries, locations].astype(np.int64)
        inlets, labels = best.inlet[entries, locations].astype(np.int64), self.labels[entries]
        # Pieces keep their numbers.
        images = (np.column_stack((one.processors[labels[:, 0]], labels[:, 1:])) for one in self.group)
        return self._schedule(steps, inlets, self.layout.problem.message_numbers(np.concatenate((labels, *images))))
