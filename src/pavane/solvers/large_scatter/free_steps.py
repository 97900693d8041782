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
from pavane.solvers.large_scatter.free_filling import BONUS, COLDEST, HOTTEST, PendingPairs, assign_paths, empty_step
from pavane.solvers.large_scatter.kernels.planned_step_lns import weigh_pairs
from pavane.solvers.large_scatter.kernels.step_lns import FreeStepOptions, fill_free_step
from pavane.solvers.large_scatter.scatter_arrays import ScatterArrays
from pavane.solvers.rerouting import Rerouting, spans

LOOKS_OF_A_MOVE = 110
"""A move takes about as long as this number of looks at channels."""

LOOKS_OF_AN_UNEVEN_MOVE = 1500
"""Where loads are uneven steps are never full, so that no move is saved, and plans take a third of the time."""


class FreeSteps:
    """Who waits, and one step after the other."""

    is_firm: ClassVar[bool] = False
    """Nothing is kept for the next steps."""

    def __init__(self, arrays: ScatterArrays, rerouting: Rerouting, *, is_even: bool) -> None:
        self.arrays, self.rerouting = arrays, rerouting
        self.pending, self.room = PendingPairs.of(arrays), empty_step(arrays)
        self.pending_messages: Longs = np.arange(arrays.num_messages)
        """The messages that wait."""
        self.taken: Ints = np.zeros(arrays.num_hops, dtype=np.int32)
        self.is_pending = np.ones(arrays.num_messages, dtype=bool)
        self.planned_worth = None if is_even else np.zeros(self.pending.counts.shape, dtype=np.float32)

    def fill(self, unit_worth: Reals, _: int, probes: int, rng: np.random.Generator) -> Longs:
        """Fill a step; return its messages, whose planned paths no longer count in the loads."""
        arrays = self.arrays
        worth = unit_worth / unit_worth.max()
        if self.planned_worth is not None:
            compiled(weigh_pairs)(arrays.fabric, self.rerouting.paths, self.pending_messages, worth, self.planned_worth)
        num_moves = probes // (LOOKS_OF_A_MOVE if self.planned_worth is None else LOOKS_OF_AN_UNEVEN_MOVE)
        tuning = FreeStepOptions(BONUS, HOTTEST, COLDEST, num_moves, worth, self.planned_worth)
        fill = compiled(fill_free_step, "" if self.planned_worth is None else "planned")
        num_paths = fill(arrays.fabric, None, self.pending.counts, self.room, tuning, rng)
        messages = assign_paths(arrays, self.room, num_paths, self.pending, self.taken)
        self.rerouting.leave(messages)
        self.is_pending[messages] = False
        self.pending_messages = self.pending_messages[self.is_pending[self.pending_messages]]
        return messages

    @property
    def num_pending(self) -> int:
        """Return how many messages wait."""
        return len(self.pending_messages)

    @property
    def paths(self) -> Ints:
        """Return the paths that messages have taken or are to take."""
        found = self.taken.copy()
        entries = spans(
            self.arrays.messages.path_offsets[self.pending_messages], self.arrays.path_lengths[self.pending_messages]
        )
        found[entries] = self.rerouting.paths.arcs[entries]
        return found
