"""Sends in epochs, laid on channels in steps."""

from __future__ import annotations

from pavane.io.formats.epochs import PlacedSend, Send, build_schedule, busiest_steps, place_in_time, problem_on, ways_of
from pavane.model.collectives import allgather
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules

STAR = Network("star", 4, [(a, 3) for a in range(3)] + [(3, a) for a in range(3)], [0, 1, 2])
PROBLEM = Problem(STAR, allgather(STAR), Rules("store-and-forward", switches="pass"))
WAYS = ways_of(PROBLEM)
ONES = STAR.capacity.tolist()


def steps(laid: list[PlacedSend] | None) -> list[tuple[int, int, int]] | None:
    """Return step, first piece and number of pieces of what was laid."""
    return None if laid is None else [(each.step, each.first, each.num_pieces) for each in laid]


def test_ways_run_over_switches() -> None:
    """Between GPUs at a switch there is one way of two channels; on one router there is nothing to go over."""
    expected = {(a, b): [(a, 3 + b)] for a in range(3) for b in range(3) if a != b}
    assert expected == WAYS
    fat = STAR.with_processors(2)
    assert ways_of(Problem(fat, allgather(fat), PROBLEM.rules))[0, 1] == [()]


def test_programs_send_wherever_switches_lead() -> None:
    """A program of others may send over switches, though a way over another GPU is shorter: routing is any there."""
    beside = Network("beside", 5, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2), (2, 0)], [0, 1, 2])
    problem = problem_on(beside, allgather(beside))
    assert problem.rules.routing == "any"
    assert ways_of(problem)[0, 2] == [(2, 3, 4)]
    assert problem_on(STAR, allgather(STAR)) == PROBLEM


def test_what_does_not_fit_goes_later() -> None:
    """Two sends from one processor take two steps; in an epoch of one step there is no room."""
    sends = [Send(0, 0, 1, (0,), 0, 1), Send(0, 0, 2, (5,), 0, 1)]
    assert busiest_steps(WAYS, ONES, sends) == 2
    assert steps(place_in_time(WAYS, ONES, sends, cut=1, per_epoch=2)) == [(0, 0, 1), (1, 0, 1)]
    assert place_in_time(WAYS, ONES, sends, cut=1, per_epoch=1) is None


def test_slow_ways_take_several_epochs() -> None:
    """Three pieces take three epochs, unless the receiver needs them before."""
    send = Send(1, 0, 1, (0,), 2, 1)
    assert steps(place_in_time(WAYS, ONES, [send], cut=3, per_epoch=1)) == [(1, 6, 1), (2, 7, 1), (3, 8, 1)]
    hasty = send._replace(needed=3)
    assert place_in_time(WAYS, ONES, [hasty], cut=3, per_epoch=1) is None
    assert place_in_time(WAYS, ONES, [hasty], cut=3, per_epoch=1, heeds_needs=False) is not None


def test_copies_by_a_switch_share_the_way_to_it() -> None:
    """As those who let switches copy count them; the judge does not."""
    sends = [Send(0, 0, 1, (0,), 0, 1), Send(0, 0, 2, (0,), 0, 1)]
    assert steps(place_in_time(WAYS, ONES, sends, cut=1, per_epoch=1)) == [(0, 0, 1), (0, 0, 1)]


def test_what_follows_goes_when_it_is_there() -> None:
    """A send without an epoch of its own waits for what it sends."""
    sends = [Send(0, 0, 1, (0,), 0, 3), Send(1, 1, 2, (0,), 0, 3, follows=True)]
    laid = place_in_time(WAYS, ONES, sends, cut=1, per_epoch=1)
    assert steps(laid) == [(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 0, 1), (4, 1, 1), (5, 2, 1)]


def test_empty_steps_are_left_out() -> None:
    """A schedule has the steps in which something goes; a second piece of a message of one is none."""
    sends = [Send(3, 0, 1, (0,), 0, 1), Send(9, 0, 2, (0,), 1, 1)]
    laid = place_in_time(WAYS, ONES, sends, cut=1, per_epoch=1)
    assert laid is not None
    found = build_schedule(PROBLEM, laid)
    assert (found.num_steps, found.messages.tolist()) == (2, [0, -1])
    assert found.transfer(0).path == (0, 4)
