"""What every processor does, step by step."""

from __future__ import annotations

from pavane.io.programs import programs_of
from tests.execution.small import combined, over_a_switch


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
