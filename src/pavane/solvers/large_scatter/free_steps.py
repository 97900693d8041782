"""Steps filled along any shortest paths over what is idle (kernels/filling.py), for networks rich in shortest paths.

The plan says which channels have the most to carry, and so what they are worth; in a step a message takes another path.
Where loads are uneven, it counts for no more than its planned path: so the channels with the most to carry are left to
those who must take them.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs, Reals
from pavane.solvers.large_scatter.filling import BONUS, COLDEST, HOTTEST, Waiting, give_out, room_for_paths
from pavane.solvers.large_scatter.kernels.filling import Tuning, fill_step
from pavane.solvers.large_scatter.kernels.filling_planned import weigh_pairs
from pavane.solvers.large_scatter.scatter_arrays import Columns
from pavane.solvers.rerouting import Rerouting, spans

LOOKS_OF_A_MOVE = 110
"""A move takes about as long as this number of looks at channels."""

LOOKS_OF_AN_UNEVEN_MOVE = 1500
"""Where loads are uneven steps are never full, so that no move is saved, and plans take a third of the time."""


class FreeSteps:
    """Who waits, and one step after the other."""

    is_firm: ClassVar[bool] = False
    """Nothing is kept for the next steps."""

    def __init__(self, columns: Columns, moving: Rerouting, *, is_even: bool) -> None:
        self.columns, self.moving = columns, moving
        self.waiting, self.room = Waiting.of(columns), room_for_paths(columns)
        self.who: Longs = np.arange(columns.num_messages)
        """The messages that wait."""
        self.taken: Ints = np.zeros(columns.num_hops, dtype=np.int32)
        self.is_waiting = np.ones(columns.num_messages, dtype=bool)
        self.planned_worth = None if is_even else np.zeros(self.waiting.counts.shape, dtype=np.float32)

    def fill(self, unit_worth: Reals, _: int, looks: int, rng: np.random.Generator) -> Longs:
        """Fill a step; return its messages, whose planned paths no longer count in the loads."""
        columns = self.columns
        worth = unit_worth / unit_worth.max()
        if self.planned_worth is not None:
            compiled(weigh_pairs)(columns.fabric, self.moving.paths, self.who, worth, self.planned_worth)
        num_moves = looks // (LOOKS_OF_A_MOVE if self.planned_worth is None else LOOKS_OF_AN_UNEVEN_MOVE)
        tuning = Tuning(BONUS, HOTTEST, COLDEST, num_moves, worth, self.planned_worth)
        fill = compiled(fill_step, "" if self.planned_worth is None else "planned")
        num_paths = fill(columns.fabric, None, self.waiting.counts, self.room, tuning, rng)
        messages = give_out(columns, self.room, num_paths, self.waiting, self.taken)
        self.moving.leave(messages)
        self.is_waiting[messages] = False
        self.who = self.who[self.is_waiting[self.who]]
        return messages

    @property
    def num_waiting(self) -> int:
        """Return how many messages wait."""
        return len(self.who)

    @property
    def paths(self) -> Ints:
        """Return the paths that messages have taken or are to take."""
        found = self.taken.copy()
        entries = spans(self.columns.messages.path_offsets[self.who], self.columns.path_lengths[self.who])
        found[entries] = self.moving.paths.arcs[entries]
        return found
