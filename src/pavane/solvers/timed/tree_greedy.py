"""Timed broadcasts by trees, where routers copy: senders and receivers are chosen first, then trees start by events.

For each message receivers are joined one by one to those that have it, as by Prim's algorithm: the price of a
connection is how long it holds channels that the tree of its sender does not hold already. So a message crosses slow
channels once, and spreads over fast switches from there. Of equal prices the one with the earliest arrival is taken, as
far as the loads of channels show.

Then time runs. Whenever channels become free, each sender with a message that others wait for sends a tree to those
whose channels are free: the messages with the longest way to go first, then those that few others wait for. Receivers
whose channels are busy get another tree later.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget

Path = tuple[int, ...]

MOST_ARRIVALS = 40_000
"""Messages times receivers: more take longer than a minute for one schedule."""


@dataclass(frozen=True)
class TreeGreedy:
    """Messages spread by trees, each crossing slow channels once; restarts with noise on loads and orders."""

    name: str = "tree-greedy"
    most_restarts: int = 60
    most_arrivals: int = 200_000
    """Arrivals of messages in all restarts: an allgather of 32 in 16 pieces has 12 restarts."""

    def supports(self, problem: Problem) -> bool:
        """Supports broadcasts where routers copy and have one processor at most."""
        homes = problem.network.router_of
        return (
            problem.pattern == "broadcast"
            and problem.has_trees
            and problem.restriction is None
            and problem.rules.duplex == "full"
            and len(np.unique(homes)) == len(homes)
            and problem.num_messages * len(problem.collective.receivers) <= MOST_ARRIVALS
        )

    def find(self, problem: Problem, lowest: int, rng: np.random.Generator, budget: Budget) -> Schedule | None:
        """Return the best schedule of all restarts; ends early where one ends at `lowest`."""
        best: tuple[int, Schedule] | None = None
        arrivals = max(1, problem.num_messages * len(problem.collective.receivers))
        ways = _TreePaths(problem)
        for restart in range(max(1, min(self.most_restarts, self.most_arrivals // arrivals))):
            spread = _Spread(ways, rng if restart else None)
            end = spread.run()
            if end is None:
                return None
            if best is None or end < best[0]:
                best = end, spread.schedule()
            if best[0] <= lowest or budget.is_over:
                break
        return None if best is None else best[1]


class _TreePaths:
    """From each processor a path to each other one that a transfer can take, along which paths part like a tree."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        network, rules = problem.network, problem.rules
        self.latencies = problem.timing.links.latencies.tolist()
        sizes = np.unique(problem.message_bytes).tolist()
        self.busy = {size: problem.timing.links.all_busy(size).tolist() for size in sizes}
        self.processor_at = {int(router): processor for processor, router in enumerate(network.router_of)}
        homes = set(self.processor_at)
        self.passes = [rules.switching == "wormhole" or router not in homes for router in range(network.num_routers)]
        self.is_shortest = rules.routing == "minimal" and (rules.switching == "wormhole" or problem.takes_shortest_hops)
        self.paths = [self._paths(processor, sizes[-1]) for processor in range(network.num_processors)]
        self.firsts = [{path[0] for path in paths.values()} for paths in self.paths]

    def _paths(self, processor: int, size: int) -> dict[int, Path]:
        """Return the paths to other processors: of the fewest channels, then the fastest."""
        network = self.problem.network
        start, busy = int(network.router_of[processor]), self.busy[size]
        best: dict[int, tuple[int, int, int]] = {start: (0, 0, 0)}
        came_by: dict[int, int] = {}
        queue = [(best[start], start)]
        while queue:
            cost, router = heapq.heappop(queue)
            if cost > best[router] or (router != start and not self.passes[router]):
                continue
            for channel in network.out_channels[router]:
                head = int(network.heads[channel])
                later = cost[0] + 1, max(cost[1], busy[channel]), cost[2] + self.latencies[channel]
                if head not in best or later < best[head]:
                    best[head], came_by[head] = later, channel
                    heapq.heappush(queue, (later, head))
        paths, distances = {}, network.distances_from(start)
        for end, other in self.processor_at.items():
            path: list[int] = []
            router = end
            while router in came_by:
                path.append(came_by[router])
                router = int(network.tails[path[-1]])
            if path and (not self.is_shortest or len(path) == distances[end]):
                paths[other] = tuple(reversed(path))
        return paths

    def parts_well(self, channels: set[int], path: Path) -> bool:
        """Return whether a path leaves a tree at a router that copies, or shares nothing with it."""
        shared = [channel for channel in path if channel in channels]
        if not shared or len(shared) == len(path):
            return True
        return bool(self.problem.is_copying[int(self.problem.network.heads[shared[-1]])])


@dataclass
class _Task:
    """A sender of a message, and the receivers that it is to inform."""

    message: int
    sender: int
    waiting: dict[int, int] = field(default_factory=dict)
    """By receiver how long its own tasks take."""
    noise: float = 0.0

    def rank(self) -> tuple[float, float, int]:
        """Return what puts tasks in order."""
        return -max(self.waiting.values()), len(self.waiting) + self.noise, self.message


class _Row(NamedTuple):
    """A transfer that has started."""

    start: int
    free: int
    usable: int
    sender: int
    receiver: int
    path: Path
    message: int


class _Spread:
    """One schedule: tasks, and when channels, ports and messages are there."""

    def __init__(self, ways: _TreePaths, rng: np.random.Generator | None) -> None:
        self.ways, self.problem, self.rng = ways, ways.problem, rng
        problem = ways.problem
        self.load: dict[int, float] = defaultdict(float)
        self.free: dict[int, int] = defaultdict(int)
        ports = problem.rules.ports
        self.num_ports = 0 if ports == "all" else int(ports)
        self.ports: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * self.num_ports)
        self.tasks: dict[tuple[int, int], _Task] = {}
        """By message and sender."""
        self.rows: list[_Row] = []
        self.num_started = 0
        """Rows whose ends are events already."""
        self.sizes = ways.problem.message_bytes.tolist()

    # -- senders and receivers

    def _plan(self, message: int) -> bool:
        """Join all receivers to those that have a message; False where one cannot be reached."""
        problem = self.problem
        origin = int(problem.ends[message, 0])
        left = set(problem.collective.receivers) - {origin}
        everyone = set(range(problem.network.num_processors)) - {origin}
        busy = self.ways.busy[self.sizes[message]]
        trees: dict[tuple[int, int], set[int]] = defaultdict(set)
        """By sender and hold the channels of its tree."""
        best: dict[int, tuple[float, float, float, int]] = {}
        parents = {}
        known = {origin: 0}
        """When each has the message, if nothing else is on its way."""
        fresh = [origin]
        while left:
            for sender in fresh:
                for receiver, path in self.ways.paths[sender].items():
                    if receiver in everyone:
                        hold = max(busy[channel] for channel in path)
                        new = [channel for channel in path if channel not in trees[sender, hold]]
                        load = max(self.load[channel] for channel in path)
                        begin = max(known[sender], load)
                        arrival = begin + hold + sum(self.ways.latencies[channel] for channel in path)
                        relay = 0.0 if receiver in left else hold
                        offer = float(hold * len(new)) + relay, arrival, load, sender
                        if receiver not in best or offer < best[receiver] or best[receiver][3] == sender:
                            best[receiver] = offer
            if not best:
                return False
            receiver = min(best, key=lambda one: (*best[one][:3], one not in left, one))
            sender = best.pop(receiver)[3]
            path = self.ways.paths[sender][receiver]
            hold = max(busy[channel] for channel in path)
            known[receiver] = known[sender] + hold + sum(self.ways.latencies[channel] for channel in path)
            for channel in path:
                if channel not in trees[sender, hold]:
                    self.load[channel] += hold * (1.0 if self.rng is None else float(self.rng.uniform(0.8, 1.2)))
            trees[sender, hold] |= set(path)
            parents[receiver] = sender
            everyone.discard(receiver)
            left.discard(receiver)
            fresh = [sender, receiver]
        self._add_tasks(message, parents)
        return True

    def _add_tasks(self, message: int, parents: dict[int, int]) -> None:
        """Add the tasks of a message, without relays that inform none that wants it."""
        receivers = set(self.problem.collective.receivers)
        order = list(parents)
        tails: dict[int, int] = defaultdict(int)
        needed = set()
        busy = self.ways.busy[self.sizes[message]]
        for receiver in reversed(order):
            if receiver not in receivers and receiver not in needed:
                continue
            sender = parents[receiver]
            needed.add(sender)
            noise = 0.0 if self.rng is None else float(self.rng.uniform(0, 3))
            task = self.tasks.setdefault((message, sender), _Task(message, sender, noise=noise))
            task.waiting[receiver] = tails[receiver]
            path = self.ways.paths[sender][receiver]
            taken = max(busy[channel] for channel in path) + sum(self.ways.latencies[channel] for channel in path)
            tails[sender] = max(tails[sender], tails[receiver] + taken)

    # -- when

    def run(self) -> int | None:
        """Let time run until all is informed; return the end, or None where a receiver cannot be reached."""
        problem = self.problem
        order = list(range(problem.num_messages))
        if self.rng is not None:
            self.rng.shuffle(order)
        if not all(self._plan(message) for message in order):
            return None
        lanes: dict[int, list[_Task]] = defaultdict(list)
        """By sender the tasks that can start."""
        arrivals = [(0, message, int(problem.ends[message, 0])) for message in range(problem.num_messages)]
        heapq.heapify(arrivals)
        times, end = [0], 0
        while times:
            now = heapq.heappop(times)
            while times and times[0] == now:
                heapq.heappop(times)
            while arrivals and arrivals[0][0] <= now:
                _, message, place = heapq.heappop(arrivals)
                if (message, place) in self.tasks:
                    lanes[place].append(self.tasks[message, place])
            able = [
                sender
                for sender, tasks in lanes.items()
                if tasks and any(self.free[channel] <= now for channel in self.ways.firsts[sender])
            ]
            ready = sorted((task.rank(), sender) for sender in able for task in lanes[sender])
            end = max(end, self._start_trees([self.tasks[rank[2], sender] for rank, sender in ready], now))
            for row in self.rows[self.num_started :]:
                heapq.heappush(arrivals, (row.usable, row.message, row.receiver))
                heapq.heappush(times, row.usable)
                heapq.heappush(times, row.free)
            self.num_started = len(self.rows)
            for sender in able:
                lanes[sender] = [task for task in lanes[sender] if task.waiting]
        return end

    def _start_trees(self, ready: list[_Task], now: int) -> int:
        """Start trees to all receivers whose channels are free, first to those that others wait for; return the end."""
        trees: dict[tuple[int, int, int, int], set[int]] = {}
        """By message, sender, hold and first channel the channels of each tree."""
        end = 0
        for is_first in (True, False):
            for task in ready:
                busy, paths = self.ways.busy[self.sizes[task.message]], self.ways.paths[task.sender]
                for receiver in [one for one, tail in task.waiting.items() if (tail > 0) == is_first]:
                    path = paths[receiver]
                    if self.free[path[-1]] > now:
                        continue
                    hold = max(busy[channel] for channel in path)
                    key = task.message, task.sender, hold, path[0]
                    if self._joins(trees, key, receiver, path, now):
                        usable = now + hold + sum(self.ways.latencies[channel] for channel in path)
                        self.rows.append(_Row(now, now + hold, usable, task.sender, receiver, path, task.message))
                        del task.waiting[receiver]
                        end = max(end, usable)
        return end

    def _joins(
        self, trees: dict[tuple[int, int, int, int], set[int]], key: tuple[int, int, int, int],
        receiver: int, path: Path, now: int,
    ) -> bool:  # fmt: skip
        """Hold the channels of a path for a tree, if those that the tree does not hold are free."""
        _, sender, hold, _ = key
        channels = trees.get(key, set())
        if any(self.free[channel] > now and channel not in channels for channel in path):
            return False
        if not self.ways.parts_well(channels, path):
            return False
        if self.num_ports:
            sides = [(1, receiver)] if key in trees else [(0, sender), (1, receiver)]
            if any(min(self.ports[side]) > now for side in sides):
                return False
            for side in sides:
                lanes = self.ports[side]
                lanes[lanes.index(min(lanes))] = now + hold
        trees[key] = channels | set(path)
        for channel in path:
            self.free[channel] = now + hold
        return True

    def schedule(self) -> Schedule:
        """Return the schedule."""
        rows = self.rows
        return Schedule.from_start_times(
            [row.start for row in rows],
            [row.sender for row in rows],
            [row.receiver for row in rows],
            [row.path for row in rows],
            [row.message for row in rows],
        )
