"""Timed private messages by insertion into gaps, with ruin and recreate (kernels/insertion.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import dijkstra

from pavane.jit import compiled
from pavane.model.arrays import Longs
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import PathFinder
from pavane.solvers.timed.hops import TimedHops, hops_of_paths, locations, timed_hops
from pavane.solvers.timed.kernels.event_greedy import HopArrays
from pavane.solvers.timed.kernels.insertion import (
    Calendar,
    KeptPlans,
    MoveLimits,
    PathSearch,
    Plans,
    PrivateMessages,
    insert,
    ruin_and_recreate,
)

MOST_MESSAGES_INSERTED = 20_000
"""Calendars of more messages take too long to search."""


@dataclass(frozen=True)
class Insertion:
    """Each message takes the path that arrives first; late ones are taken out and inserted again."""

    name: str = "insertion"
    num_starts: int = 3
    """Orders of the first insertion that are improved apart."""
    most_moves: int = 20_000
    """Moves of each start: a message more or less at the end is decided by hundreds of them."""
    num_batches: int = 40
    """The clock is read, and the temperature falls, after each of as many parts of the moves."""
    hottest: float = 0.002
    """The part of the end that a move may lose at first."""
    most_out: int = 8
    """Messages that a move takes out at most: more are seldom better together."""
    most_paths: int = 8
    """Paths of each pair by wormhole."""

    def supports(self, timed: TimedProblem) -> bool:
        """Supports private messages where routers have one processor at most."""
        is_private = timed.problem.pattern == "private" and timed.problem.num_messages <= MOST_MESSAGES_INSERTED
        return is_private and timed_hops(timed) is not None

    def find(self, timed: TimedProblem, lowest: int, rng: np.random.Generator, budget: Budget) -> TimedSchedule | None:
        """Return the best schedule of all starts; ends early where one ends at `lowest`."""
        hops, messages = self._prepared(timed, rng)
        if hops is None or messages is None:
            return None
        arrays, num_messages = hops.arrays, timed.problem.num_messages
        num_routers = timed.problem.network.num_routers
        away = messages.remaining[messages.origins, messages.targets].astype(np.float64)
        best: Plans | None = None
        for start in range(self.num_starts):
            calendar = _calendar(arrays, num_messages)
            plans, record, before = (_plans(size, num_routers) for size in (num_messages, num_messages, self.most_out))
            times, last_hops, starts = (np.zeros(num_routers, np.int64) for _ in range(3))
            search = PathSearch(times, last_hops, starts, np.zeros(num_routers, np.bool_))
            random = rng.integers(1, 2**32, size=4, dtype=np.int64)
            blur = (0.05, 0.3, 1.0)[start % 3] * away.max()
            for message in np.argsort(-away + blur * rng.random(num_messages), kind="stable").tolist():
                compiled(insert)(arrays, messages, calendar, plans, search, random, message)
            for column, values in zip(record, plans, strict=True):
                column[:] = values
            kept = KeptPlans(record, before)
            for batch in range(self.num_batches):
                if budget.is_over or record.finish.max() <= lowest:
                    break
                heat = self.hottest * float(record.finish.max()) * (1.0 - batch / self.num_batches)
                limits = MoveLimits(self.most_moves // self.num_batches, lowest, heat)
                compiled(ruin_and_recreate)(arrays, messages, calendar, plans, search, kept, limits, random)
            if best is None or record.finish.max() < best.finish.max():
                best = record
            if budget.is_over or best.finish.max() <= lowest:
                break
        return None if best is None else _schedule(timed, hops, best)

    def _prepared(
        self, timed: TimedProblem, rng: np.random.Generator
    ) -> tuple[TimedHops | None, PrivateMessages | None]:
        """Return the hops and the messages as the kernels read them."""
        problem, network = timed.problem, timed.problem.network
        hops = timed_hops(timed)
        if hops is None:
            return None, None
        is_whole = problem.rules.switching == "wormhole"
        origins, targets = (network.router_of[problem.ends[:, side]].astype(np.int32) for side in (0, 1))
        if is_whole:
            finder = PathFinder(problem, rng, self.most_paths, 0)
            pairs, pair_of = np.unique(np.stack([origins, targets], axis=1), axis=0, return_inverse=True)
            paths = [[tuple(path) for path in finder.between(*pair)] for pair in pairs.tolist()]
            hops = hops_of_paths(timed, [path for listed in paths for path in listed])
            ends = np.concatenate([[0], np.cumsum([len(listed) for listed in paths])])
            chosen = [np.arange(ends[pair], ends[pair + 1]) for pair in pair_of.reshape(-1).tolist()]
            offsets, numbers = np.cumsum([0, *map(len, chosen)]), np.concatenate(chosen)
        else:
            numbers = np.argsort(hops.arrays.tails, kind="stable")
            offsets = np.searchsorted(hops.arrays.tails[numbers], np.arange(network.num_routers + 1))
        remaining = _least_times(hops.arrays, network.num_routers)
        messages = PrivateMessages(
            origins,
            targets,
            hops.size_class,
            offsets.astype(np.int64),
            numbers.astype(np.int64),
            is_whole,
            remaining,
        )
        return hops, messages


def _least_times(arrays: HopArrays, num_routers: int) -> Longs:
    """Return the least time from router to router."""
    costs = np.full((num_routers, num_routers), np.inf)
    np.minimum.at(costs, (arrays.tails, arrays.heads), (arrays.holds.min(axis=1) + arrays.delays).astype(np.float64))
    times = dijkstra(np.where(np.isfinite(costs), np.maximum(costs, 1.0), 0.0))
    return np.where(np.isfinite(times), times, 0).astype(np.int64)


def _calendar(arrays: HopArrays, num_messages: int) -> Calendar:
    """Return an empty calendar; each message holds a unit once at most."""
    most = num_messages + 1
    starts, ends = (np.zeros((arrays.num_units, most), dtype=np.int64) for _ in range(2))
    return Calendar(starts, ends, np.zeros(arrays.num_units, dtype=np.int64))


def _plans(num_messages: int, most_hops: int) -> Plans:
    hops, starts = (np.zeros((num_messages, most_hops), dtype=np.int64) for _ in range(2))
    return Plans(np.zeros(num_messages, np.int64), hops, starts, np.zeros(num_messages, np.int64))


def _schedule(timed: TimedProblem, hops: TimedHops, plans: Plans) -> TimedSchedule:
    """Return the schedule of the plans."""
    named = locations(timed)
    counts = plans.counts
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = plans.hops[rows, columns]
    return TimedSchedule.from_columns(
        plans.starts[rows, columns],
        named[hops.arrays.tails[chosen]],
        named[hops.arrays.heads[chosen]],
        [hops.paths[hop] for hop in chosen.tolist()],
        rows,
    )
