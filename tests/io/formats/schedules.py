"""Small schedules to export: solved ones, and some made by hand for what solvers rarely do."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

from pavane.io.exports import EXPORTS, Options
from pavane.judge.result import Result
from pavane.model.collectives import alltoall, named, reduce
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.search.synthesis import solve

MEMBERS: dict[str, dict[str, Any]] = {
    "mnb": {"senders": (0, 2), "receivers": (1, 3, 0)},
    "mns": {"senders": (0, 2), "receivers": (0, 1, 3)},
    "pairs": {"pairs": ((0, 2), (3, 1))},
}


@cache
def solved(spec: str, kind: str, switching: Any = "wormhole", ports: Any = "all", duplex: Any = "full") -> Result:
    """Return a schedule for a catalogue network."""
    made = network(spec)
    members = MEMBERS.get(kind, {})
    rules = Rules(switching=switching, ports=ports, duplex=duplex)
    return solve(Problem(made, named(kind, made, **members), rules))


@cache
def exchange() -> Result:
    """Return the all-to-all of a square by two exchanges, one along each dimension, two messages in each transfer."""
    square = network("hypercube:2")
    problem = Problem(square, alltoall(square), Rules(ports=1, combining=True))
    numbers = {tuple(label): number for number, label in enumerate(problem.labels.tolist())}
    channel = {tuple(ends): number for number, ends in enumerate(square.channels.tolist())}
    transfers = []
    for p in range(4):
        across, other = p ^ 1, p ^ 2
        first = (numbers[p, across], numbers[p, across ^ 2])
        second = (numbers[p, other], numbers[across, other])
        transfers.append(Transfer(0, p, across, (channel[p, across],), first))
        transfers.append(Transfer(1, p, other, (channel[p, other],), second))
    return Result(problem, Schedule.from_transfers(transfers))


@cache
def along_a_line() -> Result:
    """Return a reduction to processor 0 of a line of three, in which 1 adds the contribution of 2 to its own."""
    line = network("mesh:3x1")
    problem = Problem(line, reduce(line))
    channel = {tuple(ends): number for number, ends in enumerate(line.channels.tolist())}
    hops = ((0, 2, 1), (1, 1, 0))
    transfers = [Transfer(step, a, b, (channel[a, b],), (0,)) for step, a, b in hops]
    return Result(problem, Schedule.from_transfers(transfers))


def hub(switching: Any) -> Problem:
    """Return the all-to-all of three processors around a pure switch, router 3."""
    links = [(a, b) for p in range(3) for a, b in ((p, 3), (3, p))]
    made = Network("hub", ("0", "1", "2", "hub"), links, (0, 1, 2))
    return Problem(made, alltoall(made), Rules(switching=switching))


@cache
def around_a_switch(switching: Any) -> Result:
    """Return a schedule for three processors around a pure switch."""
    return solve(hub(switching), method="greedy")


def in_one_box(spec: str) -> Network:
    """Return a network of the catalogue as one machine, in which all GPUs reach each other's memory."""
    made = copy(network(spec))
    object.__setattr__(made, "boxes", None)
    return made


def written(name: str, result: Result, size: int = 1024) -> str:
    """Return the one file of an export, which must be able to carry the schedule."""
    export = EXPORTS[name]
    assert export.refusal(result) is None
    ((file, content),) = export.write(result, Options("it", size)).items()
    assert file == f"it{export.ending}"
    return content.decode()


def refused(name: str, result: Result) -> str:
    """Return why an export cannot carry a schedule, in one line."""
    reason = EXPORTS[name].refusal(result)
    assert reason is not None
    assert "\n" not in reason
    return reason
