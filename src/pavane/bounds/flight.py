"""The bound by flights (tdm without wrap): what goes far must start early, and what comes from far arrives late.

A packet along h channels takes flight(h) slots from its injection to its ejection, and a relay makes it no quicker. So
all n messages that a processor must send at least h channels far are first injected before the last flight(h) slots of
the schedule, over its c ports, f slots each: the schedule has flight(h) + f * ceil(n / c) slots or more. So it is, read
backwards, for what a processor must receive from as far. One message alone is the bound by distance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.phrases import Unit, carried, every
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "flight"


def make(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the processor, and of the distance, that takes the most slots."""
    if problem.rules.wrap:
        return
    best = (0, "", 0, 0)
    for side, ports in (("sender", problem.injection), ("receiver", problem.ejection)):
        for processor in _members(problem, side).tolist():
            hops, counts = far_messages(problem, side, processor)
            slots = problem.rules.flight(hops) + problem.rules.packet_slots * -(-counts // int(ports[processor]))
            if len(slots) and int(slots.max()) > best[0]:
                best = (int(slots.max()), side, processor, int(hops[slots.argmax()]))
    yield Bound(best[0], NAME, {best[1]: best[2], "distance": best[3]})


def _members(problem: Problem, side: str) -> Longs:
    """Return the processors that send, or receive, messages."""
    if problem.pattern == "private" or side == "sender":
        return np.unique(problem.ends[:, int(side == "receiver")])
    return np.unique(problem.collective.receivers)


def far_messages(problem: Problem, side: str, processor: int) -> tuple[Longs, Longs]:
    """Return some distances, ascending, and how many messages of a processor must go, or come, at least as far."""
    network, ends = problem.network, problem.ends
    home = int(network.router_of[processor])
    away = network.distances_from(home) if side == "sender" else network.distances_to(home)
    if problem.pattern == "private":
        mine, theirs = (0, 1) if side == "sender" else (1, 0)
        others = ends[ends[:, mine] == processor, theirs]
    elif side == "receiver":
        others = ends[ends[:, 0] != processor, 0]
    else:
        # Each message must go to all receivers, so to the farthest.
        receivers = np.setdiff1d(problem.collective.receivers, [processor])
        farthest = receivers[away[network.router_of[receivers]].argmax()] if len(receivers) else []
        others = np.repeat(farthest, int((ends[:, 0] == processor).sum()))
    hops, counts = np.unique(away[network.router_of[others]].astype(np.int64), return_counts=True)
    return hops, np.cumsum(counts[::-1])[::-1]


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State how many messages of which processor take so long."""
    side = "sender" if "sender" in bound.certificate else "receiver"
    processor, distance = bound.certificate[side], bound.certificate["distance"]
    hops, counts = far_messages(problem, side, processor)
    count = int(counts[np.searchsorted(hops, distance)])
    ports = int((problem.injection if side == "sender" else problem.ejection)[processor])
    verb, way = ("send", "to") if side == "sender" else ("receive", "from")
    each = f"{ports} {every(problem.rules.packet_slots)}"
    return (
        f"processor {processor} must {verb} {counted(count, carried(problem))}, {each}, {way} processors at least "
        f"{counted(distance, 'channel')} away, and a flight takes {counted(problem.rules.flight(distance), 'slot')}"
    )
