"""Store-and-forward all-to-all scatter on networks that look alike from every router: an open shop of displacements.

Translations of an abelian group take every router to every other and keep the channels (rings, tori of any sides,
hypercubes, circulants, complete networks and their products). Each channel belongs to a kind, one channel of each kind
leaves every router, and hops of a kind all make the same displacement. All routers do the same: the messages of one
displacement, one from each router, make their hops together, and a hop of all of them is an operation.

Why no two messages meet: messages of one displacement that have made the same hops are at different routers, because
they began at different ones and were moved alike. So an operation uses every channel of its kind once, and no two
messages share a channel in a step unless two operations of one kind share it. It also sends one message from every
router and brings one to every router, which is what ports count.

So displacements are jobs and kinds are machines, and as displacements commute, the hops of a job may come in any
order: an open shop. Its optimum is the larger of two figures: hops over the busiest kind, and hops of the longest way.
With k ports it is the largest of three: all hops, divided by k, is the third. `open_shops` meets it always. What is
left is to choose ways that load all kinds alike (`balanced_ways`). Where all loads are equal, or with one port, the
number of steps is the sum of distances bound; otherwise the busiest kinds are mostly those of the longest side, and
their load is the bound by channel prices.

Where one side is even and the rest of the network is odd, one displacement is left that no way of it balances: half way
round. Its messages go up from every second router and down from the others, together with the other messages along
that side (`halved_rings`), and the rest follows as an open shop.

On boxes of GPUs that are joined by rails the schedule is a table written out (`tables.switched`).

Under half duplex opposite kinds are one machine. A kind that is its own opposite, as on hypercubes, would use its links
both ways: steps then come in pairs, and of each link one end sends in the first and the other in the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pavane.bounds.prices import CertificatePrices, priced
from pavane.model.arrays import Flags, Ints, Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.open_shop.balanced_ways import WayChoice
from pavane.solvers.constructions.open_shop.halved_rings import upward_jobs
from pavane.solvers.edge_colouring import colour_operations
from pavane.solvers.machines import Machines
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports
from pavane.solvers.tables.switched import rails_table
from pavane.symmetry.translation_groups import TranslationGroup

MOST_TRANSFERS = 2**25
"""Beyond this many transfers a schedule takes gigabytes."""

MOST_OPERATIONS = 2**17
"""Beyond this many operations colouring takes more than seconds."""

MOST_ROUTERS_WITH_DETOURS = 128
"""In larger networks only shortest ways are compared: with detours there are too many."""

ALL_ROUTERS = 0
"""The set of all routers, from which most hops start."""


@lru_cache(maxsize=16)
def _shop(problem: Problem) -> Shop | None:
    """Return the open shop that a problem is; None where routers do not look alike, or it would be too large."""
    network = problem.network
    if (
        not network.is_slim
        or problem.num_messages % network.num_routers
        or (problem.num_sent != problem.num_sent[0]).any()
    ):
        return None
    group = TranslationGroup.of(problem)
    machines = None if group is None else Machines.of(problem, group.channels)
    if group is None or machines is None:
        return None
    counts = np.bincount(problem.ends.astype(np.int64) @ (network.num_routers, 1), minlength=group.sums.size)
    by_origin = counts.reshape(group.sums.shape)[np.arange(network.num_routers), group.sums]
    num_operations = int(by_origin[:, 0] @ network.distances_from(0))
    is_small = num_operations <= min(MOST_OPERATIONS, MOST_TRANSFERS // network.num_routers)
    is_same = (by_origin == by_origin[:, :1]).all()
    return Shop(problem, group, by_origin[:, 0], machines) if is_small and is_same else None


@dataclass(frozen=True)
class Translated:
    """Store-and-forward scatter where all processors look alike: messages of one displacement move at the same time."""

    name: str = "translated"

    supports = Supports(
        patterns=("private",),
        switching=("store-and-forward",),
        combining=False,
        where="routers that look alike, or boxes of GPUs joined by rails",
        holds=lambda problem: _shop(problem) is not None or rails_table(problem) is not None,
        takes=("capacities",),
        procedure="construction",
    )

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | Finding | None:
        """Write the schedule down, with the bound that the busiest channels prove; none if it has too many steps."""
        if budget.is_over or not self.supports(problem):
            return None
        shop = _shop(problem)
        if shop is None:
            table = rails_table(problem)
            return None if table is None else table.expand(problem)
        plan = shop.plan(rng)
        if budget.is_over or (num_steps is not None and shop.num_steps(plan) > num_steps):
            return None
        return Finding(shop.schedule(plan), tuple(shop.bounds(plan)))

    __call__ = solve_once


class Operations(NamedTuple):
    """One entry for each hop of all messages of a displacement."""

    displacements: Longs
    pieces: Longs
    """Which piece of each message goes."""
    kinds: Longs
    befores: Longs
    """Where the hops before have taken a message that began at router 0."""
    steps: Longs
    tails: Longs
    """The set of routers that the hop starts from: a hop may be made by some of the messages only."""

    def then(self, others: Operations) -> Operations:
        """Return these and, in the steps that follow, others."""
        later = others._replace(steps=others.steps + self.steps.max(initial=-1) + 1)
        return Operations(*(np.concatenate(columns) for columns in zip(self, later, strict=True)))

    def schedule(self, problem: Problem, group: TranslationGroup, sets: Sequence[Flags]) -> Schedule:
        """Return the schedule in which all routers, or those of the set that is named, make each hop."""
        used, steps = np.unique(self.steps, return_inverse=True)
        firsts = _first_pieces(problem, group)
        columns: list[tuple[Ints, ...]] = []
        for number, members in enumerate(sets):
            some = np.flatnonzero(self.tails == number)
            tails = np.flatnonzero(members).astype(np.int32)
            origins = group.sums[group.opposites[self.befores[some]]][:, tails]
            channels = group.channels.T[self.kinds[some]][:, tails]
            messages = np.take_along_axis(firsts[self.displacements[some]], origins, axis=1)
            messages += self.pieces[some, None].astype(np.int32)
            step = np.repeat(steps[some].astype(np.int32), len(tails))
            columns.append((step, np.tile(tails, len(some)), channels.reshape(-1), messages.reshape(-1)))
        step, senders, channel, message = (np.concatenate(column) for column in zip(*columns, strict=True))
        ones = np.ones(len(step), dtype=np.int32)
        receivers = problem.network.heads[channel]
        return Schedule.from_columns(len(used), step, senders, receivers, (ones, channel), message)


def _first_pieces(problem: Problem, group: TranslationGroup) -> Ints:
    """Return the number of the first piece of each message, by its displacement and its origin."""
    labels = np.zeros((*group.sums.shape, problem.labels.shape[1]), dtype=np.int32)
    labels[:, :, 0] = np.arange(problem.network.num_routers)
    labels[:, :, 1] = group.sums
    return problem.message_numbers(labels).reshape(group.sums.shape).astype(np.int32)


class ShopPlan(NamedTuple):
    """Which way every displacement goes."""

    displacements: Longs
    """One entry for each piece of the message of each displacement."""
    pieces: Longs
    ways: Longs
    """The hops of each entry, by kind."""
    up: int | None = None
    """The kind that goes up the rings that come first, with messages that are not among the entries."""


@dataclass(frozen=True, eq=False)
class Shop:
    """A network on which all routers do the same, and the messages to send."""

    problem: Problem
    group: TranslationGroup
    counts: Longs
    """How many pieces the messages of each displacement have."""
    machines: Machines

    def plan(self, rng: np.random.Generator) -> ShopPlan:
        """Choose shortest ways; where these do not suffice, try rings that go first, and then detours."""
        displacements = np.repeat(np.arange(len(self.counts)), self.counts)
        pieces = np.arange(len(displacements)) - (np.cumsum(self.counts) - self.counts)[displacements]
        choice = WayChoice(self.group, self.machines, rng)
        best = ShopPlan(displacements, pieces, choice.best(displacements))
        fewest = self.machines.num_turns * choice.fewest_beats(displacements, best.ways)
        for up in self._rings():
            if self.num_steps(best) > fewest:
                is_around = np.isin(displacements, self._circle(up)) & (pieces == self.counts[displacements] - 1)
                others = displacements[~is_around]
                best = min(best, ShopPlan(others, pieces[~is_around], choice.best(others), up), key=self.num_steps)
        if self.num_steps(best) > fewest and len(self.counts) <= MOST_ROUTERS_WITH_DETOURS:
            best = min(best, ShopPlan(displacements, pieces, choice.best(displacements, 2)), key=self.num_steps)
        return best

    def num_steps(self, plan: ShopPlan) -> int:
        """Return the steps that a plan takes."""
        first = 0 if plan.up is None else -(-(len(self._circle(plan.up)) ** 2) // 8)
        return first + self.machines.num_turns * self.machines.num_beats(plan.ways)

    def bounds(self, plan: ShopPlan) -> Iterator[Bound]:
        """Yield the bound by a price on the busiest channels; where all are, distances have been counted already."""
        if plan.up is None:
            busiest = self.machines.busiest(plan.ways)[self.machines.machine_of]
        else:
            busiest = np.isin(np.arange(self.group.num_kinds), (plan.up, self._down(plan.up)))
        if not busiest.all():
            prices = CertificatePrices.of(self.problem, self.group.channels[:, busiest].reshape(-1))
            yield priced(self.problem, prices, "channel-prices")

    def schedule(self, plan: ShopPlan) -> Schedule:
        """Give every operation its step, and let all routers make it."""
        routers = np.arange(self.problem.network.num_routers)
        sets = [np.ones(len(routers), dtype=bool)]
        if plan.up is None:
            operations = self._open_shop(plan)
            if self.machines.num_turns > 1:
                lower = [routers < self.group.sums[hop] for hop in self.group.hops]
                sets += [*lower, *(~some for some in lower)]
        else:
            operations = self._first_rings(plan.up).then(self._open_shop(plan))
            is_odd = self._is_odd(plan.up)
            sets += [~is_odd, is_odd]
        return operations.schedule(self.problem, self.group, sets)

    def _open_shop(self, plan: ShopPlan) -> Operations:
        """Give the hops of every entry of a plan steps, in whatever order."""
        hops = plan.ways.reshape(-1)
        jobs, kinds = (np.repeat(numbers, hops) for numbers in np.indices(plan.ways.shape).reshape(2, -1))
        machines, room = self.machines.machine_of[kinds], self.machines.room
        # A machine that makes several operations in a beat is as many machines, which share its operations evenly.
        by_machine = np.argsort(machines, kind="stable")
        loads = np.bincount(machines, minlength=len(room))
        lanes = np.empty(len(jobs), dtype=np.int64)
        lanes[by_machine] = np.arange(len(jobs)) - np.repeat(np.cumsum(loads) - loads, loads)
        lanes %= room[machines]
        beats = colour_operations(
            jobs,
            (np.cumsum(room) - room)[machines] + lanes,
            self.machines.num_beats(plan.ways),
            self.machines.most_at_once,
        )
        order = np.lexsort((beats, jobs))
        jobs, kinds, beats, lanes, machines = (column[order] for column in (jobs, kinds, beats, lanes, machines))
        num_turns = self.machines.num_turns
        operations = Operations(
            plan.displacements[jobs],
            plan.pieces[jobs],
            kinds,
            self._befores(jobs, kinds),
            num_turns * beats + lanes * num_turns // room[machines],
            np.full(len(jobs), ALL_ROUTERS),
        )
        is_parted = self.machines.is_parted[kinds]
        return operations if not is_parted.any() else self._in_two_turns(operations, is_parted)

    def _befores(self, jobs: Longs, kinds: Longs) -> Longs:
        """Return where the hops of each job before each hop lead; hops are sorted by job, then by time."""
        sizes = np.array(self.group.sizes)
        moves = np.array(np.unravel_index(self.group.hops[kinds], self.group.sizes)).T
        sums = np.cumsum(moves, axis=0) - moves
        starts = np.flatnonzero(np.diff(jobs, prepend=-1))
        sums -= np.repeat(sums[starts], np.diff(starts, append=len(jobs)), axis=0)
        befores: Longs = np.ravel_multi_index(tuple((sums % sizes).T), self.group.sizes)
        return befores

    def _in_two_turns(self, operations: Operations, is_parted: Flags) -> Operations:
        """Let one end of each link send in the first step of a beat, and the other in the second."""
        whole = Operations(*(column[~is_parted] for column in operations))
        parted = Operations(*(column[is_parted] for column in operations))
        begins = parted.steps // 2 * 2
        lower = parted._replace(steps=begins, tails=1 + parted.kinds)
        upper = parted._replace(steps=begins + 1, tails=1 + self.group.num_kinds + parted.kinds)
        return Operations(*(np.concatenate(columns) for columns in zip(whole, lower, upper, strict=True)))

    def _rings(self) -> Iterator[int]:
        """Yield the kinds that go up rings of even length, four at least, where others go down and all have to go."""
        hops = self.group.hops.tolist()
        for up, hop in enumerate(hops):
            down = self._down(up)
            if hop in hops[:up] or down < up or self.machines.machine_of[down] == self.machines.machine_of[up]:
                continue
            circle = self._circle(up)
            if len(circle) % 2 == 0 and self.counts[circle[1:]].all() and self.machines.most_at_once > 1:
                yield up

    def _down(self, up: int) -> int:
        """Return the kind that goes back where a kind goes; -1 where none does."""
        hops = self.group.hops.tolist()
        back = int(self.group.opposites[hops[up]])
        return hops.index(back) if back in hops else -1

    def _circle(self, up: int) -> Longs:
        """Return the routers that hops of a kind come by, from router 0 on."""
        onward = self.group.sums[self.group.hops[up]]
        circle = [0]
        while (following := int(onward[circle[-1]])) != 0:
            circle.append(following)
        return np.array(circle)

    def _is_odd(self, up: int) -> Flags:
        """Return for every router whether its position in its ring, from the lowest number on, is odd."""
        around = self.group.sums[self._circle(up)]
        lowest = np.flatnonzero(around.min(axis=0) == np.arange(len(around[0])))
        is_odd = np.zeros(len(around[0]), dtype=bool)
        is_odd[around[1::2, lowest]] = True
        return is_odd

    def _first_rings(self, up: int) -> Operations:
        """Let the last pieces of all displacements along a ring go, those half way round from even routers upwards."""
        circle, down = self._circle(up), self._down(up)
        rows = [
            (circle[way * length], kind, circle[way * hop], step, 1 + (parity + (way < 0) + hop) % 2)
            for length, parity, steps in upward_jobs(len(circle) // 2)
            for way, kind in ((1, up), (-1, down))
            for hop, step in enumerate(steps)
        ]
        displacements, kinds, befores, steps, tails = np.array(rows).T
        return Operations(displacements, self.counts[displacements] - 1, kinds, befores, steps, tails)
