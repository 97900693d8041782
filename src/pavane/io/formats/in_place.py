"""Which sums of an allreduce may go straight to the output where the output is the input, as most callers have it.

A member reads its input when it sends it and when it adds the first arrival to it. What writes the output must come
after that. It does wherever the sum that arrives has been made of what was sent: then the data themselves keep the
order, as in any reduction that is followed by a broadcast. Elsewhere, as by recursive doubling, the sum waits in
scratch until the input is no longer needed.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from pavane.model.allreduce import is_added
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


class _Arrival(NamedTuple):
    number: int
    receiver: int
    known: int
    """The transfers of the piece, as bits, that are over when it arrives."""
    is_added: bool


def waiting_sums(problem: Problem, schedule: Schedule) -> set[tuple[int, int]]:
    """Return processors and pieces whose sum must not be written into the input before all is over."""
    by_piece: dict[int, list[tuple[int, int, bool]]] = defaultdict(list)
    added = is_added(problem, schedule).tolist()
    offsets = schedule.message_offsets.tolist()
    for i, step in enumerate(schedule.steps.tolist()):
        for at in range(offsets[i], offsets[i + 1]):
            by_piece[int(schedule.messages[at])].append((step, i, added[at]))
    waiting: set[tuple[int, int]] = set()
    for piece, carried in by_piece.items():
        waiting |= {(member, piece) for member in _OnePiece(problem, schedule).waiting(carried)}
    return waiting


class _OnePiece:
    """The running sums of one piece: which members have read their input, and what is known to be over."""

    def __init__(self, problem: Problem, schedule: Schedule) -> None:
        self.schedule = schedule
        self.members = set(problem.collective.senders)
        self.known: dict[int, int] = {}
        """By location the transfers, as bits, that its running sum is made of."""
        self.has_input = set(self.members)
        """Whose running sum is still the input."""
        self.is_kept = set(self.members)
        """Whose running sum stays as it is, because it has been sent or is the input."""
        self.reads: dict[int, int] = defaultdict(int)
        """By member the transfers that read its input."""
        self.writes: dict[int, int] = {}
        """By member what is known to be over when its present sum is first written, and the transfer that does it."""

    def waiting(self, carried: list[tuple[int, int, bool]]) -> list[int]:
        """Follow steps, transfers and whether each is added; return the members whose last sum must wait."""
        by_step: dict[int, list[tuple[int, bool]]] = defaultdict(list)
        for step, number, is_added_there in carried:
            by_step[step].append((number, is_added_there))
        bit_of = {number: 1 << bit for bit, (_, number, _) in enumerate(carried)}
        for now in by_step.values():
            arrivals: dict[int, list[_Arrival]] = defaultdict(list)
            for number, is_added_there in now:
                sender, receiver = int(self.schedule.senders[number]), int(self.schedule.receivers[number])
                known = self.known.get(sender, 0) | bit_of[number]
                arrivals[receiver].append(_Arrival(bit_of[number], receiver, known, is_added_there))
                if sender in self.has_input:
                    self.reads[sender] |= bit_of[number]
                self.is_kept.add(sender)
            for receiver, came in arrivals.items():
                self._arrive(receiver, came)
        return [member for member in self.members if self.reads[member] & ~self.writes.get(member, 0)]

    def _arrive(self, receiver: int, came: list[_Arrival]) -> None:
        """Let what arrives in one step make a new sum, or be added to the one that is there."""
        replaces = not all(arrival.is_added for arrival in came)
        before = 0 if replaces else self.known.get(receiver, 0)
        if replaces or receiver in self.is_kept:
            self.writes[receiver] = before | came[0].known
            if receiver in self.has_input and not replaces:
                self.reads[receiver] |= came[0].number
            self.has_input.discard(receiver)
            self.is_kept.discard(receiver)
        for arrival in came:
            before |= arrival.known
        self.known[receiver] = before
