"""The schedules that communication libraries run on any network, with start times, to compare others with.

NCCL passes messages around a ring, and sums up over two binary trees, each for half the data; a rank that is a leaf of
one is inside the other (Sanders, Speck and Traeff 2009). MPI broadcasts over a binomial tree. Private messages go
directly. Members stand in the order of a ring: a Hamiltonian cycle of the network if one is found, fast hops first,
otherwise depth first. What is not joined by a hop goes over a shortest path. Where links and network cards allow,
NCCL has several rings, each for a part of the data (`rings`). No library's own protocol is modelled.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pavane.model.allreduce import phases
from pavane.model.duals import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_hops import SwitchHop, hops, steps_to
from pavane.solvers.candidates import PathFinder
from pavane.solvers.timed.retiming import Booking, SumTransfers
from pavane.solvers.timed.reversal import joined_phases, reversed_transfers
from pavane.solvers.timed.ring_orders import Paths, RingOrder, disjoint_rings, ring_order, ring_turns

MOST_PATHS = 8
"""Paths of a pair among which direct messages are spread."""

Edges = list[tuple[int, int]]
"""Which processor sends to which, each after the one that it receives from."""

EdgesOf = Callable[[Problem, Sequence[int]], Callable[[int], Edges]]
"""What returns the edges of each message, from a problem and an order of its members."""


def baseline_schedules(problem: Problem, left_out: Collection[str] = ()) -> Iterator[tuple[str, Schedule]]:
    """Yield the name and the schedule of each baseline; none where routing is restricted to turns of a grid."""
    if problem.restriction is not None:
        return
    for name, make in _makers(problem):
        if name not in left_out:
            yield name, make()


def _makers(problem: Problem) -> Iterator[tuple[str, Callable[[], Schedule]]]:
    """Yield the name of each baseline, and what makes its schedule."""
    if problem.pattern == "private":
        yield "direct", lambda: _spread(problem, lambda message: [tuple(problem.ends[message].tolist())])
    elif problem.pattern == "broadcast":
        order = ring_order(problem, problem.timing.links)
        yield "ring", lambda: _spread(problem, _chains(problem, order))
        if len(rings := _several_rings(problem)) > 1:
            yield "rings", lambda: _around_rings(problem, rings)
        if len(problem.collective.senders) == 1:
            yield "tree", lambda: _spread(problem, _binomial_trees(problem, order))
    elif problem.pattern == "reduction":
        for name, make in _makers(dual(problem)):
            yield name, lambda make=make: _served(problem, _turned(make()))  # type: ignore[misc]
    else:
        yield from _allreduces(problem)


def _allreduces(problem: Problem) -> Iterator[tuple[str, Callable[[], Schedule]]]:
    """Yield reductions followed by broadcasts, around rings and over two trees."""
    gathering, spreading = phases(problem)
    turned = dual(gathering)
    order = ring_order(spreading, problem.timing.links)

    def joined(back: Schedule, forth: Schedule) -> Schedule:
        return _served(problem, joined_phases(_served(gathering, _turned(back)), forth))

    def along(edges_of: EdgesOf, other: Sequence[int]) -> Schedule:
        back = _spread(turned, edges_of(turned, other))
        return joined(back, _spread(spreading, edges_of(spreading, order)))

    # Read backwards, a ring in the other order has the direction of this one, and a tree has the same root.
    yield "ring", lambda: along(_chains, order[::-1])
    if len(rings := _several_rings(spreading)) > 1:
        backwards = [ring.reversed() for ring in rings]
        yield "rings", lambda: joined(_around_rings(turned, backwards), _around_rings(spreading, rings))
    yield "tree", lambda: along(_double_trees, order)


# -- senders and receivers


def _several_rings(problem: Problem) -> list[RingOrder]:
    """Return rings that share no channel; none where processors have few ports, which one ring uses."""
    if problem.rules.ports != "all":
        return []
    collective = replace(problem.collective, pieces=1, sizes=())
    return disjoint_rings(replace(problem, collectives=(collective,)), problem.timing.links)


def _around_rings(problem: Problem, rings: Sequence[RingOrder]) -> Schedule:
    """Return the schedule of messages around several rings, each with as many as its width allows."""
    turns = ring_turns(rings)
    chains = [_chains(problem, ring.order) for ring in rings]
    return _spread(
        problem,
        lambda message: chains[turns[message % len(turns)]](message),
        lambda message: rings[turns[message % len(turns)]].paths,
    )


def _chains(problem: Problem, order: Sequence[int]) -> Callable[[int], Edges]:
    """Return the chain of each message around the ring, from its origin on."""
    place_of = {processor: place for place, processor in enumerate(order)}

    def chain(message: int) -> Edges:
        first = place_of[int(problem.ends[message, 0])]
        around = [*order[first:], *order[:first]]
        return list(pairwise(around))

    return chain


def _binomial_trees(problem: Problem, order: Sequence[int]) -> Callable[[int], Edges]:
    """Return the binomial tree of each message from its origin; larger parts first."""
    place_of = {processor: place for place, processor in enumerate(order)}

    def tree(message: int) -> Edges:
        first = place_of[int(problem.ends[message, 0])]
        around = [*order[first:], *order[:first]]
        edges: Edges = []
        width = 1 << (len(around) - 1).bit_length()
        while width > 1:
            half = width // 2
            edges += [(around[at], around[at + half]) for at in range(0, len(around) - half, width)]
            width = half
        return edges

    return tree


def _double_trees(_: Problem, order: Sequence[int]) -> Callable[[int], Edges]:
    """Return the one or the other of two binary trees for each message, by turns."""
    size = len(order)
    parents = [binary_tree_parent(rank, size) for rank in range(size)]
    if size % 2:
        others = [None if (up := parents[rank - 1]) is None else (up + 1) % size for rank in range(size)]
    else:
        others = [None if (up := parents[size - 1 - rank]) is None else size - 1 - up for rank in range(size)]
    trees = [[(order[a], order[b]) for a, b in _downward(tree)] for tree in (parents, others)]
    return lambda message: trees[message % 2]


def binary_tree_parent(rank: int, size: int) -> int | None:
    """Return the parent of a rank in NCCL's binary tree, whose leaves are the odd ranks; None of rank 0, the root."""
    if rank == 0:
        return None
    bit = rank & -rank
    up = (rank ^ bit) | (bit << 1)
    return up if up < size else rank ^ bit


def _downward(parents: Sequence[int | None]) -> Edges:
    """Return the edges of a tree from its root down."""
    children: dict[int | None, list[int]] = {}
    for rank, parent in enumerate(parents):
        children.setdefault(parent, []).append(rank)
    edges: Edges = []
    level = children[None]
    while level:
        edges += [(rank, child) for rank in level for child in children.get(rank, [])]
        level = [child for rank in level for child in children.get(rank, [])]
    return edges


# -- transfers


class _Hop(NamedTuple):
    sender: int
    receiver: int
    path: tuple[int, ...]


class _Routes:
    """Routes between processors: one transfer by wormhole, otherwise one for each hop of a shortest path."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.network = problem, problem.network
        self.between = cache(self._between)
        self.finder: PathFinder | None = None
        self.leaving: dict[int, list[SwitchHop]] = {}
        self.steps: dict[int, list[int]] = {}
        """How many hops each router is away from a target."""
        if problem.rules.switching == "wormhole":
            self.finder = PathFinder(problem, np.random.default_rng(0), MOST_PATHS)
        else:
            for hop in hops(problem):
                self.leaving.setdefault(hop.tail, []).append(hop)

    def _between(self, source: int, target: int) -> list[_Hop]:
        """Return the transfers that bring a message from one processor to another."""
        here, there = (int(self.network.router_of[end]) for end in (source, target))
        if here == there:
            return [_Hop(source, target, ())]
        if self.finder is not None:
            paths = self.finder.between(here, there)
            return [_Hop(source, target, paths[(source + target) % len(paths)])]
        if there not in self.steps:
            self.steps[there] = steps_to(self.problem, there).tolist()
        steps, route, sender = self.steps[there], [], source
        while here != there:
            ways = [hop for hop in self.leaving[here] if steps[hop.head] == steps[here] - 1]
            way = ways[(source + target) % len(ways)]
            on_it = self.network.processors_on[way.head]
            receiver = target if way.head == there else on_it[0] if on_it else ~way.head
            route.append(_Hop(sender, receiver, way.path))
            here, sender = way.head, receiver
        return route


def _spread(
    problem: Problem, edges_of: Callable[[int], Edges], paths_of: Callable[[int], Paths] = lambda _: {}
) -> Schedule:
    """Return the schedule in which messages go along edges, by given paths or by shortest ones.

    A message goes to a location once: what a route comes to again is skipped.
    """
    routes = _Routes(problem)
    transfers = SumTransfers([], [], [], [], [])
    for message in range(problem.num_messages):
        edges, paths = edges_of(message), paths_of(message)
        arrived: dict[int, list[int]] = {edges[0][0]: []} if edges else {}
        for source, target in edges:
            known = paths.get((source, target))
            for hop in routes.between(source, target) if known is None else [_Hop(source, target, known)]:
                if hop.receiver not in arrived:
                    arrived[hop.receiver] = [len(transfers.paths)]
                    transfers.add(Transfer(0, *hop, (message,)), arrived[hop.sender])
    return _served(problem, transfers)


def _turned(spread: Schedule) -> SumTransfers:
    """Return the transfers of a broadcast backwards."""
    return reversed_transfers(spread, by_trees=False)[0]


def _served(problem: Problem, transfers: SumTransfers) -> Schedule:
    """Return transfers with starts: each when its inputs have come, and channels serve first come, first served."""
    senders, receivers, paths, messages, inputs = transfers
    size, pieces = problem.network.num_processors, problem.collective.pieces
    is_private = problem.pattern == "private"
    following: dict[int, list[int]] = {}
    for number, sources in enumerate(inputs):
        for source in sources:
            following.setdefault(source, []).append(number)
    missing, ready = [len(sources) for sources in inputs], [0] * len(paths)
    booking = Booking(problem, transfers)

    def turn(number: int) -> tuple[int, int, int, int]:
        # Of private messages at once those to equally distant ranks, so that no rank is sent more than others.
        distance = (receivers[number] - senders[number]) % size if is_private else 0
        return ready[number], distance, messages[number] % pieces, number

    queue = [turn(number) for number, count in enumerate(missing) if not count]
    heapq.heapify(queue)
    while queue:
        number = heapq.heappop(queue)[-1]
        booking.book([number])
        for other in following.get(number, []):
            ready[other], missing[other] = max(ready[other], booking.usable[number]), missing[other] - 1
            if not missing[other]:
                heapq.heappush(queue, turn(other))
    return booking.schedule()
