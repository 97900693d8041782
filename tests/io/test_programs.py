"""Programs of processors, and the bytes of pieces."""

from __future__ import annotations

import pytest

from pavane.io.programs import piece_bytes, piece_numbers, programs_of, transfer_bytes
from pavane.model.collectives import in_pieces, named
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from tests.io.small import combined, over_a_switch


def test_both_ends_of_every_transfer_are_told() -> None:
    """Who sends has the act of sending, who receives that of receiving, under the number of the transfer."""
    problem, schedule = combined()
    programs = programs_of(problem, schedule)
    assert list(programs) == [0, 1, 2, 3]
    told = {
        processor: {step: [(act.number, act.receives, act.peer) for act in acts] for step, acts in program.items()}
        for processor, program in programs.items()
    }
    assert told == {
        0: {0: [(0, False, 1)]},
        1: {0: [(0, True, 0)], 1: [(2, False, 2)]},
        2: {0: [(1, True, 3)], 1: [(2, True, 1)]},
        3: {0: [(1, False, 2)]},
    }
    assert programs[1][1][0].transfer == schedule.transfer(2)


def test_switches_at_which_messages_rest_have_programs() -> None:
    """They come after the processors."""
    programs = programs_of(*over_a_switch())
    assert list(programs) == [0, 1, ~1]
    assert [act.peer for act in programs[~1][1]] == [0, 1]


def test_some_steps_alone() -> None:
    """Processors that have nothing to do then have an empty program."""
    programs = programs_of(*combined(), range(1, 2))
    assert {processor: list(program) for processor, program in programs.items()} == {0: [], 1: [1], 2: [1], 3: []}


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
