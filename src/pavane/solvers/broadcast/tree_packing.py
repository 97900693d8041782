"""Tree packing: broadcasts and allreduces where routers copy and add, tree by tree into each step.

A message leaves a processor once and is copied on its way, so that what a step has room for is trees, not single
transfers (tree-based multicast; Steiner trees packed into channels). In every step messages take turns, the rarest
first: each grows a forest from its holders over free channels, breadth first, until no processor that lacks it can be
reached. A forest parts only at routers that copy; elsewhere another branch is another injection.

An allreduce takes one step for a part where a tree joins all members: along it every member's contribution goes to
every other, is added where ways meet and copied where they part, and uses each channel once (in-network reduction).
Trees of several parts share a step as far as channels have room.

The orders of messages and channels are random; restarts try others until the bound is met.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, TypeAlias

import numpy as np

from pavane.bounds import counted_bounds
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.solver import argument
from pavane.solvers.solving import solve_once

MOST_CELLS = 2**24
"""The most pairs of a message and a processor: lists of holders then take a few hundred MB."""


@dataclass(frozen=True)
class TreePacking:
    """Trees packed into steps with restarts; the seed decides the orders."""

    takes_capacities: ClassVar[bool] = True
    takes_allreduce: ClassVar[bool] = True
    takes_trees: ClassVar[bool] = True

    name: str = "tree-packing"
    most_effort: int = 200_000
    """Channels looked at after which there are no more restarts; the first schedule is finished whatever it takes."""
    least_steps: int = argument(0)
    """A lower bound on the steps, by better arguments than counting."""

    def supports(self, problem: Problem) -> bool:
        """Supports broadcasts, reductions and allreduces where routers copy, on shortest paths or any."""
        return (
            problem.has_trees
            and problem.rules.routing in ("minimal", "any")
            and problem.num_messages * problem.network.num_processors <= MOST_CELLS
        )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the shortest schedule found; None where no tree joins all members, or the time is over before."""
        lowest = max(self.least_steps, 1, *(bound.steps for bound in counted_bounds(problem)))
        best: list[Transfer] | None = None
        limit, step = num_steps, _Step(problem)
        while best is None or (step.effort < self.most_effort and not budget.is_over):
            step.number = 0
            step.clear()
            pack = _pack_sums if problem.pattern == "allreduce" else _pack_broadcasts
            transfers = pack(step, rng, limit, budget)
            if transfers is not None:
                best, limit = transfers, transfers[-1].step
            if (transfers is None and best is None) or (limit is not None and limit < lowest):
                break
        return None if best is None else Schedule.from_transfers(best)

    __call__ = solve_once


Branch: TypeAlias = tuple[int, int, tuple[int, ...]]
"""A sender, a receiver and the channels between them."""


class _Step:
    """What is left of the channels and ports of one step."""

    def __init__(self, problem: Problem) -> None:
        network = problem.network
        self.problem, self.number, self.effort = problem, 0, 0
        self.unit: list[int] = problem.units.tolist()
        self.tails, self.heads = network.tails.tolist(), network.heads.tolist()
        self.home: list[int] = network.router_of.tolist()
        self.back: list[int] = network.opposite.tolist()
        self.copies: list[bool] = problem.is_copying.tolist()
        self.is_minimal = problem.rules.routing == "minimal"
        runs_on = problem.rules.runs_whole_paths
        self.passes = [runs_on or is_switch for is_switch in problem.is_switch.tolist()]
        """Whether a transfer may run on over each router."""
        self.ways_out: list[list[int]] = [[] for _ in range(network.num_routers)]
        for channel, tail in enumerate(self.tails):
            self.ways_out[tail].append(channel)
        self.processors: list[list[int]] = [[] for _ in range(network.num_routers)]
        for processor, router in enumerate(self.home):
            self.processors[router].append(processor)
        self.paths_in: dict[frozenset[tuple[int, tuple[int, int]]], list[Branch] | None] = {}
        """The ways between all members in each tree that was found; None where they are not allowed."""
        self.clear()

    def clear(self) -> None:
        """Free all channels and ports for the next step."""
        self.left: list[int] = self.problem.network.capacity.tolist()
        self.sending: list[int] = self.problem.injection.tolist()
        self.receiving: list[int] = self.problem.ejection.tolist()

    def shuffle(self, rng: np.random.Generator) -> None:
        """Put the channels out of each router into a random order."""
        for channels in self.ways_out:
            rng.shuffle(channels)

    def is_shorter(self, root: int, channel: int) -> bool:
        """Return whether a channel may follow on a path from a router: under minimal routing it leads farther away."""
        if not self.is_minimal:
            return True
        away = self.problem.network.distances[root]
        return bool(away[self.heads[channel]] == away[self.tails[channel]] + 1)


# -- broadcasts


def _pack_broadcasts(step: _Step, rng: np.random.Generator, limit: int | None, budget: Budget) -> list[Transfer] | None:
    """Return the transfers of a schedule of fewer steps than a limit allows; None where it takes more."""
    problem = step.problem
    receivers = set(problem.collective.receivers)
    holders = [{origin} for (origin,) in problem.ends.tolist()]
    lacking = [receivers - held for held in holders]
    transfers: list[Transfer] = []
    while any(lacking):
        if limit is not None and (step.number >= limit or budget.is_over):
            return None
        step.clear()
        step.shuffle(rng)
        chance = rng.random(len(holders))
        order = sorted(np.flatnonzero([*map(bool, lacking)]).tolist(), key=lambda one: (len(holders[one]), chance[one]))
        before = len(transfers)
        for message in order:
            for sender, receiver, path in _grow(step, sorted(holders[message]), lacking[message]):
                transfers.append(Transfer(step.number, sender, receiver, path, (message,)))
        for transfer in transfers[before:]:
            holders[transfer.messages[0]].add(transfer.receiver)
        if len(transfers) == before:
            return None
        step.number += 1
    return transfers


def _grow(step: _Step, holders: list[int], lacking: set[int]) -> Iterator[Branch]:
    """Yield the branches of a forest from the holders of a message, and take those that it reaches off the list."""
    parent: dict[int, int] = {}
    """The channel by which the forest has come to a router; -1 at a root."""
    root_of: dict[int, int] = {}
    """The holder whose tree each router is in."""
    while lacking:
        branch = _next_branch(step, holders, lacking, parent, root_of)
        if branch is None:
            return
        root, receiver, fresh = branch
        lacking.discard(receiver)
        step.receiving[receiver] -= 1
        router = step.home[root] if not fresh else step.tails[fresh[0]]
        if router == step.home[root]:
            # Another branch from the root is another injection, unless its router copies.
            if router not in parent or not step.copies[router]:
                step.sending[root] -= 1
            parent[router], root_of[router] = -1, root
        for channel in fresh:
            step.left[step.unit[channel]] -= 1
            parent[step.heads[channel]], root_of[step.heads[channel]] = channel, root
        yield root, receiver, _way(step, parent, step.home[receiver])


def _way(step: _Step, parent: dict[int, int], router: int) -> tuple[int, ...]:
    """Return the channels from the root of a tree to a router."""
    way: list[int] = []
    while parent.get(router, -1) >= 0:
        way.append(parent[router])
        router = step.tails[way[-1]]
    return tuple(reversed(way))


def _next_branch(
    step: _Step, holders: list[int], lacking: set[int], parent: dict[int, int], root_of: dict[int, int]
) -> tuple[int, int, list[int]] | None:
    """Return a nearest processor that lacks a message, the root of its tree and the channels to add; None: no more."""
    came_by: dict[int, int] = {}
    queue: deque[tuple[int, int]] = deque()
    for router, root in root_of.items():
        if step.copies[router] and parent[router] >= 0:
            queue.append((router, root))
            came_by[router] = -1
    for holder in holders:
        router = step.home[holder]
        is_rooted = root_of.get(router) == holder and step.copies[router] and parent.get(router) == -1
        may_start = step.sending[holder] > 0 and parent.get(router, -1) == -1 and root_of.get(router, holder) == holder
        if router not in came_by and (is_rooted or may_start):
            queue.append((router, holder))
            came_by[router] = -1
    while queue:
        router, root = queue.popleft()
        for processor in step.processors[router]:
            if processor in lacking and step.receiving[processor] > 0:
                return root, processor, _fresh(step, came_by, router)
        if came_by[router] >= 0 and not step.passes[router]:
            continue
        step.effort += len(step.ways_out[router])
        for channel in step.ways_out[router]:
            head = step.heads[channel]
            if head in came_by or head in parent or step.left[step.unit[channel]] <= 0:
                continue
            if step.is_shorter(step.home[root], channel):
                came_by[head] = channel
                queue.append((head, root))
    return None


def _fresh(step: _Step, came_by: dict[int, int], router: int) -> list[int]:
    """Return the channels by which a search has come to a router, from the forest on."""
    fresh: list[int] = []
    while came_by[router] >= 0:
        fresh.append(came_by[router])
        router = step.tails[fresh[-1]]
    return fresh[::-1]


# -- allreduce


def _pack_sums(step: _Step, rng: np.random.Generator, limit: int | None, budget: Budget) -> list[Transfer] | None:
    """Return the transfers of an allreduce in which each part has a step and a tree; None where there are too few."""
    transfers: list[Transfer] = []
    part, num_parts, num_fitting = 0, step.problem.num_messages, 0
    while part < num_parts:
        step.shuffle(rng)
        pairs = _joining_tree(step, rng)
        if pairs is None:
            is_late = limit is not None and (step.number + 1 >= limit or budget.is_over)
            if not num_fitting or is_late:
                return None
            step.clear()
            step.number, num_fitting = step.number + 1, 0
            continue
        transfers.extend(Transfer(step.number, sender, receiver, path, (part,)) for sender, receiver, path in pairs)
        part, num_fitting = part + 1, num_fitting + 1
    return transfers


def _joining_tree(step: _Step, rng: np.random.Generator) -> list[Branch] | None:
    """Return ways between all members along one tree of free channels, which it takes; None where there is none."""
    members: list[int] = sorted(step.problem.collective.senders)
    if any(step.sending[member] <= 0 or step.receiving[member] <= 0 for member in members):
        return None
    homes = [step.home[member] for member in members]
    if any(homes.count(router) > 1 and not step.copies[router] for router in homes):
        return None  # what two processors of one router send meets there
    routers = np.flatnonzero(step.problem.is_copying)
    for centre in rng.permutation(routers).tolist():
        tree = _tree_around(step, centre, members)
        if tree is None:
            continue
        links = frozenset(tree.items())
        if links not in step.paths_in:
            step.paths_in[links] = _paths_in(step, tree, members)
        paths = step.paths_in[links]
        if paths is None:
            continue
        for pair in tree.values():
            for channel in pair:
                step.left[step.unit[channel]] -= 1
        for member in members:
            step.sending[member] -= 1
            step.receiving[member] -= 1
        return paths
    return None


def _tree_around(step: _Step, centre: int, members: Iterable[int]) -> dict[int, tuple[int, int]] | None:
    """Return a tree of links around a router that joins all members: to each router the channels there and back."""
    links: dict[int, tuple[int, int]] = {}
    queue = deque([centre])
    while queue:
        router = queue.popleft()
        if router != centre and not step.copies[router]:
            continue
        step.effort += len(step.ways_out[router])
        for channel in step.ways_out[router]:
            head, reverse = step.heads[channel], step.back[channel]
            if head == centre or head in links or reverse < 0:
                continue
            room = 2 if step.unit[channel] == step.unit[reverse] else 1
            if step.left[step.unit[channel]] < room or step.left[step.unit[reverse]] < room:
                continue
            links[head] = (channel, reverse)
            queue.append(head)
    homes = {step.home[member] for member in members}
    if homes - links.keys() - {centre}:
        return None
    needed: set[int] = set()
    for router in homes:
        while router != centre and router not in needed:
            needed.add(router)
            router = step.tails[links[router][0]]
    return {router: link for router, link in links.items() if router in needed}


def _paths_in(step: _Step, tree: dict[int, tuple[int, int]], members: list[int]) -> list[Branch] | None:
    """Return the ways between all members in a tree; None where one is not a path that the rules allow."""
    down: dict[int, list[int]] = {}
    for member in members:
        way, router = [], step.home[member]
        while router in tree:
            way.append(router)
            router = step.tails[tree[router][0]]
        down[member] = way[::-1]
    distances = step.problem.network.distances if step.is_minimal else None
    paths = []
    for sender in members:
        for receiver in members:
            if sender == receiver:
                continue
            first, last = down[sender], down[receiver]
            shared = sum(1 for a, b in zip(first, last, strict=False) if a == b)
            up = [tree[router][1] for router in reversed(first[shared:])]
            path = (*up, *(tree[router][0] for router in last[shared:]))
            is_long = distances is not None and len(path) != distances[step.home[sender], step.home[receiver]]
            if is_long or not all(step.passes[step.heads[channel]] for channel, _ in pairwise(path)):
                return None
            paths.append((sender, receiver, path))
    return paths
