"""Grows trees for the pieces of an allreduce, edge by edge over channels that are little loaded and not far out."""

from __future__ import annotations

from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np

from pavane.model.problem import Problem
from pavane.model.switch_hops import hops, joins_switches, single_hops
from pavane.solvers.allreduce.tree_steps import Tree, TreeEdge, leading
from pavane.solvers.step_table import TransferUnits

STEEPNESS = 4
"""The power of the load that is the price of a channel: the fuller, the dearer."""

MOST_EDGES = 200_000
"""The most pairs of neighbours in a network whose trees are grown."""

Neighbour = tuple[int, tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
"""A location, the paths to it and the paths back."""


def neighbours_of(problem: Problem) -> dict[int, list[Neighbour]]:
    """List for each location those that a hop there and a hop back join it with."""
    network, rules = problem.network, problem.rules
    stepwise = problem
    if rules.switching == "wormhole":
        # A path that passes pure switches only leaves processors on the way their channels.
        stored = replace(rules.without_copies(), switching="store-and-forward", switches="pass")
        stepwise = replace(problem, rules=stored)
    paths: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    # Locations with a channel and a switch in common use both; over several switches the shortest will do.
    list_hops = single_hops if stepwise.passes_switches and not joins_switches(stepwise) else hops
    for path, tail, head in list_hops(stepwise):
        is_long = rules.switching == "wormhole" and rules.routing != "any" and len(path) > 1
        if not is_long or len(path) == network.distances_from(tail)[head]:
            paths.setdefault((tail, head), []).append(path)
    found: dict[int, list[Neighbour]] = {}
    for (tail, head), there in paths.items():
        back = paths.get((head, tail))
        if back:
            for here in _locations(problem, tail):
                found.setdefault(here, []).extend(
                    (other, tuple(there), tuple(back)) for other in _locations(problem, head)
                )
    for router in range(network.num_routers):
        on = network.processors_on[router]
        for here in on if len(on) > 1 else ():
            found.setdefault(here, []).extend((other, ((),), ((),)) for other in on if other != here)
    may = np.minimum(problem.injection, problem.ejection) > 0
    return {
        here: [one for one in sorted(others) if one[0] < 0 or may[one[0]]]
        for here, others in sorted(found.items())
        if here < 0 or may[here]
    }


def num_edges(problem: Problem) -> int:
    """Return about how many pairs of neighbours there are, before they are listed."""
    on = np.maximum(np.bincount(problem.network.router_of, minlength=problem.network.num_routers), 1)
    network = problem.network
    near = int((on[network.tails] * on[network.heads]).sum())
    if problem.has_switches and (problem.passes_switches or problem.rules.switching == "wormhole"):
        near += int((network.in_degrees * network.out_degrees)[problem.is_switch].sum())
    return near + int((on * on).sum())


def _locations(problem: Problem, router: int) -> tuple[int, ...]:
    return tuple(problem.network.processors_on[router]) or (~router,)


class Grower:
    """Grows trees one at a time, over what all others leave of the channels."""

    def __init__(self, problem: Problem, ground: TransferUnits, least_steps: int) -> None:
        self.problem, self.ground = problem, ground
        self.neighbours = neighbours_of(problem)
        self.members = frozenset(problem.collective.senders)
        self.full = [most * float(max(1, least_steps)) for most in ground.capacity]
        """What each unit can carry in all."""
        self.loads = [0] * len(ground.capacity)
        self.starts = sorted(self.members)
        self.heights = {start: self._height(start) for start in self.starts}

    def _height(self, start: int) -> int:
        """Return how far the farthest member is from a location."""
        away, level = {start: 0}, [start]
        for here in level:
            for other, _, _ in self.neighbours.get(here, ()):
                if other not in away:
                    away[other] = away[here] + 1
                    level.append(other)
        return max((away.get(member, 2**30) for member in self.members), default=0)

    @property
    def joins_all(self) -> bool:
        """Return whether trees of single hops reach every member."""
        return max(self.heights.values()) < 2**30

    def load(self, tree: Tree, more: int) -> None:
        """Count a tree in, or out with -1."""
        for edge in tree:
            for unit in self._units(edge):
                self.loads[unit] += more

    def _units(self, edge: TreeEdge) -> list[int]:
        of = self.ground.of
        return of(edge.one, edge.other, edge.there) + of(edge.other, edge.one, edge.back)

    def _price(self, sender: int, receiver: int, path: tuple[int, ...]) -> float:
        return float(
            sum(((self.loads[u] + 1) / self.full[u]) ** STEEPNESS for u in self.ground.of(sender, receiver, path))
        )

    def start(self, rng: np.random.Generator, flatness: float) -> int:
        """Pick where to begin: where channels are least taken, and not too far from the others."""
        most = min(self.heights.values())

        def price(here: int) -> float:
            ways = self.neighbours[here]
            free = sum(self._price(here, other, there[0]) for other, there, _ in ways) / len(ways)
            return free + flatness * (self.heights[here] - most)

        noise = rng.random(len(self.starts)) * 0.05
        return self.starts[int(np.argmin(noise + [price(here) for here in self.starts]))]

    def grown(self, start: int, rng: np.random.Generator, flatness: float) -> Tree:
        """Grow a tree from a location and count it in; more flatness keeps it lower, at the cost of fuller channels."""
        depth, edges = {start: 0}, []
        noise = rng.random(4096).tolist()
        heap: list[tuple[float, int, int, int]] = []

        def offer(here: int) -> None:
            for number, (other, _, _) in enumerate(self.neighbours[here]):
                if other not in depth:
                    heap.append((0.0, len(heap), here, number))

        offer(start)
        heapify(heap)
        count = len(heap)
        while heap and len(depth) < len(self.neighbours):
            key, _, here, number = heappop(heap)
            other, there, back = self.neighbours[here][number]
            if other in depth:
                continue
            price, edge = self._cheapest(here, other, there, back)
            now = price + flatness * depth[here] + 0.01 * noise[count % 4096]
            count += 1
            # Prices only rise while the tree grows, so what is still the cheapest now is it.
            if heap and now > heap[0][0] and now > key:
                heappush(heap, (now, count, here, number))
                continue
            depth[other] = depth[here] + 1
            edges.append(edge)
            for unit in self._units(edge):
                self.loads[unit] += 1
            for following, (further, _, _) in enumerate(self.neighbours[other]):
                if further not in depth:
                    count += 1
                    heappush(heap, (0.0, count, other, following))
        tree = leading(edges, self.members)
        left_out = set(edges) - set(tree)
        self.load(tuple(left_out), -1)
        return tree

    def _cheapest(
        self, here: int, other: int, there: tuple[tuple[int, ...], ...], back: tuple[tuple[int, ...], ...]
    ) -> tuple[float, TreeEdge]:
        """Return the price of an edge over its cheapest paths."""
        ahead = min((self._price(here, other, path), path) for path in there)
        behind = min((self._price(other, here, path), path) for path in back)
        return ahead[0] + behind[0], TreeEdge(here, other, ahead[1], behind[1])
