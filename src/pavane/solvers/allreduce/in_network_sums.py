"""In-network sums: an allreduce where switches, or all routers, add and copy what passes them.

Every part has a tree of domains (`sum_plans.py`), whose root is chosen such that channels are loaded alike. Steps
are then filled one after the other (list scheduling). A domain first serves parts whose root it is. Otherwise it
collects one part at a hub and gives another on from the same hub: both together use every channel of a switch once each
way, so that hubs with both are chosen first, and among them those of the earliest part.

The orders of channels and equal hubs are random; restarts try others until the bound is met. Boxes of GPUs joined by
rails begin with a construction (`rail_sums.py`).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pavane.bounds import counted_bounds
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_domains import Domain, domains_of
from pavane.parallel.budget import Budget
from pavane.solvers.allreduce.domain_trees import DomainTrees
from pavane.solvers.allreduce.rail_sums import sums_over_rails
from pavane.solvers.allreduce.sum_plans import SumPlan, loads_of, plans_of
from pavane.solvers.solver import argument
from pavane.solvers.solving import solve_once
from pavane.solvers.tree_room import PACKED, Branch, TreeRoom

EVENNESS = 8
"""The power of loads that roots minimize the sum of: high powers level the largest loads, low ones shorten ways."""

ORDERS = ((8.0, True), (2.0, False), (1.0, False))
"""How a hub is chosen, in turn: how much one that serves a late part is put off, and whether sums are given on from the
hubs of their plans only. Parts in turn from their own hubs level long schedules, any hub fills short ones."""


@dataclass(frozen=True)
class InNetworkSums:
    """Allreduce through switches that add and copy, domain by domain, with restarts; the seed decides the orders."""

    name: str = "in-network-sums"
    most_effort: int = 200_000
    """Channels looked at after which there are no more restarts; the first schedule is finished whatever it takes."""
    least_steps: int = argument(0)
    """A lower bound on the steps, by better arguments than counting."""

    supports = replace(PACKED, patterns=("allreduce",), takes=(*PACKED.takes, "allreduce"))

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the shortest schedule found; None where no domains join all members, or the time is over before."""
        domains = domains_of(problem)
        plans = plans_of(problem, domains)
        if not plans:
            return None
        lowest = max(self.least_steps, 1, *(bound.figure for bound in counted_bounds(problem)))
        best = sums_over_rails(problem, num_steps, budget)
        limit = num_steps if best is None else best[-1].start
        tries, step = 0, TreeRoom(problem)
        trees = DomainTrees(step)
        while best is None or (step.effort < self.most_effort and not budget.is_over):
            plan_of = _balanced(problem, domains, plans, rng)
            transfers = _WaitingParts(trees, domains, plan_of, *ORDERS[tries % len(ORDERS)]).fill(rng, limit, budget)
            tries += 1
            if transfers is not None:
                best, limit = transfers, transfers[-1].start
            is_stuck = transfers is None and best is None and tries >= len(ORDERS)
            if is_stuck or (limit is not None and limit < lowest):
                break
        return None if best is None else Schedule.from_transfers(best)

    __call__ = solve_once


def _balanced(
    problem: Problem, domains: tuple[Domain, ...], plans: list[SumPlan], rng: np.random.Generator
) -> list[SumPlan]:
    """Return a plan for each part, each such that loads are most even with those before it."""
    order = rng.permutation(len(plans)).tolist()
    each = np.stack([loads_of(problem, domains, plans[number]).ravel() for number in order])
    each = each[:, each.any(axis=0)]
    total = np.zeros(each.shape[1])
    chosen = []
    for _ in range(problem.num_messages):
        loads = total + each
        best = int(((loads / loads.max()) ** EVENNESS).sum(axis=1).argmin())
        total = loads[best]
        chosen.append(plans[order[best]])
    return chosen


class _WaitingParts:
    """The parts that wait for each domain and hub, while steps are filled."""

    def __init__(
        self,
        trees: DomainTrees,
        domains: tuple[Domain, ...],
        plan_of: list[SumPlan],
        patience: float,
        keeps_hubs: bool,
    ) -> None:
        self.trees, self.step = trees, trees.step
        self.domains, self.plan_of, self.patience = domains, plan_of, patience
        self.hubs = [{(one.domain, one.hub) for one in plan} if keeps_hubs else None for plan in plan_of]
        """The hubs of each part that may give its sum on; None: all."""
        self.num_members = len(self.step.problem.collective.senders)
        self.passing: list[list[tuple[int, int]]] = [[] for _ in domains]
        """Of each domain, the parts that may pass it as their root, with the number of the branching in their plan."""
        self.collecting: list[dict[int, list[tuple[int, int]]]] = [{} for _ in domains]
        """The same of each domain and hub, of the parts that are to be collected there."""
        self.spreading: list[dict[int, list[int]]] = [{} for _ in domains]
        """The parts that processors of each domain have complete sums of, and others there may lack."""
        self.missing = [[sum(one.before == number for one in plan) for number in range(len(plan))] for plan in plan_of]
        """Of each part and branching, how many others are to be collected before."""
        self.lacking = [{end for one in plan for end in one.ends} for plan in plan_of]
        """The processors that have no complete sum of each part, and get none in this step."""
        self.domains_at: dict[int, list[int]] = {}
        for number, domain in enumerate(domains):
            for processor in domain.processors:
                self.domains_at.setdefault(processor, []).append(number)
        self.transfers: list[Transfer] = []
        self.collected: list[tuple[int, int]] = []
        """What a step has collected: parts and branchings."""
        self.completed: list[tuple[int, int]] = []
        """Where a step has completed sums: parts and processors."""
        for part, counts in enumerate(self.missing):
            for number, count in enumerate(counts):
                if not count:
                    self._wait(part, number)

    def _wait(self, part: int, number: int) -> None:
        """Put a part on the list of a domain that may collect it, or pass it, now."""
        one = self.plan_of[part][number]
        waiting = self.passing[one.domain]
        if one.before >= 0:
            waiting = self.collecting[one.domain].setdefault(one.hub, [])
        insort(waiting, (part, number))

    def fill(self, rng: np.random.Generator, limit: int | None, budget: Budget) -> list[Transfer] | None:
        """Return the transfers of a schedule of at most as many steps as a limit; None where it takes more."""
        step, step.number = self.step, 0
        while any(self.lacking):
            if limit is not None and (step.number >= limit or budget.is_over):
                return None
            step.clear()
            step.shuffle(rng)
            for domain in range(len(self.domains)):
                self._serve(domain, rng)
            if not self.collected and not self.completed:
                return None
            self._end_step()
        return self.transfers

    def _end_step(self) -> None:
        """Put on the lists what may follow on what a step has done."""
        for part, number in self.collected:
            before = self.plan_of[part][number].before
            self.missing[part][before] -= 1
            if not self.missing[part][before]:
                self._wait(part, before)
        for part, processor in self.completed:
            hubs = self.hubs[part]
            for domain in self.domains_at[processor]:
                if (hubs is None or (domain, processor) in hubs) and not self.lacking[part].isdisjoint(
                    self.domains[domain].processors
                ):
                    insort(self.spreading[domain].setdefault(processor, []), part)
        self.collected, self.completed = [], []
        self.step.number += 1

    def _serve(self, domain: int, rng: np.random.Generator) -> None:
        """Fill one domain of a step: parts whose root it is, then hubs, as long as there is room."""
        centres = rng.permutation(self.domains[domain].routers).tolist()
        while self.passing[domain]:
            part, number = self.passing[domain][0]
            ends = self.plan_of[part][number].ends
            paths = self.trees.pass_through(centres, ends)
            if paths is None:
                break
            del self.passing[domain][0]
            self._carry(part, paths)
            self._complete(part, ends)
        barred: set[int] = set()
        while (hub := self._best_hub(domain, barred, rng)) >= 0:
            if self._collect(domain, hub) + self._spread(domain, hub) == 0:
                barred.add(hub)

    def _best_hub(self, domain: int, barred: set[int], rng: np.random.Generator) -> int:
        """Return the hub where most waits that is worth doing now; -1 where there is none."""
        up, down = self.collecting[domain], self.spreading[domain]
        best, hub_of_best = -np.inf, -1
        for hub in sorted({*up, *down} - barred):
            score = len(self._widest(domain, hub)[1]) + 0.1 * rng.random()
            if up.get(hub):
                part, number = up[hub][0]
                score += len(self.plan_of[part][number].ends) - self.patience * part / self.num_members
            elif score < 1:
                continue
            if score > best:
                best, hub_of_best = score, hub
        return hub_of_best

    def _widest(self, domain: int, hub: int) -> tuple[int, list[int]]:
        """Return the part that most processors of a domain lack and can receive from a hub, and these."""
        best, ends_of_best = -1, list[int]()
        receiving, inside = self.step.receiving, self.domains[domain].processors
        for part in tuple(self.spreading[domain].get(hub, ())):
            lacking = self.lacking[part]
            ends = [one for one in inside if one in lacking and receiving[one] > 0] if lacking else []
            if len(ends) > len(ends_of_best):
                best, ends_of_best = part, ends
            elif not ends and lacking.isdisjoint(inside):
                self.spreading[domain][hub].remove(part)
        return best, ends_of_best

    def _collect(self, domain: int, hub: int) -> bool:
        """Collect the first part that waits at a hub; return whether there is room."""
        waiting = self.collecting[domain].get(hub)
        if not waiting:
            return False
        part, number = waiting[0]
        paths = self.trees.at_hub(hub, self.plan_of[part][number].ends, "up")
        if paths is None:
            return False
        self.collected.append(waiting.pop(0))
        self._carry(part, paths)
        return True

    def _spread(self, domain: int, hub: int) -> bool:
        """Give the complete sum of a part on from a hub, to those that the channels left reach; return whether any."""
        part, ends = self._widest(domain, hub)
        paths = self.trees.at_hub(hub, tuple(ends), "down") if ends else None
        if paths is None:
            return False
        self._carry(part, paths)
        self._complete(part, ends)
        return True

    def _complete(self, part: int, processors: Iterable[int]) -> None:
        for processor in processors:
            self.lacking[part].discard(processor)
            self.completed.append((part, processor))

    def _carry(self, part: int, paths: list[Branch]) -> None:
        """Write the transfers of a part in this step down."""
        self.transfers += [Transfer(self.step.number, sender, end, path, (part,)) for sender, end, path in paths]
