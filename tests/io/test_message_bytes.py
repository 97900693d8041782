"""Bytes of pieces."""

from __future__ import annotations

import pytest

from pavane.io.message_bytes import piece_bytes, piece_numbers, transfer_bytes
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network


def problem(pieces: int, sizes: tuple[tuple[int, ...], ...] = ()) -> Problem:
    """Return an allgather of a triangle."""
    ring = network("ring:3")
    return Problem(ring, in_pieces(named("aab", ring), pieces, sizes))


@pytest.mark.parametrize("size", [1, 7, 100, 1024])
@pytest.mark.parametrize("pieces", [1, 2, 3, 6, 7])
def test_pieces_are_even_and_add_up(size: int, pieces: int) -> None:
    """The pieces of a message differ by a byte at most, and together they are its units."""
    told = piece_bytes(problem(pieces, ((0, 5), (1, 0))), size)
    assert len(told) == 6 * pieces
    assert (told[: 5 * pieces].sum(), told[5 * pieces :].sum()) == (5 * size, size)
    assert told.max() - told.min() <= 1


def test_a_transfer_has_the_bytes_of_what_it_carries() -> None:
    """Payloads of several pieces add up."""
    cut = problem(3)
    schedule = Schedule.from_transfers([Transfer(0, 0, 1, (0,), (0, 2)), Transfer(1, 0, 1, (0,), (1,))])
    assert piece_numbers(cut).tolist() == [0, 1, 2] * 3
    assert transfer_bytes(cut, schedule, 10).tolist() == [7, 3]
    assert piece_numbers(problem(1)).tolist() == [0, 0, 0]
