"""Rows first, then columns: all-to-all collectives on two-dimensional meshes (noc section 3.1, Tables 2 and 3).

`mesh-phases` rotates within all rows at once, then within all columns. A row has no link from its last router to its
first, but under wormhole switching a path back across the row does: it runs against the single hops forward, so the
two share no channel under full duplex, and it is a shortest path. On a mesh of w columns and h rows, P = wh:

* AAB: w + h - 2 steps, TCO (w - 1) + w(h - 1) = P - 1; for squares 2(sqrt P - 1), so 6/15 for 4x4 and 14/63 for 8x8.
  Without combining the messages of the columns go one by one: P - 1 steps.
* AAS, combining: w + h - 2 steps, TCO P(w + h - 2)/2; for squares P(sqrt P - 1), so 6/48 for 4x4 and 14/448 for 8x8.

`odd-even-exchange` is the AAB that the text of the paper describes: in odd steps the 1st and 2nd, 3rd and 4th ...
router of each row exchange what the other lacks, in even steps the 2nd and 3rd, 4th and 5th ..., then the columns do
the same. The text lets transfers double in each step and adds them up to P - 1, but a pair learns only two messages of
its row a step from either side: an even row of n routers takes n - 1 steps of 1, 2, 2, ..., 2 messages, an odd row n
steps. The figures are 6/25 for 4x4 and 14/117 for 8x8; the 6/15 and 14/63 of Table 3 belong to rotation.

A line is a mesh of one row. Paths are straight, hence admissible by every routing. Reduce-scatter runs backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.constructions.shapes import Longs, mesh_of
from pavane.solvers.constructions.steps import Routes, Step, answer, forwards, is_small, runs_straight, whole_kind
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class MeshPhases:
    """Rotation in rows, then in columns; there is nothing to choose, so all seeds give the same."""

    name: str = "mesh-phases"

    def supports(self, problem: Problem) -> bool:
        """Say yes to AAB and AAR, and with combining to AAS, on meshes, wormhole and full duplex."""
        return _rotations(forwards(problem)) is not None

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the rotations, unless they take more than `num_steps` or there is no time."""
        return answer(self.name, _rotations, problem, num_steps, seed, budget)


@dataclass(frozen=True)
class OddEvenExchange:
    """Exchanges of neighbours in rows, then in columns; all seeds give the same."""

    name: str = "odd-even-exchange"

    def supports(self, problem: Problem) -> bool:
        """Say yes to AAB and AAR on meshes with combining, wormhole and full duplex."""
        return _exchanges(forwards(problem)) is not None

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Return the exchanges, unless they take more than `num_steps` or there is no time."""
        return answer(self.name, _exchanges, problem, num_steps, seed, budget)


def _mesh(problem: Problem) -> Longs | None:
    """Return the routers of the mesh in rows, if the rules are those of the constructions."""
    if problem.rules.switching != "wormhole" or problem.rules.duplex != "full":
        return None
    mesh = mesh_of(problem.network)
    if mesh is None or not is_small(problem, sum(mesh.shape)) or not runs_straight(problem):
        return None
    return mesh


def _rotations(problem: Problem) -> Iterator[Step] | None:
    kind = whole_kind(problem)
    if kind not in ("AAB", "AAS") or (kind == "AAS" and not problem.rules.combining):
        return None
    mesh = _mesh(problem)
    if mesh is None:
        return None
    if kind == "AAS":
        return _private_rotations(problem.network, mesh)
    steps = _broadcast_rotations(problem.network, mesh)
    return steps if problem.rules.combining else (single for step in steps for single in step.one_by_one())


def _cycles(network: Network, rows: Longs) -> Routes:
    """Return the routes from each router of a row to the next, and from the last straight back to the first."""
    hops = [[a, b] for row in rows.tolist() for a, b in pairwise(row)]
    return Routes.along(network, hops + [row[::-1] for row in rows.tolist()])


def _places(height: int, width: int) -> tuple[Longs, Longs]:
    """Return the row and the column of the sender of each route of `_cycles`."""
    hops = np.indices((height, width - 1)).reshape(2, -1)
    back = np.stack((np.arange(height), np.full(height, width - 1)))
    y, x = np.concatenate((hops, back), axis=1)
    return y, x


def _broadcast_rotations(network: Network, mesh: Longs) -> Iterator[Step]:
    height, width = mesh.shape
    if width > 1:
        routes = _cycles(network, mesh)
        y, x = _places(height, width)
        for step in range(width - 1):
            yield Step.even(routes, mesh[y, (x - step) % width][:, None])
    if height > 1:
        routes = _cycles(network, mesh.T)
        x, y = _places(width, height)
        for step in range(height - 1):
            yield Step.even(routes, mesh[(y - step) % height])


def _private_rotations(network: Network, mesh: Longs) -> Iterator[Step]:
    height, width = mesh.shape
    if width > 1:
        routes = _cycles(network, mesh)
        y, x = _places(height, width)
        for step in range(width - 1):
            # From `step` columns before, to all rows of the columns that lie ahead.
            origins = mesh[y, (x - step) % width]
            ahead = (x[:, None] - step + np.arange(step + 1, width)) % width
            targets = mesh.T[ahead].reshape(len(x), -1)
            yield Step.even(routes, origins[:, None] * mesh.size + targets)
    if height > 1:
        routes = _cycles(network, mesh.T)
        x, y = _places(width, height)
        for step in range(height - 1):
            origins = mesh[(y - step) % height]
            ahead = (y[:, None] - step + np.arange(step + 1, height)) % height
            targets = mesh[ahead, x[:, None]]
            codes = origins[:, :, None] * mesh.size + targets[:, None, :]
            yield Step.even(routes, codes.reshape(len(x), -1))


def _exchanges(problem: Problem) -> Iterator[Step] | None:
    if whole_kind(problem) != "AAB" or not problem.rules.combining:
        return None
    mesh = _mesh(problem)
    return None if mesh is None else _odd_even(problem.network, mesh)


def _odd_even(network: Network, mesh: Longs) -> Iterator[Step]:
    """Yield the exchanges within rows, each router with its own message, then within columns, with those of its row."""
    for rows, held in ((mesh, mesh[:, :, None]), (mesh.T, np.repeat(mesh[None], mesh.shape[1], axis=0))):
        for moves in _line_exchanges(rows.shape[1]):
            yield Step.of(
                network,
                (
                    ([row[sender], row[receiver]], held[number, learnt].ravel())
                    for number, row in enumerate(rows.tolist())
                    for sender, receiver, learnt in moves
                ),
            )


def _line_exchanges(size: int) -> Iterator[list[tuple[int, int, list[int]]]]:
    """Yield steps of (sender, receiver, places whose messages the receiver lacks) until all know all."""
    knows = [{place} for place in range(size)]
    start = 0
    while any(len(known) < size for known in knows):
        moves = []
        for left in range(start, size - 1, 2):
            for sender, receiver in ((left, left + 1), (left + 1, left)):
                learnt = sorted(knows[sender] - knows[receiver])
                if learnt:
                    moves.append((sender, receiver, learnt))
        for _, receiver, learnt in moves:
            knows[receiver] |= set(learnt)
        yield moves
        start = 1 - start
