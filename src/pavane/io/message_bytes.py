"""Where the pieces of a message lie in its bytes.

A message of one unit has m bytes, one of n units n * m. Cut into k pieces a unit, piece j is the bytes from j * m // k
up to (j + 1) * m // k: pieces differ by a byte at most, and together they are the message. Where bytes are added up as
integers, they are cut between integers in the same way.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule


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
