"""Timed messages by insertion into gaps, with ruin and recreate (kernels/insertion.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder
from pavane.solvers.timed.hops import (
    TimedHops,
    groups,
    has_fat_routers,
    hops_of_paths,
    least_times,
    schedule_of_hops,
    timed_hops,
    wants_of,
)
from pavane.solvers.timed.kernels.event_greedy import HopArrays
from pavane.solvers.timed.kernels.insertion import (
    InsertedMessages,
    InsertionWork,
    KeptPlans,
    MoveLimits,
    PathSearch,
    Plans,
    add_hop,
    empty_calendar,
    insert,
    ruin_and_recreate,
)
from pavane.solvers.timed.retiming import causal_order

MOST_MESSAGES_INSERTED = 20_000
"""Calendars of more messages take too long to search."""


@dataclass(frozen=True)
class Insertion:
    """Each message takes the path or trees that arrive first; late ones are taken out and inserted again."""

    name: str = "insertion"
    num_starts: int = 4
    """Orders of the first insertion that are improved apart: two more bring alltoalls of 1 kB on rails below 1.05."""
    most_moves: int = 30_000
    """Moves of each start: a message more or less at the end is decided by hundreds of them."""
    most_moves_of_sums: int = 6_000
    """Each sum takes several trees to insert, and a start takes seconds with as many moves on 16 routers."""
    most_looked_at: int = 2_000_000_000
    """Hops that all moves look at while they grow trees, about: large networks have fewer moves."""
    num_batches: int = 40
    """The temperature falls after each of as many parts of the moves."""
    most_at_once: int = 50
    """The clock is read after as many moves: with few ports on large networks 750 of them take seconds."""
    hottest: float = 0.01
    """The part of the end that a move may lose at first."""
    blur: float = 0.3
    """How much chance favours routers in trees, in times of a median hop."""
    most_out: int = 8
    """Messages that a move takes out at most: more are seldom better together."""
    most_paths: int = 8
    """Paths of each pair by wormhole."""

    def supports(self, problem: Problem) -> bool:
        """Supports private messages, broadcasts, and allreduces where routers have one processor at most."""
        is_inserted = problem.pattern in ("private", "broadcast")
        is_inserted |= problem.pattern == "allreduce" and not has_fat_routers(problem)
        return is_inserted and problem.num_messages <= MOST_MESSAGES_INSERTED and timed_hops(problem) is not None

    def find(self, problem: Problem, lowest: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Return the best schedule of all starts; ends early where one ends at `lowest`."""
        hops, messages = self._prepared(problem, rng)
        if hops is None or messages is None:
            return None
        away = messages.remaining[messages.origins].max(axis=1).astype(np.float64)
        if problem.pattern == "private":
            away = messages.remaining[messages.origins, messages.targets].astype(np.float64)
        best: Plans | None = None
        for start in range(1 if messages.is_sum else self.num_starts):
            begun = _Start.of(hops.arrays, messages, self.most_out, rng)
            blur = (0.05, 0.3, 1.0)[start % 3] * away.max()
            for message in np.argsort(-away + blur * rng.random(len(away)), kind="stable").tolist():
                compiled(insert)(begun.work, begun.random, message)
            record = self._moved(begun, lowest, budget)
            if best is None or record.finish.max() < best.finish.max():
                best = record
            if budget.is_over or best.finish.max() <= lowest:
                break
        return None if best is None else _schedule(problem, hops, best)

    def improve(
        self, problem: Problem, schedule: Schedule, lowest: int, rng: np.random.Generator, budget: Budget
    ) -> Schedule:
        """Return a better schedule that moves have made of this one, or one as good."""
        hops, messages = self._prepared(problem, rng)
        if hops is None or messages is None:
            return schedule
        taken = _hops_taken(problem, schedule, hops, messages)
        gathers = _gathering(problem, schedule)
        if gathers is None or taken is None:
            return schedule
        begun = _Start.of(hops.arrays, messages, self.most_out, rng)
        plans = begun.work.plans
        for number in sorted(taken, key=lambda number: not gathers[number]):
            transfer = schedule.transfer(number)
            hop, (message,) = taken[number], transfer.messages
            if plans.counts[message] == plans.hops.shape[1]:
                return schedule  # it brings a message to a router twice
            hold = int(hops.arrays.holds[hop, messages.sizes[message]])
            add_hop(begun.work, message, hop, transfer.start)
            plans.gathers[message] += gathers[number]
            end = transfer.start + hold + int(hops.arrays.delays[hop])
            plans.finish[message] = max(int(plans.finish[message]), end)
        return _schedule(problem, hops, self._moved(begun, lowest, budget))

    def _moved(self, begun: _Start, lowest: int, budget: Budget) -> Plans:
        """Return the best plans that moves make of those of a start."""
        work, kept, random = begun
        arrays, record = work.hops, kept.best
        for column, values in zip(record, work.plans, strict=True):
            column[:] = values
        blur = self.blur * float(np.median(arrays.holds[:, 0] + arrays.delays))
        looked_at = len(arrays.tails) * len(work.search.favours)
        most_moves = self.most_moves_of_sums if work.messages.is_sum else self.most_moves
        num_moves = min(most_moves, max(self.num_batches, self.most_looked_at // max(1, looked_at))) // self.num_batches
        for batch in range(self.num_batches):
            heat = self.hottest * float(record.finish.max()) * (1.0 - batch / self.num_batches)
            for done in range(0, num_moves, self.most_at_once):
                if budget.is_over or record.finish.max() <= lowest:
                    return record
                limits = MoveLimits(min(self.most_at_once, num_moves - done), lowest, heat, blur)
                compiled(ruin_and_recreate)(work, kept, limits, random)
        return record

    def _prepared(self, problem: Problem, rng: np.random.Generator) -> tuple[TimedHops | None, InsertedMessages | None]:
        """Return the hops and the messages as the kernels read them."""
        network = problem.network
        hops = timed_hops(problem)
        if hops is None:
            return None, None
        is_whole = problem.rules.switching == "wormhole" and problem.pattern == "private"
        origins, targets = (network.router_of[problem.ends[:, side]].astype(np.int32) for side in (0, -1))
        if is_whole:
            finder = PathFinder(problem, rng, self.most_paths, 0)
            pairs, pair_of = np.unique(problem.ends, axis=0, return_inverse=True)
            paths = [
                [tuple(path) for path in finder.between(*pair) if path] for pair in network.router_of[pairs].tolist()
            ]
            between = np.repeat(pairs, [len(listed) for listed in paths], axis=0)
            hops = hops_of_paths(problem, [path for listed in paths for path in listed], between)
            ends = np.concatenate([[0], np.cumsum([len(listed) for listed in paths])])
            chosen = [np.arange(ends[pair], ends[pair + 1]) for pair in pair_of.reshape(-1).tolist()]
            offsets, numbers = np.cumsum([0, *map(len, chosen)]), np.concatenate(chosen)
        else:
            numbers = np.argsort(hops.arrays.tails, kind="stable")
            offsets = np.searchsorted(hops.arrays.tails[numbers], np.arange(network.num_routers + 1))
        remaining = least_times(hops.arrays, network.num_routers)
        no_wants = np.zeros((0, network.num_routers), dtype=bool)
        messages = InsertedMessages(
            origins,
            targets,
            no_wants if problem.pattern == "private" else wants_of(problem),
            next(groups(hops.arrays, network.num_routers), np.zeros(network.num_routers, dtype=np.int32)),
            hops.size_class,
            offsets.astype(np.int64),
            numbers.astype(np.int64),
            is_whole,
            problem.pattern == "allreduce",
            remaining,
        )
        return hops, messages


class _Start(NamedTuple):
    """What the moves of one start work on."""

    work: InsertionWork
    kept: KeptPlans
    random: Longs

    @classmethod
    def of(cls, arrays: HopArrays, messages: InsertedMessages, most_out: int, rng: np.random.Generator) -> _Start:
        """Return a start without any plan."""
        num_messages, num_routers = len(messages.origins), len(messages.remaining)
        # A message holds a unit once for each router that a hop reaches over it.
        ends = np.stack([arrays.units, np.repeat(arrays.heads, np.diff(arrays.offsets))], axis=1)
        most_held = np.bincount(np.unique(ends, axis=0)[:, 0]).max() if len(messages.wants) else 1
        if messages.is_sum:
            # And once for each router that it gathers from over it.
            froms = np.stack([arrays.units, np.repeat(arrays.tails, np.diff(arrays.offsets))], axis=1)
            most_held += np.bincount(np.unique(froms, axis=0)[:, 0]).max()
        calendar = empty_calendar(len(arrays.rooms), num_messages * most_held + 1)
        most_hops = 2 * num_routers if messages.is_sum else num_routers
        plans, record, before = (_plans(size, most_hops) for size in (num_messages, num_messages, most_out))
        times, last_hops, begins = (np.zeros(num_routers, np.int64) for _ in range(3))
        favours = np.zeros(num_routers if len(messages.wants) else 0)
        hop_starts, branches = (np.zeros(len(arrays.tails), np.int64) for _ in range(2))
        is_done, is_open = np.zeros(num_routers, np.bool_), np.zeros(1, np.bool_)
        search = PathSearch(times, last_hops, begins, is_done, hop_starts, branches, is_open, favours)
        random = rng.integers(1, 2**32, size=4, dtype=np.int64)
        return cls(InsertionWork(arrays, messages, calendar, plans, search), KeptPlans(record, before), random)


def _plans(num_messages: int, most_hops: int) -> Plans:
    hops, starts = (np.zeros((num_messages, most_hops), dtype=np.int64) for _ in range(2))
    counts, gathers, finish = (np.zeros(num_messages, np.int64) for _ in range(3))
    return Plans(counts, gathers, hops, starts, finish)


def _schedule(problem: Problem, hops: TimedHops, plans: Plans) -> Schedule:
    """Return the schedule of the plans."""
    counts = plans.counts
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    inputs = _inputs(hops, plans) if problem.pattern == "allreduce" else None
    return schedule_of_hops(problem, hops, plans.hops[rows, columns], plans.starts[rows, columns], rows, inputs)


def _hops_taken(
    problem: Problem, schedule: Schedule, hops: TimedHops, messages: InsertedMessages
) -> dict[int, int] | None:
    """Return the hop of each transfer between routers; None where one is no hop or a router has a message twice."""
    rows = messages.offsets.tolist()
    number_of = {
        (row, hops.paths[hop]): hop
        for row in range(len(rows) - 1)
        for hop in messages.hops[rows[row] : rows[row + 1]].tolist()
    }
    tails, taken = problem.network.tails, dict[int, int]()
    for number, one in enumerate(schedule):
        if one.path:
            row = one.messages[0] if messages.is_whole else int(tails[one.path[0]])
            if (row, one.path) not in number_of:
                return None
            taken[number] = number_of[row, one.path]
    if has_fat_routers(problem):
        entered = {(int(hops.arrays.heads[hop]), int(schedule.messages[number])) for number, hop in taken.items()}
        home = problem.network.router_of[problem.ends[:, 0]].tolist()
        if len(entered) < len(taken) or any(home[message] == head for head, message in entered):
            return None
    return taken


def _gathering(problem: Problem, schedule: Schedule) -> list[bool] | None:
    """Return which transfers bring sums together; None where these are not a tree to a root and one from there."""
    if problem.pattern != "allreduce":
        return [False] * len(schedule)
    members = problem.collective.senders
    inside: list[set[int]] = [set() for _ in range(len(schedule))]
    for number in causal_order(schedule, is_sum=True)[0]:
        one = schedule.transfer(number)
        inside[number] = {one.sender}.intersection(members).union(*(inside[source] for source in one.inputs))
    gathers = [len(sums) < len(members) for sums in inside]
    roots: dict[int, int] = {}
    left: set[tuple[int, int]] = set()
    reached = {(one.receiver, one.messages[0]) for one, flag in zip(schedule, gathers, strict=True) if not flag}
    for one, flag in zip(schedule, gathers, strict=True):
        place = one.sender, one.messages[0]
        if flag and place in left:
            return None
        left |= {place} if flag else set()
        if not flag and place not in reached and roots.setdefault(place[1], place[0]) != place[0]:
            return None
    is_tree = len(reached) == len(schedule) - sum(gathers) and not {(root, m) for m, root in roots.items()} & left
    return gathers if is_tree else None


def _inputs(hops: TimedHops, plans: Plans) -> list[list[int]]:
    """Return for each hop of sums the numbers of those whose data it contains."""
    inputs: list[list[int]] = []
    for message, (count, gathers) in enumerate(zip(plans.counts.tolist(), plans.gathers.tolist(), strict=True)):
        base = len(inputs)
        tails, heads = (ends[plans.hops[message, :count]].tolist() for ends in (hops.arrays.tails, hops.arrays.heads))
        parts: dict[int, list[int]] = {}
        for at in range(gathers):
            parts.setdefault(heads[at], []).append(base + at)
        # From the root on, what has come is the whole sum.
        whole = {heads[at]: [base + at] for at in range(gathers, count)}
        inputs += [parts.get(tails[at], []) for at in range(gathers)]
        inputs += [whole.get(tails[at], parts.get(tails[at], [])) for at in range(gathers, count)]
    return inputs
