"""Scatter under store-and-forward: a flow over time, in the network that has every location once per step.

Ford and Fulkerson, Flows in Networks, 1962. Where switches pass, the flow of a step runs on through them. Under minimal
routing it may then take ways that are too long: its bound holds, but its schedule is of use only if it does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from pavane.bounds.distance import longest_way
from pavane.bounds.prices import CertificatePrices, priced
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow, hops_of, without_loops
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_hops import flows_are_hops, hops_lead_everywhere, steps_from, unfolded_hops
from pavane.parallel.budget import Budget
from pavane.solvers.solver import Finding

MOST_ARCS = 40_000_000
"""A flow over time with more arcs would take several gigabytes; such a problem stays without an answer."""


RoutedHop = tuple[int, tuple[int, ...], int]
"""A router, the channels of a path, and the router where it ends."""


class TimedHop(NamedTuple):
    """One transfer of a message that is not yet known; locations as a schedule names them."""

    step: int
    sender: int
    path: tuple[int, ...]
    receiver: int


def stored_scatter(problem: Problem, num_steps: int | None, budget: Budget) -> Finding:
    """Try numbers of steps from the simplest bound upwards, ever faster, then halve what lies between."""
    least = _soonest(problem)
    if num_steps is not None and least > num_steps:
        return Finding(None, (_stored_bound(problem, least),))
    if _at_once(problem).max() == 1 and hops_lead_everywhere(problem):
        return Finding(_farthest_first(problem), (_stored_bound(problem, least),))
    arcs, stride = _StepArcs(problem), 1
    best: Longs | None = None
    while best is None or least < len(best):
        tried = least + stride - 1 if best is None else (least + len(best)) // 2
        tried = tried if num_steps is None else min(tried, num_steps)
        if budget.is_over or tried * len(arcs.tails) > MOST_ARCS:
            return Finding(None)
        flow = arcs.flow(tried)
        if flow is not None:
            best = flow
        elif tried == num_steps:
            return Finding(None, (_stored_bound(problem, tried + 1),))
        else:
            least, stride = tried + 1, 2 * stride
    transfers = list(arcs.transfers(best))
    is_exact = flows_are_hops(problem) and unfolded_hops(problem) is None
    schedule = Schedule.from_transfers(transfers) if is_exact or _are_shortest(problem, transfers) else None
    return Finding(schedule, (_stored_bound(problem, least),))


def _are_shortest(problem: Problem, transfers: list[Transfer]) -> bool:
    """Return whether all transfers are shortest paths between their ends."""
    network = problem.network
    homes, rows = np.unique(network.router_of[[transfer.sender for transfer in transfers]], return_inverse=True)
    ends = network.router_of[[transfer.receiver for transfer in transfers]]
    lengths = [len(transfer.path) for transfer in transfers]
    return bool((network.distance_rows(homes)[rows, ends] == lengths).all())


def _distances(problem: Problem) -> Ints:
    """Return how many steps away the target of each message is."""
    network = problem.network
    away = steps_from(problem, int(network.router_of[problem.ends[0, 0]]))
    return away[network.router_of[problem.ends[:, 1]]]


def _at_once(problem: Problem) -> Longs:
    """Return, for each message, how many like it can leave in one step: by ports, and off the router by channels."""
    root = problem.ends[0, 0]
    ports, channels = problem.injection[root], problem.network.out_degrees[problem.network.router_of[root]]
    at_once: Longs = np.where(_distances(problem) > 0, np.minimum(ports, channels), ports).astype(np.int64)
    return at_once


def _soonest(problem: Problem) -> int:
    """Return a simple lower bound: farthest first, each message leaves as soon as it can and never waits."""
    distances = _distances(problem)
    order = np.argsort(-distances, kind="stable")
    leaving = np.arange(len(order)) // _at_once(problem)[order]
    return int((leaving + np.maximum(distances[order], 1)).max())


def _stored_bound(problem: Problem, num_steps: int) -> Bound:
    """Return the bound of `num_steps` steps, with a certificate where a simple one is enough."""
    root = int(problem.ends[0, 0])
    for bound in (longest_way(problem), priced(problem, CertificatePrices.of(problem, injection=[root]), "injection")):
        if bound.figure == num_steps:
            return bound
    return Bound(num_steps, "exhaustive", {"method": "flow over time"})


def _farthest_first(problem: Problem) -> Schedule:
    """Send one message a step along one tree of shortest ways, the farthest first: the best where only one can leave.

    No two messages are ever equally far from the origin, so none meets another, and none waits: the bound is met. Nor
    do they meet on switches that pass: what lies behind one of them is at most a step farther than before it.
    """
    network = problem.network
    root = int(problem.ends[0, 0])
    home = int(network.router_of[root])
    parent_of = _tree(problem, home)
    tail_of, stops, passes = network.tails.tolist(), _resting_locations(problem), _passing(problem).tolist()
    transfers: list[Transfer] = []
    distances = _distances(problem)
    for first, message in enumerate(np.argsort(-distances, kind="stable").tolist()):
        receiver = int(problem.ends[message, 1])
        router = int(network.router_of[receiver])
        if router == home:
            transfers.append(Transfer(first, root, receiver, (), (message,)))
        for step in range(first + int(distances[message]) - 1, first - 1, -1):
            path: tuple[int, ...] = ()
            while not path or passes[router]:
                path = (parent_of[router], *path)
                router = tail_of[path[0]]
            sender = stops[router] if step > first else root
            transfers.append(Transfer(step, sender, receiver, path, (message,)))
            receiver = sender
    return Schedule.from_transfers(transfers)


def _tree(problem: Problem, home: int) -> dict[int, int]:
    """Return the last channel of one shortest way to each router; ways over switches that pass go on in the step.

    Of ways of equally many steps it is one of the fewest channels, so that every hop is as short as it can be.
    """
    network = problem.network
    if not problem.passes_switches:
        away = network.distances_from(home)
        outward = np.flatnonzero((away[network.tails] >= 0) & (away[network.tails] + 1 == away[network.heads]))
        return dict(zip(network.heads[outward].tolist(), outward.tolist(), strict=True))
    is_switch, heads = problem.is_switch.tolist(), network.heads.tolist()
    parent_of: dict[int, int] = {}
    reached, heap = {home: (0, 0)}, [(0, 0, home)]
    while heap:
        steps, length, here = heappop(heap)
        if reached[here] < (steps, length):
            continue
        further = (steps + (not is_switch[here]), length + 1)
        for channel in network.out_channels[here]:
            there = heads[channel]
            if there not in reached or further < reached[there]:
                reached[there], parent_of[there] = further, channel
                heappush(heap, (*further, there))
    return parent_of


def _resting_locations(problem: Problem) -> list[int]:
    """Return where a message rests at each router: its first processor, or the pure switch itself."""
    return [on[0] if on else ~router for router, on in enumerate(problem.network.processors_on)]


def _passing(problem: Problem) -> Flags:
    """Mark the routers where no message rests: switches that pass."""
    return problem.is_switch & problem.passes_switches


class _StepArcs:
    """The arcs of one step of a flow over time; locations are processors and pure switches.

    A location leads to itself one step later, which is waiting. A channel leads from its tail router's gate out to its
    head router's gate in. Ports lead from processors to the gate out and from the gate in to processors one step later,
    and one arc from gate to gate, for transfers within the router. A router with one location whose ports can
    never be too few needs no gates: its gate out is the location, its gate in the location one step later. A switch
    that passes is both gates in one, within the step, and no location.
    """

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self.problem, self.root = problem, int(problem.ends[0, 0])
        self.passes = _passing(problem)
        passing = np.flatnonzero(self.passes)
        switches = np.flatnonzero(problem.is_switch & ~self.passes)
        self.stops = _resting_locations(problem)
        home = np.concatenate((network.router_of, switches)).astype(np.int64)
        num_locations = len(home)

        is_alone = np.bincount(home, minlength=network.num_routers) == 1
        for ports, degrees in ((problem.injection, network.out_degrees), (problem.ejection, network.in_degrees)):
            is_alone[network.router_of[ports < degrees[network.router_of]]] = False
        self.gated = np.flatnonzero(~is_alone & ~self.passes)
        self.width = num_locations + 2 * len(self.gated) + len(passing)
        later = self.width
        gate_out, gate_in = np.zeros((2, network.num_routers), dtype=np.int64)
        gate_out[home], gate_in[home] = np.arange(num_locations), np.arange(num_locations) + later
        gate_out[self.gated] = num_locations + 2 * np.arange(len(self.gated))
        gate_in[self.gated] = gate_out[self.gated] + 1
        gate_out[passing] = gate_in[passing] = self.width - len(passing) + np.arange(len(passing))
        self.porters = np.flatnonzero(~is_alone[network.router_of])
        doors = network.router_of[self.porters]

        # In this order: waiting, channels, ports out, ports in, gate to gate.
        everything = problem.num_messages
        carried = network.capacity.astype(np.int64)
        hops = unfolded_hops(problem)
        if hops is not None:
            carried[~np.isin(np.arange(network.num_channels), hops.channel_of)] = 0  # no hop takes them
        groups = (
            (np.arange(num_locations), np.arange(num_locations) + later, np.full(num_locations, everything), home),
            (gate_out[network.tails], gate_in[network.heads], carried, network.tails),
            (self.porters, gate_out[doors], problem.injection[self.porters], doors),
            (gate_in[doors], self.porters + later, problem.ejection[self.porters], doors),
            (gate_out[self.gated], gate_in[self.gated], np.full(len(self.gated), everything), self.gated),
        )
        self.tails, self.heads, self.capacities, routers = (
            np.concatenate([group[part] for group in groups]).astype(np.int64) for part in range(4)
        )
        ends = np.cumsum([0, *(len(group[0]) for group in groups)]).tolist()
        self.channels, self.ports_out, self.ports_in = (slice(ends[i], ends[i + 1]) for i in (1, 2, 3))
        self.staying = np.zeros(network.num_routers, dtype=np.int64)
        self.staying[home] = np.arange(num_locations)
        self.staying[self.gated] = ends[4] + np.arange(len(self.gated))
        away = steps_from(problem, int(network.router_of[self.root]))
        # No message is at a router sooner than it can be there; what comes in is there when the step is over.
        self.since = np.where(away < 0, np.iinfo(np.int32).max, away)[routers]
        self.since[self.ports_in] -= 1
        self.since[self.channels] -= self.passes[network.tails]

    def flow(self, num_steps: int) -> Longs | None:
        """Return a flow of all messages in `num_steps` steps, a row of arcs per step; None if there is none."""
        steps = np.arange(num_steps)[:, None]
        is_open = steps >= self.since
        targets = self.problem.ends[:, 1]
        sink = (num_steps + 1) * self.width
        flow = MaximumFlow(
            np.concatenate(((self.tails + steps * self.width)[is_open], targets + num_steps * self.width)),
            np.concatenate(((self.heads + steps * self.width)[is_open], np.full(len(targets), sink))),
            np.concatenate((np.broadcast_to(self.capacities, is_open.shape)[is_open], np.ones_like(targets))),
            self.root,
            sink,
        )
        if flow.value < len(targets):
            return None
        rows = np.zeros(is_open.shape, dtype=np.int64)
        rows[is_open] = flow.on_arcs[: -len(targets)]
        return self._one_way(rows)

    def _one_way(self, rows: Longs) -> Longs:
        """Cancel what flows both ways along a link in one step, as half duplex requires.

        Two messages that exchange locations may as well stay, because only their targets distinguish them and these can
        be exchanged: each goes, within its router, to where the other would have arrived, through the same ports. What
        comes to a switch that passes, over a link and back, need not have come.
        """
        network = self.problem.network
        forth = rows[:, self.channels]
        both = np.where(network.opposite >= 0, np.minimum(forth, forth[:, network.opposite]), 0)
        rows[:, self.channels] -= both
        steps, channels = np.nonzero(np.where(self.passes[network.tails], 0, both))
        np.add.at(rows, (steps, self.staying[network.tails[channels]]), both[steps, channels])
        return rows

    def transfers(self, rows: Longs) -> Iterator[Transfer]:
        """Follow the messages through the flow and distinguish them by where they end."""
        problem = self.problem
        at: dict[int, list[list[TimedHop]]] = {self.root: [[] for _ in range(problem.num_messages)]}
        for step, row in enumerate(rows):
            # All leave before any arrives: what comes in one step goes on in the next.
            moved = [(hop, at[hop.sender].pop()) for hop in self._hops(step, row)]
            for hop, way in moved:
                way.append(hop)
                at.setdefault(hop.receiver, []).append(way)
        for message, target in enumerate(problem.ends[:, 1].tolist()):
            # A message that comes back to a location could have waited there.
            for hop in without_loops(self.root, at[target].pop(), lambda hop: hop.receiver):
                yield Transfer(hop.step, hop.sender, hop.receiver, hop.path, (message,))

    def _hops(self, step: int, row: Longs) -> Iterator[TimedHop]:
        """Pair those that leave with those that arrive; it does not matter which takes which channel."""
        senders, receivers = (
            self._by_router(np.repeat(self.porters, row[ports]).tolist()) for ports in (self.ports_out, self.ports_in)
        )
        used = np.repeat(np.arange(self.problem.network.num_channels), row[self.channels])
        apart = hops_of(self.problem.network, used, self.passes)
        for start, path, end in self._shortened(list(apart)) if self.problem.takes_shortest_hops else apart:
            sender = senders[start].pop() if start in senders else self.stops[start]
            receiver = receivers[end].pop() if end in receivers else self.stops[end]
            if sender != receiver:
                yield TimedHop(step, sender, path, receiver)
        for router, left in senders.items():
            for sender, receiver in zip(left, receivers.get(router, ()), strict=True):
                if sender != receiver:
                    yield TimedHop(step, sender, (), receiver)

    def _shortened(self, hops: list[RoutedHop]) -> list[RoutedHop]:
        """Let hops that meet at a switch exchange their rests where more of them are shortest then."""
        heads, away = self.problem.network.heads.tolist(), self.problem.network.distances_from
        distances: dict[int, list[int]] = {start: away(start).tolist() for start in {hop[0] for hop in hops}}

        def is_short(hop: RoutedHop) -> bool:
            start, path, end = hop
            return len(path) == distances[start][end]

        meeting: dict[int, list[tuple[int, int]]] = {}
        for number, (_, path, _) in enumerate(hops):
            for at, channel in enumerate(path[:-1]):
                meeting.setdefault(heads[channel], []).append((number, at + 1))
        for number, long in enumerate(hops):
            if is_short(long):
                continue
            for at, channel in enumerate(long[1][:-1]):
                # Where a hop has exchanged its rest before, its other switches are no longer what they were.
                for other, after in meeting[heads[channel]]:
                    start, path, end = hops[other]
                    if other == number or len(path) <= after or heads[path[after - 1]] != heads[channel]:
                        continue
                    one = (long[0], (*long[1][: at + 1], *path[after:]), end)
                    rest = (start, (*path[:after], *long[1][at + 1 :]), long[2])
                    if is_short(one) and is_short(rest) >= is_short(hops[other]):
                        hops[number], hops[other] = one, rest
                        break
                if is_short(hops[number]):
                    break
        return hops

    def _by_router(self, processors: list[int]) -> dict[int, list[int]]:
        grouped: dict[int, list[int]] = {}
        for processor in processors:
            grouped.setdefault(int(self.problem.network.router_of[processor]), []).append(processor)
        return grouped
