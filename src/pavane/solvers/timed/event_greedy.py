"""Timed broadcasts by events (kernels/event_greedy.py), with restarts: other orders, and a horizon below the best.

Reductions are broadcasts read backwards on the reversed network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pavane.jit import compiled
from pavane.model.arrays import Ints, Longs
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.timed.hops import TimedHops, groups, schedule_of_hops, timed_hops, wants_of
from pavane.solvers.timed.kernels.event_greedy import NEVER, Broadcasts, EventLog, SpreadRules, spread_by_events


class Mode(NamedTuple):
    """How restarts spread messages: groups that a message enters once, and the grid of starts."""

    group_of: Ints
    quantum: int


@dataclass(frozen=True)
class EventGreedy:
    """Every idle hop takes the rarest message it can; restarts with other groups, grids, orders and noise."""

    name: str = "event-greedy"
    most_restarts: int = 600
    """Restarts without an improvement in a third of them end the search earlier."""
    fewest_restarts: int = 60
    most_carried: int = 1_000_000
    """Arrivals of messages at routers in all restarts: an allgather of 32 in 8 pieces has 120 restarts."""
    fewest_carried: int = 10_000
    """Arrivals before the clock is read: milliseconds, so that a small problem has its restarts on a busy machine."""
    noises: tuple[float, ...] = (0.01, 0.9, 2.0)
    """How much chance blurs how rare messages are, by turns: little follows rarity, more explores."""

    def supports(self, problem: Problem) -> bool:
        """Supports broadcasts."""
        return problem.pattern == "broadcast" and timed_hops(problem) is not None

    def find(self, problem: Problem, lowest: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Return the best schedule of all restarts; ends early where one ends at `lowest`."""
        hops = timed_hops(problem)
        if hops is None:
            return None
        messages, modes = _messages(problem, hops), _modes(hops, problem.network.num_routers)
        log = EventLog(*(np.zeros(messages.wants.size, dtype=np.int64) for _ in range(3)))
        best: Schedule | None = None
        finish, since = NEVER, 0
        ends = [NEVER] * len(modes)
        """The best end by each mode."""
        num_restarts = min(self.most_restarts, max(self.fewest_restarts, self.most_carried // messages.wants.size))
        for restart in range(num_restarts):
            order = _order(hops, restart, rng)
            random = rng.integers(1, 2**32, size=4, dtype=np.int64)
            # Every mode has its turns, and the best one has more.
            is_even = restart < 2 * len(modes) or rng.random() < 0.5
            number = restart % len(modes) if is_even else ends.index(min(ends))
            mode = modes[number]
            rules = SpreadRules(
                order,
                mode.group_of,
                int(mode.group_of.max()) + 1,
                mode.quantum,
                NEVER if best is None or rng.random() < 0.3 else finish - 1,
                float(rng.choice(self.noises)),
            )
            end, count = compiled(spread_by_events)(hops.arrays, messages, rules, random, log)
            ends[number] = min(ends[number], int(end))
            since += 1
            if end < finish:
                best, finish, since = _schedule(problem, hops, log, count), int(end), 0
            is_late = restart * messages.wants.size >= self.fewest_carried and budget.is_over
            if is_late or finish <= lowest or since > num_restarts // 3:
                break
        return best


def _modes(hops: TimedHops, num_routers: int) -> list[Mode]:
    """Return how restarts spread messages, by turns: without groups and with each, free and on a grid."""
    quanta = [1, int(hops.arrays.holds.min())] if any(len(path) > 1 for path in hops.paths) else [1]
    parted = [np.zeros(num_routers, dtype=np.int32), *groups(hops.arrays, num_routers)]
    return [Mode(group_of, quantum) for group_of in reversed(parted) for quantum in quanta]


def _order(hops: TimedHops, restart: int, rng: np.random.Generator) -> Longs:
    """Return the order in which idle hops choose: by rotations, by chance, or nearly by speed; at first by rotations.

    All hops that go equally far on in the numbering of routers are a rotation. Where boxes and rails are alike, these
    hops have no channel in common, so that none of them is idle.
    """
    arrays = hops.arrays
    shifts = arrays.heads.astype(np.int64) - arrays.tails
    shifts %= int(max(arrays.heads.max(), arrays.tails.max())) + 1
    if not restart:
        return np.argsort(shifts, kind="stable")
    order = rng.permutation(len(shifts))
    kind = int(rng.integers(3))
    if kind == 0:
        return np.argsort(rng.permutation(int(shifts.max()) + 1)[shifts], kind="stable")
    if kind == 1:
        rank = np.argsort(np.argsort(arrays.holds[:, 0] + arrays.delays, kind="stable"))
        return order[np.argsort(rank[order] // 4, kind="stable")]
    return order


def _messages(problem: Problem, hops: TimedHops) -> Broadcasts:
    """Return the messages as the kernel reads them."""
    network = problem.network
    origins = network.router_of[problem.ends[:, 0]]
    may_rest = np.ones(network.num_routers, dtype=bool)
    return Broadcasts(origins.astype(np.int32), hops.size_class, wants_of(problem), may_rest)


def _schedule(problem: Problem, hops: TimedHops, log: EventLog, count: int) -> Schedule:
    """Return the schedule of a log, without transfers to routers that neither want nor forward a message."""
    is_needed = np.zeros(count, dtype=bool)
    wanted = _messages(problem, hops).wants
    sent: set[tuple[int, int]] = set()
    for number in reversed(range(count)):
        hop, message = int(log.hops[number]), int(log.messages[number])
        head = int(hops.arrays.heads[hop])
        if wanted[message, head] or (head, message) in sent:
            is_needed[number] = True
            sent.add((int(hops.arrays.tails[hop]), message))
    numbers = np.flatnonzero(is_needed)
    return schedule_of_hops(problem, hops, log.hops[numbers], log.starts[numbers], log.messages[numbers])
