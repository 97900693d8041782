"""The judge: every rule on its own, against a second judge, and at size."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from fuzzing.problems import drawn_slots
from fuzzing.spoiled import spoiled_case
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pavane.judge import distances
from pavane.judge.rules import RULES, Rule, Violation, verify
from pavane.model.collectives import alltoall, broadcast, pairs, reduce
from pavane.model.duals import dual
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules
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
ANYHOW = Rules("store-and-forward", switches="pass", routing="any")
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
BOTH = "link {} is used both ways under half duplex"


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


class Wrong(NamedTuple):
    """A schedule in which one transfer, by its place in the list, breaks a rule."""

    name: str
    problem: Problem
    transfers: list[Transfer]
    at: int = 0
    num_steps: int | None = None

    def spoiled(self, rule: Rule, text: str, on_path: bool) -> Spoiled:
        """Return the schedule with a verdict that begins with the transfer; on a path it names the first channel."""
        wrong = self.transfers[self.at]
        word = "slot" if self.problem.rules.has_slots else "step"
        sender, receiver = (f"r{~end}" if end < 0 else end for end in wrong[1:3])
        said = f"{word} {wrong.start + 1}, transfer {sender} to {receiver}: {text}"
        message = wrong.messages[0] if wrong.messages else None
        if message in range(self.problem.num_messages):
            said = said.replace("MESSAGE", "message " + "-".join(map(str, self.problem.labels[message].tolist())))
        channel = wrong.path[0] if on_path and wrong.path else None
        verdict = Violation(rule, said, wrong.start, message, channel)
        return Spoiled(self.name, self.problem, self.transfers, verdict, self.num_steps)


class Crowd(NamedTuple):
    """A schedule in which too much happens at once, and what the judge says of that step, or slot."""

    name: str
    problem: Problem
    transfers: list[Transfer]
    text: str
    step: int = 0
    channel: int | None = None
    num_steps: int | None = None

    def spoiled(self, rule: Rule) -> Spoiled:
        """Return the schedule with its verdict."""
        word = "slot" if self.problem.rules.has_slots else "step"
        verdict = Violation(rule, f"{word} {self.step + 1}: {self.text}", self.step, None, self.channel)
        return Spoiled(self.name, self.problem, self.transfers, verdict, self.num_steps)


GRID, CUT = network("mesh:2x2"), network("mesh:3x2").without(links=[(0, 1)])


def along(made: Network, *met: int) -> Transfer:
    """Return the transfer of message 0 that meets these routers, in the first step."""
    channel = {(tail, head): c for c, (tail, head) in enumerate(made.channels.tolist())}
    return Transfer(0, met[0], met[-1], tuple(channel[hop] for hop in pairwise(met)), (0,))


def ordered(routing: Routing, *met: int) -> tuple[str, Problem, list[Transfer]]:
    """Return a message on a square under restricted routing that meets these routers."""
    return routing, Problem(GRID, pairs([(met[0], met[-1])]), Rules(routing=routing)), [along(GRID, *met)]


TO_1, TO_2 = Problem(PAIR, THERE), Problem(LINE, pairs([(0, 2)]))
STORED = Problem(PAIR, THERE, RELAYING)
ON_LINE = Problem(LINE, THERE, ONE_PORT)
SPREAD, SUM = Problem(LINE, broadcast(LINE)), Problem(LINE, reduce(LINE))
ON, BACK, HOME = Transfer(0, 1, 2, (2,), (0,)), Transfer(0, 1, 0, (1,), (0,)), Transfer(0, 2, 1, (3,), (0,))
"""Message 0 goes from 1 to 2, from 1 to 0, and from 2 to 1, over one channel of a line."""
OVER = Transfer(0, 0, 1, (0, 2), (0,))
"""Message 0 goes over the switch of a line."""


def later(transfer: Transfer, step: int, **others: Any) -> Transfer:
    """Return a transfer in another step."""
    return transfer._replace(start=step, **others)


LONGER = "its path has {} channels where {} are enough; minimal routing takes shortest paths"
ONE_TRANSFER = "MESSAGE must go to its target in one transfer; {} has no relays"

OF_PATHS: list[tuple[Rule, str, list[Wrong]]] = [
    (
        "broken-path",
        BROKEN,
        [
            Wrong("no channel -1 on a pair", Problem(PAIR, THERE, ONE_PORT), [SENT._replace(path=(-1,))]),
            Wrong("no channel within a router", Problem(LONELY, THERE, ONE_PORT), [SENT]),
            Wrong("channels meet head to head", ON_LINE, [SENT._replace(path=(0, 3, 1))]),
        ],
    ),
    (
        "wrong-ends",
        NO_REST,
        [
            Wrong("no such sender", TO_1, [SENT, later(SENT, 1, sender=2)], 1),
            Wrong("no such switch", STORED, [SENT, later(SENT, 1, receiver=~2)], 1),
            Wrong("from a router with a processor", STORED, [SENT, later(SENT, 1, sender=~0)], 1),
            Wrong("to a switch under wormhole", Problem(SWITCH, THERE), [OVER, Transfer(1, 0, ~1, (0,), (0,))], 1),
            Wrong("a switch in slots", Problem(SWITCH, THERE, SLOTS), [OVER, Transfer(4, 0, ~1, (0,), (0,))], 1, 7),
        ],
    ),
    (
        "wrong-ends",
        ASTRAY,
        [
            Wrong("path starts elsewhere", TO_2, [Transfer(0, 0, 2, (2,), (0,))]),
        ],
    ),
    (
        "not-simple",
        WINDING,
        [
            Wrong("minimal routing", Problem(LINE, pairs([(1, 0)])), [BACK._replace(path=(2, 3, 1))]),
            Wrong("any routing", Problem(LINE, pairs([(1, 0)]), ANY), [BACK._replace(path=(2, 3, 1))]),
        ],
    ),
    (
        "too-many-hops",
        "it covers 2 channels; store-and-forward covers one in a step",
        [Wrong("two at once", Problem(LINE, pairs([(0, 2)]), RELAYING), [Transfer(0, 0, 2, (0, 2), (0,))])],
    ),
    (
        "not-minimal",
        LONGER.format(2, 1),
        [
            Wrong("two for one", Problem(TRIANGLE, pairs([(0, 2)])), [Transfer(0, 0, 2, (0, 1), (0,))]),
            Wrong("a relay", Problem(TRIANGLE, broadcast(TRIANGLE)), [SENT, Transfer(1, 1, 2, (3, 5), (0,))], 1),
        ],
    ),
    (
        "not-minimal",
        LONGER.format(3, 2),
        [
            Wrong(
                "over switches to where a processor is nearer",
                Problem(BESIDE, pairs([(0, 2)]), PASSING),
                [Transfer(0, 0, 2, (2, 3, 4), (0,))],
            ),
        ],
    ),
    (
        "not-minimal",
        LONGER.format(5, 3),
        [Wrong("the long way", Problem(RING, pairs([(6, 1)])), [Transfer(0, 6, 1, (14, 13, 12, 11, 10), (0,))])],
    ),
    (
        "not-minimal",
        "its path has 3 channels, but the grid without faults has one of 1; west-first routing takes only those",
        [
            Wrong(
                "shortest in what the faults leave, but not in the grid",
                Problem(CUT, broadcast(CUT, 0, [1]), Rules(routing="west-first")),
                [along(CUT, 0, 2, 3, 1)],
            )
        ],
    ),
    (
        "forbidden-turn",
        "it turns back to an earlier dimension; dimension-order routing goes in x first, then in y and so on",
        [Wrong(*ordered("dimension-order", 0, 2, 3))],
    ),
    (
        "forbidden-turn",
        "it turns to the west; west-first routing goes west before all else",
        [Wrong(*ordered("west-first", 1, 3, 2))],
    ),
    (
        "forbidden-turn",
        "it turns from the north; north-last routing goes north after all else",
        [Wrong(*ordered("north-last", 2, 0, 1))],
    ),
    (
        "carries-nothing",
        "it carries no message; leave it out",
        [Wrong("an empty transfer", TO_1, [SENT, later(BACK, 1, messages=())], 1)],
    ),
    (
        "carries-several",
        "it carries 2 messages; without combining a transfer carries one",
        [
            Wrong(
                "two together",
                Problem(LINE, pairs([(0, 1), (0, 2)]), RELAYING),
                [SENT._replace(messages=(0, 1)), Transfer(1, 1, 2, (2,), (1,))],
            )
        ],
    ),
]
"""Rules of single transfers: the rule, what is said, and schedules of which one transfer breaks it."""

ENDS = "it ends in slot {}; the schedule has {} and does not wrap"
FAR = Rules("tdm", router_delay=2, link_delay=3, wrap=False)
OF_PATHS += [
    ("outside-period", ENDS.format(last, period), [Wrong(name, problem, [transfer], 0, period)])
    for name, problem, transfer, last, period in (
        ("one channel", Problem(PAIR, THERE, LINEAR), SENT, 3, 2),
        ("a packet of two slots", Problem(PAIR, THERE, LONG_LINEAR), SENT, 4, 3),
        ("slow routers and links", Problem(PAIR, THERE, FAR), SENT, 8, 7),
        ("over a pure switch", Problem(SWITCH, THERE, LINEAR), OVER, 4, 3),
    )
]

SLOW = Rules("tdm", routing="any", router_delay=2, wrap=False)
DELAYED = Rules("tdm", router_delay=3, link_delay=2, wrap=False)
SUM_FROM_2 = reduce(LINE, 0, [2])
OF_MESSAGES: list[tuple[Rule, str, list[Wrong]]] = [
    (
        "wrong-ends",
        "it goes to where it comes from",
        # Only a partial result can come back to itself and still be there once.
        [Wrong("to itself", Problem(PAIR, reduce(PAIR)), [Transfer(0, 1, 1, (), (0,)), later(BACK, 1)])],
    ),
    (
        "wrong-ends",
        ONE_TRANSFER.format("wormhole"),
        [
            Wrong("a relay of a private message", TO_2, [SENT, later(ON, 1)]),
            Wrong("a target that sends its private message on", Problem(LINE, THERE), [SENT, later(ON, 1)], 1),
        ],
    ),
    (
        "wrong-ends",
        ONE_TRANSFER.format("tdm"),
        [Wrong("a relay of a packet", Problem(LINE, pairs([(0, 2)]), SLOTS), [SENT, later(ON, 3)], 0, 6)],
    ),
    (
        "unknown-message",
        "the collective has no message 1; they are numbered 0 to 0",
        [Wrong("message 1 of one", TO_1, [SENT, later(SENT, 1, messages=(1,))], 1)],
    ),
    (
        "unknown-message",
        "the collective has no message -1; they are numbered 0 to 0",
        [Wrong("message -1 of one", TO_1, [SENT, later(SENT, 1, messages=(-1,))], 1)],
    ),
    (
        "not-held",
        f"MESSAGE {NOT_THERE}",
        [
            Wrong("a private message sent by a stranger", Problem(LINE, THERE), [HOME]),
            Wrong("a copy sent on in the step in which it arrives", SPREAD, [SENT, ON], 1),
            Wrong("a relay before the arrival", Problem(LINE, pairs([(0, 2)]), RELAYING), [ON, later(SENT, 1)]),
        ],
    ),
    (
        "not-held",
        "MESSAGE is not held by the sender when the slot begins",
        [
            Wrong("one slot too early", Problem(LINE, broadcast(LINE), LINEAR), [SENT, later(ON, 2)], 1, 20),
            Wrong("with delays", Problem(LINE, broadcast(LINE), DELAYED), [SENT, later(ON, 8)], 1, 20),
        ],
    ),
    (
        "not-held",
        f"MESSAGE {NOTHING_THERE}",
        [
            Wrong("that was sent away before", Problem(PAIR, reduce(PAIR)), [BACK, later(BACK, 1)], 1),
            Wrong("a slot early", Problem(LINE, SUM_FROM_2, LINEAR), [HOME, later(BACK, 2), later(BACK, 3)], 1, 6),
        ],
    ),
    (
        "delivered-twice",
        f"MESSAGE {AGAIN}",
        [
            Wrong("once more in a later step", TO_1, [SENT, later(SENT, 1)], 1),
            Wrong("twice in one step", Problem(DOUBLE, THERE), [SENT, SENT._replace(path=(1,))]),
            Wrong("back to its origin", Problem(PAIR, broadcast(PAIR)), [SENT, later(BACK, 1)], 1),
            Wrong(
                "injected first, and arriving second",
                Problem(TRIANGLE, broadcast(TRIANGLE, 0, [2]), SLOW),
                [Transfer(0, 0, 2, (0, 1), (0,)), Transfer(1, 0, 2, (5,), (0,))],
                0,
                7,
            ),
        ],
    ),
    (
        "delivered-twice",
        f"MESSAGE {SENT_TWICE}",
        [Wrong("two sums", Problem(DOUBLE, reduce(DOUBLE)), [BACK._replace(path=(2,)), BACK._replace(path=(3,))])],
    ),
    (
        "delivered-twice",
        f"MESSAGE {SENT_LATER}",
        [Wrong("a second sum of one location", SUM, [BACK, later(HOME, 1), later(BACK, 2)], 2)],
    ),
    (
        "past-target",
        f"MESSAGE {SENT_AWAY}",
        [Wrong("a sum that comes back", Problem(PAIR, reduce(PAIR, 0, [0, 1])), [SENT, later(BACK, 1)])],
    ),
    (
        "copied",
        f"MESSAGE {COPIED}",
        [
            Wrong(f"a bystander first, {rules}", Problem(LINE, pairs([(1, 2)]), rules), [BACK, later(ON, step)], 1)
            for rules in RELAYS
            for step in (0, 1)
        ],
    ),
    (
        "past-target",
        f"MESSAGE {KEPT}",
        [Wrong(f"sent on, {rules}", Problem(LINE, THERE, rules), [SENT, later(ON, 1)], 1) for rules in RELAYS],
    ),
]
"""The same of what transfers carry, whatever their paths."""


def port_text(processor: int, verb: str, used: int, ports: int) -> str:
    """Return what the judge says of a port."""
    has = "1 port" if ports == 1 else f"{ports} ports"
    return f"processor {processor} {verb} {used} transfers at once; it has {has}"


SHARED = "2 transfers share channel {}; it carries one"
HALF_SLOTS = Rules("tdm", duplex="half")
MEETING = Problem(FORK, pairs([(0, 2), (1, 3)]), SLOTS)
FIRST, NEAR = Transfer(0, 0, 2, (0, 2), (0,)), Transfer(1, 1, 3, (2,), (1,))
ACROSS = Problem(LINE, pairs([(0, 2), (2, 1)]), HALF_SLOTS)
ANSWER, SIDE = BACK._replace(messages=(1,)), HOME._replace(messages=(1,))
OF_LOADS: list[tuple[Rule, list[Crowd]]] = [
    (
        "channel-capacity",
        [
            Crowd(
                "two transfers on one channel",
                Problem(FAT_PAIR, pairs([(0, 2), (1, 3)]), ONE_PORT),
                [Transfer(0, 0, 2, (0,), (0,)), Transfer(0, 1, 3, (0,), (1,))],
                SHARED.format("0>1"),
                0,
                0,
            ),
            Crowd("a period later", MEETING, [later(FIRST, 1), later(NEAR, 0)], SHARED.format("1>2"), 1, 2, 2),
            Crowd(
                "the second slot of a packet",
                Problem(FORK, pairs([(0, 2), (1, 3)]), LONG),
                [FIRST, later(NEAR, 2)],
                SHARED.format("1>2"),
                3,
                2,
                7,
            ),
        ],
    ),
    (
        "port-capacity",
        [
            Crowd(
                "one port, two sendings",
                Problem(LINE, pairs([(1, 0), (1, 2)]), ONE_PORT),
                [BACK, ON._replace(messages=(1,))],
                port_text(1, "sends", 2, 1),
            ),
            Crowd(
                "one port, two arrivals",
                Problem(LINE, pairs([(0, 1), (2, 1)]), ONE_PORT),
                [SENT, SIDE],
                port_text(1, "receives", 2, 1),
            ),
            Crowd(
                "all ports of a router with one channel out",
                Problem(ONE_OUT, pairs([(0, 1), (0, 2)])),
                [Transfer(0, 0, 1, (), (0,)), Transfer(0, 0, 2, (), (1,))],
                port_text(0, "sends", 2, 1),
            ),
            Crowd(
                "arrivals at one ejection port, a period apart",
                Problem(FORK, pairs([(0, 2), (3, 2)]), ONE_PORT_SLOTS),
                [FIRST, Transfer(0, 3, 2, (), (1,))],
                port_text(2, "receives", 2, 1),
                1,
                None,
                2,
            ),
        ],
    ),
    (
        "half-duplex",
        [
            Crowd("a link", Problem(PAIR, BOTH_WAYS, HALF), [SENT, ANSWER], BOTH.format("0>1"), 0, 0),
            Crowd("a period apart", ACROSS, [later(FIRST, 1), SIDE], BOTH.format("1>2"), 1, 2, 2),
        ],
    ),
]
"""Rules of what happens at once: on channels, at ports and on links."""

LACKING = "1 contributions to processor 0 never reach it"
UNDELIVERED: list[tuple[str, Problem, list[Transfer], str, int, int | None]] = [
    ("nothing at all", TO_1, [], "message 0-1 never reaches processor 1", 0, None),
    ("one of two targets", SPREAD, [SENT], "message 0 never reaches processor 2", 0, None),
    ("a contribution that came too late to the relay", SUM, [BACK, HOME], LACKING, 0, None),
    ("one slot late", Problem(LINE, reduce(LINE), LINEAR), [HOME, later(BACK, 2)], LACKING, 0, 5),
]

SMALLEST = [
    *(one.spoiled(rule, text, on_path=True) for rule, text, group in OF_PATHS for one in group),
    *(one.spoiled(rule, text, on_path=False) for rule, text, group in OF_MESSAGES for one in group),
    *(one.spoiled(rule) for rule, group in OF_LOADS for one in group),
    *(
        Spoiled(name, problem, transfers, Violation("never-delivered", text, None, message), num_steps)
        for name, problem, transfers, text, message, num_steps in UNDELIVERED
    ),
    *(
        Spoiled(
            name,
            TO_1,
            [later(SENT, at)],
            Violation("empty-step", f"step {empty + 1} has no transfer; leave it out", empty),
            2,
        )
        for name, at, empty in (("the first", 1, 0), ("the last", 0, 1))
    ),
    Spoiled(
        "a packet that meets itself a period later",
        Problem(PAIR, THERE, LONG),
        [SENT],
        Violation("outside-period", "a packet of 2 slots does not fit into a period of 1; it would meet itself"),
        1,
    ),
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


ALLOWED: list[tuple[str, Problem, list[Transfer], int | None]] = [
    ("any routing: the long way", Problem(TRIANGLE, pairs([(0, 2)]), ANY), [Transfer(0, 0, 2, (0, 1), (0,))], None),
    ("any routing: longer over switches", Problem(TWO_WAYS, THERE, ANYHOW), [SENT._replace(path=(2, 3, 4))], None),
    (
        "combining under wormhole: a private message through a relay",
        Problem(LINE, pairs([(0, 2)]), COMBINING),
        [SENT, later(ON, 1)],
        None,
    ),
    (
        "store-and-forward: a private message rests at a pure switch",
        Problem(SWITCH, THERE, RELAYING),
        [Transfer(0, 0, ~1, (0,), (0,)), Transfer(1, ~1, 1, (2,), (0,))],
        None,
    ),
    (
        "a pure switch has no ports to overload",
        Problem(SWITCH, BOTH_WAYS, Rules(switching="store-and-forward", ports=1)),
        [
            *(Transfer(0, p, ~1, (channel,), (p,)) for p, channel in ((0, 0), (1, 3))),
            *(Transfer(1, ~1, 1 - p, (channel,), (p,)) for p, channel in ((0, 2), (1, 1))),
        ],
        None,
    ),
    (
        "every processor of a router has its own ports",
        Problem(FAT_PAIR, pairs([(0, 1), (1, 0)]), ONE_PORT),
        [Transfer(0, 0, 1, (), (0,)), Transfer(0, 1, 0, (), (1,))],
        None,
    ),
    ("full duplex: both ways", Problem(PAIR, BOTH_WAYS), [SENT, ANSWER], None),
    ("relayed by who is no member", Problem(LINE, broadcast(LINE, 0, [2])), [SENT, later(ON, 1)], None),
    ("a packet as long as the period", Problem(PAIR, THERE, LONG), [later(SENT, 1)], 2),
    ("slots in which nothing is injected", Problem(PAIR, THERE, LINEAR), [later(SENT, 4)], 9),
    ("packets of one slot that pass a channel in turn", MEETING, [FIRST, later(NEAR, 0)], 4),
]
"""What the rules allow, in steps, then in slots; with the period, where the last slots are empty."""


@pytest.mark.parametrize(
    ("problem", "transfers", "period"), [row[1:] for row in ALLOWED], ids=[row[0] for row in ALLOWED]
)
def test_what_the_model_allows_is_no_violation(problem: Problem, transfers: list[Transfer], period: int | None) -> None:
    """What looks like a broken rule and is none passes both judges."""
    schedule = Schedule.from_transfers(transfers, period)
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
            later.start > arrival(problem, transfer) and later.sender == transfer.receiver and message in later.messages
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
    later = [transfer._replace(start=transfer.start + 1) for transfer in on]
    resting = Schedule.from_transfers([Transfer(0, 0, ~1, (0,), (0,)), Transfer(1, ~1, 1, (1,), (0,)), *later])
    assert {violation.rule for violation in verify(problem, resting)} == {"wrong-ends", "never-delivered"}
    held = Problem(chain, pairs([(0, 1), (0, 2)]), RELAYING)
    assert {violation.rule for violation in verify(held, Schedule.from_transfers([over, *on]))} == {"too-many-hops"}
