"""Steps filled along any shortest paths over what is idle (kernels/filling.py), for networks rich in shortest paths.

The plan says which channels have the most to carry, and so what they are worth; in a step a message takes another path.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pavane.kernels import compiled
from pavane.kernels.filling import Tuning, fill_step
from pavane.model.arrays import Ints, Longs, Reals
from pavane.solvers.packing.columns import Columns
from pavane.solvers.packing.filling import BONUS, COLDEST, HOTTEST, Waiting, give_out, room_for_paths
from pavane.solvers.rerouting import Rerouting, spans

LOOKS_OF_A_MOVE = 110
"""A move takes about as long as this number of looks at channels."""


class FreeSteps:
    """Who waits, and one step after the other."""

    is_firm: ClassVar[bool] = False
    """Nothing is kept for the next steps."""

    def __init__(self, columns: Columns, moving: Rerouting, _: int) -> None:
        self.columns, self.moving = columns, moving
        self.waiting, self.room = Waiting.of(columns), room_for_paths(columns)
        self.who: Longs = np.arange(columns.num_messages)
        """The messages that wait."""
        self.taken: Ints = np.zeros(columns.num_hops, dtype=np.int32)
        self.is_waiting = np.ones(columns.num_messages, dtype=bool)

    def fill(self, unit_worth: Reals, _: int, looks: int, rng: np.random.Generator) -> Longs:
        """Fill a step; return its messages, whose planned paths no longer count in the loads."""
        columns = self.columns
        worth = unit_worth / unit_worth.max()
        tuning = Tuning(BONUS, HOTTEST, COLDEST, looks // LOOKS_OF_A_MOVE, worth)
        num_paths = compiled(fill_step)(columns.fabric, self.waiting.counts, self.room, tuning, rng)
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
