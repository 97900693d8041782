"""Timed reductions from broadcasts read backwards, and allreduces from a reduction and a broadcast.

Where routers copy and add, the transfers of a tree stay together.
"""

from __future__ import annotations

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.solvers.timed.retiming import SumTransfers, booked, causal_order

Trees = list[tuple[int, ...]]
"""Transfers by their numbers: those of a tree together, others alone."""


def backwards(problem: Problem, spread: Schedule) -> Schedule:
    """Return the reduction that a broadcast of the dual problem is when it is read backwards."""
    return booked(problem, *reversed_transfers(spread, by_trees=problem.has_trees))


def reversed_transfers(spread: Schedule, *, by_trees: bool) -> tuple[SumTransfers, Trees]:
    """Return the transfers of a broadcast backwards, each after all that arrive at its sender, and their trees."""
    transfers, order = SumTransfers([], [], [], [], []), list[tuple[int, ...]]()
    arrived: dict[tuple[int, int], list[int]] = {}
    # Backwards all inputs come first.
    for tree in sorted(_trees(spread, by_trees), key=lambda tree: -max(tree)[0]):
        numbers = []
        for _, source in tree:
            one = spread.transfer(source)
            back = one._replace(sender=one.receiver, receiver=one.sender, path=one.path[::-1])
            numbers.append(len(transfers.paths))
            transfers.add(back, arrived.pop((one.receiver, one.messages[0]), []))
        arrived.setdefault((one.sender, one.messages[0]), []).extend(numbers)
        order.append(tuple(numbers))
    return transfers, order


def _trees(spread: Schedule, by_trees: bool) -> list[list[tuple[int, int]]]:
    """Return the ranks in causal order and the numbers of transfers: of one message, sender, start and first channel.

    Not by trees each transfer is alone.
    """
    trees: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    rank = {number: at for at, number in enumerate(causal_order(spread, is_sum=False)[0])}
    for number, one in enumerate(spread):
        key = one.start, one.messages[0], one.sender, one.path[0] if one.path and by_trees else ~number
        trees.setdefault(key, []).append((rank[number], number))
    return list(trees.values())


def in_two_phases(problem: Problem, gathered: Schedule, spread: Schedule) -> Schedule:
    """Return an allreduce: the sums of a reduction, and a broadcast of each when it is complete, as soon as it can be.

    Both have the message numbers of the allreduce.
    """
    return booked(problem, joined_phases(gathered, spread))


def joined_phases(gathered: Schedule, spread: Schedule) -> SumTransfers:
    """Return the transfers of a reduction, and behind them those of a broadcast of its sums."""
    transfers = SumTransfers.of_times(gathered, is_sum=True)
    _add_broadcast(transfers, spread, by_trees=False)
    return transfers


def in_two_phases_by_trees(problem: Problem, gathering: Schedule, spread: Schedule) -> Schedule:
    """Return an allreduce by trees: as `in_two_phases`, with a broadcast of the dual problem for the reduction."""
    transfers, order = reversed_transfers(gathering, by_trees=True)
    order += _add_broadcast(transfers, spread, by_trees=True)
    return booked(problem, transfers, order)


def _add_broadcast(transfers: SumTransfers, spread: Schedule, *, by_trees: bool) -> Trees:
    """Add the transfers of a broadcast of complete sums to those of a reduction; return their trees."""
    arrived: dict[tuple[int, int], list[int]] = {}
    for number, key in enumerate(zip(transfers.receivers, transfers.messages, strict=True)):
        arrived.setdefault(key, []).append(number)
    whole: dict[tuple[int, int], int] = {}
    order: Trees = []
    for tree in sorted(_trees(spread, by_trees), key=lambda tree: min(tree)[0]):
        numbers = []
        for _, source in tree:
            one = spread.transfer(source)
            key = one.sender, one.messages[0]
            numbers.append(len(transfers.paths))
            # A broadcast begins where the sum is complete.
            transfers.add(one, [whole[key]] if key in whole else arrived.get(key, []))
            whole[one.receiver, one.messages[0]] = numbers[-1]
        order.append(tuple(numbers))
    return order
