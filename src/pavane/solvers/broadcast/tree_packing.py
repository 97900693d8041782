"""Tree packing: broadcasts where routers copy, tree by tree into each step.

A message leaves a processor once and is copied on its way, so that what a step has room for is trees, not single
transfers (tree-based multicast; Steiner trees packed into channels). In every step messages take turns, the rarest
first: each grows a forest from its holders over free channels, breadth first, until no processor that lacks it can be
reached. A forest parts only at routers that copy; elsewhere another branch is another injection.

The orders of messages and channels are random; restarts try others until the bound is met.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.bounds import counted_bounds
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.solver import argument
from pavane.solvers.solving import solve_once
from pavane.solvers.tree_room import PACKED, Branch, TreeRoom


@dataclass(frozen=True)
class TreePacking:
    """Trees packed into steps with restarts; the seed decides the orders."""

    name: str = "tree-packing"
    most_effort: int = 200_000
    """Channels looked at after which there are no more restarts; the first schedule is finished whatever it takes."""
    least_steps: int = argument(0)
    """A lower bound on the steps, by better arguments than counting."""

    supports = PACKED

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the shortest schedule found; None where the time is over before."""
        lowest = max(self.least_steps, 1, *(bound.figure for bound in counted_bounds(problem)))
        best: list[Transfer] | None = None
        limit, step, takes_turns = num_steps, TreeRoom(problem), True
        while (limit is None or limit >= lowest) and (
            best is None or (step.effort < self.most_effort and not budget.is_over)
        ):
            takes_turns = not takes_turns
            step.number = 0
            step.clear()
            transfers = _pack_broadcasts(step, takes_turns, rng, limit, budget)
            if transfers is not None:
                best, limit = transfers, transfers[-1].start
            if (transfers is None and best is None) or (limit is not None and limit < lowest):
                break
        return None if best is None else Schedule.from_transfers(best)

    __call__ = solve_once


def _pack_broadcasts(
    step: TreeRoom, takes_turns: bool, rng: np.random.Generator, limit: int | None, budget: Budget
) -> list[Transfer] | None:
    """Return the transfers of a schedule of at most as many steps as a limit; None where it takes more.

    In a step each message grows as far as it can before the next, or messages take turns, a branch at a time.
    """
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
        growing = deque((message, _grow(step, sorted(holders[message]), lacking[message])) for message in order)
        while growing:
            message, branches = growing.popleft()
            for sender, receiver, path in branches:
                transfers.append(Transfer(step.number, sender, receiver, path, (message,)))
                if takes_turns:
                    growing.append((message, branches))
                    break
        for transfer in transfers[before:]:
            holders[transfer.messages[0]].add(transfer.receiver)
        if len(transfers) == before:
            return None
        step.number += 1
    return transfers


def _grow(step: TreeRoom, holders: list[int], lacking: set[int]) -> Iterator[Branch]:
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


def _way(step: TreeRoom, parent: dict[int, int], router: int) -> tuple[int, ...]:
    """Return the channels from the root of a tree, or from where a search began, to a router."""
    way: list[int] = []
    while parent.get(router, -1) >= 0:
        way.append(parent[router])
        router = step.tails[way[-1]]
    return tuple(reversed(way))


def _next_branch(
    step: TreeRoom, holders: list[int], lacking: set[int], parent: dict[int, int], root_of: dict[int, int]
) -> tuple[int, int, tuple[int, ...]] | None:
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
                return root, processor, _way(step, came_by, router)
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
