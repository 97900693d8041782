"""Schedules side by side: each valid alone, in order, and together within every capacity."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.judge.side_by_side import joined_side_by_side, verify_side_by_side
from pavane.model.collectives import pairs
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

LINE = network("line:3")


def call(sender: int, receiver: int, rules: Rules = Rules()) -> tuple[Problem, Schedule]:  # noqa: B008
    """Return one message between neighbours or over the middle, and its schedule."""
    problem = Problem(LINE, pairs([(sender, receiver)]), rules)
    ends = [tuple(channel) for channel in LINE.channels.tolist()]
    way = 1 if receiver > sender else -1
    path = tuple(ends.index((here, here + way)) for here in range(sender, receiver, way))
    return problem, Schedule.from_transfers([Transfer(0, sender, receiver, path, (0,))])


def test_what_does_not_meet_may_share_a_step() -> None:
    """Messages over different channels are one step together."""
    (first, one), (second, two) = call(0, 1), call(1, 2)
    assert verify_side_by_side([first, second], [one, two], [[0], [0]]) == []
    assert joined_side_by_side([one, two], [[0], [0]]).num_steps == 1


def test_a_channel_carries_one() -> None:
    """Two messages over one channel in a step are a violation, in two steps they are none."""
    (first, one), (second, two) = call(0, 2), call(0, 1)
    assert [v.rule for v in verify_side_by_side([first, second], [one, two], [[0], [0]])] == [
        "channel-capacity",
        "port-capacity",
    ]
    assert verify_side_by_side([first, second], [one, two], [[0], [1]]) == []


def test_links_and_ports_are_shared() -> None:
    """Half duplex and ports hold for all groups together."""
    half = Rules(duplex="half")
    (first, one), (second, two) = call(0, 1, half), call(1, 0, half)
    assert [v.rule for v in verify_side_by_side([first, second], [one, two], [[0], [0]])] == ["half-duplex"]
    single = Rules(ports=1)
    (first, one), (second, two) = call(1, 0, single), call(1, 2, single)
    assert [v.rule for v in verify_side_by_side([first, second], [one, two], [[0], [0]])] == ["port-capacity"]


def test_each_is_judged_alone() -> None:
    """A schedule that is wrong by itself is wrong beside others."""
    (first, one), (second, _) = call(0, 1), call(1, 2)
    assert [v.rule for v in verify_side_by_side([first, second], [one, one], [[0], [1]])] != []


def test_order_network_and_rules_are_the_same() -> None:
    """Steps keep their order, and all are about one network and the same rules."""
    (first, one), (second, two) = call(0, 1), call(1, 2, Rules(ports=1))
    with pytest.raises(InputError, match="obey the same rules"):
        verify_side_by_side([first, second], [one, two], [[0], [0]])
    with pytest.raises(InputError, match="in their order"):
        verify_side_by_side([first], [one], [[0, 1]])
    with pytest.raises(InputError, match="each problem needs one schedule"):
        verify_side_by_side([first], [one], [])
