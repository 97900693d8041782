"""Re-timing of step schedules: every transfer starts as soon as its data and its channels allow, without barriers.

Transfers go in the order of their steps, so that both what they wait for, data and channels, lies before them. Where
channels of capacity c carry several transfers in a step, these follow each other, and their order is an open shop: they
are coloured in rounds first, none of which has two transfers on the same first or last channel (Koenig). First come,
first served can take longer than the barriers. Where routers copy and add, a tree starts as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.model.trees import trees_of
from pavane.solvers.edge_colouring import colour_operations

Grouping = Sequence[Sequence[int]]
"""Transfers by their numbers: those of a tree together, others alone."""


def without_barriers(problem: Problem, schedule: Schedule) -> Schedule:
    """Return a valid schedule of steps with the earliest starts in their order, by trees where routers copy."""
    return (retime_trees if problem.has_trees else retime)(problem, schedule)


def retime(problem: Problem, schedule: Schedule) -> Schedule:
    """Return the transfers of a valid schedule of steps with the earliest starts in the order of the steps."""
    booking = Booking(problem, SumTransfers.of_steps(problem, schedule))
    for step in range(schedule.num_steps):
        for number in _rounds(problem, schedule, step, booking.transfers.inputs, booking.usable):
            booking.take_soonest_channels(number)
            booking.book([number])
    return booking.schedule()


def retime_trees(problem: Problem, schedule: Schedule) -> Schedule:
    """Return the transfers of a valid schedule of steps with the earliest starts of whole trees in their order."""
    trees = [tree.transfers for tree in trees_of(problem, schedule)]
    joined = {number for tree in trees for number in tree}
    alone = [(number,) for number in range(len(schedule)) if number not in joined]
    return booked(problem, SumTransfers.of_steps(problem, schedule), sorted([*trees, *alone], key=min))


def barrier_time(problem: Problem, schedule: Schedule) -> int:
    """Return how long a schedule takes with a barrier after each step, in picoseconds.

    Where routers copy, a message holds a channel once in a step.
    """
    links, total = problem.timing.links, 0
    for step in range(schedule.num_steps):
        holds: dict[tuple[int, int], int] = {}
        ends = []
        for number in schedule.of_step(step):
            transfer = schedule.transfer(number)
            message = transfer.messages[0]
            busy = links.all_busy(int(problem.message_bytes[message]))
            hold = max((int(busy[channel]) for channel in transfer.path), default=0)
            for channel in transfer.path:
                use = channel, message if problem.has_trees else number
                holds[use] = max(hold, holds.get(use, 0))
            ends.append((transfer.path, sum(int(links.latencies[channel]) for channel in transfer.path)))
        load: Counter[int] = Counter()
        for (channel, _), hold in holds.items():
            load[int(problem.units[channel])] += hold
        total += max(
            (delay + max((load[int(problem.units[channel])] for channel in path), default=0) for path, delay in ends),
            default=0,
        )
    return total


class SumTransfers(NamedTuple):
    """Transfers of partial sums in an order in which each comes after its inputs."""

    senders: list[int]
    receivers: list[int]
    paths: list[tuple[int, ...]]
    messages: list[int]
    inputs: list[list[int]]

    @classmethod
    def of_steps(cls, problem: Problem, schedule: Schedule) -> SumTransfers:
        """Return the transfers of a valid schedule of steps."""
        senders, receivers = schedule.senders.tolist(), schedule.receivers.tolist()
        paths = [one.path for one in schedule]
        return cls(senders, receivers, paths, schedule.messages.tolist(), inputs_of(problem, schedule))

    @classmethod
    def of_times(cls, schedule: Schedule, *, is_sum: bool) -> SumTransfers:
        """Return the transfers of a timed schedule by their starts."""
        order, sources = causal_order(schedule, is_sum=is_sum)
        number_of = {number: at for at, number in enumerate(order)}
        transfers = cls([], [], [], [], [])
        for number in order:
            transfers.add(schedule.transfer(number), [number_of[source] for source in sources[number]])
        return transfers

    def add(self, transfer: Transfer, inputs: list[int]) -> None:
        """Add a transfer, of whatever start, after all its inputs."""
        self.senders.append(transfer.sender)
        self.receivers.append(transfer.receiver)
        self.paths.append(transfer.path)
        self.messages.append(transfer.messages[0])
        self.inputs.append(inputs)


def booked(problem: Problem, transfers: SumTransfers, order: Grouping | None = None) -> Schedule:
    """Return transfers with the earliest starts, in their order or tree by tree in one where inputs come first."""
    booking = Booking(problem, transfers)
    for tree in [[number] for number in range(len(transfers.paths))] if order is None else order:
        booking.book(tree)
    return booking.schedule()


def resized(problem: Problem, schedule: Schedule) -> Schedule:
    """Return a timed schedule for another size or other links: the same transfers in the same order, each earliest."""
    is_sum = problem.pattern in ("reduction", "allreduce")
    return booked(problem, SumTransfers.of_times(schedule, is_sum=is_sum))


def causal_order(schedule: Schedule, *, is_sum: bool) -> tuple[list[int], list[list[int]]]:
    """Return the transfers by their starts, each after those whose data it needs, and these for each transfer.

    Between processors of one router no time passes, so that starts alone do not put them in order.
    """
    arrival = {(one.receiver, one.messages[0]): number for number, one in enumerate(schedule)}
    sources: list[list[int]] = []
    for one in schedule:
        source = arrival.get((one.sender, one.messages[0]))
        # Sums name their inputs. A copy was brought by one transfer, unless its sender is its origin.
        sources.append(list(one.inputs) if is_sum else [] if source is None else [source])
    order: dict[int, None] = {}
    for first in range(len(schedule)):
        waiting = [first]
        while waiting:
            missing = [source for source in sources[waiting[-1]] if source not in order]
            waiting += missing
            if not missing:
                order[waiting.pop()] = None
    return list(order), sources


class Booking:
    """The starts of transfers, which are booked one after the other, those of a tree together."""

    def __init__(self, problem: Problem, transfers: SumTransfers) -> None:
        self.problem, self.transfers = problem, transfers
        self.starts, self.usable = [0] * len(transfers.paths), [0] * len(transfers.paths)
        self._free: dict[int, int] = {}
        """When each unit is free again."""
        ports = problem.rules.ports
        self._num_ports = 0 if ports == "all" else int(ports)
        self._ports: dict[tuple[int, int], list[int]] = {}
        """For each side and processor when each of its ports is free."""

    def take_soonest_channels(self, number: int) -> None:
        """Take for each channel of a transfer the one of the same ends by which its data arrive first."""
        problem, path = self.problem, self.transfers.paths[number]
        network, latencies = problem.network, problem.timing.links.latencies
        tails, heads = network.tails, network.heads
        busy = problem.timing.links.all_busy(int(problem.message_bytes[self.transfers.messages[number]]))
        ready = max((self.usable[source] for source in self.transfers.inputs[number]), default=0)

        def arrival(channels: Sequence[int]) -> int:
            start = max(ready, *(self._free.get(int(problem.units[one]), 0) for one in channels))
            return start + max(int(busy[one]) for one in channels) + sum(int(latencies[one]) for one in channels)

        beside = [
            [one for one in network.out_channels[tails[channel]] if heads[one] == heads[channel]] for channel in path
        ]
        if any(len(some) > 1 for some in beside):
            others = tuple(min(some, key=lambda one: arrival([one])) for some in beside)
            self.transfers.paths[number] = min(path, others, key=arrival)

    def book(self, tree: Sequence[int]) -> None:
        """Start the transfers of a tree as soon as their inputs, which are booked, their channels and ports allow."""
        problem, (senders, receivers, paths, messages, inputs) = self.problem, self.transfers
        channels = {channel for number in tree for channel in paths[number]}
        links = problem.timing.links
        busy = links.all_busy(int(problem.message_bytes[messages[tree[0]]]))
        hold = max((int(busy[channel]) for channel in channels), default=0)
        units = {int(problem.units[channel]) for channel in channels}
        sides = {(side, ends[number]) for side, ends in enumerate((senders, receivers)) for number in tree}
        # Between processors of one router no time passes, and no port is held.
        sides = {side for side in sides if channels and self._num_ports and side[1] >= 0}
        ports = [self._ports.setdefault(side, [0] * self._num_ports) for side in sides]
        ready = (self.usable[source] for number in tree for source in inputs[number])
        start = max([0, *ready, *(self._free.get(unit, 0) for unit in units), *(min(lanes) for lanes in ports)])
        for lanes in ports:
            lanes[lanes.index(min(lanes))] = start + hold
        self._free |= dict.fromkeys(units, start + hold)
        for number in tree:
            self.starts[number] = start
            self.usable[number] = start + hold + sum(int(links.latencies[channel]) for channel in paths[number])

    def schedule(self) -> Schedule:
        """Return the schedule; all transfers must be booked."""
        is_sum = self.problem.pattern in ("reduction", "allreduce")
        inputs = self.transfers.inputs if is_sum else None
        return Schedule.from_start_times(self.starts, *self.transfers[:4], inputs)


def _rounds(
    problem: Problem, schedule: Schedule, step: int, inputs: list[list[int]], usable: list[int]
) -> Iterator[int]:
    """Yield the transfers of a step in rounds; within a round those whose data come first."""
    numbers = list(schedule.of_step(step))
    ready = {number: max((usable[source] for source in inputs[number]), default=0) for number in numbers}
    round_of = dict.fromkeys(numbers, 0)
    some = [number for number in numbers if schedule.path_lengths[number]]
    firsts = problem.units[schedule.path_channels[schedule.path_offsets[some]]].astype(np.int64)
    lasts = problem.units[schedule.path_channels[schedule.path_offsets[np.array(some, dtype=np.int64) + 1] - 1]]
    most = max((int(np.bincount(ends).max(initial=0)) for ends in (firsts, lasts)), default=0)
    if most > 1:
        rounds = colour_operations(firsts, lasts.astype(np.int64), most, len(some))
        round_of |= dict(zip(some, rounds.tolist(), strict=True))
    yield from sorted(numbers, key=lambda number: (round_of[number], ready[number], number))


def inputs_of(problem: Problem, schedule: Schedule) -> list[list[int]]:
    """Return for each transfer the earlier ones whose data it needs: its message's arrival, or parts of its sum."""
    if problem.pattern == "allreduce":
        return _inputs_of_running_sums(problem, schedule)
    arrived: dict[tuple[int, int], list[int]] = {}
    inputs: list[list[int]] = [[] for _ in range(len(schedule))]
    is_sum = problem.pattern == "reduction"
    for step in range(schedule.num_steps):
        numbers = list(schedule.of_step(step))
        for number in numbers:
            key = int(schedule.senders[number]), int(schedule.messages[number])
            # A partial sum leaves with all that has come; a copy stays.
            inputs[number] = arrived.pop(key, []) if is_sum else arrived.get(key, [])
        for number in numbers:
            key = int(schedule.receivers[number]), int(schedule.messages[number])
            arrived.setdefault(key, []).append(number)
    return inputs


def _inputs_of_running_sums(problem: Problem, schedule: Schedule) -> list[list[int]]:
    """Return the arrivals that the running sum of each sender consists of."""
    own = {member: 1 << at for at, member in enumerate(problem.collective.senders)}
    sums: dict[tuple[int, int], tuple[int, list[int]]] = {}
    """For each location and message the contributions so far, and the arrivals that brought them."""
    inputs: list[list[int]] = [[] for _ in range(len(schedule))]
    for step in range(schedule.num_steps):
        numbers = list(schedule.of_step(step))
        sent = {}
        for number in numbers:
            sender, message = int(schedule.senders[number]), int(schedule.messages[number])
            sent[number], inputs[number] = sums.get((sender, message), (own.get(sender, 0), []))
        before = dict(sums)
        for number in numbers:
            key = int(schedule.receivers[number]), int(schedule.messages[number])
            held = before.get(key, (own.get(key[0], 0), []))[0]
            contributions, parts = sums.get(key, (own.get(key[0], 0), []))
            if held & sent[number]:
                # It contains what was there, and takes its place beside what else comes in this step.
                kept = [part for part in parts if part in numbers]
                sums[key] = contributions | sent[number], [*kept, number]
            else:
                sums[key] = contributions | sent[number], [*parts, number]
    return inputs
