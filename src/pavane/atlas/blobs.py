"""What a row of an atlas holds as bytes: a schedule, a bound or a problem, packed; sizes are limited before unpacking.

Bytes come from files that are not trusted. What cannot be read is refused with InputError, in one line; what can be
read is judged where it is used.
"""

from __future__ import annotations

import zlib
from typing import Any

import msgspec
import numpy as np

from pavane.errors import InputError
from pavane.io.objects import BoundObject, ProblemObject, decode
from pavane.model.arrays import Ints
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule

MOST_PACKED_BYTES = 64 * 2**20
"""Larger blobs are refused: the schedule of 10 million transfers fits."""

MOST_UNPACKED_BYTES = 512 * 2**20

MOST_PROBLEM_BYTES = 64 * 2**20
"""What a problem or a bound may unpack to."""


class Columns(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A schedule as its columns."""

    num_steps: int
    sizes: list[int]
    """The number of transfers in each step."""
    senders: list[int]
    receivers: list[int]
    path_lengths: list[int]
    path_channels: list[int]
    message_counts: list[int]
    messages: list[int]


def packed_schedule(schedule: Schedule) -> bytes:
    """Return a schedule as bytes."""
    sizes = np.bincount(schedule.steps, minlength=schedule.num_steps)
    return _packed(
        msgspec.msgpack.encode(
            Columns(
                schedule.num_steps,
                sizes.tolist(),
                schedule.senders.tolist(),
                schedule.receivers.tolist(),
                schedule.path_lengths.tolist(),
                schedule.path_channels.tolist(),
                schedule.payloads.tolist(),
                schedule.messages.tolist(),
            )
        )
    )


def read_schedule_columns(blob: object) -> Schedule:
    """Return the schedule that was packed, not judged yet."""
    try:
        found = msgspec.msgpack.decode(_unpacked(blob, MOST_UNPACKED_BYTES), type=Columns)
        if found.num_steps != len(found.sizes):
            raise ValueError("its steps are not counted right")
        sizes, lengths, counts = (
            _counts(each, listed)
            for each, listed in (
                (found.sizes, found.senders),
                (found.path_lengths, found.path_channels),
                (found.message_counts, found.messages),
            )
        )
        return Schedule.from_columns(
            found.num_steps,
            np.repeat(np.arange(len(sizes)), sizes),
            _column(found.senders),
            _column(found.receivers),
            (lengths, _column(found.path_channels)),
            _column(found.messages),
            counts,
        )
    except (msgspec.MsgspecError, ValueError, OverflowError) as error:
        raise InputError(f"its schedule cannot be read: {error}") from None


def _column(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int32)


def _counts(values: list[int], listed: list[int]) -> Ints:
    """Return the lengths of consecutive groups, which together are all of the list."""
    counts = _column(values)
    if counts.min(initial=0) < 0 or counts.sum(dtype=np.int64) != len(listed):
        raise ValueError("its counts do not add up to what is listed")
    return counts


def packed_bound(bound: Bound) -> bytes:
    """Return a bound as bytes."""
    about: dict[str, Any] = {"steps": bound.steps, "argument": bound.argument, "certificate": bound.certificate}
    if bound.exact is not None:
        about["exact"] = str(bound.exact)
    return _packed(msgspec.json.encode(about))


def read_bound(blob: object) -> Bound:
    """Return the bound that was packed, not judged yet."""
    found = decode(memoryview(_unpacked(blob, MOST_PROBLEM_BYTES)), BoundObject, "its bound")
    return found.bound()


def packed_problem(problem: Problem) -> bytes:
    """Return a problem as bytes, with its names and its drawing positions."""
    return _packed(msgspec.json.encode(problem.to_dict()))


def read_problem_object(blob: object) -> Problem:
    """Return the problem that was packed."""
    return decode(memoryview(_unpacked(blob, MOST_PROBLEM_BYTES)), ProblemObject, "its problem").problem()


def _packed(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def _unpacked(blob: object, most: int) -> bytes:
    """Return what a blob holds, all of it or nothing, and never more than some bytes."""
    if not isinstance(blob, bytes):
        raise InputError(f"a {type(blob).__name__} stands where packed bytes were expected")
    if len(blob) > MOST_PACKED_BYTES:
        raise InputError(f"{len(blob):,} bytes are more than the {MOST_PACKED_BYTES:,} that are read")
    packing = zlib.decompressobj()
    try:
        data = packing.decompress(blob, most)
    except zlib.error as error:
        raise InputError(f"it cannot be unpacked: {error}") from None
    if packing.unconsumed_tail:
        raise InputError(f"it unpacks to more than the {most:,} bytes that are read")
    if not packing.eof:
        raise InputError("it was cut off")
    return data
