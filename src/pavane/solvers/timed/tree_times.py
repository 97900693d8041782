"""Start times of trees, where routers copy and add: each as a whole, as early as its data and all its channels allow.

Reductions are broadcasts by trees read backwards, and an allreduce is a reduction and a broadcast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pavane.model.schedule import Schedule
from pavane.model.timed import TimedProblem, TimedSchedule
from pavane.model.trees import trees_of
from pavane.solvers.timed.retiming import Resources, SumTransfers, causal_order, inputs_of, retime

Grouping = Sequence[Sequence[int]]
"""Transfers by their numbers: those of a tree together, others alone."""


def without_barriers(timed: TimedProblem, schedule: Schedule) -> TimedSchedule:
    """Return a valid schedule of steps with the earliest starts in their order, by trees where routers copy."""
    return (retime_trees if timed.problem.has_trees else retime)(timed, schedule)


def retime_trees(timed: TimedProblem, schedule: Schedule) -> TimedSchedule:
    """Return the transfers of a valid schedule of steps with the earliest starts in the order of the steps."""
    inputs = inputs_of(timed.problem, schedule)
    paths = [one.path for one in schedule]
    columns = [column.tolist() for column in (schedule.senders, schedule.receivers, schedule.messages)]
    transfers = SumTransfers(columns[0], columns[1], paths, columns[2], inputs)
    trees = [tree.transfers for tree in trees_of(timed.problem, schedule)]
    return booked_trees(timed, transfers, sorted(_with_others(trees, len(schedule)), key=min))


def _with_others(trees: Iterable[Sequence[int]], size: int) -> list[tuple[int, ...]]:
    """Return trees, and all transfers of no tree alone."""
    listed = [tuple(tree) for tree in trees]
    joined = {number for tree in listed for number in tree}
    return [*listed, *((number,) for number in range(size) if number not in joined)]


def booked_trees(timed: TimedProblem, transfers: SumTransfers, order: Grouping) -> TimedSchedule:
    """Return transfers with the earliest starts, tree by tree in an order in which each comes after its inputs."""
    resources = _TreeResources(timed)
    starts, usable = [0] * len(transfers.paths), [0] * len(transfers.paths)
    for tree in order:
        ready = max((usable[source] for number in tree for source in transfers.inputs[number]), default=0)
        start, hold = resources.book_tree(ready, transfers, tree)
        for number in tree:
            starts[number] = start
            delay = sum(int(timed.links.latencies[channel]) for channel in transfers.paths[number])
            usable[number] = start + hold + delay
    is_sum = timed.problem.pattern in ("reduction", "allreduce")
    return TimedSchedule.from_columns(starts, *transfers[:4], transfers.inputs if is_sum else None)


class _TreeResources(Resources):
    """When channels and ports are free again, as trees are booked one after the other."""

    def book_tree(self, ready: int, transfers: SumTransfers, tree: Sequence[int]) -> tuple[int, int]:
        """Return when a tree starts, at `ready` at the earliest, and how long it holds its channels."""
        channels = {channel for number in tree for channel in transfers.paths[number]}
        busy = self.links.all_busy(int(self.timed.message_bytes[transfers.messages[tree[0]]]))
        hold = max((int(busy[channel]) for channel in channels), default=0)
        units = {int(self.timed.units[channel]) for channel in channels}
        sides = {(side, ends[number]) for side, ends in enumerate(transfers[:2]) for number in tree}
        ports = [self.ports.setdefault(side, [0] * self.num_ports) for side in sides if self.num_ports and side[1] >= 0]
        start = max([ready, *(self.free.get(unit, 0) for unit in units), *(min(lanes) for lanes in ports)])
        for lanes in ports if hold else ():
            lanes[lanes.index(min(lanes))] = start + hold
        self.free |= dict.fromkeys(units, start + hold)
        return start, hold


def grouped(schedule: TimedSchedule) -> list[tuple[int, ...]]:
    """Return the transfers of a broadcast by trees: those of one message, sender, start and first channel."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, one in enumerate(schedule):
        key = one.start, one.messages[0], one.sender, one.path[0] if one.path else ~number
        groups.setdefault(key, []).append(number)
    return [tuple(group) for group in groups.values()]


def backwards_by_trees(timed: TimedProblem, spread: TimedSchedule) -> TimedSchedule:
    """Return the reduction that a broadcast of the dual problem by trees is when it is read backwards."""
    return booked_trees(timed, *_reversed(spread))


def _reversed(spread: TimedSchedule) -> tuple[SumTransfers, list[tuple[int, ...]]]:
    """Return the transfers of a broadcast backwards, and the order of their trees."""
    rank = {number: at for at, number in enumerate(causal_order(spread, is_sum=False)[0])}
    trees = sorted(grouped(spread), key=lambda tree: -max(rank[number] for number in tree))
    transfers = SumTransfers([], [], [], [], [])
    arrived: dict[tuple[int, int], list[int]] = {}
    order: list[tuple[int, ...]] = []
    for tree in trees:
        numbers = []
        for source in tree:
            one = spread.transfer(source)
            back = one._replace(sender=one.receiver, receiver=one.sender, path=one.path[::-1])
            numbers.append(len(transfers.paths))
            transfers.add(back, arrived.pop((one.receiver, one.messages[0]), []))
        one = spread.transfer(tree[0])
        arrived.setdefault((one.sender, one.messages[0]), []).extend(numbers)
        order.append(tuple(numbers))
    return transfers, order


def in_two_phases_by_trees(timed: TimedProblem, gathering: TimedSchedule, spread: TimedSchedule) -> TimedSchedule:
    """Return an allreduce: a broadcast read backwards, and a broadcast of each sum when it is complete.

    Both have the message numbers of the allreduce; the first is one of the dual problem.
    """
    transfers, order = _reversed(gathering)
    arrived: dict[tuple[int, int], list[int]] = {}
    for number, (receiver, message) in enumerate(zip(transfers.receivers, transfers.messages, strict=True)):
        arrived.setdefault((receiver, message), []).append(number)
    rank = {number: at for at, number in enumerate(causal_order(spread, is_sum=False)[0])}
    whole: dict[tuple[int, int], int] = {}
    for tree in sorted(grouped(spread), key=lambda tree: min(rank[number] for number in tree)):
        numbers = []
        for source in tree:
            one = spread.transfer(source)
            key = one.sender, one.messages[0]
            numbers.append(len(transfers.paths))
            # A broadcast begins where the sum is complete.
            transfers.add(one, [whole[key]] if key in whole else arrived.get(key, []))
            whole[one.receiver, one.messages[0]] = numbers[-1]
        order.append(tuple(numbers))
    return booked_trees(timed, transfers, order)
