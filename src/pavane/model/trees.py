"""Trees of a schedule: transfers of one message that share channels, because routers on their ways copy and add."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer


class Tree(NamedTuple):
    """Transfers of one message and step that share channels: from all of some senders to all of some receivers."""

    step: int
    senders: tuple[int, ...]
    receivers: tuple[int, ...]
    message: int
    transfers: tuple[int, ...]
    """Their numbers in the schedule."""


def trees_of(problem: Problem, schedule: Schedule) -> list[Tree]:
    """Return the trees of two transfers or more, by step, senders and receivers; none where no router copies."""
    if not problem.has_trees or (schedule.payloads != 1).any():
        return []
    leader = list(range(len(schedule)))
    at_channel: dict[tuple[int, int, int], int] = {}

    def first(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    for number, transfer in enumerate(schedule):
        for channel in transfer.path:
            cell = transfer.start, transfer.messages[0], channel
            leader[first(number)] = first(at_channel.setdefault(cell, number))
    groups: dict[int, list[int]] = defaultdict(list)
    for number in range(len(schedule)):
        groups[first(number)].append(number)
    trees = []
    for numbers in groups.values():
        transfers = [schedule.transfer(number) for number in numbers]
        if len(numbers) > 1 and _is_tree(problem, transfers):
            senders = tuple(sorted({one.sender for one in transfers}))
            receivers = tuple(sorted({one.receiver for one in transfers}))
            trees.append(Tree(transfers[0].start, senders, receivers, transfers[0].messages[0], tuple(numbers)))
    return sorted(trees)


def _is_tree(problem: Problem, transfers: list[Transfer]) -> bool:
    """Return whether transfers go from all to all, part and meet at routers that copy and add, and only once."""
    ends = [(one.sender, one.receiver) for one in transfers]
    senders, receivers = ({pair[side] for pair in ends} for side in (0, 1))
    if len(set(ends)) < len(ends) or set(ends) != {(a, b) for a in senders for b in receivers if a != b}:
        return False
    next_of: dict[tuple[int, int], set[int]] = defaultdict(set)
    before: dict[tuple[int, int], set[int]] = defaultdict(set)
    ways: dict[tuple[int, int], set[tuple[int, ...]]] = defaultdict(set)
    heads = problem.network.heads
    for one in transfers:
        for near, far in zip(one.path, one.path[1:], strict=False):
            next_of[near, int(heads[near])].add(far)
            before[far, int(heads[near])].add(near)
        for at, channel in enumerate(one.path):
            ways[one.sender, channel].add(one.path[:at])
            ways[~one.receiver, channel].add(one.path[at:])
    parts, meets = ({router for (_, router), others in turns.items() if len(others) > 1} for turns in (next_of, before))
    return (
        all(problem.is_copying[router] for router in parts | meets)
        and not (parts and problem.pattern == "reduction")
        and not (meets and problem.pattern == "broadcast")
        and all(len(some) == 1 for some in ways.values())
    )
