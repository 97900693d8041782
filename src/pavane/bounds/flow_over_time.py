"""The bound by flow over time: what can arrive at one receiver when a step covers one channel.

For broadcasts under store-and-forward. In T steps every message must come from its origin to each receiver, over one
channel a step, and wait wherever it likes. So to each receiver all messages together are a flow in the network unrolled
in time: a copy of every router for each moment from 0 to T, channels from each moment to the next, and room to wait
(Ford and Fulkerson 1958). Where that flow is too small, T steps are too few.

The minimum cut says why: on the origins' side are more and more routers as time passes, and never the receiver's. What
leaves that side in a step is what channels from routers on it carry to routers that are not on it one moment later, and
no more than the ports at either end let through. Half duplex changes nothing: no link leads out both ways.

Where pure switches pass messages on, nothing waits there: a switch is on one side or the other during a step, and what
leaves it arrives when the step ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pavane.bounds.phrases import Unit, carried
from pavane.jit import clock
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow
from pavane.model.problem import Problem
from pavane.text import counted

NAME = "flow-over-time"

MOST_ARCS = 500_000
"""The arcs of all flows together above which the receivers that are left, near ones, are not looked at."""


def best_flow(problem: Problem, lowest: int, deadline: float | None = None) -> Bound | None:
    """Return a bound above `lowest`, found before a moment of clock.now(); None where there is none."""
    rules = problem.rules
    if problem.pattern != "broadcast" or rules.combining or rules.switching != "store-and-forward":
        return None
    if problem.num_messages == 1:
        return None  # one message flows as fast as the way is long
    best: Bound | None = None
    num_arcs, unrolled = 0, _Unrolled.of(problem, max(lowest, 1))
    left = _farthest_first(problem)
    while left and (deadline is None or clock.now() < deadline):
        num_arcs += len(unrolled.arcs)
        if num_arcs > MOST_ARCS:
            break
        joined = unrolled.cut(left[0])
        bound = None if joined is None else _proven(problem, left[0], joined)
        if bound is None:
            left.pop(0)
        else:
            best, unrolled = bound, _Unrolled.of(problem, bound.figure)
    return best


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State what must reach the receiver, and how much of it can; the unit is always a step."""
    receiver, joining = bound.certificate["receiver"], bound.certificate["joining"]
    crossing, hop = _crossing(problem, _moments(problem, joining)), "hop" if problem.passes_switches else "channel"
    return (
        f"{counted(crossing.wanted, carried(problem))} must reach processor {receiver}, a {hop} a step; "
        f"in {counted(len(joining) - 1, 'step')} at most {crossing.carried:,} can"
    )


def _farthest_first(problem: Problem) -> list[int]:
    """Return the receivers, one a router, that are far from the origins and have few channels first."""
    network = problem.network
    away = network.distances_from_nearest(np.unique(network.router_of[problem.ends[:, 0]]))
    of_router = {int(network.router_of[receiver]): receiver for receiver in sorted(problem.collective.receivers)}
    return sorted(
        of_router.values(),
        key=lambda receiver: (
            -int(away[network.router_of[receiver]]),
            int(network.in_degrees[network.router_of[receiver]]),
            receiver,
        ),
    )


# -- what a cut proves


class _Crossing(NamedTuple):
    """What must leave the origins' side of a cut, and what can in all steps."""

    wanted: int
    carried: int


def _proven(problem: Problem, receiver: int, joined: Longs) -> Bound | None:
    """Return the bound by a cut, where ports counted at one end of the channels are enough to prove it."""
    num_steps = int(joined.max()) - 1
    crossing = _crossing(problem, joined)
    if crossing.carried >= crossing.wanted:
        return None
    joining = [np.flatnonzero(joined == moment).tolist() for moment in range(num_steps + 1)]
    return Bound(num_steps + 1, NAME, {"receiver": receiver, "joining": joining})


def _moments(problem: Problem, joining: Sequence[Sequence[int]]) -> Longs:
    """Return the moment when each router joins the origins' side; one after the last for those that never do."""
    joined = np.full(problem.network.num_routers, len(joining), dtype=np.int64)
    for moment, routers in enumerate(joining):
        joined[list(routers)] = moment
    return joined


def _crossing(problem: Problem, joined: Longs) -> _Crossing:
    network = problem.network
    inject, eject = _ports(problem)
    wanted = int((joined[network.router_of[problem.ends[:, 0]]] == 0).sum())
    carried = 0
    for step in range(int(joined.max()) - 1):
        # What comes to a switch that passes is there while the step lasts.
        until = step + 1 - (problem.is_switch[network.heads] & problem.passes_switches)
        crosses = (joined[network.tails] <= step) & (joined[network.heads] > until)
        room = np.where(crosses, network.capacity, 0)
        ends = ((network.tails, inject), (network.heads, eject))
        carried += min(
            int(np.minimum(np.bincount(end, room, network.num_routers).astype(np.int64), ports).sum())
            for end, ports in ends
        )
    return _Crossing(wanted, carried)


def _ports(problem: Problem) -> tuple[Longs, Longs]:
    """Return what the processors of each router send, and receive, in a step; switches send all that channels carry."""
    network, is_switch = problem.network, problem.is_switch
    return tuple(  # type: ignore[return-value]  # of two
        np.where(is_switch, degrees, np.bincount(network.router_of, ports, network.num_routers)).astype(np.int64)
        for ports, degrees in ((problem.injection, network.out_degrees), (problem.ejection, network.in_degrees))
    )


# -- the network unrolled in time


class _Unrolled(NamedTuple):
    """The network unrolled in a number of steps: arcs between routers at moments, and between their ports."""

    problem: Problem
    num_steps: int
    arcs: npt.NDArray[np.int64]
    """Shape (arcs, 3): tail, head, capacity."""

    @classmethod
    def of(cls, problem: Problem, num_steps: int) -> _Unrolled:
        """Unroll the network of a problem; end 0 of arcs is where all messages come from."""
        network = problem.network
        size, width = network.num_routers, num_steps + 1
        moments = np.arange(num_steps)[:, None]
        routers = 1 + np.arange(size) * width
        # Where ports are fewer than channels, what leaves and what enters a router passes an end of its own.
        inject, eject = _ports(problem)
        out, into = size * width + routers, 2 * size * width + routers

        def over_time(tails: Longs, heads: Longs, room: Longs) -> Longs:
            columns = np.broadcast_arrays(tails + moments, heads + moments, room)
            return np.column_stack([column.ravel() for column in columns])

        ends = network.tails.astype(np.int64), network.heads.astype(np.int64)
        homes, counts = np.unique(network.router_of[problem.ends[:, 0]], return_counts=True)
        passes = problem.is_switch & problem.passes_switches
        waiting = np.where(passes, 0, problem.num_messages)
        arcs = [
            np.column_stack((np.zeros_like(homes), routers[homes], counts)),
            over_time(routers, routers + 1, waiting),
            over_time(routers, out, np.minimum(inject, problem.num_messages)),
            over_time(out[ends[0]], into[ends[1]], network.capacity.astype(np.int64)),
            over_time(into, routers + ~passes, np.minimum(eject, problem.num_messages)),
        ]
        return cls(problem, num_steps, np.concatenate(arcs).astype(np.int64))

    def cut(self, receiver: int) -> Longs | None:
        """Return when each router joins the origins' side of a cut that lets too little pass; None: all can arrive."""
        network, width = self.problem.network, self.num_steps + 1
        tails, heads, capacity = self.arcs.T
        sink = 1 + int(network.router_of[receiver]) * width + self.num_steps
        flow = MaximumFlow(tails, heads, capacity, 0, sink)
        if flow.value >= self.problem.num_messages:
            return None
        inside = flow.source_side(int(self.arcs[:, :2].max()) + 1)[: 1 + network.num_routers * width]
        # A router on the origins' side stays there, because waiting has unlimited room.
        moments = inside[1:].reshape(network.num_routers, width).sum(axis=1)
        joined: Longs = width - moments
        # A switch that passes is there in steps alone, one fewer than moments.
        joined[self.problem.is_switch & self.problem.passes_switches & (moments > 0)] -= 1
        return joined
