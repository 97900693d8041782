"""Scatter under wormhole switching: one flow for all steps, then one step after the other peeled off, or half of them.

A schedule of T steps, its steps laid upon each other, is a flow from the origin to the targets in which a channel
carries at most T times its capacity, and a port T times its width. The reverse holds too: a flow f of T steps contains
an integral flow g with floor(f / T) <= g <= ceil(f / T) on every arc, because f / T is such a flow and where the limits
are whole numbers a flow can be (Ford and Fulkerson, Flows in Networks, 1962). It fits into one step, and f - g into
T - 1. Likewise a flow between floor(a f / T) and ceil(a f / T) fits into a steps, and the rest into T - a. Under
minimal routing the flow runs on the channels that lead away from the origin: there every path is shortest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.prices import CertificatePrices, priced
from pavane.model.arrays import Longs
from pavane.model.bound import Bound
from pavane.model.maximum_flow import MaximumFlow, simple_paths_of
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.solver import Finding

MOST_PEELED = 2**22
"""Steps times channels up to which steps are peeled off one by one, in seconds; above it flows are halved."""


def wormhole_scatter(problem: Problem, num_steps: int | None, budget: Budget) -> Finding:
    """Raise the number of steps to what the last cut proves, until there is no such cut.

    If T steps are too few, more than T times the cut's channels lie beyond the cut; prices on these channels prove it.
    """
    # Where any routing is allowed, shortest paths come first: a flow over all channels wanders.
    choices = [_ChannelArcs(problem, shortest=True)]
    if problem.rules.routing == "any":
        choices.append(_ChannelArcs(problem, shortest=False))
    bound = _by_ports(problem)
    while num_steps is None or bound.figure <= num_steps:
        for arcs in choices:
            if budget.is_over:
                return Finding(None)
            flow = arcs.flow(bound.figure)
            if flow.value == problem.num_messages:
                steps = arcs.steps(flow.on_arcs, bound.figure, budget)
                return Finding(None if steps is None else Schedule.from_transfers(steps), (bound,))
        # No port is part of the cut: the first bound made all wide enough.
        bound = priced(problem, CertificatePrices.of(problem, arcs.crossing(flow)), "flow-cut")
    return Finding(None, (bound,))


def _by_ports(problem: Problem) -> Bound:
    """Return how long the origin must send, or where messages have pieces, how long a target must receive."""
    bound = priced(problem, CertificatePrices.of(problem, injection=problem.ends[:1, 0]), "injection")
    if problem.has_pieces:
        slowest = int((problem.num_received / np.maximum(problem.ejection, 1)).argmax())
        received = priced(problem, CertificatePrices.of(problem, ejection=[slowest]), "ejection")
        bound = max(bound, received, key=lambda one: one.figure)
    return bound


class _ChannelArcs:
    """The arcs of a wormhole scatter: every channel, then the origin's port, then exits at targets' routers.

    A router has one exit. Where messages have pieces, every target has its own: more than its ports take in might come
    to it in one step, were its share not separate.
    """

    def __init__(self, problem: Problem, *, shortest: bool) -> None:
        network = problem.network
        self.problem, self.num_channels, self.num_routers = problem, network.num_channels, network.num_routers
        self.root = int(problem.ends[0, 0])
        self.home = int(network.router_of[self.root])
        leaving: dict[tuple[int, int], list[int]] = {}
        for message, target in enumerate(problem.ends[:, 1].tolist()):
            exit_of = int(network.router_of[target]), target if problem.has_pieces else 0
            leaving.setdefault(exit_of, []).append(message)
        self.exits = [router for router, _ in sorted(leaving)]
        """The router of each exit."""
        self.messages_for = [leaving[exit_of] for exit_of in sorted(leaving)]
        """The messages that leave by each exit."""
        self.source, self.sink = self.num_routers, self.num_routers + 1
        self.tails = np.concatenate((network.tails, [self.source], self.exits)).astype(np.int64)
        self.heads = np.concatenate((network.heads, [self.home], [self.sink] * len(self.exits))).astype(np.int64)
        self.is_usable = np.ones(self.num_channels, dtype=bool)
        if shortest:
            away = network.distances_from(self.home)
            self.is_usable = (away[network.tails] >= 0) & (away[network.tails] + 1 == away[network.heads])

    def flow(self, num_steps: int) -> MaximumFlow:
        """Return the most that `num_steps` steps can carry."""
        port = num_steps * int(self.problem.injection[self.root])
        wanted = [len(messages) for messages in self.messages_for]
        carried = num_steps * np.where(self.is_usable, self.problem.network.capacity, 0).astype(np.int64)
        capacities = np.concatenate((carried, [port], wanted)).astype(np.int64)
        return MaximumFlow(self.tails, self.heads, capacities, self.source, self.sink)

    def crossing(self, flow: MaximumFlow) -> Longs:
        """Return the channels of the minimum cut."""
        inside = flow.source_side(self.num_routers + 2)
        tails, heads = (ends[: self.num_channels] for ends in (self.tails, self.heads))
        return np.flatnonzero(inside[tails] & ~inside[heads] & self.is_usable)

    def steps(self, flow: Longs, num_steps: int, budget: Budget) -> list[Transfer] | None:
        """Decompose the flow into steps; None when the time is over."""
        flow = self._one_way(flow)
        waiting = [list(messages) for messages in self.messages_for]
        transfers: list[Transfer] = []
        is_large = num_steps * self.num_channels > MOST_PEELED
        parts = [(np.flatnonzero(flow), flow[flow > 0], num_steps)]
        """Arcs, what flows on them, and in how many steps; those of the last steps first."""
        step = 0
        while parts:
            if budget.is_over:
                return None
            arcs, flow, left = parts.pop()
            if left > 1:
                ahead = left // 2 if is_large else 1
                share = self._share(arcs, flow, ahead, left)
                for some, count in ((flow - share, left - ahead), (share, ahead)):
                    parts.append((arcs[some > 0], some[some > 0], count))
                continue
            due: dict[int, list[int]] = {}
            is_exit = arcs > self.num_channels
            for number, count in zip((arcs - self.num_channels - 1)[is_exit].tolist(), flow[is_exit], strict=True):
                due.setdefault(self.exits[number], []).extend(waiting[number].pop() for _ in range(count))
            for path, router in self._paths(arcs, flow):
                message = due[router].pop(0)
                target = int(self.problem.ends[message, 1])
                transfers.append(Transfer(step, self.root, target, path, (message,)))
            step += 1
        return transfers

    def _one_way(self, flow: Longs) -> Longs:
        """Cancel what flows both ways along a link, as half duplex requires; each step uses a link one way at most.

        The flow there and back along a link is a cycle, so the rest is still a flow. It is taken link by link, as
        `Network.opposite` pairs parallel channels, and a step takes nothing from a channel without flow.
        """
        back = self.problem.network.opposite
        forth = flow[: self.num_channels]
        both = np.where(back >= 0, np.minimum(forth, forth[back]), 0)
        return np.concatenate((forth - both, flow[self.num_channels :]))

    def _share(self, arcs: Longs, flow: Longs, ahead: int, num_steps: int) -> Longs:
        """Return an integral flow between floor and ceiling of what falls to some of the steps.

        The floors are no flow yet: what comes in and what goes out differ. The difference is led over the arcs that do
        not divide evenly, each rounded up at most once.
        """
        share = flow * ahead // num_steps
        # Source and sink as one: what comes in at the port has gone out at the exits.
        tails, heads = self.tails[arcs], self.heads[arcs]
        heads = np.where(heads == self.sink, self.source, heads)
        size = self.num_routers + 1
        excess = np.bincount(heads, share, size).astype(np.int64) - np.bincount(tails, share, size).astype(np.int64)
        over, under = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
        if not len(over):
            return share
        uneven = np.flatnonzero(flow * ahead % num_steps)
        rounding = MaximumFlow(
            np.concatenate((tails[uneven], np.full(len(over), size), under)),
            np.concatenate((heads[uneven], over, np.full(len(under), size + 1))),
            np.concatenate((np.ones(len(uneven), dtype=np.int64), excess[over], -excess[under])),
            size,
            size + 1,
        )
        share[uneven] += rounding.on_arcs[: len(uneven)]
        return share

    def _paths(self, arcs: Longs, flow: Longs) -> Iterator[tuple[tuple[int, ...], int]]:
        """Decompose the flow of one step into simple paths, each with the router where it ends."""
        ending = np.zeros(self.num_routers, dtype=np.int64)
        is_exit, is_channel = arcs > self.num_channels, arcs < self.num_channels
        np.add.at(ending, self.tails[arcs[is_exit]], flow[is_exit])
        channels = np.repeat(arcs[is_channel], flow[is_channel])
        starts = [self.home] * int(flow[arcs == self.num_channels].sum())
        for _, path, router in simple_paths_of(self.problem.network, channels, starts, ending.tolist()):
            yield path, router
