"""Certificates of timed bounds: each argument by the smallest problem that needs it, and what proves nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven
from pavane.model.bound import Bound
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.timed_optimum import earliest_end

STORED, ONE_PORT = Rules(switching="store-and-forward"), Rules(switching="store-and-forward", ports=1)
HOLD, LATENCY = 10, 3
"""Ten picoseconds for a piece, and three more until it is there."""


def timed_on(where: Network | str, kind: str, rules: Rules = STORED, pieces: int = 1, **members: Any) -> Problem:
    """Return a problem with equal links, ten bytes a piece."""
    net = network(where) if isinstance(where, str) else where
    links = Links.uniform(net, latency_ps=LATENCY, bytes_per_second=10**12)
    return Problem(net, named(kind, net, pieces=pieces, **members), rules, links=links, num_bytes=HOLD * pieces)


def proven_end(problem: Problem, argument: str, **certificate: Any) -> int:
    """Return the end that a certificate proves."""
    return proven(problem, Bound(0, argument, certificate, objective="finish"))


CASES = [
    ("line:3", "aab", STORED, "timed-cut", {"sources": [0, 1], "routers": [2], "targets": [2]}, 2 * 10 + 3),
    ("line:3", "aas", STORED, "timed-cut", {"sources": [0], "routers": [1, 2], "targets": [1, 2]}, 2 * 10 + 3),
    ("line:3", "aar", STORED, "timed-cut", {"sources": [0], "routers": [1, 2], "targets": [1, 2]}, 2 * 10 + 3),
    ("line:3", "allreduce", STORED, "timed-cut", {"sources": [0], "routers": [2], "targets": [2]}, 13 + 3 * 10 + 3),
    ("line:3", "allreduce", STORED, "timed-classes", {"classes": [[0], [1], [2]]}, 3 * 10 + 3),
    ("complete:4", "aab", ONE_PORT, "timed-ports", {"router": 0, "side": "receive"}, 33),
    ("complete:4", "aas", ONE_PORT, "timed-ports", {"router": 0, "side": "send"}, 33),
    ("line:4", "oab", STORED, "timed-tail", {"sources": [0], "routers": [1, 2, 3]}, 2 * 13),
    ("line:3", "aas", STORED, "timed-prices", {"prices": [[1, 0, 1, 2, 3]]}, 2 * 10 + 3),
]
"""The network, the collective, the rules, the argument, the certificate and the end that it proves."""


@pytest.mark.parametrize(("spec", "kind", "rules", "argument", "certificate", "finish"), CASES)
def test_each_argument_proves_what_it_says(
    spec: str, kind: str, rules: Rules, argument: str, certificate: dict[str, Any], finish: int
) -> None:
    """The end is that of the text of the argument, and no schedule ends before it."""
    problem = timed_on(spec, kind, rules)
    assert proven_end(problem, argument, **certificate) == finish


@pytest.mark.parametrize(
    ("argument", "certificate", "why"),
    [
        ("timed-cut", {"sources": [0], "routers": [0, 1], "targets": [1]}, "a source lies inside"),
        ("timed-cut", {"sources": [0], "routers": [1], "targets": [2]}, "a target lies outside"),
        ("timed-cut", {"sources": [0], "routers": [9], "targets": [2]}, "routers that do not exist"),
        ("timed-cut", {"sources": [], "routers": [2], "targets": [2]}, "names no processors"),
        ("timed-cut", {"sources": [0], "routers": [1, 2], "targets": [1, 2]}, "one target"),
        ("timed-cut", {"sources": [0], "routers": [2], "targets": [2], "bytes": 99}, "nothing has to be carried"),
        ("timed-cut", {"sources": [0.5], "routers": [2], "targets": [2]}, "not a whole number"),
        ("timed-cut", {"routers": [2], "targets": [2]}, "sources"),
        ("timed-ports", {"router": 0, "side": "receive"}, "no side of limited ports"),
        ("timed-tail", {"sources": [0], "routers": [0, 1]}, "a source lies inside"),
        ("timed-prices", {"prices": [[1, 0]]}, "timed prices bound end of private messages, not end of"),
        ("timed-classes", {"classes": [[0], [1, 2]]}, "timed classes bound end of an allreduce, not end of"),
        ("timed-guess", {}, "of no known kind"),
    ],
)
def test_what_proves_nothing_is_refused(argument: str, certificate: dict[str, Any], why: str) -> None:
    """A certificate that does not fit the problem is refused in one line that says why."""
    with pytest.raises(InputError, match=why):
        proven_end(timed_on("line:3", "aab"), argument, **certificate)


@pytest.mark.parametrize(
    ("classes", "why"),
    [
        ([[0], [1]], "in no class"),
        ([[0, 1], [1, 2]], "in no class"),
        ([[0, 1, 2]], "only one"),
        ([[0, 1, 2], []], "no member"),
    ],
)
def test_classes_hold_every_router_once(classes: list[list[int]], why: str) -> None:
    """Classes that overlap, leave a router out or have no member prove nothing."""
    with pytest.raises(InputError, match=why):
        proven_end(timed_on("line:3", "allreduce"), "timed-classes", classes=classes)


@pytest.mark.parametrize("prices", [[[-1, 0]], [[10**7, 0]], [[1, 99]], [[0, 0]], [[1.5, 0]]])
def test_prices_are_whole_numbers_of_channels(prices: list[list[float]]) -> None:
    """A price that is negative, too high, not whole or of no channel proves nothing."""
    with pytest.raises(InputError, match="cannot be read"):
        proven_end(timed_on("line:3", "aas"), "timed-prices", prices=prices)


def test_a_reduction_may_end_before_its_time_reversed_broadcast() -> None:
    """Processor 0 is far from a switch, and far from 1, which is near: pieces over 1 follow those that 0 has sent.

    Backwards the channel between the switch and the target would have to be free for the latency at the end.
    """
    fork = Network("fork", 4, [(0, 3), (1, 3), (3, 2), (0, 1)], router_of=[0, 1, 2])
    latencies, rates = np.array([10, 0, 0, 10]), np.array([1, 1, 1, 5]) * 10**12
    rules = Rules(switching="store-and-forward", switches="pass")
    problem = Problem(fork, Collective("AOR", (0,), (2,), (), 3), rules)
    problem = replace(problem, links=Links(latencies, np.zeros(4, dtype=np.int64), rates), num_bytes=15)
    assert max(bound.figure for bound in lower_bounds(problem)) == earliest_end(problem, 1000) == 20


def test_pieces_of_two_sizes_are_packed() -> None:
    """Of 25 bytes in 3 pieces the last one has 7: four large ones and two small ones fill a channel for 50."""
    net = network("line:2")
    problem = Problem(
        net, named("oab", net, pieces=3), STORED, links=Links.uniform(net, bytes_per_second=10**12), num_bytes=25
    )
    assert proven_end(problem, "timed-cut", sources=[0], routers=[1], targets=[1]) == 9 + 9 + 7
    assert proven_end(problem, "timed-cut", sources=[0], routers=[1], targets=[1], bytes=8) == 18


def test_a_hop_over_a_switch_takes_as_long_as_its_slowest_channel() -> None:
    """What leaves a switch fast has come over a slow channel, so that both are held as long."""
    star = Network("star", 3, [(0, 2), (2, 1)], router_of=[0, 1])
    rules = Rules(switching="store-and-forward", switches="pass")
    links = Links(np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64), np.array([10**11, 10**12]))
    problem = Problem(star, named("pairs", star, pairs=[(0, 1)], pieces=2), rules, links=links, num_bytes=2 * HOLD)
    assert proven_end(problem, "timed-cut", sources=[0], routers=[1], targets=[1]) == 2 * 100
    assert proven_end(problem, "timed-prices", prices=[[1, 1]]) == 2 * 100


def test_whole_transfers_fit_into_windows() -> None:
    """Of 4 pieces 3 go directly and one over processor 2: in 25 ps, what the prices need without gaps, they do not."""
    triangle = Network("triangle", 3, [(0, 1), (0, 2), (2, 1)], router_of=[0, 1, 2])
    links = Links.uniform(triangle, bytes_per_second=10**12)
    problem = Problem(triangle, named("pairs", triangle, pairs=[(0, 1)], pieces=4), STORED)
    problem = replace(problem, links=links, num_bytes=4 * HOLD)
    assert proven_end(problem, "timed-prices", prices=[[2, 0], [1, 1, 2]]) == earliest_end(problem, 1000) == 30
    uneven = replace(problem, links=links, num_bytes=4 * HOLD - 1)
    assert proven_end(uneven, "timed-prices", prices=[[2, 0], [1, 1, 2]]) == 24
