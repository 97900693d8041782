"""Kinds of channels as machines: what all channels of a kind carry while every router does the same.

An operation sends one message over every channel of a kind. Under half duplex opposite kinds draw on the same links and
are one machine. An operation of a kind that is its own opposite would use every link both ways; where a link has room
for one message, or an odd number of them, beats of two steps help: one end sends in the first, the other in the second.
A displacement has one operation a beat, so when the beat ends all its messages have made the same hops again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.problem import Problem


class Machines(NamedTuple):
    """The machines of an open shop."""

    machine_of: Longs
    """The machine of each kind of channel."""
    room: Longs
    """How many operations each machine makes in a beat."""
    most_at_once: int
    """How many operations all of them make in a beat: what the ports of a router allow."""
    is_parted: Flags
    """Whether the operations of each kind take both steps of a beat."""
    num_turns: int
    """The steps of a beat, one or two."""

    @classmethod
    def of(cls, problem: Problem, channels: Ints) -> Machines | None:
        """Return the machines of a problem; None where channels of one kind differ, or ports and parted links meet.

        `channels` has the channel of each kind at each router: channels[router, kind].
        """
        capacity = problem.network.capacity[channels]
        kinds = np.arange(channels.shape[1])
        back = np.full(channels.shape, -1)
        if problem.rules.duplex == "half":
            opposite = problem.network.opposite[channels]
            kind_of = np.empty(problem.network.num_channels, dtype=np.int64)
            kind_of[channels] = kinds
            back = np.where(opposite >= 0, kind_of[opposite], -1)
        if (capacity != capacity[0]).any() or (back != back[0]).any():
            return None
        is_own = back[0] == kinds
        num_turns = 2 if (is_own & (capacity[0] % 2 == 1)).any() else 1
        firsts, machine_of = np.unique(np.where(back[0] < 0, kinds, np.minimum(back[0], kinds)), return_inverse=True)
        room = (capacity[0] * num_turns // np.where(is_own, 2, 1))[firsts].astype(np.int64)
        most_at_once = int(room.sum())
        if problem.rules.ports != "all" and problem.rules.ports < capacity[0].sum():
            if num_turns > 1:
                return None
            most_at_once = min(most_at_once, problem.rules.ports)
        return cls(machine_of, room, most_at_once, is_own & (num_turns > 1), num_turns)

    def num_beats(self, ways: Longs) -> int:
        """Return how many beats an open shop takes whose jobs go these ways, a row of hops by kind for each."""
        longest = ways.sum(axis=1).max(initial=0)
        return int(max(self._needs(ways).max(), longest, -(-ways.sum() // self.most_at_once)))

    def busiest(self, ways: Longs) -> Flags:
        """Return which machines need the most beats."""
        needs = self._needs(ways)
        busiest: Flags = needs == needs.max()
        return busiest

    def _needs(self, ways: Longs) -> Longs:
        """Return how many beats each machine needs."""
        loads = np.bincount(self.machine_of, ways.sum(axis=0), len(self.room)).astype(np.int64)
        return -(-loads // self.room)
