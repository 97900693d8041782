"""Time reversal: slot tables that read the same backwards.

A packet that goes back along its path takes the same slots in the opposite order, if the delay between two uses is the
same everywhere. So where every channel has an opposite and every message one of the way back, a schedule in slots read
backwards is a schedule of the same problem, and one that is its own mirror image is found in half the search. Packets
are one slot long here, so that a packet meets its way back in few slots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem


@dataclass(frozen=True, eq=False)
class TimeReversal:
    """The message of the way back of each message."""

    messages: Longs

    @classmethod
    def of(cls, problem: Problem) -> TimeReversal | None:
        """Return the reversal of a problem; None where its schedules cannot be read backwards."""
        network, rules, back = problem.network, problem.rules, problem.network.opposite
        if (
            not rules.has_slots
            or rules.link_delay
            or rules.packet_slots > 1
            or problem.pattern != "private"
            or problem.restriction is not None
        ):
            return None
        capacity = network.capacity
        if (back < 0).any() or not np.array_equal(capacity[back], capacity):
            return None
        if not np.array_equal(problem.injection, problem.ejection):
            return None
        labels = problem.labels.copy()
        labels[:, :2] = problem.ends[:, ::-1]
        messages = problem.message_numbers(labels)
        return None if (messages < 0).any() else cls(messages)
