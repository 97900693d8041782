"""The timetable: what is entered holds its channels, and what is crossed out takes along what depends on it."""

from __future__ import annotations

from pavane.model.collectives import broadcast, named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.repair.timetable import ORIGIN, Hop, Timetable, without_empty_steps

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
    assert table.is_full(table.uses(FIRST))
    assert not table.is_full(table.uses(FIRST._replace(step=1)))
    assert table.came[0].keys() == {0, 1, 2}
    assert table.came[0][0] == ORIGIN
    assert table.ready(0, 1) == 1


def test_a_channel_is_taken_as_often_as_it_carries() -> None:
    """A channel of capacity two has room for a second piece in the same step, and for no third."""
    wide = Network("wide", 2, [(0, 1), (1, 0)], capacities=[2, 2])
    table = Timetable(Problem(wide, named("OAB", wide, root=0, pieces=3)), 2)
    hop = Hop(0, 0, 1, (0,))
    for piece in (0, 1):
        assert table.fits(piece, hop)
        table.enter(piece, hop)
    assert not table.fits(2, hop)
    assert len(table.full_units(hop)[0]) == 2
    assert table.fits(2, hop._replace(step=1))


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
    assert [transfer.start for transfer in schedule] == [0, 1]
