"""What every processor sends and receives, step by step, and how many bytes.

A message of one unit has m bytes, one of n units n * m. Cut into k pieces a unit, piece j is the bytes from j * m // k
up to (j + 1) * m // k: pieces differ by a byte at most, and together they are the message. Where bytes are added up as
integers, they are cut between integers in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.slots import ejection_steps


class Act(NamedTuple):
    """One end of a transfer: a send or a receive."""

    number: int
    """The number of the transfer in the schedule."""
    transfer: Transfer
    receives: bool
    step: int
    """The step in which it is done."""

    @property
    def peer(self) -> int:
        """Return the location at the other end."""
        return self.transfer.sender if self.receives else self.transfer.receiver


Program = dict[int, list[Act]]
"""What is done in each step in which anything is done, in the order of the schedule."""


def programs_of(
    problem: Problem,
    schedule: Schedule,
    steps: range | None = None,
    *,
    by_arrival: bool = False,
    receive_steps: Sequence[int] | None = None,
) -> dict[int, Program]:
    """Return the program of every processor, and of every pure switch at which messages rest.

    Processors come first, in order; then switches by the step of their first act, and by number. Under tdm a packet
    is received in the slot of its injection, so that the order of slots is one in which nothing waits for ever; with
    `by_arrival` in the slot in which it arrives. `receive_steps` lists the steps in which transfers are received.
    """
    ends = ejection_steps(problem, schedule)[:, 0] if by_arrival else schedule.starts
    arrivals = ends.tolist() if receive_steps is None else receive_steps
    programs: dict[int, Program] = {processor: {} for processor in range(problem.network.num_processors)}
    at_switches: dict[int, Program] = {}
    for number, transfer in enumerate(schedule):
        acts = ((transfer.sender, transfer.start, False), (transfer.receiver, arrivals[number], True))
        for location, step, receives in acts:
            if steps is not None and step not in steps:
                continue
            program = programs[location] if location >= 0 else at_switches.setdefault(location, {})
            program.setdefault(step, []).append(Act(number, transfer, receives, step))
    if by_arrival or receive_steps is not None:
        programs = {location: dict(sorted(program.items())) for location, program in programs.items()}
    in_order = sorted(at_switches, key=lambda location: (next(iter(at_switches[location])), ~location))
    return programs | {location: at_switches[location] for location in in_order}


def piece_numbers(problem: Problem) -> Longs:
    """Return the number of each piece in its message; 0 where messages are one piece."""
    if not problem.has_pieces:
        return np.zeros(problem.num_messages, dtype=np.int64)
    return problem.labels[:, -1].astype(np.int64)


def piece_bytes(problem: Problem, size: int, width: int = 1) -> Longs:
    """Return the bytes of each piece, of messages that have `size` bytes a unit and are cut between `width` bytes."""
    numbers, cut_into, length = piece_numbers(problem), problem.collective.pieces, size // width
    return ((numbers + 1) * length // cut_into - numbers * length // cut_into) * width


def transfer_bytes(problem: Problem, schedule: Schedule, size: int, width: int = 1) -> Longs:
    """Return the bytes that each transfer carries, of messages like those of `piece_bytes`."""
    carried = np.concatenate(([0], np.cumsum(piece_bytes(problem, size, width)[schedule.messages])))
    return np.diff(carried[schedule.message_offsets])
