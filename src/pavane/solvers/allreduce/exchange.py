"""Exchange: an allreduce in few steps, by groups that merge: recursive doubling, wherever a network lets it.

In a group all members have the same sum, that of the group. In a step groups merge in families: every member receives
from one member of each other group of its family, over free channels. At first everyone is a group; in the end there is
one. On hypercubes families of two groups merge along one dimension after another, which is recursive doubling; where
a switch joins all, one family of all groups takes one step. Which groups merge is drawn at random, several times a
step; the draw is kept that leaves the fewest groups, and of these the one of which the most can still merge.

Every transfer carries whole sums, so this is for one part, or few pieces: for latency, not for bandwidth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pavane.bounds import counted_bounds
from pavane.judge.result import Run
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.switch_hops import hops
from pavane.parallel.budget import Budget
from pavane.solvers.solver import Finding, argument
from pavane.solvers.solving import solve_once
from pavane.solvers.step_table import TransferUnits
from pavane.solvers.supports import Supports

MOST_MEMBERS = 256
"""With more of them each draw takes longer than it is worth."""

MOST_PIECES = 4
"""With more pieces that travel apart it is bandwidth that counts."""

MOST_WORK = 20_000
"""How many pairs of members, for all pieces, are looked at in all draws of the whole together, with two more."""

DRAWS = 12
"""How often the groups that merge in a step are drawn."""

Groups = list[tuple[int, ...]]
Link = tuple[int, int, tuple[int, ...]]
"""A sender, a receiver and a path."""


@dataclass(frozen=True)
class Exchange:
    """Allreduce in few steps by groups that exchange their sums and merge, as in recursive doubling."""

    name: str = "exchange"
    most_tries: int = 40
    """How often the whole is drawn again, where the bound is not reached; less often where members are many."""
    least_steps: int = argument(0)
    """A lower bound on the steps, by better arguments than counting."""

    supports = Supports(
        patterns=("allreduce",),
        restricted=False,
        where=f"at most {MOST_MEMBERS} members, and {MOST_PIECES} pieces but with combining",
        holds=lambda problem: (
            len(problem.collective.senders) <= MOST_MEMBERS
            and (problem.rules.combining or problem.num_messages <= MOST_PIECES)
        ),
        takes=("capacities", "allreduce"),
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Return the shortest schedule of some draws; none where groups are left that cannot merge."""
        lowest = max(counted_bounds(problem)[0].figure, self.least_steps)
        ways = _MemberPaths(problem)
        best: list[Transfer] | None = None
        fewest, tries = (num_steps or 4 * lowest + 16) + 1, 0
        enough = max(lowest, num_steps or 0)
        work = len(ways.members) ** 2 * len(_payloads(problem))
        most_tries = min(self.most_tries, 2 + MOST_WORK // work, budget.evaluations or self.most_tries)
        while tries < most_tries:
            found = _drawn(ways, fewest - 1, rng, budget) if tries else _doubled(ways, fewest - 1)
            tries += 1
            if found is not None:
                best, fewest = found, max(transfer.start for transfer in found) + 1
            if fewest <= enough or fewest <= lowest or budget.is_over:
                break
        return Finding(None if best is None else Schedule.from_transfers(best), run=Run(tries))

    __call__ = solve_once


class _MemberPaths:
    """The paths between members, and what they take of the units of each step."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.ground = problem, TransferUnits(problem)
        self.members = sorted(problem.collective.senders)
        self.capacity = self.ground.capacity
        self.paths: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        network = problem.network
        self.is_wormhole = problem.rules.switching == "wormhole"
        self.home = network.router_of.tolist()
        if self.is_wormhole:
            self.away = network.distance_rows(np.unique(network.router_of))
            self.row = {int(router): row for row, router in enumerate(np.unique(network.router_of))}
            self.tails = network.tails.tolist()
            return
        joined: dict[tuple[int, int], list[tuple[int, ...]]] = defaultdict(list)
        for path, tail, head in hops(problem):
            joined[tail, head].append(path)
        for one in self.members:
            for other in self.members:
                if one != other:
                    here, there = self.home[one], self.home[other]
                    if here == there:
                        self.paths[one, other] = [()]
                    elif (here, there) in joined:
                        self.paths[one, other] = joined[here, there]
        self.senders_to = {
            one: sum(1 << other for other in self.members if (other, one) in self.paths) for one in self.members
        }

    def may_merge(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Return whether two groups could merge if they were alone: every member has a neighbour in the other group."""
        if self.is_wormhole:
            return True
        there, here = (sum(1 << member for member in group) for group in (other, one))
        senders_to = self.senders_to
        return all(senders_to[member] & there for member in one) and all(senders_to[member] & here for member in other)

    def link(self, used: dict[int, int], sender: int, receiver: int) -> Link | None:
        """Take the first free path from one member to another in a step; None: there is none."""
        for path in self._paths(used, sender, receiver):
            units = self.ground.of(sender, receiver, path)
            if all(used.get(unit, 0) < self.capacity[unit] for unit in units):
                for unit in units:
                    used[unit] = used.get(unit, 0) + 1
                return sender, receiver, path
        return None

    def unlink(self, used: dict[int, int], links: Sequence[Link]) -> None:
        """Give back what links have taken."""
        for link in links:
            for unit in self.ground.of(*link):
                used[unit] -= 1

    def _paths(self, used: dict[int, int], sender: int, receiver: int) -> Iterator[tuple[int, ...]]:
        if not self.is_wormhole:
            yield from self.paths.get((sender, receiver), ())
            return
        # Backwards from the receiver, over free channels of shortest paths.
        away, units = self.away[self.row[self.home[sender]]], self.ground.units
        onward: dict[int, tuple[int, ...]] = {self.home[receiver]: ()}
        level = [self.home[receiver]]
        while level and self.home[sender] not in onward:
            following = []
            for router in level:
                for channel in self.problem.network.in_channels[router]:
                    tail = self.tails[channel]
                    is_free = used.get(units[channel], 0) < self.capacity[units[channel]]
                    if tail not in onward and away[tail] == away[router] - 1 and is_free:
                        onward[tail] = (channel, *onward[router])
                        following.append(tail)
            level = following
        if self.home[sender] in onward:
            yield onward[self.home[sender]]


def _payloads(problem: Problem) -> list[tuple[int, ...]]:
    """Return what travels together: all pieces under combining, else each alone."""
    numbers = tuple(range(problem.num_messages))
    return [numbers] if problem.rules.combining else [(number,) for number in numbers]


def _doubled(ways: _MemberPaths, most_steps: int) -> list[Transfer] | None:
    """Exchange with the member whose position differs in one bit, each piece in another order of bits.

    This is recursive doubling as MPI libraries have it; None where members are not 2^n or some path is not free.
    """
    members = ways.members
    num_bits = len(members).bit_length() - 1
    if len(members) != 1 << num_bits or num_bits > most_steps:
        return None
    used: list[dict[int, int]] = [{} for _ in range(num_bits)]
    transfers = []
    for number, payload in enumerate(_payloads(ways.problem)):
        for step in range(num_bits):
            for position, member in enumerate(members):
                link = ways.link(used[step], members[position ^ (1 << (number + step) % num_bits)], member)
                if link is None:
                    return None
                transfers.append(Transfer(step, *link, payload))
    return transfers


def _drawn(ways: _MemberPaths, most_steps: int, rng: np.random.Generator, budget: Budget) -> list[Transfer] | None:
    """Merge the groups of every piece until one is left, in as many steps or fewer; None: it did not come to that."""
    used: list[dict[int, int]] = [{} for _ in range(most_steps)]
    transfers: list[Transfer] = []
    for payload in _payloads(ways.problem):
        groups: Groups = [(member,) for member in ways.members]
        for step in range(most_steps):
            is_free, before = not used[step], len(groups)
            groups, links = _best_step(ways, used[step], groups, rng)
            transfers += [Transfer(step, *link, payload) for link in links]
            if len(groups) == 1 or (is_free and len(groups) == before) or budget.is_over:
                break
        if len(groups) > 1:
            return None
    return transfers


def _best_step(
    ways: _MemberPaths, used: dict[int, int], groups: Groups, rng: np.random.Generator
) -> tuple[Groups, list[Link]]:
    """Draw several times which groups merge in a step, and keep the most promising draw."""
    best: tuple[tuple[int, int], Groups, list[Link], dict[int, int]] | None = None
    for draw in range(DRAWS):
        now = dict(used)
        merged, links = _merged(ways, now, groups, 2 if draw % 2 else len(groups), rng)
        promise = len(merged), -_num_joined(ways, merged)
        if best is None or promise < best[0]:
            best = promise, merged, links, now
        if len(merged) == 1:
            break
    assert best is not None
    used.clear()
    used.update(best[3])
    return best[1], best[2]


def _num_joined(ways: _MemberPaths, groups: Groups) -> int:
    """Return how many pairs of groups could merge if they were alone."""
    if len(groups) == 1 or ways.is_wormhole:
        return 0
    return sum(ways.may_merge(one, other) for at, one in enumerate(groups) for other in groups[:at])


def _merged(
    ways: _MemberPaths, used: dict[int, int], groups: Groups, most: int, rng: np.random.Generator
) -> tuple[Groups, list[Link]]:
    """Merge groups in families of `most` at most, those with the fewest that they could merge with first."""
    partners = {one: [other for other in groups if other is not one and ways.may_merge(one, other)] for one in groups}
    order = sorted(groups, key=lambda one: (len(partners[one]), rng.random()))
    taken: set[tuple[int, ...]] = set()
    merged: Groups = []
    links: list[Link] = []
    for group in order:
        if group in taken:
            continue
        taken.add(group)
        family = [group]
        near = sorted(partners[group], key=lambda one: (len(one) != len(group), rng.random()))
        for other in near:
            if other in taken or len(family) >= most:
                continue
            more = _joined_by(ways, used, family, other, rng)
            if more is not None:
                links += more
                family.append(other)
                taken.add(other)
        merged.append(tuple(sorted(member for one in family for member in one)))
    return merged, links


def _joined_by(
    ways: _MemberPaths, used: dict[int, int], family: Groups, new: tuple[int, ...], rng: np.random.Generator
) -> list[Link] | None:
    """Let a family and a new group receive from each other; None: some path is not free."""
    links: list[Link] = []
    for one in family:
        for senders, receivers in ((new, one), (one, new)):
            for receiver in receivers:
                link = None
                for sender in rng.permutation(senders).tolist():
                    link = ways.link(used, sender, receiver)
                    if link is not None:
                        break
                if link is None:
                    ways.unlink(used, links)
                    return None
                links.append(link)
    return links
