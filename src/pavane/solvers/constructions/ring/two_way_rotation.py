"""Two-way rotation: allgather over two ports in (P - 1) / 2 steps, rounded up, on networks with a Hamiltonian cycle.

The processors form a cycle of links that go both ways. In every step each processor passes on to the next what it got
last from the one before, and the other way round as well. Every processor receives two new messages a step, so after
half of P - 1 steps all have all. With two ports, or where a router has two links only, as the corners of a mesh do,
that is the fewest steps.

A cycle of single channels serves both switchings and every routing (`ring_of_members`). A mesh of odd sides has none:
it has one router more of one colour of a chessboard. Under wormhole there is a cycle of all its routers with one jump
over another router, along links that the cycle does not use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from pavane.model.duals import forwards
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.constructions.ring.processor_cycles import Cycle, joint_rotation
from pavane.solvers.constructions.ring.rotation import ring_of_members, rotating_members
from pavane.solvers.constructions.shapes import channel_numbers, mesh_of
from pavane.solvers.solving import solve_once

LEAST_ROWS = 5
"""With fewer rows the jump on a mesh of odd sides would use a link of the cycle."""


@dataclass(frozen=True)
class TwoWayRotation:
    """Rotation along a cycle of processors, both ways at once; deterministic, so all seeds give the same."""

    name: str = "two-way-rotation"

    def supports(self, problem: Problem) -> bool:
        """Supports all members sending to all members over two ports or more, where a two-way cycle is found."""
        return _cycle(forwards(problem)) is not None

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Return the rotation, unless it takes more than `num_steps` or there is no time."""
        needed = problem.num_messages // 2
        cycle = _cycle(problem) if (num_steps is None or num_steps >= needed) and not budget.is_over else None
        if cycle is None:
            return None
        return joint_rotation((cycle, needed), (cycle.backwards(problem.network), problem.num_messages - 1 - needed))

    __call__ = solve_once


@lru_cache(maxsize=16)
def _cycle(problem: Problem) -> Cycle | None:
    """Return a cycle of the members whose paths, there and back, are admissible and share no channel."""
    members, rules, network = rotating_members(problem), problem.rules, problem.network
    if len(members) < 3 or rules.duplex == "half" or rules.ports == 1:
        return None
    cycle = ring_of_members(problem, members, is_two_way=True) or _cycle_of_odd_mesh(problem)
    if cycle is None:
        return None
    used = [channel for way in (cycle, cycle.backwards(network)) for path in way.paths for channel in path]
    return cycle if len(set(used)) == len(used) else None


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
