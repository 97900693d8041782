"""Trees in schedule files: where routers copy and add, transfers that share channels are written as one.

Such an entry has lists of processors in `from` or `to`, and the channels of the tree in `route`. It stands for a
transfer from each of the senders to each of the receivers, along the way that the tree has between them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import NamedTuple

from pavane.errors import InputError
from pavane.io.objects import TransferObject
from pavane.model.network import Network
from pavane.model.problem import Problem

MOST_BRANCHES = 2**20
"""The most pairs of a sender and a receiver in one entry."""


class Branch(NamedTuple):
    """One transfer of a tree."""

    sender: int | str
    receiver: int | str
    route: tuple[int, ...]


def joined_rows(problem: Problem, rows: list[TransferObject]) -> Iterator[TransferObject]:
    """Yield the transfers of a step with those that share channels as trees, where that says the same."""
    for group in _groups(rows):
        if _is_said_by_tree(problem.network, group):
            yield _tree(group)
        else:
            yield from group


def _is_said_by_tree(network: Network, group: list[TransferObject]) -> bool:
    """Return whether an entry with lists of ends stands for some transfers: for them all, and for no others."""
    ends = {
        (row.sender, row.receiver) for row in group if isinstance(row.sender, int) and isinstance(row.receiver, int)
    }
    senders, receivers = ({pair[side] for pair in ends} for side in (0, 1))
    most = len(senders) * len(receivers)
    if len(group) == 1 or len(ends) < len(group) or len(ends) < most - len(senders & receivers) or most > MOST_BRANCHES:
        return False
    # All senders are joined with all receivers, so that the channels lead from each to each; not always by these ways.
    said = {Branch(row.sender, row.receiver, tuple(row.route)) for row in group}  # type: ignore[arg-type]
    return said == set(branches(network, _tree(group), ""))


def _groups(rows: list[TransferObject]) -> list[list[TransferObject]]:
    """Return the transfers joined by channels that they share with transfers of the same message."""
    group_of: dict[tuple[int, ...], list[TransferObject]] = {}
    groups: dict[int, list[TransferObject]] = {}
    for row in rows:
        cells = [(*row.carries[0], -1, channel) for channel in row.route] if len(row.carries) == 1 else []
        group = [row]
        for other in {id(group_of[cell]): group_of[cell] for cell in cells if cell in group_of}.values():
            group = other + group if len(other) >= len(group) else group + other
            del groups[id(other)]
        groups[id(group)] = group
        for member in group if len(group) > 1 else ():
            group_of.update(((*member.carries[0], -1, channel), group) for channel in member.route)
        group_of.update((cell, group) for cell in cells)
    return list(groups.values())


def _tree(group: list[TransferObject]) -> TransferObject:
    """Return transfers as one entry with lists of ends."""
    senders, receivers = (
        sorted({end for row in group if isinstance(end := getattr(row, name), int)}) for name in ("sender", "receiver")
    )
    route = list(dict.fromkeys(channel for row in group for channel in row.route))
    return TransferObject(
        senders if len(senders) > 1 else group[0].sender,
        receivers if len(receivers) > 1 else group[0].receiver,
        route,
        group[0].carries,
    )


def branches(network: Network, row: TransferObject, where: str) -> Iterator[Branch]:
    """Yield the transfers that an entry of a file stands for: one, or those of its tree."""
    if not isinstance(row.sender, list) and not isinstance(row.receiver, list):
        yield Branch(row.sender, row.receiver, tuple(row.route))
        return
    senders, receivers = (end if isinstance(end, list) else [end] for end in (row.sender, row.receiver))
    if len(senders) * len(receivers) > MOST_BRANCHES:
        raise InputError(f"{where}: a tree has {len(senders):,} senders and {len(receivers):,} receivers: too many")
    ends = [*senders, *receivers]
    for end in ends:
        if not isinstance(end, int) or not 0 <= end < network.num_processors:
            raise InputError(f"{where}: a tree runs between processors, and {end!r} is none")
    ways_out = defaultdict(list)
    for channel in row.route:
        if not 0 <= channel < network.num_channels:
            raise InputError(f"{where}: there is no channel {channel}; {network.name} has {network.num_channels}")
        ways_out[int(network.tails[channel])].append(channel)
    for sender in senders:
        came_by = _ways_from(network, ways_out, int(network.router_of[sender]))  # type: ignore[index]
        for receiver in receivers:
            if receiver != sender:
                yield Branch(sender, receiver, _route(network, came_by, sender, receiver, where))  # type: ignore[arg-type]


def _ways_from(network: Network, ways_out: dict[int, list[int]], start: int) -> dict[int, int]:
    """Return by which channel each router is reached from a start; -1 at the start."""
    came_by, queue = {start: -1}, deque([start])
    while queue:
        for channel in ways_out.get(queue.popleft(), ()):
            head = int(network.heads[channel])
            if head not in came_by:
                came_by[head] = channel
                queue.append(head)
    return came_by


def _route(network: Network, came_by: dict[int, int], sender: int, receiver: int, where: str) -> tuple[int, ...]:
    """Return the channels of a tree from a sender to a receiver."""
    router, route = int(network.router_of[receiver]), []
    if router not in came_by:
        raise InputError(f"{where}: the route of a tree does not lead from processor {sender} to {receiver}")
    while came_by[router] >= 0:
        route.append(came_by[router])
        router = int(network.tails[route[-1]])
    return tuple(reversed(route))
