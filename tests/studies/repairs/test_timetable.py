"""The timetable: what is entered holds its channels, and what is crossed out takes along what depends on it."""

from __future__ import annotations

from pavane.model.collectives import broadcast
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.studies.repairs.timetable import ORIGIN, Hop, Timetable, without_empty_steps

PATH = network("mesh:3")
PROBLEM = Problem(PATH, broadcast(PATH))
CHANNEL = {(tail, head): channel for channel, (tail, head) in enumerate(PATH.channels.tolist())}
FIRST, SECOND = Hop(0, 0, 1, (CHANNEL[0, 1],)), Hop(2, 1, 2, (CHANNEL[1, 2],))


def filled() -> Timetable:
    """Bring message 0 from 0 to 1, and later on to 2."""
    table = Timetable(PROBLEM, 3)
    for hop in (FIRST, SECOND):
        assert table.fits(0, hop)
        table.enter(0, hop)
    return table


def test_a_channel_is_taken_once() -> None:
    """In its step a hop leaves no room on its channel; in others it does."""
    table = filled()
    assert table.is_full(table.units(FIRST), 0)
    assert not table.is_full(table.units(FIRST), 1)
    assert table.came[0].keys() == {0, 1, 2}
    assert table.came[0][0] == ORIGIN
    assert table.ready(0, 1) == 1


def test_what_was_sent_on_is_lost_with_what_came() -> None:
    """Crossing out the first hop leaves nothing but the origin."""
    table = filled()
    number = table.came[0][1]
    assert table.dependents(0, 1) == 1
    assert sorted(table.cross_out(number)) == [(0, 1), (0, 2)]
    assert table.came[0].keys() == {0}
    assert not table.entries
    assert not any(table.taken.values())


def test_empty_steps_are_closed_up() -> None:
    """Step 1 holds nothing, so the schedule has two steps."""
    schedule = without_empty_steps(filled().transfers())
    assert [transfer.step for transfer in schedule] == [0, 1]
