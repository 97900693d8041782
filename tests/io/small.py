"""Small problems whose schedules can be written by hand."""

from __future__ import annotations

from pavane.judge.rules import verify
from pavane.model.collectives import pairs, reduce
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network


def valid(problem: Problem, transfers: list[Transfer]) -> tuple[Problem, Schedule]:
    """Return a problem and a schedule that the judge accepts."""
    schedule = Schedule.from_transfers(transfers)
    assert verify(problem, schedule) == []
    return problem, schedule


def star() -> Network:
    """Return two processors on either side of a pure switch: channels 0>1, 1>0, 1>2, 2>1."""
    return Network("two about a switch", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 2])


def over_a_switch() -> tuple[Problem, Schedule]:
    """Return an exchange by store-and-forward that rests at the switch."""
    problem = Problem(star(), Collective("AAS", (0, 1), (0, 1)), Rules("store-and-forward"))
    transfers = [
        Transfer(0, 0, ~1, (0,), (0,)),
        Transfer(0, 1, ~1, (3,), (1,)),
        Transfer(1, ~1, 1, (2,), (0,)),
        Transfer(1, ~1, 0, (1,), (1,)),
    ]
    return valid(problem, transfers)


def combined() -> tuple[Problem, Schedule]:
    """Return two messages from 0, to 1 and to 2 of a line, that go together as far as 1; and one from 3 to 2."""
    line = network("line:4")
    problem = Problem(line, pairs([(0, 1), (0, 2), (3, 2)]), Rules(combining=True))
    ends = [tuple(channel) for channel in line.channels.tolist()]
    transfers = [
        Transfer(0, 0, 1, (ends.index((0, 1)),), (0, 1)),
        Transfer(0, 3, 2, (ends.index((3, 2)),), (2,)),
        Transfer(1, 1, 2, (ends.index((1, 2)),), (1,)),
    ]
    return valid(problem, transfers)


def partial_sums() -> tuple[Problem, Schedule]:
    """Return a reduction along a line: 2 gives to 1, which adds its own and gives to 0."""
    line = network("line:3")
    problem = Problem(line, reduce(line))
    ends = [tuple(channel) for channel in line.channels.tolist()]
    transfers = [Transfer(0, 2, 1, (ends.index((2, 1)),), (0,)), Transfer(1, 1, 0, (ends.index((1, 0)),), (0,))]
    return valid(problem, transfers)
