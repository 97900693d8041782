"""The timetable of a repair: what is entered holds its channels, and what is lost takes along what depends on it."""

from __future__ import annotations

import numpy as np

from pavane.model.collectives import broadcast, named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import network
from pavane.search.repair.regrowing import ORIGIN, Hop, Old, Regrowing
from pavane.solvers.candidates import PathFinder

PATH = network("mesh:3")
PROBLEM = Problem(PATH, broadcast(PATH))
CHANNEL = {(tail, head): channel for channel, (tail, head) in enumerate(PATH.channels.tolist())}
FIRST, SECOND = Hop(0, 0, 1, (CHANNEL[0, 1],)), Hop(2, 1, 2, (CHANNEL[1, 2],))


def table_of(problem: Problem, num_steps: int, *old: Old) -> Regrowing:
    """Return a timetable with old transfers."""
    rng = np.random.default_rng(0)
    return Regrowing(problem, num_steps, old, PathFinder(problem, rng, 4, 0), rng)


def test_old_transfers_hold_their_channels() -> None:
    """In its step a hop leaves room on its channel only by ejection; a dead one is not entered."""
    table = table_of(PROBLEM, 3, (FIRST, (0,), True), (SECOND, (0,), True))
    assert table.victims(FIRST) == {0}
    assert table.victims(FIRST, frozenset({0})) is None
    assert table.victims(FIRST._replace(start=1)) == set()
    assert (table.came[0][0], table.ready(0, 1), table.outside) == (ORIGIN, 1, [])
    assert table_of(PROBLEM, 3, (FIRST, (0,), False), (SECOND, (0,), True)).outside == [(0, 1), (0, 2)]


def test_a_channel_is_taken_as_often_as_it_carries() -> None:
    """A channel of capacity two has room for a second piece in the same step, and for no third."""
    wide = Network("wide", 2, [(0, 1), (1, 0)], capacities=[2, 2])
    hop = Hop(0, 0, 1, (0,))
    table = table_of(Problem(wide, named("OAB", wide, root=0, pieces=3)), 2, *((hop, (n,), True) for n in range(3)))
    assert [len(messages) for messages in table.carried] == [1, 1]
    assert table.outside == [(2, 1)]
    assert table.victims(hop) == {0}


def test_what_was_sent_on_is_lost_with_what_came() -> None:
    """Losing the first hop leaves nothing but the origin."""
    table = table_of(PROBLEM, 3, (FIRST, (0,), True), (SECOND, (0,), True))
    assert table.lose(0, 1) == [(0, 1), (0, 2)]
    assert table.came[0].keys() == {0}
    assert not any(table.taken.values())


def test_what_is_cut_off_regrows_from_any_holder() -> None:
    """A broadcast whose hop is dead is sent again from the nearest holder, and all else stays."""
    ring = network("ring:4")
    channel = {(tail, head): number for number, (tail, head) in enumerate(ring.channels.tolist())}
    hops = [Hop(0, 0, 1, (channel[0, 1],)), Hop(0, 0, 3, (channel[0, 3],)), Hop(1, 1, 2, (channel[1, 2],))]
    table = table_of(Problem(ring, broadcast(ring)), 2, *((hop, (0,), hop != hops[2]) for hop in hops))
    rows = table.run(10, may_eject=False, is_over=lambda: False)
    assert rows is not None
    assert [Hop(*row[:4]) for row in rows][:2] == hops[:2]
    assert (rows[2].start, rows[2].receiver) == (1, 2)
