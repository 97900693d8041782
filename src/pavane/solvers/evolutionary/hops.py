"""The encoding of HGSA: for each pair of a message and a receiver its shortest paths, cut into hops.

A hop is what one transfer covers in one step: a channel, from one location where a message may rest to the next
(gecco07 section 3.1). Locations are processors and, under store-and-forward, pure switches. Under wormhole, and where
switches pass, nothing rests at them, so a hop runs on to the next router with processors; with `runs_on` it may go
through any router, and there are as many paths as choices of where to rest. On a router with several processors a
message may rest at any of them, and may go from one to another without a channel: a path has at most one such hop more
than its ends call for.

A hop draws on the units of its channels and, where ports are scarcer than channels, on the ports of both ends. Paths of
one message that share a hop in a step are one transfer; over one channel to two processors of a router they are two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from pavane.model.arrays import Ints
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder

Hop = tuple[int, tuple[int, ...], int]
"""Where from, over which channels, where to; a location is a processor, or the pure switch r as ~r."""


@dataclass(frozen=True, eq=False)
class HopEncoding:
    """Genes, their paths, the hops of the paths and the units of the hops, as flat arrays."""

    problem: Problem
    message_of: Ints
    """The message of each gene; genes are in the order of messages and receivers."""
    first_path: Ints
    first_hop: Ints
    """Path i consists of hops[first_hop[i]:first_hop[i + 1]]."""
    hops: Ints
    moves: tuple[Hop, ...]
    """What each hop is."""
    first_unit: Ints
    units: Ints
    capacity: Ints

    @property
    def num_genes(self) -> int:
        """Return the number of pairs of a message and a receiver."""
        return len(self.message_of)

    @property
    def is_complete(self) -> bool:
        """Whether every gene has some path."""
        return bool((np.diff(self.first_path) > 0).all())

    @property
    def receiver_of(self) -> Ints:
        """Return the receiver of each gene."""
        last = self.hops[self.first_hop[self.first_path[:-1] + 1] - 1].tolist()
        return np.array([self.moves[hop][2] for hop in last], dtype=np.int32)

    def schedule(self, paths: Ints, steps: Ints) -> Schedule:
        """Return the transfers that a chromosome without conflicts requests, each location's first arrival only.

        A processor that forwards a message along a path received it earlier along that path, and so not later by its
        first arrival.
        """
        uses: set[tuple[int, int, int]] = set()
        for gene, path in enumerate(paths.tolist()):
            for index, hop in enumerate(self.hops[self.first_hop[path] : self.first_hop[path + 1]].tolist()):
                uses.add((int(steps[gene, index]), int(self.message_of[gene]), hop))
        origins = self.problem.ends[:, 0].tolist()
        arrived = set(enumerate(origins))
        first: list[tuple[int, int, int]] = []
        for step, message, hop in sorted(uses):
            arrival = (message, self.moves[hop][2])
            if arrival not in arrived:
                arrived.add(arrival)
                first.append((step, message, hop))
        receivers = set(self.problem.collective.receivers)
        needed: list[tuple[int, int, int]] = []
        passed_on: set[tuple[int, int]] = set()
        for step, message, hop in reversed(first):
            sender, _, receiver = self.moves[hop]
            if receiver in receivers or (message, receiver) in passed_on:
                passed_on.add((message, sender))
                needed.append((step, message, hop))
        return Schedule.from_columns(
            None,
            [step for step, _, _ in needed],
            [self.moves[hop][0] for _, _, hop in needed],
            [self.moves[hop][2] for _, _, hop in needed],
            (
                [len(self.moves[hop][1]) for _, _, hop in needed],
                [channel for _, _, hop in needed for channel in self.moves[hop][1]],
            ),
            [message for _, message, _ in needed],
        )


def hops_of(problem: Problem, num_steps: int, most_paths: int, runs_on: bool, budget: Budget) -> HopEncoding | None:
    """List the genes, their paths of at most `num_steps` hops, and the hops; None when the time is over before.

    With `runs_on` a hop may run through routers where it could rest (wormhole only).
    """
    rng = np.random.default_rng(0)
    # Channel by channel every path keeps every order of turns.
    ordered = problem if runs_on else replace(problem, rules=replace(problem.rules, routing="minimal"))
    finder = PathFinder(ordered, rng, most_paths, 0)
    lister = _PathLister(problem, finder, num_steps, runs_on)
    numbers: dict[Hop, int] = {}
    message_of: list[int] = []
    hops: list[int] = []
    first_path, first_hop = [0], [0]
    for message, (origin,) in enumerate(problem.ends.tolist()):
        for receiver in sorted(set(problem.collective.receivers) - {origin}):
            if budget.is_over:
                return None
            for path in lister.between(origin, receiver):
                hops += [numbers.setdefault(hop, len(numbers)) for hop in path]
                first_hop.append(len(hops))
            first_path.append(len(first_hop) - 1)
            message_of.append(message)
    first_unit, units = _units_of(problem, tuple(numbers))
    return HopEncoding(
        problem,
        np.array(message_of, dtype=np.int32),
        np.array(first_path, dtype=np.int32),
        np.array(first_hop, dtype=np.int32),
        np.array(hops, dtype=np.int32),
        tuple(numbers),
        first_unit,
        units,
        np.concatenate((np.ones(problem.network.num_channels), problem.injection, problem.ejection)).astype(np.int32),
    )


def _units_of(problem: Problem, hops: tuple[Hop, ...]) -> tuple[Ints, Ints]:
    """Return where the units of each hop begin, and the units of all hops."""
    network = problem.network
    inject, eject = network.num_channels, network.num_channels + network.num_processors
    ports_matter = has_scarce_ports(problem)
    first_unit, units = [0], list[int]()
    for sender, channels, receiver in hops:
        units += problem.units[list(channels)].tolist()
        if ports_matter:
            units += [inject + sender] if sender >= 0 else []
            units += [eject + receiver] if receiver >= 0 else []
        first_unit.append(len(units))
    return np.array(first_unit, dtype=np.int32), np.array(units, dtype=np.int32)


@dataclass(frozen=True)
class _PathLister:
    """Lists the paths between processors, or a sample of them."""

    problem: Problem
    finder: PathFinder
    num_steps: int
    runs_on: bool

    def between(self, origin: int, receiver: int) -> list[tuple[Hop, ...]]:
        """Return the paths from one processor to another, each along a way: a shortest path of channels."""
        router_of, rng, most_paths = self.problem.network.router_of, self.finder.rng, self.finder.most_paths
        ways = self.finder.between(int(router_of[origin]), int(router_of[receiver]))
        found: dict[tuple[Hop, ...], None] = {}
        for way in ways:
            most = max(8, 2 * most_paths // len(ways))
            rests = _passed(len(way), self.num_steps, most, rng) if self.runs_on else [(False,) * len(way)]
            for passed in rests:
                paths = islice(_paths(self.problem, origin, receiver, way, passed), most)
                found.update((path, None) for path in paths if len(path) <= self.num_steps)
        listed = list(found)
        if len(listed) > most_paths:
            listed = [listed[at] for at in rng.choice(len(listed), most_paths, replace=False).tolist()]
        return listed


def has_scarce_ports(problem: Problem) -> bool:
    """Whether a processor may have fewer ports than the transfers that channels let it send or receive."""
    network = problem.network
    homes = network.router_of
    return not network.is_slim or bool(
        (problem.injection < network.out_degrees[homes]).any() or (problem.ejection < network.in_degrees[homes]).any()
    )


def may_start_at_once(problem: Problem) -> bool:
    """Whether the first channel of every path may be used in step 1 without loss.

    In step 1 a channel out of a processor can only carry the processor's own message. So sending it over all of them
    takes nothing from others, unless ports are scarce, links are half duplex, a hop runs on over further channels, or
    the processor has several pieces to send.
    """
    rules = problem.rules
    runs_on = problem.passes_switches or (rules.switching == "wormhole" and problem.has_switches)
    return not (has_scarce_ports(problem) or runs_on or problem.has_pieces) and rules.duplex == "full"


def _passed(length: int, num_steps: int, most: int, rng: np.random.Generator) -> list[tuple[bool, ...]]:
    """List which heads of a way's channels a message runs through: all choices, or a sample of every number of hops."""
    inner = length - 1
    if inner < 1:
        return [(False,) * length]
    if 2**inner <= most:
        return [(*passed, False) for passed in product((True, False), repeat=inner)]
    drawn = []
    for number in range(most):
        rests = set(rng.choice(inner, number % min(num_steps, inner + 1), replace=False).tolist())
        drawn.append((*(index not in rests for index in range(inner)), False))
    return drawn


def _paths(
    problem: Problem, origin: int, receiver: int, way: tuple[int, ...], passed: tuple[bool, ...]
) -> Iterator[tuple[Hop, ...]]:
    """Yield the paths along one way that run through the heads of some channels, by where else the message rests."""
    network = problem.network
    if not way:
        yield ((origin, (), receiver),)
        for other in network.processors_on[network.router_of[origin]]:
            if other not in (origin, receiver):
                yield (origin, (), other), (other, (), receiver)
        return
    may_rest_anywhere = problem.rules.switching == "store-and-forward" and not problem.passes_switches
    homes = [int(network.router_of[origin])]
    rests: list[tuple[int, ...]] = [(origin,)]
    legs: list[tuple[int, ...]] = []
    leg: tuple[int, ...] = ()
    for channel, is_passed in zip(way, passed, strict=True):
        leg = (*leg, channel)
        head = int(network.heads[channel])
        here = network.processors_on[head]
        if (here and not is_passed) or may_rest_anywhere:
            homes.append(head)
            rests.append(here or (~head,))
            legs.append(leg)
            leg = ()
    rests[-1] = (receiver,)
    for locations in product(*rests):
        yield _joined(locations, locations, legs)
    # One hop more: a message comes to one processor of a router and leaves from, or is for, another.
    for at, home in enumerate(homes):
        if len(network.processors_on[home]) > 1:
            for locations in product(*rests):
                for other in network.processors_on[home]:
                    if other != locations[at]:
                        changed = (*locations[:at], other, *locations[at + 1 :])
                        is_last = at == len(homes) - 1
                        yield _joined(changed, locations, legs) if is_last else _joined(locations, changed, legs)


def _joined(comes: tuple[int, ...], leaves: tuple[int, ...], legs: list[tuple[int, ...]]) -> tuple[Hop, ...]:
    """Make a path of the locations where it comes to each router and those where it leaves, or ends."""
    path: list[Hop] = []
    for at, (into, out_of) in enumerate(zip(comes, leaves, strict=True)):
        if at:
            path.append((leaves[at - 1], legs[at - 1], into))
        if into != out_of:
            path.append((into, (), out_of))
    return tuple(path)
