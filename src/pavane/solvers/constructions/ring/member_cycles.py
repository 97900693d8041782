"""Cycles of the members of a collective whose paths are admissible and share no channel, one way or both ways.

One way, two known constructions give one:

* The Euler tour of a spanning tree of two-way links (`processor_cycles`), under wormhole and full duplex. Under minimal
  routing several trees are tried, and one counts only if all its paths are shortest.
* A Hamiltonian cycle of the routers that have members (`hamiltonian_cycles`). Its paths are single channels, so it also
  serves store-and-forward, half duplex, every routing, and one-way networks (Kautz, de Bruijn).

Both ways it is a Hamiltonian cycle of links that go both ways. A mesh of odd sides has none: it has one router more of
one colour of a chessboard. Under wormhole there is a cycle of all its routers with one jump over another router, along
links that the cycle does not use.

Processors on one router follow each other and need no channel between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.constructions.ring.processor_cycles import Cycle, euler_tours
from pavane.solvers.constructions.shapes import channel_numbers, mesh_of
from pavane.solvers.hamiltonian_cycles import hamiltonian_cycle

MOST_MEMBERS = 2**12
"""With more the columns of the schedule alone would take gigabytes."""

LEAST_ROWS = 5
"""With fewer rows the jump on a mesh of odd sides would use a link of the cycle."""


@lru_cache(maxsize=16)
def one_way_cycle(problem: Problem) -> Cycle | None:
    """Return a cycle of the members whose paths are admissible and share no channel, if one is found."""
    members, rules = set(problem.collective.senders), problem.rules
    if rules.switching == "wormhole" and rules.duplex == "full" and problem.restriction is None:
        tours = euler_tours(problem.network, members)
        if rules.routing == "any":
            tour = next(tours, None)
        else:
            tour = next((tour for tour in tours if _is_minimal(problem.network, tour)), None)
        if tour is not None:
            return tour
    return _ring_of_members(problem, members)


@lru_cache(maxsize=16)
def two_way_cycle(problem: Problem) -> Cycle | None:
    """Return a cycle of the members whose paths, there and back, are admissible and share no channel."""
    members, rules, network = set(problem.collective.senders), problem.rules, problem.network
    if len(members) < 3 or rules.duplex == "half" or rules.ports == 1:
        return None
    cycle = _ring_of_members(problem, members, is_two_way=True) or _cycle_of_odd_mesh(problem)
    if cycle is None:
        return None
    used = [channel for way in (cycle, cycle.backwards(network)) for path in way.paths for channel in path]
    return cycle if len(set(used)) == len(used) else None


def _is_minimal(network: Network, cycle: Cycle) -> bool:
    homes = network.router_of[list(cycle.order)].tolist()
    starts = [(home, following) for home, following in zip(homes, homes[1:] + homes[:1], strict=True)]
    lengths = [len(path) for path in cycle.paths]
    # Longest first: those are the ones that fail.
    longest_first = sorted((pair for pair in zip(lengths, starts, strict=True) if pair[0] > 1), reverse=True)
    return all(network.distances_from(start)[end] == length for length, (start, end) in longest_first)


def _ring_of_members(problem: Problem, members: set[int], *, is_two_way: bool = False) -> Cycle | None:
    """Return a cycle of single channels through all routers that have members, or of links that go both ways."""
    network = problem.network
    homes = sorted({int(network.router_of[member]) for member in members})
    if len(homes) == 1:
        return Cycle(tuple(sorted(members)), ((),) * len(members))
    number_of = {home: number for number, home in enumerate(homes)}
    channel_from: list[dict[int, int]] = [{} for _ in homes]
    for channel, (tail, head) in enumerate(network.channels.tolist()):
        is_usable = not is_two_way or network.opposite[channel] >= 0
        if is_usable and tail in number_of and head in number_of:
            # Of parallel channels the last one out and the first one back differ in their link under half duplex.
            ways = channel_from[number_of[tail]]
            if tail < head or number_of[head] not in ways:
                ways[number_of[head]] = channel
    after = [sorted(ways) for ways in channel_from]
    following = hamiltonian_cycle(after)
    if following is None:
        return None
    order: list[int] = []
    paths: list[tuple[int, ...]] = []
    here = 0
    for _ in homes:
        residents = [member for member in network.processors_on[homes[here]] if member in members]
        order += residents
        paths += [()] * (len(residents) - 1) + [(channel_from[here][following[here]],)]
        here = following[here]
    used = problem.units[[channel for path in paths for channel in path]]
    return Cycle(tuple(order), tuple(paths)) if len(np.unique(used)) == len(used) else None


def _cycle_of_odd_mesh(problem: Problem) -> Cycle | None:
    """Return a cycle with one jump on a mesh of odd sides, under wormhole."""
    network, rules = problem.network, problem.rules
    table = mesh_of(network) if rules.switching == "wormhole" and problem.restriction is None else None
    if table is None or table.size % 2 == 0 or len(problem.collective.senders) != table.size:
        return None
    table = table if len(table) >= LEAST_ROWS else table.T
    if len(table) < LEAST_ROWS or len(table[0]) < 3:
        return None
    order = [int(table[place]) for place in _odd_places(*table.shape)]
    numbers, processor_at = channel_numbers(network), np.argsort(network.router_of)
    over = int(table[len(table) - 3, 1])
    paths = []
    for hop in pairwise((*order, order[0])):
        way = hop if hop in numbers else (hop[0], over, hop[1])
        paths.append(tuple(numbers[channel] for channel in pairwise(way)))
    return Cycle(tuple(processor_at[order].tolist()), tuple(paths))


def _odd_places(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a mesh of odd sides: rows by turns there and back, the last two in pairs, then column 0.

    The last place but those of column 0 lies next to column 0, and a jump leads from it to the place above.
    """
    for row in range(rows - 2):
        there = range(1, columns)
        yield from ((row, column) for column in (there if row % 2 == 0 else reversed(there)))
    last, before = rows - 1, rows - 2
    for column in range(columns - 1, 0, -2):
        yield from ((before, column), (last, column), (last, column - 1))
        if column > 2:
            yield before, column - 1
    yield from ((last, 0), (before, 0), (before, 1))
    yield from ((row, 0) for row in range(rows - 3, -1, -1))
