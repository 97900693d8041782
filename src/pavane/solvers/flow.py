"""Scatter from one origin, exactly and in polynomial time, by maximum flows; gather as scatter read backwards.

Private messages that share their origin are interchangeable on their way: only where each one ends matters. So a set of
paths is a flow, and what a maximum flow cannot do, a minimum cut forbids.

Wormhole: a schedule of T steps, its steps laid upon each other, is a flow from the origin to the targets in which a
channel carries at most T and the origin's port T times its width. The reverse holds too: a flow f of T steps contains
an integral flow g with floor(f / T) <= g <= ceil(f / T) on every arc, because f / T is such a flow and where the limits
are whole numbers a flow can be (Ford and Fulkerson, Flows in Networks, 1962). It fits into one step, and f - g into
T - 1. Under minimal routing the flow runs on the channels that lead away from the origin: there every path is shortest.

Store-and-forward: a flow over time, in the network that has every place once per step (Ford and Fulkerson, again).

Half duplex costs nothing here: two flows that meet on a link cancel, and what they would have carried past each other
is left where it was. That breaks no capacity, so a schedule for full duplex gives one as long for half duplex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pavane.bounds.distance import longest_way
from pavane.bounds.prices import Prices, priced
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result
from pavane.model.bound import Bound
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer, time_reversed
from pavane.workers.budget import Budget

Longs = npt.NDArray[np.int64]
T = TypeVar("T")

MOST_ARCS = 40_000_000
"""A flow over time with more arcs would take several gigabytes; such a problem stays without an answer."""


class Answer(NamedTuple):
    """A schedule if there is one, and what was proven on the way."""

    schedule: Schedule | None
    bounds: tuple[Bound, ...] = ()


NO_ANSWER = Answer(None)


@dataclass(frozen=True)
class Flow:
    """Maximum flows, for private messages that all come from one processor or all go to one."""

    name: str = "flow"

    def supports(self, problem: Problem) -> bool:
        """Say whether the messages are private, travel alone, and share an origin or a target."""
        return (
            problem.pattern == "private"
            and not problem.rules.combining
            and problem.restriction is None
            and (_is_shared(problem, 0) or _is_shared(problem, 1))
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return a schedule of the fewest steps and the proof that there is none shorter; the seed is not needed."""
        if not self.supports(problem):
            raise InputError(f"method {self.name} needs private messages with one origin or one target, not {problem}")
        if _is_shared(problem, 0):
            schedule, bounds = _scatter(problem, num_steps, budget)
        else:
            mirror = dual(problem)
            found, proven = _scatter(mirror, num_steps, budget)
            schedule = None if found is None else time_reversed(mirror, found, problem)
            bounds = tuple(_read_backwards(bound) for bound in proven)
        return Result(problem, schedule, bounds, Provenance(self.name, seed), num_steps)


def _is_shared(problem: Problem, side: int) -> bool:
    """Say whether all messages have the same origin (side 0) or target (side 1)."""
    return bool((problem.labels[:, side] == problem.labels[0, side]).all())


def _read_backwards(bound: Bound) -> Bound:
    """Return a bound of the dual as one of the problem: channels keep their numbers, the two ends change places."""
    other = {"injection": "ejection", "ejection": "injection", "from": "to", "to": "from"}
    certificate = {other.get(key, key): value for key, value in bound.certificate.items()}
    return Bound(bound.steps, other.get(bound.argument, bound.argument), certificate)


def _scatter(problem: Problem, num_steps: int | None, budget: Budget) -> Answer:
    solve = _wormhole if problem.rules.switching == "wormhole" else _stored
    return solve(problem, num_steps, budget)


class _MaximumFlow:
    """A maximum flow, arc by arc, and its cut."""

    def __init__(self, tails: Longs, heads: Longs, capacities: Longs, source: int, sink: int) -> None:
        # Loaded only where a flow is wanted: it takes a third of a second.
        from ortools.graph.python import max_flow

        self._search: Any = max_flow.SimpleMaxFlow()
        arcs = self._search.add_arcs_with_capacity(tails.astype(np.int32), heads.astype(np.int32), capacities)
        status = self._search.solve(source, sink)
        if status != self._search.OPTIMAL:
            raise RuntimeError(f"no maximum flow was found: {status}")
        self.value = int(self._search.optimal_flow())
        self.on_arcs: Longs = np.asarray(self._search.flows(arcs), dtype=np.int64)

    def source_side(self, num_ends: int) -> npt.NDArray[np.bool_]:
        """Mark what lies on the source's side of a minimum cut."""
        inside = np.zeros(num_ends, dtype=bool)
        inside[self._search.get_source_side_min_cut()] = True
        return inside


def _without_loops(start: int, hops: list[T], end_of: Callable[[T], int]) -> list[T]:
    """Leave out the hops between two visits of one place."""
    kept: list[T] = []
    visited = {start: 0}
    for hop in hops:
        place = end_of(hop)
        if place in visited:
            for lost in kept[visited[place] :]:
                del visited[end_of(lost)]
            del kept[visited[place] :]
        else:
            kept.append(hop)
            visited[place] = len(kept)
    return kept


# -- wormhole


def _wormhole(problem: Problem, num_steps: int | None, budget: Budget) -> Answer:
    """Raise the number of steps to what the last cut proves, until there is no such cut.

    If T steps are too few, more than T times the cut's channels lie beyond the cut; prices on these channels prove it.
    """
    # Where any routing is allowed, shortest paths come first: a flow over all channels wanders.
    choices = [_Ways(problem, shortest=True)]
    if problem.rules.routing == "any":
        choices.append(_Ways(problem, shortest=False))
    bound = priced(problem, Prices.of(problem, injection=problem.labels[:1, 0]), "injection")
    while num_steps is None or bound.steps <= num_steps:
        for ways in choices:
            if budget.is_over:
                return NO_ANSWER
            flow = ways.flow(bound.steps)
            if flow.value == problem.num_messages:
                steps = ways.steps(flow.on_arcs, bound.steps, budget)
                return Answer(None if steps is None else Schedule.from_transfers(steps), (bound,))
        # The port is not part of the cut: the first bound made it wide enough.
        bound = priced(problem, Prices.of(problem, ways.crossing(flow)), "flow-cut")
    return Answer(None, (bound,))


class _Ways:
    """The arcs of a wormhole scatter: every channel, then the origin's port, then an exit at every target's router."""

    def __init__(self, problem: Problem, *, shortest: bool) -> None:
        network = problem.network
        self.problem, self.num_channels, self.num_routers = problem, network.num_channels, network.num_routers
        self.root = int(problem.labels[0, 0])
        self.home = int(network.router_of[self.root])
        self.messages_for: dict[int, list[int]] = {}
        for message, router in enumerate(network.router_of[problem.labels[:, 1]].tolist()):
            self.messages_for.setdefault(router, []).append(message)
        self.exits = sorted(self.messages_for)
        self.source, self.sink = self.num_routers, self.num_routers + 1
        self.tails = np.concatenate((network.tails, [self.source], self.exits)).astype(np.int64)
        self.heads = np.concatenate((network.heads, [self.home], [self.sink] * len(self.exits))).astype(np.int64)
        self.head_of: list[int] = network.heads.tolist()
        self.is_usable = np.ones(self.num_channels, dtype=bool)
        if shortest:
            away = network.distances_from(self.home)
            self.is_usable = (away[network.tails] >= 0) & (away[network.tails] + 1 == away[network.heads])

    def flow(self, num_steps: int) -> _MaximumFlow:
        """Return the most that so many steps can carry."""
        port = num_steps * int(self.problem.injection[self.root])
        asked = [len(self.messages_for[router]) for router in self.exits]
        capacities = np.concatenate((num_steps * self.is_usable, [port], asked)).astype(np.int64)
        return _MaximumFlow(self.tails, self.heads, capacities, self.source, self.sink)

    def crossing(self, flow: _MaximumFlow) -> Longs:
        """Return the channels of the minimum cut."""
        inside = flow.source_side(self.num_routers + 2)
        tails, heads = (ends[: self.num_channels] for ends in (self.tails, self.heads))
        return np.flatnonzero(inside[tails] & ~inside[heads] & self.is_usable)

    def steps(self, flow: Longs, num_steps: int, budget: Budget) -> list[Transfer] | None:
        """Peel off one step after the other; None when the time is over."""
        flow = self._one_way(flow)
        waiting = {router: list(messages) for router, messages in self.messages_for.items()}
        transfers: list[Transfer] = []
        for step in range(num_steps):
            if budget.is_over:
                return None
            share = self._share(flow, num_steps - step)
            flow = flow - share
            for path, router in self._paths(share):
                message = waiting[router].pop()
                target = int(self.problem.labels[message, 1])
                transfers.append(Transfer(step, self.root, target, path, (message,)))
        return transfers

    def _one_way(self, flow: Longs) -> Longs:
        """Cancel what flows both ways along a link, as half duplex asks; each step then uses a link one way at most.

        The flow there and back along a link is a cycle, so the rest is still a flow. It is taken link by link, as
        `Network.opposite` pairs parallel channels, and a step takes nothing from a channel without flow.
        """
        back = self.problem.network.opposite
        forth = flow[: self.num_channels]
        both = np.where(back >= 0, np.minimum(forth, forth[back]), 0)
        return np.concatenate((forth - both, flow[self.num_channels :]))

    def _share(self, flow: Longs, num_steps: int) -> Longs:
        """Return an integral flow between floor and ceiling of the flow divided by the number of steps.

        The floors are no flow yet: what comes in and what goes out differ. The difference is led over the arcs that do
        not divide evenly, each rounded up at most once.
        """
        share = flow // num_steps
        # Source and sink as one: what comes in at the port has gone out at the exits.
        heads = np.where(self.heads == self.sink, self.source, self.heads)
        size = self.num_routers + 1
        excess = np.bincount(heads, share, size).astype(np.int64) - np.bincount(self.tails, share, size).astype(
            np.int64
        )
        over, under = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
        if not len(over):
            return share
        uneven = np.flatnonzero(flow % num_steps)
        rounding = _MaximumFlow(
            np.concatenate((self.tails[uneven], np.full(len(over), size), under)),
            np.concatenate((heads[uneven], over, np.full(len(under), size + 1))),
            np.concatenate((np.ones(len(uneven), dtype=np.int64), excess[over], -excess[under])),
            size,
            size + 1,
        )
        share[uneven] += rounding.on_arcs[: len(uneven)]
        return share

    def _paths(self, share: Longs) -> Iterator[tuple[tuple[int, ...], int]]:
        """Take the flow of one step apart into simple paths, each with the router where it ends."""
        leaving: dict[int, list[int]] = {}
        for channel in np.flatnonzero(share[: self.num_channels]).tolist():
            leaving.setdefault(int(self.tails[channel]), []).append(channel)
        ending = dict(zip(self.exits, share[self.num_channels + 1 :].tolist(), strict=True))
        for _ in range(int(share[self.num_channels])):
            router, walk = self.home, []
            while not ending.get(router):
                walk.append(leaving[router].pop())
                router = self.head_of[walk[-1]]
            ending[router] -= 1
            yield tuple(_without_loops(self.home, walk, self.head_of.__getitem__)), router


# -- store-and-forward


class Hop(NamedTuple):
    """One transfer of a message that is not yet known: places as a schedule names them."""

    step: int
    sender: int
    path: tuple[int, ...]
    receiver: int


def _stored(problem: Problem, num_steps: int | None, budget: Budget) -> Answer:
    """Try numbers of steps from the simplest bound upwards, ever faster, then halve what lies between."""
    least = _soonest(problem)
    if num_steps is not None and least > num_steps:
        return Answer(None, (_stored_bound(problem, least),))
    if _at_once(problem).max() == 1:
        return Answer(_farthest_first(problem), (_stored_bound(problem, least),))
    places, stride = _Places(problem), 1
    best: Longs | None = None
    while best is None or least < len(best):
        tried = least + stride - 1 if best is None else (least + len(best)) // 2
        tried = tried if num_steps is None else min(tried, num_steps)
        if budget.is_over or tried * len(places.tails) > MOST_ARCS:
            return NO_ANSWER
        flow = places.flow(tried)
        if flow is not None:
            best = flow
        elif tried == num_steps:
            return Answer(None, (_stored_bound(problem, tried + 1),))
        else:
            least, stride = tried + 1, 2 * stride
    return Answer(Schedule.from_transfers(places.transfers(best)), (_stored_bound(problem, least),))


def _distances(problem: Problem) -> npt.NDArray[np.int32]:
    """Return how far each message has to go."""
    network = problem.network
    away = network.distances_from(int(network.router_of[problem.labels[0, 0]]))
    return away[network.router_of[problem.labels[:, 1]]]


def _at_once(problem: Problem) -> Longs:
    """Return how many messages can leave in one step, by ports, and for those that leave the router by channels."""
    root = problem.labels[0, 0]
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
    """Return the bound of so many steps, with a certificate where a simple one is enough."""
    root = int(problem.labels[0, 0])
    for bound in (longest_way(problem), priced(problem, Prices.of(problem, injection=[root]), "injection")):
        if bound.steps == num_steps:
            return bound
    return Bound(num_steps, "exhaustive", {"method": "flow over time"})


def _farthest_first(problem: Problem) -> Schedule:
    """Send one message a step along one tree of shortest paths, the farthest first: the best where only one can leave.

    No two messages are ever equally far from the origin, so none meets another, and none waits: the bound is met.
    """
    network = problem.network
    root = int(problem.labels[0, 0])
    away = network.distances_from(int(network.router_of[root]))
    outward = np.flatnonzero((away[network.tails] >= 0) & (away[network.tails] + 1 == away[network.heads]))
    parent_of = dict(zip(network.heads[outward].tolist(), outward.tolist(), strict=True))
    tail_of, stops = network.tails.tolist(), _resting_places(problem)
    transfers: list[Transfer] = []
    for first, message in enumerate(np.argsort(-_distances(problem), kind="stable").tolist()):
        receiver = int(problem.labels[message, 1])
        router = int(network.router_of[receiver])
        if not away[router]:
            transfers.append(Transfer(first, root, receiver, (), (message,)))
        for step in range(first + int(away[router]) - 1, first - 1, -1):
            channel = parent_of[router]
            router = tail_of[channel]
            sender = stops[router] if step > first else root
            transfers.append(Transfer(step, sender, receiver, (channel,), (message,)))
            receiver = sender
    return Schedule.from_transfers(transfers)


def _resting_places(problem: Problem) -> list[int]:
    """Return where a message rests at each router: its first processor, or the pure switch itself."""
    return [on[0] if on else ~router for router, on in enumerate(problem.network.processors_on)]


class _Places:
    """The arcs of one step of a flow over time; places are processors and pure switches.

    A place leads to itself one step later, which is waiting. A channel leads from its tail router's gate out to its
    head router's gate in. Ports lead from processors to the gate out and from the gate in to processors one step later,
    and one arc from gate to gate, for transfers within the router. A router with one place whose ports can never be too
    few needs no gates: its gate out is the place, its gate in the place one step later.
    """

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self.problem, self.root = problem, int(problem.labels[0, 0])
        switches = np.setdiff1d(np.arange(network.num_routers), network.router_of)
        self.stops = _resting_places(problem)
        home = np.concatenate((network.router_of, switches)).astype(np.int64)
        num_places = len(home)

        is_alone = np.bincount(home, minlength=network.num_routers) == 1
        for ports, degrees in ((problem.injection, network.out_degrees), (problem.ejection, network.in_degrees)):
            is_alone[network.router_of[ports < degrees[network.router_of]]] = False
        self.gated = np.flatnonzero(~is_alone)
        self.width = num_places + 2 * len(self.gated)
        later = self.width
        gate_out, gate_in = np.zeros((2, network.num_routers), dtype=np.int64)
        gate_out[home], gate_in[home] = np.arange(num_places), np.arange(num_places) + later
        gate_out[self.gated] = num_places + 2 * np.arange(len(self.gated))
        gate_in[self.gated] = gate_out[self.gated] + 1
        self.porters = np.flatnonzero(~is_alone[network.router_of])
        doors = network.router_of[self.porters]

        # In this order: waiting, channels, ports out, ports in, gate to gate.
        everything = problem.num_messages
        groups = (
            (np.arange(num_places), np.arange(num_places) + later, np.full(num_places, everything), home),
            (gate_out[network.tails], gate_in[network.heads], np.ones(network.num_channels), network.tails),
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
        self.staying[home] = np.arange(num_places)
        self.staying[self.gated] = ends[4] + np.arange(len(self.gated))
        away = network.distances_from(int(network.router_of[self.root]))
        # No message is at a router sooner than it can be there; what comes in is there when the step is over.
        self.since = np.where(away < 0, np.iinfo(np.int32).max, away)[routers]
        self.since[self.ports_in] -= 1

    def flow(self, num_steps: int) -> Longs | None:
        """Return a flow of all messages in so many steps, a row of arcs per step; None if there is none."""
        steps = np.arange(num_steps)[:, None]
        is_open = steps >= self.since
        targets = self.problem.labels[:, 1]
        sink = (num_steps + 1) * self.width
        flow = _MaximumFlow(
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
        """Cancel what flows both ways along a link in one step, as half duplex asks.

        Two messages that change places may as well stay, because only their targets tell them apart and these can be
        exchanged: each goes, within its router, to where the other would have arrived, through the same ports.
        """
        network = self.problem.network
        forth = rows[:, self.channels]
        both = np.where(network.opposite >= 0, np.minimum(forth, forth[:, network.opposite]), 0)
        rows[:, self.channels] -= both
        steps, channels = np.nonzero(both)
        np.add.at(rows, (steps, self.staying[network.tails[channels]]), 1)
        return rows

    def transfers(self, rows: Longs) -> Iterator[Transfer]:
        """Follow the messages through the flow and tell them apart by where they end."""
        problem = self.problem
        at: dict[int, list[list[Hop]]] = {self.root: [[] for _ in range(problem.num_messages)]}
        for step, row in enumerate(rows):
            # All leave before any arrives: what comes in one step goes on in the next.
            moved = [(hop, at[hop.sender].pop()) for hop in self._hops(step, row)]
            for hop, way in moved:
                way.append(hop)
                at.setdefault(hop.receiver, []).append(way)
        for message, target in enumerate(problem.labels[:, 1].tolist()):
            # A message that comes back to a place could have waited there.
            for hop in _without_loops(self.root, at[target][0], lambda hop: hop.receiver):
                yield Transfer(hop.step, hop.sender, hop.receiver, hop.path, (message,))

    def _hops(self, step: int, row: Longs) -> Iterator[Hop]:
        """Pair those that leave with those that arrive; it does not matter who takes which channel."""
        senders, receivers = (
            self._by_router(np.repeat(self.porters, row[ports]).tolist()) for ports in (self.ports_out, self.ports_in)
        )
        used = np.flatnonzero(row[self.channels])
        for channel, (tail, head) in zip(used.tolist(), self.problem.network.channels[used].tolist(), strict=True):
            sender = senders[tail].pop() if tail in senders else self.stops[tail]
            receiver = receivers[head].pop() if head in receivers else self.stops[head]
            yield Hop(step, sender, (channel,), receiver)
        for router, left in senders.items():
            for sender, receiver in zip(left, receivers.get(router, ()), strict=True):
                if sender != receiver:
                    yield Hop(step, sender, (), receiver)

    def _by_router(self, processors: list[int]) -> dict[int, list[int]]:
        grouped: dict[int, list[int]] = {}
        for processor in processors:
            grouped.setdefault(int(self.problem.network.router_of[processor]), []).append(processor)
        return grouped
