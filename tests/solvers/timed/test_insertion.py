"""Sums inserted as trees to a root and from there, valid and at tight bounds, and gaps of ports with room for more."""

from dataclasses import replace

import numpy as np
import pytest

from pavane.bounds import lower_bounds
from pavane.judge.rules import verify
from pavane.judge.timed_case import finish_time
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Transfer
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers.timed.insertion import Insertion
from pavane.solvers.timed.kernels.event_greedy import HopArrays
from pavane.solvers.timed.kernels.insertion import Calendar, book, cancel, empty_calendar, first_gap, last_gap
from pavane.solvers.timed.retiming import SumTransfers, booked
from tests.timed_checker import is_valid

STORED = Rules(switching="store-and-forward")


def allreduce_on(spec: str, rules: Rules, pieces: int = 1) -> Problem:
    """Return an allreduce over links that differ."""
    net, rng = network(spec), np.random.default_rng(6)
    latencies = rng.integers(200_000, 2_000_000, net.num_channels)
    rates = rng.choice([12, 25, 50, 100], net.num_channels) * 10**9
    problem = Problem(net, named("allreduce", net, pieces=pieces), rules)
    return replace(problem, links=Links(latencies, np.zeros(net.num_channels, dtype=np.int64), rates), num_bytes=2**20)


@pytest.mark.parametrize(
    ("spec", "rules", "pieces"),
    [
        ("mesh:2x3", STORED, 2),
        ("ring:5", Rules(switching="store-and-forward", duplex="half"), 1),
        ("ring:5", Rules(switching="store-and-forward", ports=1), 1),
        ("rails:2,2", Rules(switching="store-and-forward", switches="pass"), 1),
        ("star:4", STORED, 1),
        ("kautz:2,2", STORED, 3),
    ],
)
def test_inserted_sums_are_valid(spec: str, rules: Rules, pieces: int) -> None:
    """Both judges accept them, also over switches where sums meet, and moves never end later."""
    problem, few = allreduce_on(spec, rules, pieces), Insertion(most_moves_of_sums=0)
    first = few.find(problem, 0, np.random.default_rng(0), Budget())
    assert first is not None
    better = Insertion(most_moves_of_sums=200).improve(problem, first, 0, np.random.default_rng(0), Budget())
    for schedule in (first, better):
        assert verify(problem, schedule) == []
        assert is_valid(problem, schedule)
    assert finish_time(problem, better) <= finish_time(problem, first)


def test_sums_overlap_their_broadcasts() -> None:
    """On an octagon the first sums are sent out while others come together, and the end is the bound."""
    problem = allreduce_on("octagon", STORED)
    lowest = max(bound.figure for bound in lower_bounds(problem))
    schedule = Insertion().find(problem, lowest, np.random.default_rng(0), Budget())
    assert schedule is not None
    assert finish_time(problem, schedule) == lowest


def test_sums_that_are_no_trees_stay_as_they_are() -> None:
    """Recursive doubling has no root: moves of trees leave it alone."""
    problem = allreduce_on("hypercube:2", STORED)
    ends = problem.network.channels.tolist()
    transfers = SumTransfers([], [], [], [], [])
    for message in range(4):
        for bit in (1, 2):
            for sender in range(4):
                receiver = sender ^ bit
                inputs = [] if bit == 1 else [8 * message + (sender ^ 1)]
                path = (ends.index([sender, receiver]),)
                transfers.add(Transfer(0, sender, receiver, path, (message,)), inputs)
    schedule = booked(problem, transfers)
    assert verify(problem, schedule) == []
    assert Insertion().improve(problem, schedule, 0, np.random.default_rng(0), Budget()) is schedule


def port(room: int) -> HopArrays:
    """Return a hop that holds one unit with room for several."""
    one, none = np.ones((1, 1), dtype=np.int64), np.zeros(1, dtype=np.int32)
    return HopArrays(none, none, one, one[0], np.array([0, 1]), none, np.array([room]))


def has_room(calendar: Calendar, room: int, start: int, hold: int) -> bool:
    """Return whether at no time from a start on the unit is full."""
    held = [(int(calendar.starts[0, at]), int(calendar.ends[0, at])) for at in range(int(calendar.counts[0]))]
    return all(sum(begin <= time < end for begin, end in held) < room for time in range(start, start + hold))


@pytest.mark.parametrize("seed", range(20))
def test_gaps_of_ports_are_those_that_every_time_shows(seed: int) -> None:
    """The first gap from a time on, and the last one up to a time, also after transfers have been taken out."""
    rng = np.random.default_rng(seed)
    room = int(rng.integers(1, 4))
    hops, calendar = port(room), empty_calendar(1, 40)
    booked: list[tuple[int, int, int]] = []
    for holder in range(30):
        ready, hold = int(rng.integers(0, 40)), int(rng.integers(1, 9))
        start = first_gap(hops, calendar, 0, ready, hold)
        assert start == next(time for time in range(ready, 400) if has_room(calendar, room, time, hold))
        last = last_gap(hops, calendar, 0, ready, hold)
        assert last == next(time for time in range(ready, -100, -1) if has_room(calendar, room, time, hold))
        book(hops, calendar, 0, start, hold, holder % 3)
        booked.append((start, hold, holder % 3))
        if rng.random() < 0.3:
            cancel(hops, calendar, 0, *booked.pop(int(rng.integers(len(booked)))))
    assert int(calendar.counts[0]) == len(booked)
