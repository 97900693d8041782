"""dma: a program per processor for micro-programmed DMA engines (gecco08 section 6), with ports and source routes.

The output ports of a router are its channels in the order of their numbers, then a port to each of its processors. A
source route names an output port at each router on the way, the last one being the port to the receiver. At a pure
switch that holds messages, the port behind its channels leads to its memory.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import count
from typing import Any

import numpy as np

from pavane.io.formats.export import Export, Options, problem_and_schedule, refuse_trees
from pavane.io.objects import location_name
from pavane.io.programs import Act, programs_of
from pavane.judge.result import Result
from pavane.model.allreduce import is_added
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer


def _route(network: Network, transfer: Transfer) -> list[int]:
    ports = [network.out_channels[network.tails[channel]].index(channel) for channel in transfer.path]
    if transfer.receiver < 0:
        return [*ports, len(network.out_channels[~transfer.receiver])]
    router = int(network.router_of[transfer.receiver])
    return [*ports, len(network.out_channels[router]) + network.processors_on[router].index(transfer.receiver)]


def _engines(problem: Problem, transfers: list[Transfer], sends: bool) -> list[int]:
    """Give each transfer of a processor in a step its port: all-port its channel's, else the next that is free.

    A channel has as many ports as its capacity.
    """
    network = problem.network
    if problem.rules.ports != "all":
        return list(range(len(transfers)))
    engines: list[int | None] = []
    used: Counter[int] = Counter()
    for transfer in transfers:
        if not transfer.path:
            engines.append(None)
            continue
        channel = transfer.path[0 if sends else -1]
        beside = network.out_channels[network.tails[channel]] if sends else network.in_channels[network.heads[channel]]
        before = beside[: beside.index(channel)]
        engines.append(int(network.capacity[list(before)].sum()) + used[channel])
        used[channel] += 1
    # A transfer between processors of one router takes a port that no channel needs now.
    free = (port for port in count() if port not in engines)
    return [next(free) if engine is None else engine for engine in engines]


def _entry(problem: Problem, step: int, acts: list[Act], added: dict[int, list[bool]]) -> dict[str, Any]:
    """Return what one processor, or switch, does in a step; `added` has the transfers of an allreduce."""
    out = [act.transfer for act in acts if not act.receives]
    receiving = [act for act in acts if act.receives]
    into = [act.transfer for act in receiving]
    return {
        "step": step + 1,
        "send": [
            {
                "port": port,
                "route": _route(problem.network, transfer),
                "to": location_name(transfer.receiver),
                "carries": [problem.labels[message].tolist() for message in transfer.messages],
            }
            for port, transfer in zip(_engines(problem, out, True), out, strict=True)
        ],
        "receive": [
            {
                "port": port,
                "from": location_name(act.transfer.sender),
                "carries": [problem.labels[message].tolist() for message in act.transfer.messages],
                **({"adds": added[act.number]} if added else {}),
            }
            for port, act in zip(_engines(problem, into, False), receiving, strict=True)
        ],
    }


def _output(network: Network, channel: int) -> dict[str, int]:
    """Return the output port that leads to a channel."""
    width = {} if network.capacities is None else {"capacity": int(network.capacities[channel])}
    return {"channel": channel, "router": int(network.heads[channel])} | width


def _about(problem: Problem, schedule: Schedule) -> dict[str, Any]:
    """Return what a reader must know of the schedule and of the output ports of routers."""
    network = problem.network
    return {
        "format": "pavane/dma/1",
        "network": network.name,
        "collective": problem.collective.kind,
        "steps": schedule.num_steps,
        **({} if problem.collective.pieces == 1 else {"pieces": problem.collective.pieces}),
        "routers": [
            {
                "router": router,
                "name": network.routers[router],
                "outputs": [
                    *(_output(network, channel) for channel in channels),
                    *({"processor": processor} for processor in network.processors_on[router]),
                ],
            }
            for router, channels in enumerate(network.out_channels)
        ],
    }


def _render(result: Result, options: Options) -> str:
    problem, schedule = problem_and_schedule(result)
    routers = problem.network.router_of
    added: dict[int, list[bool]] = {}
    if problem.pattern == "allreduce":
        flags = np.split(is_added(problem, schedule), schedule.message_offsets[1:-1])
        added = {number: each.tolist() for number, each in enumerate(flags)}
    # One step of one processor to a line, so that people can read it.
    parts = [
        f'  {{"at": {json.dumps(location_name(location))}, '
        f'"router": {int(routers[location]) if location >= 0 else ~location}, "program": ['
        + ",".join(f"\n    {json.dumps(_entry(problem, step, acts, added))}" for step, acts in program.items())
        + "]}"
        for location, program in programs_of(problem, schedule, by_arrival=True).items()
    ]
    return json.dumps(_about(problem, schedule))[:-1] + ', "programs": [\n' + ",\n".join(parts) + "\n]}\n"


def _refuse(result: Result) -> str | None:
    rules = result.problem.rules
    if rules.packet_slots > 1 and rules.ports != 1:
        return "ports are numbered slot by slot, and packets occupy them for several; solve with `ports=1`"
    return refuse_trees(result, "DMA engines")


DMA = Export(
    "dma",
    "A program per processor for DMA engines, as JSON: what to send and receive in each step, port by port.",
    ".dma.json",
    _render,
    _refuse,
)
