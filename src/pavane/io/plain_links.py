"""Large edge lists whose routers are numbers: lines like `0 1` and nothing else, read at once instead of one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pavane.model.arrays import Longs

LEAST_BYTES = 100_000
"""Smaller files are read line by line, in no time."""

LONGEST_LINE = 1 << 16
PIECE = 1 << 20
MOST_DIGITS = 18
ZERO, NINE, NEW_LINE = b"09\n"


class PlainLinks(NamedTuple):
    """The links of a file, in its order."""

    names: list[str]
    """The routers, ordered by their numbers."""
    ends: Longs
    """ends[link] are the indices of its two routers in `names`."""

    def channels(self, directed: bool) -> Longs:
        """Return the channels of the links: one each way, or from the first end to the second alone."""
        return self.ends if directed else np.stack((self.ends, self.ends[:, ::-1]), axis=1).reshape(-1, 2)


def _has_plain_lines(data: memoryview, start: int) -> bool:
    """Say whether a file has lines, and nothing but digits and blanks in them; a file of nonsense is not copied."""
    if b"\n" not in bytes(data[start : start + LONGEST_LINE]):
        return False
    pieces = (bytes(data[at : at + PIECE]) for at in range(start, len(data), PIECE))
    return not any(piece.translate(None, b"0123456789 \t\r\n") for piece in pieces)


def links_in(data: bytes | memoryview) -> PlainLinks | None:
    """Return the links of a file that is large and has no line but `0 1` after its first comments; else None."""
    if len(data) < LEAST_BYTES:
        return None
    data, start = memoryview(data), 0
    while bytes(data[start : start + 1]) == b"#":
        end = bytes(data[start : start + LONGEST_LINE]).find(b"\n")
        if end < 0:
            return None
        start += end + 1
    if not _has_plain_lines(data, start):
        return None
    text = bytes(data[start:])
    letters = np.frombuffer(b" " + text + b" ", dtype=np.uint8)
    is_digit = (letters >= ZERO) & (letters <= NINE)
    begins = np.flatnonzero(is_digit[1:] & ~is_digit[:-1]) + 1
    lengths = np.flatnonzero(~is_digit[1:] & is_digit[:-1]) + 1 - begins
    line_of = np.searchsorted(np.flatnonzero(letters == NEW_LINE), begins)
    if len(begins) % 2 or not len(begins) or (line_of[::2] != line_of[1::2]).any() or not np.diff(line_of[::2]).all():
        return None  # not two numbers in each line that has any
    if lengths.max() > MOST_DIGITS or ((letters[begins] == ZERO) & (lengths > 1)).any():
        return None  # names that are more than numbers
    numbers, ends = np.unique(np.fromstring(text, dtype=np.int64, sep=" "), return_inverse=True)
    return PlainLinks([str(number) for number in numbers.tolist()], ends.reshape(-1, 2))
