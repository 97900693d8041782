"""Binary jumping: one-to-all collectives in logarithmically many steps (noc section 3.1, Table 2).

The holder of the message of an interval of processors jumps into its other half; the paths of a step lie in disjoint
intervals. On a ring of P processors

* OAB takes ceil(log2 P) steps, TCO the same;
* OAS, combining, passes on the messages of the half: ceil(log2 P) steps, TCO P - 1 (a holder keeps the larger half).

On a mesh of w columns and h rows the row of the root goes first, with the messages of whole columns, then all
columns at once: ceil(log2 w) + ceil(log2 h) steps, TCO the same for OAB and h(w - 1) + h - 1 = P - 1 for OAS.

A ring is cut so that every jump is a shortest path; on a one-way ring all jumps go forward. Paths are straight and
run one way only, so every routing and half duplex will do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from papers.noc_schedules.shapes import Ring, ring_of
from papers.noc_schedules.steps import (
    RouterStep,
    root_router,
    runs_straight,
    whole_kind,
)
from pavane.model.arrays import Longs
from pavane.model.problem import Problem
from pavane.solvers.constructions.shapes import mesh_of


class Jump(NamedTuple):
    """A transfer between positions on a line, and the positions first to last - 1 that its receiver then serves."""

    sender: int
    receiver: int
    first: int
    last: int

    @property
    def arc(self) -> range:
        """Return the positions along its path."""
        way = 1 if self.receiver > self.sender else -1
        return range(self.sender, self.receiver + way, way)


def jumps_from(size: int, start: int) -> list[list[Jump]]:
    """Return ceil(log2 size) steps in which one position reaches all; paths lie in disjoint intervals.

    A holder keeps the larger half of its interval, so the positions passed on add up, largest of each step, to
    size - 1.
    """
    steps: list[list[Jump]] = []
    intervals = [(0, size, start)]
    while len(intervals) < size:
        taken, onward = [], []
        for first, last, holder in intervals:
            half = (last - first + 1) // 2
            if last - first < 2:
                onward.append((first, last, holder))
                continue
            if holder < first + half:
                kept, given = (first, first + half), (first + half, last)
                receiver = min(holder + half, last - 1)
            else:
                kept, given = (last - half, last), (first, last - half)
                receiver = max(holder - half, first)
            taken.append(Jump(holder, receiver, *given))
            onward += [(*kept, holder), (*given, receiver)]
        steps.append(taken)
        intervals = onward
    return steps


def ring_start(size: int) -> int:
    """Return the position of the root on a two-way ring cut to a line, such that all its jumps are shortest paths."""
    return (size + 1) // 2 - 1


def binary_jumping(problem: Problem) -> Iterator[RouterStep] | None:
    """Return the jumps: OAB, with combining OAS, on rings and meshes under wormhole switching; None elsewhere."""
    kind, rules = whole_kind(problem), problem.rules
    if kind not in ("OAB", "OAS") or (kind == "OAS" and not rules.combining) or rules.switching != "wormhole":
        return None
    if not runs_straight(problem):
        return None
    # A mesh of 2x2 is a ring as well, whose jumps would turn a corner.
    mesh = mesh_of(problem.network)
    if mesh is not None:
        return _in_mesh(problem, mesh)
    ring = ring_of(problem.network)
    return None if ring is None else _in_ring(problem, ring)


def _codes(problem: Problem, root: int, targets: Longs) -> Longs:
    """Return what goes to some targets: the root's only message, or the private ones."""
    return np.array([root]) if problem.pattern == "broadcast" else root * problem.network.num_routers + targets


def _in_ring(problem: Problem, ring: Ring) -> Iterator[RouterStep]:
    root, size = root_router(problem), len(ring.order)
    start = ring_start(size) if ring.is_two_way else 0
    line = np.roll(np.array(ring.order), start - ring.order.index(root))
    for step in jumps_from(size, start):
        yield RouterStep.of(
            problem.network,
            ((line[list(jump.arc)].tolist(), _codes(problem, root, line[jump.first : jump.last])) for jump in step),
        )


def _in_mesh(problem: Problem, mesh: Longs) -> Iterator[RouterStep]:
    root = root_router(problem)
    height, width = mesh.shape
    row, column = (int(found[0]) for found in np.nonzero(mesh == root))
    for step in jumps_from(width, column):
        yield RouterStep.of(
            problem.network,
            (
                (mesh[row, list(jump.arc)].tolist(), _codes(problem, root, mesh[:, jump.first : jump.last].ravel()))
                for jump in step
            ),
        )
    for step in jumps_from(height, row):
        yield RouterStep.of(
            problem.network,
            (
                (line[list(jump.arc)].tolist(), _codes(problem, root, line[jump.first : jump.last]))
                for line in mesh.T
                for jump in step
            ),
        )
