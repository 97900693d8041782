"""Transfers of one message share channels where routers copy and add, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.judge.rules import verify
from pavane.model.bound import Bound
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

HUB = Network("hub", 4, [(0, r) for r in range(1, 4)] + [(r, 0) for r in range(1, 4)], [1, 2, 3])
"""Three processors on a pure switch, router 0: channels 0 to 2 lead to them, 3 to 5 away from them."""

SWITCHINGS = ("wormhole", "store-and-forward")


def path(sender: int, receiver: int) -> tuple[int, int]:
    """Return the way over the hub."""
    return (3 + sender, receiver)


def rules_broken(kind: str, transfers: list[Transfer], **rules: Any) -> set[str]:
    """Return the rules that a schedule on the hub breaks."""
    return {one.rule for one in verify(Problem(HUB, kind, Rules(**rules)), Schedule.from_transfers(transfers))}


ONE_TO_TWO = [Transfer(0, 0, receiver, path(0, receiver), (0,)) for receiver in (1, 2)]
TWO_TO_ONE = [Transfer(0, sender, 0, path(sender, 0), (0,)) for sender in (1, 2)]


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize(("kind", "transfers"), [("OAB", ONE_TO_TWO), ("AOR", TWO_TO_ONE)])
def test_a_switch_that_copies_joins_transfers(kind: str, transfers: list[Transfer], switching: str) -> None:
    """A copying switch passes a message to several receivers, or adds for one, over one channel and by one port."""
    assert rules_broken(kind, transfers, switching=switching, switches="copy", ports=1) == set()
    plain = "hold" if switching == "wormhole" else "pass"
    broken = rules_broken(kind, transfers, switching=switching, switches=plain, ports=1)
    assert broken == {"channel-capacity", "port-capacity"}


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_an_allreduce_takes_one_pass(switching: str) -> None:
    """Sums go up and the finished one comes down in one step, each channel used once for a part."""
    one_part_a_step = [
        Transfer(part, sender, receiver, path(sender, receiver), (part,))
        for part in range(3)
        for sender in range(3)
        for receiver in range(3)
        if sender != receiver
    ]
    assert rules_broken("ALLREDUCE", one_part_a_step, switching=switching, switches="copy", ports=1) == set()
    at_once = [transfer._replace(start=0) for transfer in one_part_a_step]
    assert "channel-capacity" in rules_broken("ALLREDUCE", at_once, switching=switching, switches="copy")


def test_what_is_not_all_with_all_is_no_stream() -> None:
    """Two senders that a switch adds reach the same receivers, or their sums are two streams."""
    cross = [Transfer(0, 0, 1, path(0, 1), (0,)), Transfer(0, 1, 2, path(1, 2), (0,))]
    line = Network("line", 6, [(1, 0), (2, 0), (0, 5), (5, 3), (5, 4)], [1, 2, 3, 4])
    crossed = [Transfer(0, 0, 2, (0, 2, 3), (0,)), Transfer(0, 1, 3, (1, 2, 4), (0,))]
    joined = [*crossed, Transfer(0, 0, 3, (0, 2, 4), (0,)), Transfer(0, 1, 2, (1, 2, 3), (0,))]
    assert "channel-capacity" not in rules_broken("ALLREDUCE", cross, switches="copy")
    both_ways = Network("both", 6, [way for a, b in line.channels.tolist() for way in ((a, b), (b, a))], line.router_of)
    problem = Problem(both_ways, "ALLREDUCE", Rules(switches="copy"))
    for transfers, is_one_stream in ((crossed, False), (joined, True)):
        doubled = [one._replace(path=tuple(2 * channel for channel in one.path)) for one in transfers]
        broken = {one.rule for one in verify(problem, Schedule.from_transfers(doubled))}
        assert ("channel-capacity" not in broken) == is_one_stream


def test_a_router_with_a_processor_copies_under_multicast_only() -> None:
    """A worm that branches at a router with a processor needs `multicast`; one injection serves all its channels."""
    ring = network("ring:4")
    channel = {tuple(ends): number for number, ends in enumerate(ring.channels.tolist())}
    transfers = [
        Transfer(0, 0, 1, (channel[0, 1],), (0,)),
        Transfer(0, 0, 2, (channel[0, 1], channel[1, 2]), (0,)),
        Transfer(0, 0, 3, (channel[0, 3],), (0,)),
    ]
    schedule = Schedule.from_transfers(transfers)
    assert verify(Problem(ring, "OAB", Rules(multicast=True, ports=1)), schedule) == []
    broken = {one.rule for one in verify(Problem(ring, "OAB", Rules(switches="copy", ports=1)), schedule)}
    assert broken == {"channel-capacity", "port-capacity"}


DIAMOND = Network(
    "diamond",
    8,
    [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 7), (7, 5), (7, 6), (5, 0), (6, 0)],
    [0, 5, 6],
)
"""From processor 0 two ways lead to channel 5, and on to processors 1 and 2."""

HALF_COPYING = Network("half", 4, [(0, 1), (1, 2), (2, 3), (3, 0)], [0, 1, 2])
"""A one-way ring: routers 0 to 2 have processors, and router 3 is a switch."""


NO_TREES: dict[str, tuple[Network, str, dict[tuple[int, int], tuple[int, ...]]]] = {
    "two_ways_from": (DIAMOND, "ALLREDUCE", {(0, 1): (0, 1, 3, 5, 6), (0, 2): (0, 2, 4, 5, 7)}),
    "two_ways_to": (DIAMOND.reversed(), "ALLREDUCE", {(1, 0): (6, 5, 3, 1, 0), (2, 0): (7, 5, 4, 2, 0)}),
    "not_all_with_all": (
        Network("two", 6, [(1, 0), (2, 0), (0, 5), (5, 3), (5, 4), (3, 1), (4, 2)], [1, 2, 3, 4]),
        "ALLREDUCE",
        {(0, 2): (0, 2, 3), (1, 3): (1, 2, 4)},
    ),
    "parts_uncopied": (HALF_COPYING, "OAB", {(0, 1): (0,), (0, 2): (0, 1)}),
    "meets_unadded": (HALF_COPYING.reversed(), "AOR", {(1, 0): (0,), (2, 0): (1, 0)}),
}
"""Of each rule of trees, transfers with their paths that break it and no other."""


def is_counted_one_by_one(rule: str) -> bool:
    """Return whether the judge counts the transfers that break a rule of trees one by one on channels they share."""
    where, kind, paths = NO_TREES[rule]
    transfers = [Transfer(0, *ends, path, (0,)) for ends, path in paths.items()]
    problem = Problem(where, kind, Rules(switches="copy", routing="any"))
    return "channel-capacity" in {one.rule for one in verify(problem, Schedule.from_transfers(transfers))}


@pytest.mark.parametrize("rule", NO_TREES)
def test_what_breaks_one_rule_of_trees_is_no_tree(rule: str) -> None:
    """Transfers that break a single rule of trees count one by one on the channels that they share."""
    assert is_counted_one_by_one(rule)


@pytest.mark.parametrize(
    ("argument", "certificate"),
    [("growth", {"origin": 0}), ("tail", {"blocks": [[1]]}), ("cut", {"blocks": [[1]]})],
)
def test_bounds_of_single_transfers_prove_nothing_of_trees(argument: str, certificate: dict[str, Any]) -> None:
    """Where routers copy the judge refuses certificates that count one receiver a transfer."""
    problem = Problem(HUB, "OAB", Rules(switches="copy"))
    with pytest.raises(InputError, match="counts single transfers, and routers copy and add here"):
        proven(problem, Bound(2, argument, certificate))


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"multicast": True, "switching": "store-and-forward"}, "multicast goes with wormhole"),
        ({"multicast": True, "switching": "tdm"}, "multicast goes with wormhole"),
        ({"multicast": True, "combining": True}, "multicast does not go with combining"),
        ({"switches": "copy", "combining": True}, "switches copy does not go with combining"),
        ({"switches": "copy", "switching": "tdm"}, "switches copy does not go with tdm"),
        ({"multicast": 1}, "multicast 1 is neither true nor false"),
    ],
)
def test_rules_that_do_not_go_together_are_refused(rules: dict[str, Any], text: str) -> None:
    """Copying has no meaning for packets in slots, combined payloads and routers that store messages."""
    with pytest.raises(InputError, match=text):
        Rules(**rules)
