"""The judge: every rule on its own, against a second judge, on the papers' schedules, and at size."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from fuzzing.problems import drawn_slots
from fuzzing.spoiled import spoiled_case
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from papers.gecco07 import OCTAGON
from papers.gecco08 import SUBTREES, WORDS

from pavane.judge import distances
from pavane.judge.rules import RULES, Violation, verify
from pavane.model.collectives import allgather, alltoall, broadcast, pairs, reduce, reduce_scatter
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer, time_reversed
from pavane.networks import network
from tests.checker import Finding, arrival, in_short, judge
from tests.strategies import Case, cases, channel_graph, spoiled_cases, ways

# Channels are numbered in the order of these lists.
PAIR = Network("pair", 2, [(0, 1), (1, 0)])
LINE = Network("line", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])
TRIANGLE = Network("triangle", 3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)])
DOUBLE = Network("double", 2, [(0, 1), (0, 1), (1, 0), (1, 0)])
FAT_PAIR = Network("fat pair", 2, [(0, 1), (1, 0)], [0, 0, 1, 1])
ONE_OUT = Network("one out", 2, [(0, 1), (1, 0), (1, 0)], [0, 0, 0, 1])
ONE_IN = Network("one in", 2, [(0, 1), (0, 1), (1, 0)], [0, 0, 0, 1])
SWITCH = Network("switch", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 2])
TWO_WAYS = Network("two ways", 5, [(0, 2), (2, 1), (0, 3), (3, 4), (4, 1)], [0, 1])
CABLED = Network("cabled", 3, [(0, 2), (2, 1), (0, 1)], [0, 1])
BESIDE = Network("beside", 5, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)], [0, 1, 2])
LONELY = Network("lonely", 1, [], [0, 0])
FORK = Network("fork", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 1, 2, 2])
CROWD = Network("crowd", 1, [], [0, 0, 0])
WIDE = Network("wide", 2, [(0, 1), (1, 0)], [0, 0, 0, 1, 1, 1], capacities=[2, 2])
RING = Network("ring", 8, [(r, (r + 1) % 8) for r in range(8)] + [(r, (r - 1) % 8) for r in range(8)])

WORMHOLE, ANY = Rules(), Rules(routing="any")
RELAYING = Rules(switching="store-and-forward")
PASSING = Rules("store-and-forward", switches="pass")
COMBINING = Rules(combining=True)
RELAYS = [RELAYING, COMBINING, Rules(switching="store-and-forward", combining=True)]
"""The rules under which a private message may be relayed."""
HALF = Rules(duplex="half")
ONE_PORT, TWO_PORTS = Rules(ports=1), Rules(ports=2)

SLOTS, LINEAR = Rules("tdm"), Rules("tdm", wrap=False)
ONE_PORT_SLOTS = Rules("tdm", ports=1)
LONG = Rules("tdm", packet_slots=2)
LONG_LINEAR = Rules("tdm", packet_slots=2, wrap=False)

THERE, BOTH_WAYS = pairs([(0, 1)]), pairs([(0, 1), (1, 0)])
SENT = Transfer(0, 0, 1, (0,), (0,))
"""Message 0 goes from processor 0 to processor 1 along channel 0, in the first step."""

BROKEN = "its channels do not join into a path; each must start where the last ends"
NO_REST = "a message cannot rest at its ends: only at processors, and under store-and-forward at pure switches"
ASTRAY = "its path does not run from the sender's router to the receiver's"
WINDING = "its path meets a router twice; paths must be simple"
NOT_THERE = "is not held by the sender when the step begins"
NOTHING_THERE = "has no partial result at the sender to send on"
AGAIN = "comes to a place that has it or gets it anyway"
COPIED = "leaves the sender a second time; a private message is at one location at a time and has no copies"
KEPT = "is for the sender itself; a private message goes no further than its target"
SENT_TWICE = "is sent twice in one step, so its contributions count twice"
SENT_LATER = "leaves the sender a second time; backwards it would come there twice"
SENT_AWAY = "is for the sender itself; a partial result goes no further than its target"


class Spoiled(NamedTuple):
    """A schedule that breaks one rule once, and what the judge must say of it."""

    name: str
    problem: Problem
    transfers: list[Transfer]
    verdict: Violation
    num_steps: int | None = None

    @property
    def schedule(self) -> Schedule:
        """Return the transfers as a schedule."""
        return Schedule.from_transfers(self.transfers, self.num_steps)


def broken_paths() -> list[Spoiled]:
    """A path lists channels that exist and join."""
    cases = [
        (f"no channel {path[0]} on {network.name}", network, Transfer(0, 0, 1, path, (0,)))
        for network, path in ((PAIR, (2,)), (PAIR, (-1,)), (LONELY, (0,)))
    ]
    cases += [
        ("channels meet head to head", LINE, Transfer(0, 0, 1, (0, 3, 1), (0,))),
        ("channels do not meet", LINE, Transfer(0, 0, 1, (2, 0), (0,))),
        ("the last channel does not exist", LINE, Transfer(0, 0, 1, (0, 4), (0,))),
    ]
    return [
        Spoiled(
            name,
            Problem(network, THERE, ONE_PORT),
            [wrong],
            Violation("broken-path", f"step 1, transfer 0 to 1: {BROKEN}", 0, 0, wrong.path[0]),
        )
        for name, network, wrong in cases
    ]


def wrong_ends() -> list[Spoiled]:
    """A transfer runs from where a message rests to where another may rest."""
    through = Transfer(0, 0, 1, (0, 2), (0,))
    restless = [
        ("no such sender", PAIR, WORMHOLE, SENT, Transfer(1, 2, 1, (0,), (0,)), "2 to 1"),
        ("no such receiver", PAIR, WORMHOLE, SENT, Transfer(1, 0, 2, (0,), (0,)), "0 to 2"),
        ("no such switch", PAIR, RELAYING, SENT, Transfer(1, 0, ~2, (0,), (0,)), "0 to r2"),
        ("to a router with a processor", PAIR, RELAYING, SENT, Transfer(1, 0, ~1, (0,), (0,)), "0 to r1"),
        ("from a router with a processor", PAIR, RELAYING, SENT, Transfer(1, ~0, 1, (0,), (0,)), "r0 to 1"),
        ("to a switch under wormhole", SWITCH, WORMHOLE, through, Transfer(1, 0, ~1, (0,), (0,)), "0 to r1"),
        ("from a switch under wormhole", SWITCH, WORMHOLE, through, Transfer(1, ~1, 1, (2,), (0,)), "r1 to 1"),
    ]
    astray = [
        ("path starts elsewhere", LINE, pairs([(0, 2)]), Transfer(0, 0, 2, (2,), (0,)), 2),
        ("path ends elsewhere", LINE, pairs([(0, 2)]), Transfer(0, 0, 2, (0,), (0,)), 0),
        ("no path between two routers", LINE, pairs([(0, 2)]), Transfer(0, 0, 2, (), (0,)), None),
    ]
    return [
        *(
            Spoiled(
                name,
                Problem(network, THERE, rules),
                [right, wrong],
                Violation("wrong-ends", f"step 2, transfer {ends}: {NO_REST}", 1, 0, wrong.path[0]),
            )
            for name, network, rules, right, wrong, ends in restless
        ),
        *(
            Spoiled(
                name,
                Problem(network, collective),
                [wrong],
                Violation("wrong-ends", f"step 1, transfer 0 to 2: {ASTRAY}", 0, 0, channel),
            )
            for name, network, collective, wrong, channel in astray
        ),
        # Only a partial result can come back to itself and still be there once.
        Spoiled(
            "to itself",
            Problem(PAIR, reduce(PAIR)),
            [Transfer(0, 1, 1, (), (0,)), Transfer(1, 1, 0, (1,), (0,))],
            Violation("wrong-ends", "step 1, transfer 1 to 1: it goes to where it comes from", 0, 0),
        ),
        Spoiled(
            "a relay of a private message under wormhole",
            Problem(LINE, pairs([(0, 2)])),
            [Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 2, (2,), (0,))],
            Violation(
                "wrong-ends",
                "step 1, transfer 0 to 1: message 0-2 must go to its target in one transfer; wormhole has no relays",
                0,
                0,
            ),
        ),
        Spoiled(
            "a target that sends its private message on under wormhole",
            Problem(LINE, pairs([(0, 1)])),
            [Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 2, (2,), (0,))],
            Violation(
                "wrong-ends",
                "step 2, transfer 1 to 2: message 0-1 must go to its target in one transfer; wormhole has no relays",
                1,
                0,
            ),
        ),
    ]


def not_simple() -> list[Spoiled]:
    """A path meets a router once."""
    winding = Transfer(0, 1, 0, (2, 3, 1), (0,))
    return [
        Spoiled(
            f"{rules.routing} routing",
            Problem(LINE, pairs([(1, 0)]), rules),
            [winding],
            Violation("not-simple", f"step 1, transfer 1 to 0: {WINDING}", 0, 0, 2),
        )
        for rules in (WORMHOLE, ANY)
    ] + [
        Spoiled(
            "out and back between processors of one router",
            Problem(FAT_PAIR, THERE, ANY),
            [Transfer(0, 0, 1, (0, 1), (0,))],
            Violation("not-simple", f"step 1, transfer 0 to 1: {WINDING}", 0, 0, 0),
        )
    ]


def lengths() -> list[Spoiled]:
    """Store-and-forward covers one channel a step; minimal routing takes shortest paths."""
    hops = "it covers 2 channels; store-and-forward covers one in a step"
    longer = "its path has {} channels where {} are enough; minimal routing takes shortest paths"
    return [
        Spoiled(
            "two at once",
            Problem(LINE, pairs([(0, 2)]), RELAYING),
            [Transfer(0, 0, 2, (0, 2), (0,))],
            Violation("too-many-hops", f"step 1, transfer 0 to 2: {hops}", 0, 0, 0),
        ),
        Spoiled(
            "two switches for one",
            Problem(TWO_WAYS, THERE, PASSING),
            [Transfer(0, 0, 1, (2, 3, 4), (0,))],
            Violation("not-minimal", f"step 1, transfer 0 to 1: {longer.format(3, 2)}", 0, 0, 2),
        ),
        Spoiled(
            "over a switch to a neighbour",
            Problem(CABLED, THERE, PASSING),
            [Transfer(0, 0, 1, (0, 1), (0,))],
            Violation("not-minimal", f"step 1, transfer 0 to 1: {longer.format(2, 1)}", 0, 0, 0),
        ),
        Spoiled(
            "over switches to where a processor is nearer",
            Problem(BESIDE, pairs([(0, 2)]), PASSING),
            [Transfer(0, 0, 2, (2, 3, 4), (0,))],
            Violation("not-minimal", f"step 1, transfer 0 to 2: {longer.format(3, 2)}", 0, 0, 2),
        ),
        Spoiled(
            "two channels for one",
            Problem(TRIANGLE, pairs([(0, 2)])),
            [Transfer(0, 0, 2, (0, 1), (0,))],
            Violation("not-minimal", f"step 1, transfer 0 to 2: {longer.format(2, 1)}", 0, 0, 0),
        ),
        Spoiled(
            "the long way round",
            Problem(RING, pairs([(6, 1)])),
            [Transfer(0, 6, 1, (14, 13, 12, 11, 10), (0,))],
            Violation("not-minimal", f"step 1, transfer 6 to 1: {longer.format(5, 3)}", 0, 0, 14),
        ),
        Spoiled(
            "a relay off the shortest path, itself not shortest",
            Problem(TRIANGLE, broadcast(TRIANGLE)),
            [Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 2, (3, 5), (0,))],
            Violation("not-minimal", f"step 2, transfer 1 to 2: {longer.format(2, 1)}", 1, 0, 3),
        ),
    ]


def turns() -> list[Spoiled]:
    """Restricted routing takes shortest paths of the grid without faults, and keeps an order (noc section 2)."""
    grid, cut = network("mesh:2x2"), network("mesh:3x2").without(links=[(0, 1)])
    channel = {(tail, head): c for c, (tail, head) in enumerate(grid.channels.tolist())}
    around = tuple(
        next(c for c, ends in enumerate(cut.channels.tolist()) if ends == list(hop)) for hop in ((0, 2), (2, 3), (3, 1))
    )
    orders = [
        (
            "dimension-order",
            (0, 2, 3),
            "it turns back to an earlier dimension; dimension-order routing goes in x first, then in y and so on",
        ),
        ("west-first", (1, 3, 2), "it turns to the west; west-first routing goes west before all else"),
        ("north-last", (2, 0, 1), "it turns from the north; north-last routing goes north after all else"),
    ]
    return (
        [
            Spoiled(
                routing,
                Problem(grid, pairs([(met[0], met[-1])]), Rules(routing=routing)),  # type: ignore[arg-type]
                [Transfer(0, met[0], met[-1], tuple(channel[hop] for hop in pairwise(met)), (0,))],
                Violation("forbidden-turn", f"step 1, transfer {met[0]} to {met[-1]}: {text}", 0, 0, channel[met[:2]]),
            )
            for routing, met, text in orders
        ]
        + [
            Spoiled(
                "shortest in what the faults leave, but not in the grid",
                Problem(cut, broadcast(cut, 0, [1]), Rules(routing="west-first")),
                [Transfer(0, 0, 1, around, (0,))],
                Violation(
                    "not-minimal",
                    "step 1, transfer 0 to 1: its path has 3 channels, but the grid without faults has one of 1; "
                    "west-first routing takes only those",
                    0,
                    0,
                    around[0],
                ),
            )
        ]
    )


def payloads() -> list[Spoiled]:
    """A transfer carries one message of the collective; under combining, one or more."""
    to_both = Problem(LINE, pairs([(0, 1), (0, 2)]), RELAYING)
    unknown = "step 2, transfer 0 to 1: the collective has no message {}; they are numbered 0 to 0"
    nothing = "it carries no message; leave it out"
    several = "it carries 2 messages; without combining a transfer carries one"
    return [
        *(
            Spoiled(
                f"message {number} of one",
                Problem(PAIR, THERE),
                [SENT, Transfer(1, 0, 1, (0,), (number,))],
                Violation("unknown-message", unknown.format(number), 1, number),
            )
            for number in (1, -1)
        ),
        Spoiled(
            "an empty transfer",
            Problem(PAIR, THERE),
            [SENT, Transfer(1, 1, 0, (1,), ())],
            Violation("carries-nothing", f"step 2, transfer 1 to 0: {nothing}", 1, None, 1),
        ),
        Spoiled(
            "two together",
            to_both,
            [Transfer(0, 0, 1, (0,), (0, 1)), Transfer(1, 1, 2, (2,), (1,))],
            Violation("carries-several", f"step 1, transfer 0 to 1: {several}", 0, 0, 0),
        ),
    ]


def not_held() -> list[Spoiled]:
    """A sender holds what it sends when the step begins."""
    onward = [Transfer(0, 0, 1, (0,), (0,)), Transfer(0, 1, 2, (2,), (0,))]
    return [
        Spoiled(
            "a private message sent by a stranger",
            Problem(LINE, THERE),
            [Transfer(0, 2, 1, (3,), (0,))],
            Violation("not-held", f"step 1, transfer 2 to 1: message 0-1 {NOT_THERE}", 0, 0),
        ),
        Spoiled(
            "a copy sent on in the step in which it arrives",
            Problem(LINE, broadcast(LINE)),
            onward,
            Violation("not-held", f"step 1, transfer 1 to 2: message 0 {NOT_THERE}", 0, 0),
        ),
        Spoiled(
            "a relay before the arrival",
            Problem(LINE, pairs([(0, 2)]), RELAYING),
            [Transfer(0, 1, 2, (2,), (0,)), Transfer(1, 0, 1, (0,), (0,))],
            Violation("not-held", f"step 1, transfer 1 to 2: message 0-2 {NOT_THERE}", 0, 0),
        ),
        Spoiled(
            "a partial result of somebody who has none",
            Problem(LINE, reduce(LINE, 0, [1])),
            [Transfer(0, 1, 0, (1,), (0,)), Transfer(1, 2, 1, (3,), (0,))],
            Violation("not-held", f"step 2, transfer 2 to 1: message 0 {NOTHING_THERE}", 1, 0),
        ),
        Spoiled(
            "a partial result that was sent away before",
            Problem(PAIR, reduce(PAIR)),
            [Transfer(0, 1, 0, (1,), (0,)), Transfer(1, 1, 0, (1,), (0,))],
            Violation("not-held", f"step 2, transfer 1 to 0: message 0 {NOTHING_THERE}", 1, 0),
        ),
        Spoiled(
            "a partial result that arrives in the same step",
            Problem(LINE, reduce(LINE, 0, [2])),
            [Transfer(0, 2, 1, (3,), (0,)), Transfer(0, 1, 0, (1,), (0,)), Transfer(1, 1, 0, (1,), (0,))],
            Violation("not-held", f"step 1, transfer 1 to 0: message 0 {NOTHING_THERE}", 0, 0),
        ),
    ]


def port_text(processor: int, verb: str, used: int, ports: int) -> str:
    """Return what the judge says of a port in the first step."""
    has = "1 port" if ports == 1 else f"{ports} ports"
    return f"step 1: processor {processor} {verb} {used} transfers at once; it has {has}"


def loads() -> list[Spoiled]:
    """No channel, link or port carries more in a step than its capacity."""
    alone = pairs([(0, 2), (1, 3)])
    fan_out, fan_in = pairs([(1, 0), (1, 2)]), pairs([(0, 1), (2, 1)])
    local = pairs([(0, 1), (0, 2)])
    both_ways = "step 1: link 0>1 is used both ways under half duplex"
    return [
        Spoiled(
            "two transfers on one channel",
            Problem(FAT_PAIR, alone, ONE_PORT),
            [Transfer(0, 0, 2, (0,), (0,)), Transfer(0, 1, 3, (0,), (1,))],
            Violation("channel-capacity", "step 1: 2 transfers share channel 0>1; it carries one", 0, None, 0),
        ),
        Spoiled(
            "one port, two sendings",
            Problem(LINE, fan_out, ONE_PORT),
            [Transfer(0, 1, 0, (1,), (0,)), Transfer(0, 1, 2, (2,), (1,))],
            Violation("port-capacity", port_text(1, "sends", 2, 1), 0),
        ),
        Spoiled(
            "one port, two arrivals",
            Problem(LINE, fan_in, ONE_PORT),
            [Transfer(0, 0, 1, (0,), (0,)), Transfer(0, 2, 1, (3,), (1,))],
            Violation("port-capacity", port_text(1, "receives", 2, 1), 0),
        ),
        Spoiled(
            "two ports, three sendings within a router",
            Problem(
                Network("crowd", 1, [], [0, 0, 0, 0]),
                pairs([(0, 1), (0, 2), (0, 3)]),
                Rules("wormhole", TWO_PORTS.ports),
            ),
            [Transfer(0, 0, receiver, (), (receiver - 1,)) for receiver in (1, 2, 3)],
            Violation("port-capacity", port_text(0, "sends", 3, 2), 0),
        ),
        Spoiled(
            "all ports of a router with one channel out",
            Problem(ONE_OUT, local),
            [Transfer(0, 0, 1, (), (0,)), Transfer(0, 0, 2, (), (1,))],
            Violation("port-capacity", port_text(0, "sends", 2, 1), 0),
        ),
        Spoiled(
            "all ports of a router with one channel in",
            Problem(ONE_IN, pairs([(0, 2), (1, 2)])),
            [Transfer(0, 0, 2, (), (0,)), Transfer(0, 1, 2, (), (1,))],
            Violation("port-capacity", port_text(2, "receives", 2, 1), 0),
        ),
        Spoiled(
            "a link",
            Problem(PAIR, BOTH_WAYS, HALF),
            [SENT, Transfer(0, 1, 0, (1,), (1,))],
            Violation("half-duplex", both_ways, 0, None, 0),
        ),
        Spoiled(
            "the second of two parallel links",
            Problem(DOUBLE, BOTH_WAYS, HALF),
            [Transfer(0, 0, 1, (1,), (0,)), Transfer(0, 1, 0, (3,), (1,))],
            Violation("half-duplex", both_ways, 0, None, 1),
        ),
    ]


def deliveries() -> list[Spoiled]:
    """Every target gets every message, and no place gets one twice."""
    back = Transfer(1, 1, 0, (1,), (0,))
    return [
        Spoiled(
            "once more in a later step",
            Problem(PAIR, THERE),
            [SENT, SENT._replace(step=1)],
            Violation("delivered-twice", f"step 2, transfer 0 to 1: message 0-1 {AGAIN}", 1, 0),
        ),
        Spoiled(
            "twice in one step",
            Problem(DOUBLE, THERE),
            [SENT, SENT._replace(path=(1,))],
            Violation("delivered-twice", f"step 1, transfer 0 to 1: message 0-1 {AGAIN}", 0, 0),
        ),
        Spoiled(
            "twice in one transfer",
            Problem(PAIR, broadcast(PAIR), COMBINING),
            [SENT._replace(messages=(0, 0))],
            Violation("delivered-twice", f"step 1, transfer 0 to 1: message 0 {AGAIN}", 0, 0),
        ),
        Spoiled(
            "back to its origin",
            Problem(PAIR, broadcast(PAIR)),
            [SENT, back],
            Violation("delivered-twice", f"step 2, transfer 1 to 0: message 0 {AGAIN}", 1, 0),
        ),
        Spoiled(
            "to a relay that has it",
            Problem(LINE, broadcast(LINE, 0, [2]), RELAYING),
            [SENT, Transfer(1, 1, 2, (2,), (0,)), SENT._replace(step=2)],
            Violation("delivered-twice", f"step 3, transfer 0 to 1: message 0 {AGAIN}", 2, 0),
        ),
        Spoiled(
            "a partial result sent twice in one step",
            Problem(DOUBLE, reduce(DOUBLE)),
            [Transfer(0, 1, 0, (2,), (0,)), Transfer(0, 1, 0, (3,), (0,))],
            Violation("delivered-twice", f"step 1, transfer 1 to 0: message 0 {SENT_TWICE}", 0, 0),
        ),
        Spoiled(
            "a second partial result from one location",
            Problem(LINE, reduce(LINE)),
            [Transfer(0, 1, 0, (1,), (0,)), Transfer(1, 2, 1, (3,), (0,)), Transfer(2, 1, 0, (1,), (0,))],
            Violation("delivered-twice", f"step 3, transfer 1 to 0: message 0 {SENT_LATER}", 2, 0),
        ),
        Spoiled(
            "the target sends its contribution away and receives it back",
            Problem(PAIR, reduce(PAIR, 0, [0, 1])),
            [SENT, Transfer(1, 1, 0, (1,), (0,))],
            Violation("past-target", f"step 1, transfer 0 to 1: message 0 {SENT_AWAY}", 0, 0),
        ),
        Spoiled(
            "nothing at all",
            Problem(PAIR, THERE),
            [],
            Violation("never-delivered", "message 0-1 never reaches processor 1", None, 0),
        ),
        Spoiled(
            "one of two targets",
            Problem(LINE, broadcast(LINE)),
            [SENT],
            Violation("never-delivered", "message 0 never reaches processor 2", None, 0),
        ),
        Spoiled(
            "only as far as a relay",
            Problem(SWITCH, THERE, RELAYING),
            [Transfer(0, 0, ~1, (0,), (0,))],
            Violation("never-delivered", "message 0-1 never reaches processor 1", None, 0),
        ),
        Spoiled(
            "a contribution that was not sent",
            Problem(LINE, reduce(LINE)),
            [Transfer(0, 1, 0, (1,), (0,))],
            Violation("never-delivered", "1 contributions to processor 0 never reach it", None, 0),
        ),
        Spoiled(
            "a contribution that came too late to the relay",
            Problem(LINE, reduce(LINE)),
            [Transfer(0, 1, 0, (1,), (0,)), Transfer(0, 2, 1, (3,), (0,))],
            Violation("never-delivered", "1 contributions to processor 0 never reach it", None, 0),
        ),
        Spoiled(
            "one message of two reductions",
            Problem(PAIR, reduce_scatter(PAIR)),
            [Transfer(0, 1, 0, (1,), (0,))],
            Violation("never-delivered", "1 contributions to processor 1 never reach it", None, 1),
        ),
    ]


def private_messages() -> list[Spoiled]:
    """A private message is in one location at a time, and its target keeps it."""
    aside, across = Transfer(0, 1, 0, (1,), (0,)), Transfer(0, 1, 2, (2,), (0,))
    return [
        *(
            Spoiled(
                f"{name}, {rules.switching}{' with combining' if rules.combining else ''}",
                Problem(LINE, pairs([(1, 2)]), rules),
                [aside, across._replace(step=step)],
                Violation("copied", f"step {step + 1}, transfer 1 to 2: message 1-2 {COPIED}", step, 0),
            )
            for rules in RELAYS
            for name, step in (("a bystander gets a copy first", 1), ("a bystander gets a copy at once", 0))
        ),
        *(
            Spoiled(
                f"a target sends it on, {rules.switching}{' with combining' if rules.combining else ''}",
                Problem(LINE, THERE, rules),
                [SENT, across._replace(step=1)],
                Violation("past-target", f"step 2, transfer 1 to 2: message 0-1 {KEPT}", 1, 0),
            )
            for rules in RELAYS
        ),
    ]


def outside_the_period() -> list[Spoiled]:
    """A packet is not longer than a period that repeats, and ends within one that does not."""
    ends = "slot {}, transfer 0 to 1: it ends in slot {}; the schedule has {} and does not wrap"
    itself = "a packet of 2 slots does not fit into a period of 1; it would meet itself"
    far = Rules("tdm", router_delay=2, link_delay=3, wrap=False)
    return [
        *(
            Spoiled(
                name,
                Problem(net, THERE, rules),
                [Transfer(slot, 0, 1, path, (0,))],
                Violation("outside-period", ends.format(slot + 1, last, period), slot, 0, path[0] if path else None),
                period,
            )
            for name, net, rules, slot, path, last, period in (
                ("one channel", PAIR, LINEAR, 0, (0,), 3, 2),
                ("injected in a later slot", PAIR, LINEAR, 2, (0,), 5, 4),
                ("a packet of two slots", PAIR, LONG_LINEAR, 0, (0,), 4, 3),
                ("longer than a period that does not repeat", PAIR, LONG_LINEAR, 0, (0,), 4, 1),
                ("slow routers and links", PAIR, far, 0, (0,), 8, 7),
                ("within a router", LONELY, Rules("tdm", 1, wrap=False), 0, (), 2, 1),
                ("over a pure switch", SWITCH, LINEAR, 0, (0, 2), 4, 3),
            )
        ),
        Spoiled(
            "a packet that meets itself a period later",
            Problem(PAIR, THERE, LONG),
            [SENT],
            Violation("outside-period", itself),
            1,
        ),
    ]


def crowded_slots() -> list[Spoiled]:
    """No channel, link or port carries more in a slot than its capacity, whenever packets were injected."""
    meeting = Problem(FORK, pairs([(0, 2), (1, 3)]), SLOTS)
    long, near = Transfer(0, 0, 2, (0, 2), (0,)), Transfer(1, 1, 3, (2,), (1,))
    shared = "slot {}: {} transfers share channel {}; it carries {}"
    ports = "slot {}: processor {} {} 2 transfers at once; it has 1 port"
    both_ways = "slot {}: link {} is used both ways under half duplex"
    wide = Problem(WIDE, pairs([(0, 3), (1, 4), (2, 5)]), LONG)
    side = Transfer(1, 2, 1, (3,), (1,))
    return [
        Spoiled(
            "packets that meet on their way",
            meeting,
            [long, near],
            Violation("channel-capacity", shared.format(3, 2, "1>2", "one"), 2, None, 2),
            4,
        ),
        Spoiled(
            "packets that meet a period later",
            meeting,
            [long._replace(step=1), near._replace(step=0)],
            Violation("channel-capacity", shared.format(2, 2, "1>2", "one"), 1, None, 2),
            2,
        ),
        Spoiled(
            "the second slot of a packet",
            Problem(FORK, pairs([(0, 2), (1, 3)]), LONG),
            [long, near._replace(step=2)],
            Violation("channel-capacity", shared.format(4, 2, "1>2", "one"), 3, None, 2),
            7,
        ),
        Spoiled(
            "three packets on a channel of two, in one slot of two",
            wide,
            [Transfer(slot, p, p + 3, (0,), (p,)) for p, slot in ((0, 0), (1, 1), (2, 1))],
            Violation("channel-capacity", shared.format(3, 3, "0>1", 2), 2, None, 0),
            3,
        ),
        Spoiled(
            "arrivals at one ejection port",
            Problem(LINE, pairs([(0, 1), (2, 1)]), ONE_PORT_SLOTS),
            [Transfer(0, 0, 1, (0,), (0,)), Transfer(0, 2, 1, (3,), (1,))],
            Violation("port-capacity", ports.format(3, 1, "receives"), 2),
            3,
        ),
        Spoiled(
            "arrivals at one ejection port, a period apart",
            Problem(FORK, pairs([(0, 2), (3, 2)]), ONE_PORT_SLOTS),
            [Transfer(0, 0, 2, (0, 2), (0,)), Transfer(0, 3, 2, (), (1,))],
            Violation("port-capacity", ports.format(2, 2, "receives"), 1),
            2,
        ),
        Spoiled(
            "a long packet is still being injected",
            Problem(LINE, pairs([(1, 0), (1, 2)]), Rules("tdm", 1, packet_slots=2)),
            [Transfer(0, 1, 0, (1,), (0,)), Transfer(1, 1, 2, (2,), (1,))],
            Violation("port-capacity", ports.format(2, 1, "sends"), 1),
            5,
        ),
        Spoiled(
            "arrivals within a router that has no channel",
            Problem(CROWD, pairs([(0, 2), (1, 2)]), ONE_PORT_SLOTS),
            [Transfer(0, 0, 2, (), (0,)), Transfer(0, 1, 2, (), (1,))],
            Violation("port-capacity", ports.format(2, 2, "receives"), 1),
            2,
        ),
        Spoiled(
            "both ways on a link at once",
            Problem(PAIR, BOTH_WAYS, Rules("tdm", duplex="half")),
            [SENT, Transfer(0, 1, 0, (1,), (1,))],
            Violation("half-duplex", both_ways.format(2, "0>1"), 1, None, 0),
            2,
        ),
        Spoiled(
            "both ways on a link by packets of different slots",
            Problem(LINE, pairs([(0, 2), (2, 1)]), Rules("tdm", duplex="half")),
            [Transfer(0, 0, 2, (0, 2), (0,)), side],
            Violation("half-duplex", both_ways.format(3, "1>2"), 2, None, 2),
            4,
        ),
        Spoiled(
            "both ways on a link, a period apart",
            Problem(LINE, pairs([(0, 2), (2, 1)]), Rules("tdm", duplex="half")),
            [Transfer(1, 0, 2, (0, 2), (0,)), side._replace(step=0)],
            Violation("half-duplex", both_ways.format(2, "1>2"), 1, None, 2),
            2,
        ),
    ]


def messages_in_slots() -> list[Spoiled]:
    """What arrives can be sent on in the slot after its last; of two copies the one that arrives later is too many."""
    first = Transfer(0, 0, 1, (0,), (0,))
    early = "slot {}, transfer 1 to 2: message 0 is not held by the sender when the slot begins"
    slow = Rules("tdm", routing="any", router_delay=2, wrap=False)
    no_relays = "slot 1, transfer 0 to 1: message 0-2 must go to its target in one transfer; tdm has no relays"
    return [
        *(
            Spoiled(
                f"a relay sends one slot too early, {name}",
                Problem(LINE, broadcast(LINE), rules),
                [first, Transfer(slot, 1, 2, (2,), (0,))],
                Violation("not-held", early.format(slot + 1), slot, 0),
                20,
            )
            for name, rules, slot in (
                ("packets of one slot", LINEAR, 2),
                ("packets of two slots", LONG_LINEAR, 3),
                ("with delays", Rules("tdm", router_delay=3, link_delay=2, wrap=False), 8),
            )
        ),
        Spoiled(
            "a partial result sent one slot before it arrives",
            Problem(LINE, reduce(LINE, 0, [2]), LINEAR),
            [Transfer(0, 2, 1, (3,), (0,)), Transfer(2, 1, 0, (1,), (0,)), Transfer(3, 1, 0, (1,), (0,))],
            Violation("not-held", f"slot 3, transfer 1 to 0: message 0 {NOTHING_THERE}", 2, 0),
            6,
        ),
        Spoiled(
            "a contribution that comes to the relay one slot late",
            Problem(LINE, reduce(LINE), LINEAR),
            [Transfer(0, 2, 1, (3,), (0,)), Transfer(2, 1, 0, (1,), (0,))],
            Violation("never-delivered", "1 contributions to processor 0 never reach it", None, 0),
            5,
        ),
        Spoiled(
            "a copy that is injected first and arrives second",
            Problem(TRIANGLE, broadcast(TRIANGLE, 0, [2]), slow),
            [Transfer(0, 0, 2, (0, 1), (0,)), Transfer(1, 0, 2, (5,), (0,))],
            Violation("delivered-twice", f"slot 1, transfer 0 to 2: message 0 {AGAIN}", 0, 0),
            7,
        ),
        Spoiled(
            "a relay of a private message",
            Problem(LINE, pairs([(0, 2)]), SLOTS),
            [first, Transfer(3, 1, 2, (2,), (0,))],
            Violation("wrong-ends", no_relays, 0, 0),
            6,
        ),
        Spoiled(
            "a pure switch holds nothing",
            Problem(SWITCH, THERE, SLOTS),
            [Transfer(0, 0, 1, (0, 2), (0,)), Transfer(4, 0, ~1, (0,), (0,))],
            Violation("wrong-ends", f"slot 5, transfer 0 to r1: {NO_REST}", 4, 0, 0),
            7,
        ),
    ]


def empty_steps() -> list[Spoiled]:
    """Every step does something."""
    return [
        Spoiled(
            name,
            Problem(PAIR, THERE),
            [SENT._replace(step=at)],
            Violation("empty-step", f"step {empty + 1} has no transfer; leave it out", empty),
            2,
        )
        for name, at, empty in (("the first", 1, 0), ("the last", 0, 1))
    ]


SMALLEST = [
    *broken_paths(),
    *wrong_ends(),
    *not_simple(),
    *lengths(),
    *turns(),
    *payloads(),
    *not_held(),
    *loads(),
    *deliveries(),
    *private_messages(),
    *outside_the_period(),
    *crowded_slots(),
    *messages_in_slots(),
    *empty_steps(),
]


@pytest.mark.parametrize("case", SMALLEST, ids=lambda case: f"{case.verdict.rule}: {case.name}")
def test_the_smallest_schedule_that_breaks_a_rule_breaks_only_that(case: Spoiled) -> None:
    """A schedule that breaks one rule once has one violation: rule, step, message, channel and text."""
    assert verify(case.problem, case.schedule) == [case.verdict]
    assert judge(case.problem, case.schedule) == in_short([case.verdict])


def test_every_rule_has_a_smallest_schedule() -> None:
    """No rule of the judge goes untested; that of tables alone has tests of its own."""
    assert {case.verdict.rule for case in SMALLEST} == set(RULES) - {"not-symmetric"}
    assert len(set(RULES)) == len(RULES) == 20


ALLOWED = [
    (
        "minimal routing off: the long way round",
        Problem(TRIANGLE, pairs([(0, 2)]), ANY),
        [Transfer(0, 0, 2, (0, 1), (0,))],
    ),
    (
        "combining: two together",
        Problem(LINE, pairs([(0, 1), (0, 2)]), Rules(switching="store-and-forward", combining=True)),
        [Transfer(0, 0, 1, (0,), (0, 1)), Transfer(1, 1, 2, (2,), (1,))],
    ),
    (
        "combining under wormhole: a private message through a relay",
        Problem(LINE, pairs([(0, 2)]), COMBINING),
        [Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 2, (2,), (0,))],
    ),
    (
        "store-and-forward: a private message rests at a pure switch",
        Problem(SWITCH, THERE, RELAYING),
        [Transfer(0, 0, ~1, (0,), (0,)), Transfer(1, ~1, 1, (2,), (0,))],
    ),
    (
        "a pure switch has no ports to overload",
        Problem(SWITCH, BOTH_WAYS, Rules(switching="store-and-forward", ports=1)),
        [
            *(Transfer(0, p, ~1, (channel,), (p,)) for p, channel in ((0, 0), (1, 3))),
            *(Transfer(1, ~1, 1 - p, (channel,), (p,)) for p, channel in ((0, 2), (1, 1))),
        ],
    ),
    (
        "every processor of a router has its own ports",
        Problem(FAT_PAIR, pairs([(0, 1), (1, 0)]), ONE_PORT),
        [Transfer(0, 0, 1, (), (0,)), Transfer(0, 1, 0, (), (1,))],
    ),
    ("full duplex: both ways", Problem(PAIR, BOTH_WAYS), [SENT, Transfer(0, 1, 0, (1,), (1,))]),
    (
        "half duplex: two links, one each way",
        Problem(DOUBLE, BOTH_WAYS, HALF),
        [Transfer(0, 0, 1, (0,), (0,)), Transfer(0, 1, 0, (3,), (1,))],
    ),
    (
        "a broadcast relayed by one who is no member",
        Problem(LINE, broadcast(LINE, 0, [2])),
        [Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 2, (2,), (0,))],
    ),
]


ALLOWED_SLOTS = [
    ("a packet that wraps round a period of one slot", Problem(LINE, pairs([(0, 2)]), SLOTS), 1, [((0, 2), 0)]),
    ("a packet as long as the period", Problem(PAIR, THERE, LONG), 2, [((0,), 1)]),
    ("a packet that ends in the last slot", Problem(SWITCH, THERE, LONG_LINEAR), 5, [((0, 2), 0)]),
    ("slots in which nothing is injected", Problem(PAIR, THERE, LINEAR), 9, [((0,), 4)]),
    (
        "packets of one slot that pass a channel in turn",
        Problem(FORK, pairs([(0, 2), (1, 3)]), SLOTS),
        4,
        [((0, 2), 0), ((2,), 0)],
    ),
    (
        "a relay that sends in the slot after the arrival",
        Problem(LINE, broadcast(LINE), LINEAR),
        6,
        [((0,), 0), ((2,), 3)],
    ),
    ("two packets on a channel of two", Problem(WIDE, pairs([(0, 3), (1, 4)]), LONG), 2, [((0,), 0), ((0,), 1)]),
    (
        "both ways on a link, in turn",
        Problem(PAIR, BOTH_WAYS, Rules("tdm", duplex="half")),
        2,
        [((0,), 0), ((1,), 1)],
    ),
    (
        "within a router: the ports, one after the other",
        Problem(CROWD, pairs([(0, 1), (1, 0)]), ONE_PORT_SLOTS),
        1,
        [((), 0), ((), 0)],
    ),
]


@pytest.mark.parametrize(
    ("problem", "period", "packets"), [row[1:] for row in ALLOWED_SLOTS], ids=[row[0] for row in ALLOWED_SLOTS]
)
def test_what_slots_allow_is_no_violation(
    problem: Problem, period: int, packets: list[tuple[tuple[int, ...], int]]
) -> None:
    """Packets may follow each other at once, wrap round the period, and leave slots empty."""
    network = problem.network
    transfers = []
    for number, (path, slot) in enumerate(packets):
        if problem.pattern == "private":
            sender, receiver = problem.ends[number].tolist()
        else:
            sender, receiver = (network.tails[path[0]].item(), network.heads[path[-1]].item())
        transfers.append(Transfer(slot, sender, receiver, path, (number if problem.pattern == "private" else 0,)))
    schedule = Schedule.from_transfers(transfers, period)
    assert verify(problem, schedule) == []
    assert judge(problem, schedule) == set()


@pytest.mark.parametrize(("problem", "transfers"), [row[1:] for row in ALLOWED], ids=[row[0] for row in ALLOWED])
def test_what_the_model_allows_is_no_violation(problem: Problem, transfers: list[Transfer]) -> None:
    """What looks like a broken rule and is none passes both judges."""
    schedule = Schedule.from_transfers(transfers)
    assert verify(problem, schedule) == []
    assert judge(problem, schedule) == set()


def test_at_most_so_many_violations_of_each_rule_are_reported() -> None:
    """A hopeless schedule gets a short answer: at most `most` violations of each rule."""
    problem = Problem(RING, alltoall(RING))
    schedule = Schedule.from_transfers([], num_steps=9)
    assert len(verify(problem, schedule)) == 9 + 56
    some = [violation.rule for violation in verify(problem, schedule, most=2)]
    assert some == ["empty-step", "empty-step", "never-delivered", "never-delivered"]


def test_a_repeated_channel_of_one_path_loads_it_twice() -> None:
    """The load of a channel counts every use, also by one transfer that winds."""
    problem = Problem(PAIR, THERE, ANY)
    schedule = Schedule.from_transfers([Transfer(0, 0, 1, (0, 1, 0), (0,))])
    expected = {Finding("not-simple", 0), Finding("channel-capacity", 0, 0)}
    assert in_short(verify(problem, schedule)) == judge(problem, schedule) == expected


def test_two_judges_find_nothing_wrong_with_valid_schedules() -> None:
    """A valid schedule of any collective under any rules on any network has no violations."""
    met = set()

    @settings(max_examples=4 * settings().max_examples)
    @given(cases())
    def valid(case: Case) -> None:
        assert verify(*case) == []
        assert judge(*case) == set()
        met.add(case.problem.collective.kind)

    valid()
    assert len(met) == 11


def test_two_judges_agree_on_spoiled_schedules() -> None:
    """Two judges, written differently, find the same rules broken in the same steps by the same messages."""
    met: set[str] = set()

    @settings(max_examples=8 * settings().max_examples)
    @given(spoiled_cases())
    def agree(case: Case) -> None:
        findings = judge(*case)
        assert in_short(verify(*case, most=1_000_000)) == findings
        met.update(finding.rule for finding in findings)

    agree()
    assert met == set(RULES) - {"not-symmetric"}


@given(cases())
def test_a_schedule_read_backwards_is_valid_for_the_dual(case: Case) -> None:
    """Scatter and gather, broadcast and reduction are each other's time reversals on the reversed network."""
    problem, schedule = case
    mirror = dual(problem)
    turned = time_reversed(problem, schedule, mirror)
    assert verify(mirror, turned) == []
    assert judge(mirror, turned) == set()
    assert time_reversed(mirror, turned, problem) == schedule


def test_a_reduction_is_valid_exactly_if_it_is_a_valid_broadcast_backwards() -> None:
    """A reduction is valid if and only if, backwards, it is a valid broadcast in which every copy serves a target."""
    met: set[bool] = set()

    @settings(max_examples=4 * settings().max_examples)
    @given(spoiled_cases("reduction"))
    def agree(case: Case) -> None:
        problem, schedule = case
        # What ends after the period would, backwards, begin before it.
        violations = verify(problem, schedule)
        assume(not {violation.rule for violation in violations} & {"unknown-message", "outside-period"})
        mirror = dual(problem)
        turned = time_reversed(problem, schedule, mirror)
        serves = every_copy_serves(mirror, turned)
        assert (violations == []) == (verify(mirror, turned) == [] and serves)
        assert (judge(problem, schedule) == set()) == (judge(mirror, turned) == set() and serves)
        met.add(violations == [])

    agree()
    assert met == {False, True}


def every_copy_serves(problem: Problem, schedule: Schedule) -> bool:
    """Return whether every copy of a broadcast message goes to a target, or is sent on later."""
    targets = set(problem.collective.receivers)
    return all(
        transfer.receiver in targets
        or any(
            later.step > arrival(problem, transfer) and later.sender == transfer.receiver and message in later.messages
            for later in schedule
        )
        for transfer in schedule
        for message in transfer.messages
    )


PRIVATE = cases("private")
"""Private messages in schedules that are valid."""
RELAYED = cases("private", lambda problem: problem.rules.combining or problem.rules.switching == "store-and-forward")
"""Those under rules that let them be relayed."""


@given(PRIVATE, st.booleans(), st.randoms(use_true_random=False))
def test_whatever_the_judge_says_of_private_messages_it_says_of_them_read_backwards(
    case: Case, at_target: bool, random: Random
) -> None:
    """A schedule of private messages is valid if and only if it is valid backwards, with more copies or without."""
    problem, schedule = case
    mirror = dual(problem)
    more = with_a_copy(problem, list(schedule), random, at_target)
    for transfers in [list(schedule), *([] if more is None else [more])]:
        last = max(arrival(problem, transfer) for transfer in transfers)
        forwards = Schedule.from_transfers(transfers, schedule.num_steps if transfers is not more else last + 1)
        backwards = time_reversed(problem, forwards, mirror)
        assert (verify(problem, forwards) == []) == (verify(mirror, backwards) == [])
        assert (judge(problem, forwards) == set()) == (judge(mirror, backwards) == set())


@pytest.mark.parametrize(("at_target", "rule"), [(False, "copied"), (True, "past-target")])
def test_a_private_message_that_multiplies_is_refused(at_target: bool, rule: str) -> None:
    """A copy to a bystander, or from the target on, breaks one rule and no other, in any valid schedule."""
    told = []

    @given(RELAYED, st.randoms(use_true_random=False))
    def refused(case: Case, random: Random) -> None:
        more = with_a_copy(case.problem, list(case.schedule), random, at_target)
        assume(more is not None)
        assert more is not None
        spoiled = Schedule.from_transfers(more)
        assert {violation.rule for violation in verify(case.problem, spoiled)} == {rule}
        assert in_short(verify(case.problem, spoiled)) == judge(case.problem, spoiled)
        told.append(rule)

    refused()
    assert told


def with_a_copy(problem: Problem, transfers: list[Transfer], random: Random, at_target: bool) -> list[Transfer] | None:
    """Add a step in which a private message goes from a location that had it, or has it, to one that never had it.

    It is sent by its target, or else by another location; None where it cannot reach a location that is new to it.
    """
    graph, num_steps = channel_graph(problem.network), max(arrival(problem, t) for t in transfers) + 1
    choices = []
    for message, (origin, target) in enumerate(problem.ends.tolist()):
        met = {origin, *(t.receiver for t in transfers if message in t.messages)}
        for sender in [target] if at_target else sorted(met - {target}):
            for receiver in set(range(problem.network.num_processors)) - met:
                paths = ways(problem, graph, sender, receiver)
                choices += [Transfer(num_steps, sender, receiver, path, (message,)) for path in paths]
    return [*transfers, random.choice(choices)] if choices else None


# -- the papers' schedules


def octagon_problem() -> Problem:
    """Return AAS on the octagon: a ring of 8 with the chords i to i + 4."""
    joined = [(r, (r + 1) % 8) for r in range(8)] + [(r, r + 4) for r in range(4)]
    network = Network("octagon", 8, [channel for a, b in joined for channel in ((a, b), (b, a))])
    return Problem(network, alltoall(network))


def octagon_transfers(problem: Problem) -> list[Transfer]:
    """Read gecco07 Table 4: a line a step, a word a path."""
    channel = {(tail, head): c for c, (tail, head) in enumerate(problem.network.channels.tolist())}
    transfers = []
    for step, line in enumerate(OCTAGON):
        for word in line.split():
            routers = [int(digit) for digit in word]
            message = int(problem.message_numbers(np.array([[routers[0], routers[-1]]]))[0])
            path = tuple(channel[hop] for hop in pairwise(routers))
            transfers.append(Transfer(step, routers[0], routers[-1], path, (message,)))
    return transfers


def test_the_octagon_schedule_of_gecco07_is_valid_as_printed() -> None:
    """gecco07 Table 4 is a valid AAS in 4 steps, all-port wormhole with minimal routing; 88 of 96 channel uses."""
    problem = octagon_problem()
    schedule = Schedule.from_transfers(octagon_transfers(problem))
    assert verify(problem, schedule) == []
    assert judge(problem, schedule) == set()
    assert (len(schedule), schedule.num_steps, len(schedule.path_channels)) == (56, 4, 88)


def test_the_octagon_schedule_of_gecco07_fails_with_one_slip_of_the_pen() -> None:
    """A misprint would not pass: 73, which stands in the second step, collides with 073 in the first."""
    problem = octagon_problem()
    transfers = octagon_transfers(problem)
    moved = [t._replace(step=0) if t.step == 1 and (t.sender, t.receiver) == (7, 3) else t for t in transfers]
    (violation,) = verify(problem, Schedule.from_transfers(moved))
    assert violation.text == "step 1: 2 transfers share channel 7>3; it carries one"


def kautz_network() -> Network:
    """Return Kautz 12 with gecco08's numbering: xy has a channel to every yz."""
    channels = [(i, j) for i, a in enumerate(WORDS) for j, b in enumerate(WORDS) if a[1] == b[0]]
    return Network("Kautz12", WORDS, channels)


def kautz_transfers(network: Network) -> set[Transfer]:
    """Read gecco08 Table 4: 0-3-1 is a step along 0>3, then one along 3>1; x waits for a step."""
    channel = {(tail, head): c for c, (tail, head) in enumerate(network.channels.tolist())}
    transfers = set()
    for word in SUBTREES.split():
        origin, *stops = word.split("-")
        here = int(origin, 16)
        for step, stop in enumerate(stops):
            if stop != "x":
                there = int(stop, 16)
                transfers.add(Transfer(step, here, there, (channel[here, there],), (int(origin, 16),)))
                here = there
    return transfers


@pytest.mark.parametrize("rules", [WORMHOLE, RELAYING], ids=str)
def test_the_kautz_schedule_of_gecco08_is_valid_as_printed(rules: Rules) -> None:
    """gecco08 Table 4 is a valid AAB in 4 steps under both switchings; it uses 132 of 144 channels, not all."""
    network = kautz_network()
    problem = Problem(network, allgather(network), rules)
    schedule = Schedule.from_transfers(kautz_transfers(network))
    assert verify(problem, schedule) == []
    assert judge(problem, schedule) == set()
    assert (len(schedule), schedule.num_steps, len(schedule.path_channels)) == (132, 4, 132)
    mirror = dual(problem)
    assert verify(mirror, time_reversed(problem, schedule, mirror)) == []


# -- size

HYPERCUBE = """
import resource
import sys
from pathlib import Path
import numpy as np
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.judge.rules import verify

dims, size = 9, 1 << 9
network = Network("hypercube:9", size, [(r, r ^ (1 << d)) for r in range(size) for d in range(dims)])
problem = Problem(network, alltoall(network))
origins, targets = problem.labels.astype(np.int64).T
ways = origins ^ targets
bits = np.arange(dims)
crossed = (ways[:, None] >> bits) & 1 == 1
before = ways[:, None] & ((1 << bits) - 1)
channels = (((origins[:, None] ^ before) * dims) + bits)[crossed]
schedule = Schedule.from_columns(
    size // 2, np.minimum(ways, ways ^ (size - 1)), origins, targets,
    (crossed.sum(axis=1), channels), np.arange(len(origins)),
)
del origins, targets, ways, crossed, before, channels
violations = verify(problem, schedule)
status = Path("/proc/self/status")
if status.exists():
    # What `resource` says includes the process of the tests, of which this one was forked.
    peak = int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(len(schedule), schedule.num_steps, len(violations), peak)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the resource module is Unix's")
def test_many_transfers_verify_in_little_memory() -> None:
    """AAS on a hypercube of 512, whose 261,632 transfers take 256 steps, is judged within 0.4 GB."""
    done = subprocess.run([sys.executable, "-c", HYPERCUBE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    size, num_steps, num_violations, peak = (int(word) for word in done.stdout.split())
    assert (size, num_steps, num_violations) == (261_632, 256, 0)
    assert peak < 0.4e9


@given(spoiled_cases())
def test_a_schedule_that_is_read_in_parts_is_judged_alike(case: Case) -> None:
    """Large schedules are read some steps at a time, which changes no verdict and no violation."""
    whole = verify(case.problem, case.schedule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pavane.judge.case.MOST_HOPS_AT_ONCE", 2)
        parts = verify(case.problem, case.schedule)
    assert sorted(parts, key=repr) == sorted(whole, key=repr)


@pytest.mark.parametrize("number", range(40))
def test_slots_that_are_read_in_blocks_are_judged_alike(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of a large table of slots are followed some packets at a time, and loads are added up, with no change."""
    case = spoiled_case(7, number, drawn_slots(7, number))
    whole = verify(case.problem, case.schedule)
    monkeypatch.setattr("pavane.judge.case.MOST_HOPS_AT_ONCE", 2)
    assert sorted(verify(case.problem, case.schedule), key=repr) == sorted(whole, key=repr)


@given(spoiled_cases())
def test_copies_that_are_not_followed_break_no_rule(case: Case) -> None:
    """Copies are followed one by one only where a table leaves doubt, which changes no violation."""
    quick = verify(case.problem, case.schedule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pavane.judge.copy_rules.is_flawless", lambda _: False)
        assert verify(case.problem, case.schedule) == quick


def test_parts_report_no_more_violations_of_a_rule_than_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many parts break a rule, at most as many violations of it are listed as were requested."""
    monkeypatch.setattr("pavane.judge.case.MOST_HOPS_AT_ONCE", 1)
    line = network("line:2")
    lonely = [Transfer(step, 0, 1, (), (0,)) for step in range(5)]
    violations = verify(Problem(line, pairs([(0, 1)])), Schedule.from_transfers(lonely), most=2)
    assert [one.step for one in violations if one.rule == "wrong-ends"] == [0, 1]


def test_steps_out_of_order_are_judged_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that were put together by hand may have the transfers of one step far apart."""
    monkeypatch.setattr("pavane.judge.case.MOST_HOPS_AT_ONCE", 1)
    line = network("line:2")
    ahead, back = (np.array(column, dtype=np.int32) for column in ([0, 1, 0], [1, 0, 1]))
    schedule = Schedule(2, ahead, ahead, back, np.arange(4), ahead, np.arange(4), ahead)
    assert "channel-capacity" in [one.rule for one in verify(Problem(line, alltoall(line)), schedule)]


@pytest.mark.parametrize("spec", ["torus:5x7", "kautz:3,3", "ring:70", "mesh:9x8", "fat-tree:4", "star:65"])
def test_the_table_of_distances_is_that_of_single_searches(spec: str) -> None:
    """The judge measures all distances at once where many paths must be shortest."""
    found = network(spec)
    rows = [found.distances_from(router) for router in range(found.num_routers)]
    assert (np.stack(rows) == distances.table(found).T).all()


# -- switches that pass


@pytest.mark.parametrize(("net", "path"), [(TWO_WAYS, (2, 3, 4)), (CABLED, (0, 1))], ids=["switches", "neighbours"])
def test_under_any_routing_a_transfer_over_switches_may_be_longer(net: Network, path: tuple[int, ...]) -> None:
    """Minimal routing asks for shortest paths over switches that pass, and any routing does not."""
    anyhow = Problem(net, THERE, Rules("store-and-forward", switches="pass", routing="any"))
    schedule = Schedule.from_transfers([Transfer(0, 0, 1, path, (0,))])
    assert verify(anyhow, schedule) == []
    assert judge(anyhow, schedule) == set()


def test_a_transfer_passes_pure_switches_in_one_step() -> None:
    """Over switches to the next processor in one step, never through a router with processors, and none rests there."""
    chain = Network("chain", 4, [(0, 1), (1, 2), (2, 3)], [0, 2, 3])
    problem = Problem(chain, pairs([(0, 1), (0, 2)]), PASSING)
    over = Transfer(0, 0, 1, (0, 1), (0,))
    on = [Transfer(1, 0, 1, (0, 1), (1,)), Transfer(2, 1, 2, (2,), (1,))]
    assert verify(problem, Schedule.from_transfers([over, *on])) == []
    through = Schedule.from_transfers([over, Transfer(1, 0, 2, (0, 1, 2), (1,))])
    (fault,) = verify(problem, through)
    assert (fault.rule, fault.step) == ("too-many-hops", 1)
    assert "it runs through router 2, which has processors; in a step it passes pure switches only" in fault.text
    later = [transfer._replace(step=transfer.step + 1) for transfer in on]
    resting = Schedule.from_transfers([Transfer(0, 0, ~1, (0,), (0,)), Transfer(1, ~1, 1, (1,), (0,)), *later])
    assert {violation.rule for violation in verify(problem, resting)} == {"wrong-ends", "never-delivered"}
    held = Problem(chain, pairs([(0, 1), (0, 2)]), RELAYING)
    assert {violation.rule for violation in verify(held, Schedule.from_transfers([over, *on]))} == {"too-many-hops"}
