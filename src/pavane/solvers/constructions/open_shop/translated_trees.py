"""Allgather on networks that look alike from every router: one tree, which all routers translate.

Translations take every router to every other and keep the channels (`translation_groups`). Channels fall into kinds,
one of each at every router. The message of router 0 spreads along a tree, and the message of router w along the tree
moved by translation w, in the same steps.

Why no two messages meet: a hop of the tree over a channel of some kind, moved by all translations, uses every channel
of that kind once. So two transfers share a channel in a step only if two hops of the tree have the same kind and step.
A hop also sends one message from every router and brings one to every router, which is what ports count.

So kinds are machines (`machines`), and the tree grows by one new router for each machine in a step. A step in which no
machine is idle is a maximum matching of machines with routers that they can reach. Earlier routers come first, so that
what is left at the end lies together, far from the root, with informed routers all around. With N routers and K
channels at each, ceil((N - 1) / K) steps suffice on all networks tried, which is the bound by in-degree; with k ports
it is ceil((N - 1) / k). Each piece of a message has a tree of its own.

Every transfer runs over one channel, which is a valid path under both switchings and every routing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.open_shop.machines import Machines
from pavane.solvers.constructions.steps import forwards
from pavane.solvers.solving import solve_once
from pavane.symmetry.translation_groups import TranslationGroup

MOST_TRANSFERS = 2**25
"""Beyond this many transfers a schedule takes more than four gigabytes."""

MOST_HOPS = 2**17
"""Beyond this many hops of the trees of one router growing takes more than a second."""


@dataclass(frozen=True)
class TranslatedTrees:
    """Allgather where all routers look alike: one router's tree, translated to all; all seeds give the same."""

    name: str = "translated-trees"
    takes_capacities: ClassVar[bool] = True

    def supports(self, problem: Problem) -> bool:
        """Supports allgather and its dual among all processors, one on each router, if all routers look alike."""
        return _forest(forwards(problem)) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Grow a tree for each piece and translate it to all routers; none if that takes more than `num_steps`."""
        forest = None if budget.is_over else _forest(problem)
        if forest is None:
            return None
        hops = forest.grown()
        if num_steps is not None and forest.machines.num_turns * int(hops.beats[-1] + 1) > num_steps:
            return None
        return forest.schedule(hops)

    __call__ = solve_once


class TreeHops(NamedTuple):
    """The hops of the trees of router 0, one entry each, in the order of their beats."""

    beats: Longs
    pieces: Longs
    """The piece that goes."""
    kinds: Longs
    tails: Longs
    """The router that it goes from."""
    lanes: Longs
    """How many hops over the same machine come before it in its beat."""


@dataclass(frozen=True, eq=False)
class TranslatedForest:
    """A network on which all routers do the same, and the pieces to spread."""

    problem: Problem
    group: TranslationGroup
    machines: Machines
    num_pieces: int

    def grown(self) -> TreeHops:
        """Grow the trees of router 0 until each has all routers."""
        growth = TreeGrowth(self.problem.network.heads[self.group.channels].tolist(), self.machines, self.num_pieces)
        while growth.num_missing:
            growth.grow()
        return TreeHops(*np.array(growth.hops, dtype=np.int64).reshape(-1, len(TreeHops._fields)).T)

    def schedule(self, hops: TreeHops) -> Schedule:
        """Let all routers make the hops, each translated to itself."""
        network, num_turns, room = self.problem.network, self.machines.num_turns, self.machines.room
        # Rows are hops, and columns the routers that messages come from.
        senders = self.group.sums[hops.tails]
        channels = self.group.channels[senders, hops.kinds[:, None]]
        receivers = network.heads[channels]
        machine = self.machines.machine_of[hops.kinds]
        is_parted = self.machines.is_parted[hops.kinds]
        turns = np.where(is_parted, 0, hops.lanes * num_turns // room[machine])
        begins = (num_turns * hops.beats + turns).astype(np.int32)
        steps = np.repeat(begins, network.num_routers)
        if is_parted.any():
            steps += (is_parted[:, None] & (senders > receivers)).reshape(-1)
        firsts = self.num_pieces * np.arange(network.num_routers, dtype=np.int32)
        messages = firsts + hops.pieces[:, None].astype(np.int32)
        return Schedule.from_columns(
            None,
            steps,
            senders.reshape(-1),
            receivers.reshape(-1),
            (np.ones(len(steps), dtype=np.int8), channels.reshape(-1)),
            messages.reshape(-1),
        )


class TreeGrowth:
    """The trees of router 0, which grow beat by beat.

    A piece at a router is a place; router r has place `piece * routers + r` of each piece.
    """

    def __init__(self, heads: Sequence[Sequence[int]], machines: Machines, num_pieces: int) -> None:
        self.heads, self.num_routers = heads, len(heads)
        """The router that the channel of each kind at each router leads to."""
        self.machine_of, self.room = machines.machine_of.tolist(), machines.room.tolist()
        self.most_at_once = machines.most_at_once
        self.roots = [piece * self.num_routers for piece in range(num_pieces)]
        self.is_informed = [False] * (num_pieces * self.num_routers)
        for root in self.roots:
            self.is_informed[root] = True
        self.num_missing = num_pieces * (self.num_routers - 1)
        self.newest = self.roots
        """The places that were informed in the last beat."""
        self.ways: list[deque[tuple[int, int, int]]] = [deque() for _ in self.room]
        """For each machine the places that it can inform, with kind and tail, those of earlier tails first."""
        self.beat = 0
        self.hops: list[tuple[int, int, int, int, int]] = []
        """The entries of `TreeHops`."""

    def grow(self) -> None:
        """Make the hops of one beat: as many as the machines can make together."""
        self._open_ways()
        chosen: dict[int, tuple[int, int, int]] = {}
        num_machines = len(self.room)
        for number in range(num_machines):
            # Where ports limit a beat, machines take turns.
            machine = (self.beat + number) % num_machines
            for _ in range(self.room[machine]):
                if len(chosen) == self.most_at_once or not self._augment(machine, chosen):
                    break
        lanes = [0] * num_machines
        for place, (machine, kind, tail) in chosen.items():
            self.is_informed[place] = True
            self.hops.append((self.beat, place // self.num_routers, kind, tail, lanes[machine]))
            lanes[machine] += 1
        self.newest = list(chosen)
        self.num_missing -= len(chosen)
        self.beat += 1

    def _open_ways(self) -> None:
        """List where the newest places lead, and forget what has been informed since it was listed."""
        for place in self.newest:
            piece, tail = divmod(place, self.num_routers)
            for kind, head in enumerate(self.heads[tail]):
                beyond = piece * self.num_routers + head
                if not self.is_informed[beyond]:
                    self.ways[self.machine_of[kind]].append((beyond, kind, tail))
        for ways in self.ways:
            while ways and self.is_informed[ways[0][0]]:
                ways.popleft()

    def _augment(self, machine: int, chosen: dict[int, tuple[int, int, int]]) -> bool:
        """Give a machine one place more, along an augmenting path; return whether there is one.

        `chosen` has for each place of this beat its machine, kind and tail.
        """
        searching = [machine]
        taken_from: dict[int, int] = {}
        """For each machine that must find another place, the place that it loses."""
        reached: dict[int, tuple[int, int, int]] = {}
        for now in searching:
            for place, kind, tail in self.ways[now]:
                if place in reached or self.is_informed[place]:
                    continue
                reached[place] = now, kind, tail
                if place not in chosen:
                    while True:
                        chosen[place] = reached[place]
                        now = chosen[place][0]
                        if now == machine:
                            return True
                        place = taken_from[now]
                holder = chosen[place][0]
                if holder != machine and holder not in taken_from:
                    taken_from[holder] = place
                    searching.append(holder)
        return False


@lru_cache(maxsize=8)
def _forest(problem: Problem) -> TranslatedForest | None:
    """Return the forest of an allgather; None where routers do not look alike, or it would be too large."""
    network, rules, collective = problem.network, problem.rules, problem.collective
    everyone = tuple(range(network.num_routers))
    if (
        problem.pattern != "broadcast"
        or rules.combining
        or rules.has_slots
        or not network.is_slim
        or network.num_routers < 2
        or tuple(sorted(collective.senders)) != everyone
        or tuple(sorted(collective.receivers)) != everyone
        or collective.sizes
        or problem.num_deliveries > min(MOST_TRANSFERS, MOST_HOPS * network.num_routers)
    ):
        return None
    group = TranslationGroup.of(problem)
    machines = None if group is None else Machines.of(problem, group)
    if group is None or machines is None:
        return None
    return TranslatedForest(problem, group, machines, collective.pieces)
