"""The payloads of sets of transfers: private messages on paths, broadcasts on trees, annealed with the sets.

Both sorts answer alike: `anneal` goes on from where it is, `tco` is the best so far, `schedule` builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pavane.kernels import compiled
from pavane.kernels.combining import Scratch, Sets
from pavane.kernels.combining_paths import Best, Paper, Ways, anneal_paths, lead_all
from pavane.kernels.combining_trees import NEVER, BestTrees, Desk, Trees, anneal_trees, grow_all
from pavane.model.schedule import Schedule
from pavane.model.symmetry import Symmetry
from pavane.solvers.combining.state import Places

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STRETCH = 2e7
"""Looks at transfers until the clock is looked at again, about."""

UNKNOWN = 1 << 60
"""The TCO of nothing."""


class Paths:
    """Private messages on their ways through the steps."""

    def __init__(self, places: Places, sets: Sets, group: Sequence[Symmetry], exponent: float) -> None:
        problem = places.problem
        numbers = np.arange(problem.num_messages)
        first = np.ones(len(numbers), dtype=bool)
        for symmetry in group:
            first &= numbers < symmetry.messages
        self.places, self.group, self.messages = places, group, numbers[first]
        labels = problem.labels[self.messages].astype(np.int64)
        num_steps, num_inlets = sets.sender.shape
        size, num_places = len(self.messages), len(places.fabric.home)
        inlet = np.full((num_steps, size), -1, dtype=np.int32)
        self.ways = Ways(
            labels[:, 0].copy(),
            labels[:, 1].copy(),
            inlet,
            np.ones(size, dtype=np.bool_),
            np.zeros((num_steps, num_inlets), dtype=np.int64),
            np.ones((num_steps, num_inlets)),
            np.zeros(num_steps),
            np.arange(problem.num_messages + 3.0) ** exponent,
            exponent,
        )
        room = 2 * size + 64
        self.paper = Paper(
            np.zeros((num_steps + 1, num_places + 1)),
            np.zeros(num_inlets),
            np.full(num_steps, 1.0 / exponent),
            np.zeros(room, dtype=np.int64),
            np.zeros((room, num_steps), dtype=np.int32),
            np.zeros(room, dtype=np.bool_),
        )
        self.best = Best(
            sets.sender.copy(), sets.hops.copy(), sets.path.copy(), inlet.copy(), np.array([UNKNOWN], dtype=np.int64)
        )

    @property
    def tco(self) -> int:
        """Return the least sum of largest payloads so far."""
        return int(self.best.tco[0])

    def start(self, sets: Sets, rng: np.random.Generator) -> Iterator[None]:
        """Route every message, twice, so that the first ones know of the others; yields now and then."""
        some = 1 + int(STRETCH / sets.sender.size)
        for _ in range(2):
            order = rng.permutation(len(self.messages))
            for first in range(0, len(order), some):
                compiled(lead_all)(self.places.fabric, sets, self.ways, self.paper, order[first : first + some])
                yield

    def anneal(
        self, sets: Sets, scratch: Scratch, goal: int, heat: Floats, moves: int, rng: np.random.Generator
    ) -> int:
        """Make moves, fewer if the goal is met; return how many."""
        hot, cold, progress, pace, fine = heat.tolist()
        made: int = compiled(anneal_paths)(
            self.places.fabric, sets, scratch, self.ways, self.paper, self.best,
            goal, fine, hot, cold, progress, pace, moves, 4, 2, rng,
        )  # fmt: skip
        return made

    def schedule(self) -> Schedule:
        """Build the best schedule."""
        best, fabric = self.best, self.places.fabric
        steps, entries = np.nonzero(best.inlet >= 0)
        inlets, messages = best.inlet[steps, entries].astype(np.int64), self.messages[entries]
        all_inlets, all_messages = [inlets], [messages]
        for number, symmetry in enumerate(self.group):
            all_inlets.append(fabric.image_inlet[number, inlets])
            all_messages.append(symmetry.messages[messages])
        steps = np.tile(steps, 1 + len(self.group))
        return _schedule(self.places, best, steps, np.concatenate(all_inlets), np.concatenate(all_messages))


class Arborescences:
    """Broadcast messages on their trees through the steps."""

    def __init__(self, places: Places, sets: Sets, group: Sequence[Symmetry], exponent: float) -> None:
        problem = places.problem
        origins = problem.labels[:, 0].astype(np.int64)
        first = np.ones(len(origins), dtype=bool)
        for symmetry in group:
            first &= origins < symmetry.processors[origins]
        self.places, self.group, self.origins = places, group, origins[first]
        num_steps, num_inlets = sets.sender.shape
        size, num_places = len(self.origins), len(places.fabric.home)
        when = np.full((size, num_places), NEVER, dtype=np.int32)
        when[np.arange(size), self.origins] = -1
        inlet = np.full((size, num_places), -1, dtype=np.int32)
        is_target = np.zeros(num_places, dtype=np.bool_)
        is_target[list(problem.collective.receivers)] = True
        self.trees = Trees(
            when,
            inlet,
            is_target,
            np.zeros((num_steps, num_inlets), dtype=np.int64),
            np.zeros(num_steps),
            np.arange(problem.num_messages + 2.0) ** exponent,
            exponent,
        )
        self.desk = Desk(
            np.zeros(num_steps),
            np.zeros(num_places, dtype=np.int64),
            np.zeros(size, dtype=np.bool_),
            when.copy(),
            inlet.copy(),
        )
        self.best = BestTrees(
            sets.sender.copy(),
            sets.hops.copy(),
            sets.path.copy(),
            when.copy(),
            inlet.copy(),
            np.array([UNKNOWN], dtype=np.int64),
        )

    @property
    def tco(self) -> int:
        """Return the least sum of largest payloads so far."""
        return int(self.best.tco[0])

    def start(self, sets: Sets, rng: np.random.Generator) -> Iterator[None]:
        """Give every message a tree; yields now and then."""
        some = 1 + int(STRETCH / (10 * sets.sender.size))
        self.desk.is_kept[:] = True
        self.desk.old_step[:] = NEVER
        for first in range(0, len(self.origins), some):
            last = min(first + some, len(self.origins))
            compiled(grow_all)(self.places.fabric, sets, self.trees, self.desk, first, last, rng)
            yield

    def anneal(
        self, sets: Sets, scratch: Scratch, goal: int, heat: Floats, moves: int, rng: np.random.Generator
    ) -> int:
        """Make moves, fewer if the goal is met; return how many."""
        hot, cold, progress, pace, fine = heat.tolist()
        made: int = compiled(anneal_trees)(
            self.places.fabric, sets, scratch, self.trees, self.desk, self.best,
            goal, fine, hot, cold, progress, pace, moves, 4, rng,
        )  # fmt: skip
        return made

    def schedule(self) -> Schedule:
        """Build the best schedule, without relays that serve nobody."""
        best, fabric, problem = self.best, self.places.fabric, self.places.problem
        when = best.step.copy()
        for message in range(len(when)):
            serves = self.trees.is_target.copy()
            for place in np.argsort(-when[message], kind="stable").tolist():
                if 0 <= when[message, place] < NEVER:
                    if serves[place]:
                        serves[best.sender[when[message, place], best.inlet[message, place]]] = True
                    else:
                        when[message, place] = NEVER
        entries, places = np.nonzero((when >= 0) & (when < NEVER))
        steps = when[entries, places].astype(np.int64)
        inlets, origins = best.inlet[entries, places].astype(np.int64), self.origins[entries]
        all_inlets, all_origins = [inlets], [origins]
        for number, symmetry in enumerate(self.group):
            all_inlets.append(fabric.image_inlet[number, inlets])
            all_origins.append(symmetry.processors[origins])
        messages = problem.message_numbers(np.concatenate(all_origins))
        steps = np.tile(steps, 1 + len(self.group))
        return _schedule(self.places, best, steps, np.concatenate(all_inlets), messages)


def _schedule(places: Places, best: Best | BestTrees, steps: Longs, inlets: Longs, messages: Longs) -> Schedule:
    """Put messages that move into one inlet in one step into one transfer; leave out steps without any."""
    num_inlets = places.num_inlets
    order = np.lexsort((messages, inlets, steps))
    keys, counts = np.unique(steps * num_inlets + inlets, return_counts=True)
    step, inlet = np.divmod(keys, num_inlets)
    lengths = best.hops[step, inlet].astype(np.int64)
    within = np.arange(best.path.shape[2])[None, :] < lengths[:, None]
    used, number = np.unique(step, return_inverse=True)
    return Schedule.from_columns(
        len(used),
        number,
        places.locations[best.sender[step, inlet]],
        places.locations[places.fabric.place_of[inlet]],
        lengths,
        best.path[step, inlet][within],
        counts,
        messages[order],
    )
