"""What the transfers of a timed schedule wait for, and when each starts without clocks.

A transfer waits for the data that it carries, and on each of its channels and ports for the transfer before it. It
starts as soon as nothing is left to wait for. If all transfers take as long as predicted, none then starts later than
in the file: along the graph of dependences starts grow at least by what a transfer takes. As the graph has no circle, a
valid schedule runs without clocks and without deadlock.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heapreplace
from typing import NamedTuple

import numpy as np

from pavane.judge.timed_case import TimedCase
from pavane.judge.violation import Violation
from pavane.model.arrays import Flags, Longs


class DependenceGraph(NamedTuple):
    """The edges of the graph: a transfer, and one that waits for it."""

    before: Longs
    after: Longs
    is_data: Flags
    """Whether it waits for data to be usable at the end of a path, or for channels and ports to be free."""


def dependences(case: TimedCase) -> DependenceGraph:
    """Return what each transfer waits for; inputs that do not exist are left out."""
    data, held = _data(case), [_neighbours(case), *_port_neighbours(case)]
    parts = [data, *held]
    is_data = np.repeat([True] + [False] * len(held), [part.shape[1] for part in parts])
    before, after = np.concatenate(parts, axis=1)
    if case.counted is not None:
        # A tree starts as a whole: all of its transfers wait for what one of them waits for.
        members = [case.tree_members(np.array([number])) for number in after.tolist()]
        sizes = [len(each) for each in members]
        before, is_data = np.repeat(before, sizes), np.repeat(is_data, sizes)
        after = np.concatenate(members or [after])
    return DependenceGraph(before, after, is_data)


def _data(case: TimedCase) -> Longs:
    """Return the transfers that bring what each transfer carries."""
    schedule, size = case.schedule, len(case.starts)
    if case.problem.pattern in ("reduction", "allreduce"):
        owners = np.repeat(np.arange(size), np.diff(schedule.input_offsets))
        sources = schedule.inputs.astype(np.int64)
        exists = (sources >= 0) & (sources < size)
        return np.stack((sources[exists], owners[exists]))
    messages = schedule.messages.astype(np.int64)
    arrived, wanted = (messages * case.num_locations + ends for ends in (case.receivers, case.senders))
    order = np.lexsort((case.usable, arrived))
    at = np.searchsorted(arrived[order], wanted)
    at[at == size] = 0
    brought = (arrived[order][at] == wanted) & (case.senders != case.problem.ends[:, 0][messages])
    return np.stack((order[at][brought], np.flatnonzero(brought)))


def _neighbours(case: TimedCase) -> Longs:
    """Return transfers that follow each other on a channel, or under half duplex on a link."""
    units, owners = case.problem.units[case.channels], case.path_owner
    if case.counted is not None:
        units, owners = units[case.counted.on_channels], owners[case.counted.on_channels]
    order = np.lexsort((owners, case.starts[owners], units))
    unit, owner = units[order], owners[order]
    follows = (unit[1:] == unit[:-1]) & (owner[1:] != owner[:-1])
    return np.stack((owner[:-1][follows], owner[1:][follows]))


def _port_neighbours(case: TimedCase) -> list[Longs]:
    """Return transfers that follow each other at a port, where the first port that is free is taken."""
    if case.problem.rules.ports == "all":
        return []
    room, found = int(case.problem.rules.ports), []
    everything = np.ones(len(case.starts), dtype=bool)
    counted = (everything, everything) if case.counted is None else case.counted[1:3]
    columns = case.schedule.senders, case.schedule.receivers
    for ends, column, counts in zip((case.senders, case.receivers), columns, counted, strict=True):
        holds = case.port_holds(column)
        ports: dict[int, list[tuple[int, int]]] = {}
        for number in np.argsort(case.starts, kind="stable").tolist():
            if ends[number] < case.network.num_processors and case.holds[number] and counts[number]:
                free = ports.setdefault(int(ends[number]), [(0, -1)] * room)
                heapify(free)
                _, last = heapreplace(free, (int(case.starts[number] + holds[number]), number))
                found += [(last, number)] if last >= 0 else []
    return [np.array(found, dtype=np.int64).reshape(-1, 2).T]


def in_circle(case: TimedCase) -> Iterator[Violation]:
    """With start times transfers wait for none that starts later, and not for each other in a circle.

    A circle along which starts never fall is one of transfers that start together. Those between processors of one
    router take no time, so that starts alone do not exclude it.
    """
    edges = dependences(case)
    is_wrong = np.zeros(len(case.starts), dtype=bool)
    is_wrong[edges.after[case.starts[edges.before] > case.starts[edges.after]]] = True
    is_wrong[_ranks(case, edges)[1]] = True
    text = "it waits for a transfer that starts later, or for itself"
    return case.of_transfers("not-held", is_wrong, lambda _: text)


def in_order(case: TimedCase) -> Longs:
    """Return the transfers by their starts, and of those that start together each behind what it waits for."""
    ranks, _ = _ranks(case, dependences(case))
    return np.lexsort((ranks, case.starts))


def _ranks(case: TimedCase, edges: DependenceGraph) -> tuple[Longs, Longs]:
    """Return how many transfers with its start each waits for, one after the other, and those that wait for ever."""
    together = case.starts[edges.before] == case.starts[edges.after]
    pairs = list(zip(edges.before[together].tolist(), edges.after[together].tolist(), strict=True))
    ranks = np.zeros(len(case.starts), dtype=np.int64)
    waits: dict[int, int] = {}
    following: dict[int, list[int]] = {}
    for before, after in pairs:
        waits[after] = waits.get(after, 0) + 1
        following.setdefault(before, []).append(after)
    ready = [before for before in following if before not in waits]
    for before in ready:  # grows while it is walked
        for after in following.get(before, []):
            ranks[after] = max(ranks[after], ranks[before] + 1)
            waits[after] -= 1
            if not waits[after]:
                ready.append(after)
    return ranks, np.array([number for number, left in waits.items() if left], dtype=np.int64)
