"""The ways of a sum through domains of routers that copy and add.

In one step a domain adds what some of its processors send, and gives others the sum. Where one domain has all members,
a part takes one pass through it. Elsewhere domains form a tree around a root: in each of the others the sum is
collected at a hub, which it shares with the domain before it. The root adds what its hubs have and gives each of them
the sum, and the others give it on from their hubs.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Reals
from pavane.model.problem import Problem
from pavane.model.switch_domains import Domain


@dataclass(frozen=True)
class Branching:
    """What a domain does for a part: it joins some processors, and all but the root do so at a hub."""

    domain: int
    hub: int
    """The processor that collects and gives on; -1 at the root."""
    ends: tuple[int, ...]
    """The processors that it joins, without the hub."""
    before: int
    """The number of the branching that the hub belongs to; -1 at the root."""


MOST_TURNS = 8
"""How many orders of processors are tried for each root: more hubs to choose from, more plans to compare."""

SumPlan = tuple[Branching, ...]
"""The domains of a part: the root first, each after the one before it."""


def plans_of(problem: Problem, domains: tuple[Domain, ...]) -> list[SumPlan]:
    """Return different trees of domains that join all members: from each root, with different hubs."""
    plans: dict[SumPlan, None] = {}
    for root in range(len(domains)):
        for turn in range(min(MOST_TURNS, len(domains[root].processors))):
            for is_lean in (True, False):
                plan = _plan_from(problem, domains, root, turn, is_lean)
                if plan is not None:
                    plans[plan] = None
    return list(plans)


def _plan_from(problem: Problem, domains: tuple[Domain, ...], root: int, turn: int, is_lean: bool) -> SumPlan | None:
    """Return a tree of domains, breadth first from a root, that joins all members; None where there is none.

    A turn chooses among the hubs that two domains share. A lean tree lets a domain join what it can of the one before
    it, so that less passes that one.
    """
    domains_at: dict[int, list[int]] = {}
    for number, domain in enumerate(domains):
        for processor in domain.processors:
            domains_at.setdefault(processor, []).append(number)
    joined_by: dict[int, int] = {}
    used, queue, hubs = {root: (-1, -1)}, deque([root]), set[int]()
    while queue:
        here = queue.popleft()
        before = used[here][1]
        beside: dict[int, list[int]] = {}
        if all(processor in joined_by for processor in domains[here].processors):
            continue
        for processor in domains[here].processors:
            if processor not in joined_by or (is_lean and joined_by[processor] == before and processor not in hubs):
                joined_by[processor] = here
                for other in domains_at[processor]:
                    beside.setdefault(other, []).append(processor)
        for other in sorted(beside.keys() - used.keys()):
            hub = beside[other][turn % len(beside[other])]
            used[other] = (hub, here)
            hubs.add(hub)
            queue.append(other)
    return _pruned(problem, used, joined_by)


def _pruned(problem: Problem, used: dict[int, tuple[int, int]], joined_by: dict[int, int]) -> SumPlan | None:
    """Return the tree of those domains that members need; None where some member is not joined."""
    members = set(problem.collective.senders)
    if members - joined_by.keys():
        return None
    kept: dict[int, tuple[int, ...]] = {}
    for here in reversed(used):
        hubs = {used[other][0] for other in kept if used[other][1] == here}
        ends = [one for one, by in joined_by.items() if by == here and (one in members or one in hubs)]
        if ends:
            kept[here] = tuple(sorted(ends))
    order = [here for here in used if here in kept]
    place = {here: number for number, here in enumerate(order)}
    plan = tuple(Branching(here, used[here][0], kept[here], place.get(used[here][1], -1)) for here in order)
    root = next(iter(used))
    if len(kept.get(root, ())) < 2 or any(not _joins_apart(problem, one) for one in plan):
        return None
    return plan


def _joins_apart(problem: Problem, branching: Branching) -> bool:
    """Return whether no two processors of a domain share a router that does not add what they send."""
    processors = [*branching.ends, *([branching.hub] if branching.hub >= 0 else [])]
    homes = [home for home in problem.network.router_of[processors].tolist() if not problem.is_copying[home]]
    return len(homes) == len(set(homes))


def loads_of(problem: Problem, domains: tuple[Domain, ...], plan: SumPlan) -> Reals:
    """Return what a part takes of the channels between processors and domains, there and back, in steps."""
    num_processors = problem.network.num_processors
    loads = np.zeros((2, len(domains), num_processors))
    for one in plan:
        loads[:, one.domain, list(one.ends)] += 1
        if one.hub >= 0:
            loads[:, one.domain, one.hub] += 1
    return loads / _room(problem, domains)


def _room(problem: Problem, domains: tuple[Domain, ...]) -> Reals:
    """Return what processors send to domains in a step, and receive."""
    network = problem.network
    domain_of = np.full(network.num_routers, -1)
    for number, domain in enumerate(domains):
        domain_of[list(domain.routers)] = number
    room = np.zeros((2, len(domains), network.num_processors))
    for way, (near, far) in enumerate(((network.tails, network.heads), (network.heads, network.tails))):
        by_router = np.zeros((len(domains), network.num_routers))
        inward = domain_of[far] >= 0
        np.add.at(by_router, (domain_of[far[inward]], near[inward]), network.capacity[inward])
        room[way] = np.minimum(by_router[:, network.router_of], (problem.injection, problem.ejection)[way])
    return np.maximum(room, 1)
