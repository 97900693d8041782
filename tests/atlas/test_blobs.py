"""Bytes of rows: what is packed comes back, and forged bytes are refused in one line, whatever they unpack to."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.atlas import blobs
from pavane.errors import InputError
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.search.synthesis import solve
from tests.problems import problem_of
from tests.strategies import Case, cases, problems_in_pieces

READERS: list[Callable[[object], Any]] = [blobs.read_schedule_columns, blobs.read_bound, blobs.read_problem_object]


@given(cases())
def test_schedules_come_back(case: Case) -> None:
    """A schedule is what it was."""
    assert blobs.read_schedule_columns(blobs.packed_schedule(case.schedule)) == case.schedule


@given(problems_in_pieces())
def test_problems_come_back(problem: Problem) -> None:
    """A problem is what it was, with its names."""
    assert blobs.read_problem_object(blobs.packed_problem(problem)).digest() == problem.digest()


def test_bounds_come_back() -> None:
    """A bound is what it was, its fraction included."""
    bound = Bound(4, "router", {"routers": [1, 2]}, Fraction(7, 2))
    back = blobs.read_bound(blobs.packed_bound(bound))
    assert back == bound
    assert back.exact == Fraction(7, 2)


def forged(*columns: Any) -> bytes:
    """Return what a forger packs as a schedule."""
    return zlib.compress(msgspec.msgpack.encode(columns))


FORGED: list[object] = [
    None,
    7,
    "text",
    b"",
    b"no packing",
    zlib.compress(b""),
    zlib.compress(b"\xc1"),
    zlib.compress(b"{}"),
    zlib.compress(b"[" * 100_000),
    zlib.compress(b"x" * 1000)[:-6],
    forged(2**62, [], [], [], [], [], [], []),
    forged(1, [1], [0], [1], [2**40], [0], [1], [0]),
    forged(1, [-1], [0], [1], [1], [0], [1], [0]),
    forged(1, [2**31 - 1], [0], [1], [1], [0], [1], [0]),
    forged(1, [1], [2**40], [1], [1], [0], [1], [0]),
    forged(2, [1], [0], [1], [1], [0], [1], [0]),
    forged(1, [1], [0], [1], [-1], [], [1], [0]),
    forged(1, [1], ["0"], [1], [1], [0], [1], [0]),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("blob", FORGED, ids=range(len(FORGED)))
def test_forged_bytes_are_refused(read: Callable[[object], Any], blob: object) -> None:
    """Whatever stands in a row, one line says that it cannot be read."""
    with pytest.raises(InputError) as refused:
        read(blob)
    assert "\n" not in str(refused.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    """No bytes crash a reader."""
    for read in READERS:
        with pytest.raises(InputError):
            read(zlib.compress(data))


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small blob that unpacks to much is refused when the limit is reached; a large one before it is unpacked."""
    monkeypatch.setattr(blobs, "MOST_PROBLEM_BYTES", 10_000)
    bomb = zlib.compress(b" " * 10_000_000)
    with pytest.raises(InputError, match="it unpacks to more than the 10,000 bytes"):
        blobs.read_bound(bomb)
    monkeypatch.setattr(blobs, "MOST_PACKED_BYTES", 100)
    with pytest.raises(InputError, match="are more than the 100 that are read"):
        blobs.read_bound(bomb)


def test_rows_are_small() -> None:
    """The schedule of 240 messages takes less than a kilobyte or two."""
    schedule = solve(problem_of("hypercube:4")).schedule
    assert schedule is not None
    assert len(blobs.packed_schedule(schedule)) < 2_000
