"""Which sums of an allreduce may go straight to the output where the output is the input, as most callers have it.

A member reads its input when it sends it and when it adds the first arrival to it. What writes the output must come
after that. It does wherever the sum that arrives has been made of what was sent: then the data themselves keep the
order, as in any reduction that is followed by a broadcast. Elsewhere, as by recursive doubling, the sum waits in
scratch until the input is no longer needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from pavane.model.allreduce import is_added
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


class _Arrival(NamedTuple):
    bit: int
    """The transfer, as the bit that stands for it."""
    known: int
    """The transfers of the piece, as bits, that are over when it arrives; trees have bits of their own."""
    is_added: bool


def waiting_sums(problem: Problem, schedule: Schedule, trees: Sequence[Sequence[int]] = ()) -> set[tuple[int, int]]:
    """Return processors and pieces whose sum must not be written into the input before all is over.

    Each of `trees` lists transfers of one piece that are one operation, which reads everything before it writes.
    """
    tree_of = {number: tree for tree, numbers in enumerate(trees) for number in numbers}
    owner = np.repeat(np.arange(len(schedule)), schedule.payloads).tolist()
    by_piece: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for number, piece, added in zip(
        owner, schedule.messages.tolist(), is_added(problem, schedule).tolist(), strict=True
    ):
        by_piece[piece].append((number, added))
    return {
        (member, piece)
        for piece, carried in by_piece.items()
        for member in _OnePiece(set(problem.collective.senders)).waiting(schedule, carried, tree_of)
    }


class _OnePiece:
    """The running sums of one piece: which members have read their input, and what is known to be over."""

    def __init__(self, members: set[int]) -> None:
        self.members = members
        self.known: dict[int, int] = {}
        """By location the transfers, as bits, that its running sum is made of."""
        self.has_input = set(members)
        """The members whose running sum is still the input."""
        self.is_fixed = set(members)
        """The locations whose running sum stays as it is, because it has been sent or is the input."""
        self.reads: dict[int, int] = defaultdict(int)
        """By member the transfers that read its input."""
        self.writes: dict[int, int] = {}
        """By member what is known to be over when its present sum is first written, and the transfer that does it."""

    def waiting(self, schedule: Schedule, carried: list[tuple[int, bool]], tree_of: dict[int, int]) -> list[int]:
        """Follow transfers, each with whether it is added; return the members whose last sum must wait."""
        numbered = [(1 << bit, number, added) for bit, (number, added) in enumerate(carried)]
        for _, now in groupby(numbered, key=lambda each: schedule.starts[each[1]]):
            arrivals: dict[int, list[_Arrival]] = defaultdict(list)
            known_of_tree: dict[int, int] = defaultdict(int)
            listed = list(now)
            for _, number, _ in listed:
                if number in tree_of:
                    known_of_tree[tree_of[number]] |= self.known.get(int(schedule.senders[number]), 0)
            for bit, number, added in listed:
                sender, receiver = int(schedule.senders[number]), int(schedule.receivers[number])
                over, known = bit, self.known.get(sender, 0)
                if number in tree_of:
                    # All of a tree's senders have been read when it arrives; what a receiver adds it to, only there.
                    over, known = 1 << (len(carried) + tree_of[number]), known_of_tree[tree_of[number]]
                arrivals[receiver].append(_Arrival(bit, known | over | bit, added))
                if sender in self.has_input:
                    self.reads[sender] |= over
                self.is_fixed.add(sender)
            for receiver, came in arrivals.items():
                self._arrive(receiver, came)
        return [member for member in self.members if self.reads[member] & ~self.writes.get(member, 0)]

    def _arrive(self, receiver: int, came: list[_Arrival]) -> None:
        """Let what arrives in one step make a new sum, or be added to the one that is there."""
        replaces = not all(arrival.is_added for arrival in came)
        before = 0 if replaces else self.known.get(receiver, 0)
        if replaces or receiver in self.is_fixed:
            self.writes[receiver] = before | came[0].known
            if receiver in self.has_input and not replaces:
                self.reads[receiver] |= came[0].bit
            self.has_input.discard(receiver)
            self.is_fixed.discard(receiver)
        for arrival in came:
            before |= arrival.known
        self.known[receiver] = before
