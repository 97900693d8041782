"""Rows first, then columns: all-to-all collectives on two-dimensional meshes (noc section 3.1, Tables 2 and 3).

Messages rotate within all rows at once, then within all columns. A row has no link from its last router to its
first, but under wormhole switching a path back across the row does: it runs against the single hops forward, so the
two share no channel under full duplex, and it is a shortest path. On a mesh of w columns and h rows, P = wh:

* AAB: w + h - 2 steps, TCO (w - 1) + w(h - 1) = P - 1; for squares 2(sqrt P - 1), so 6/15 for 4x4 and 14/63 for 8x8.
  Without combining the messages of the columns go one by one: P - 1 steps. The text of the paper describes another
  AAB, in which neighbours exchange in odd and even steps; it takes as many start-ups but a TCO of 25 for 4x4 and 117
  for 8x8, so the figures of Table 3 belong to rotation.
* AAS, combining: w + h - 2 steps, TCO P(w + h - 2)/2; for squares P(sqrt P - 1), so 6/48 for 4x4 and 14/448 for 8x8.

A line is a mesh of one row. Paths are straight, hence admissible by every routing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from papers.noc_schedules.steps import (
    RouterStep,
    StepRoutes,
    runs_straight,
    whole_kind,
)
from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.constructions.shapes import mesh_of


def mesh_phases(problem: Problem) -> Iterator[RouterStep] | None:
    """Return the rotations: AAB, with combining AAS, on meshes, wormhole and full duplex; None elsewhere."""
    kind, rules = whole_kind(problem), problem.rules
    if kind not in ("AAB", "AAS") or (kind == "AAS" and not rules.combining):
        return None
    # Straight paths run both ways at once.
    mesh = mesh_of(problem.network) if rules.switching == "wormhole" and rules.duplex == "full" else None
    if mesh is None or not runs_straight(problem):
        return None
    steps = _rotations(problem.network, mesh, private=kind == "AAS")
    return steps if rules.combining else (single for step in steps for single in step.one_by_one())


def _cycles(network: Network, rows: Longs) -> StepRoutes:
    """Return the routes from each router of a row to the next, and from the last straight back to the first."""
    hops = [[a, b] for row in rows.tolist() for a, b in pairwise(row)]
    return StepRoutes.along(network, hops + [row[::-1] for row in rows.tolist()])


def _senders(height: int, width: int) -> tuple[Longs, Longs]:
    """Return the row and the column of the sender of each route of `_cycles`."""
    hops = np.indices((height, width - 1)).reshape(2, -1)
    back = np.stack((np.arange(height), np.full(height, width - 1)))
    y, x = np.concatenate((hops, back), axis=1)
    return y, x


def _rotations(network: Network, mesh: Longs, private: bool) -> Iterator[RouterStep]:
    """Yield the steps: messages move on along rows, then, those of a whole row together, along columns."""
    for rows, is_first in ((mesh, True), (mesh.T, False)):
        width = rows.shape[1]
        routes, (row, column) = _cycles(network, rows), _senders(*rows.shape)
        for step in range(width - 1):
            # Messages from `step` columns before, for all that lies ahead.
            behind = (column - step) % width
            origins = rows[row, behind][:, None] if is_first else rows.T[behind]
            if private:
                ahead = (column[:, None] - step + np.arange(step + 1, width)) % width
                targets = rows.T[ahead].reshape(len(row), -1) if is_first else rows[row[:, None], ahead]
                origins = (origins[:, :, None] * mesh.size + targets[:, None, :]).reshape(len(row), -1)
            yield RouterStep.even(routes, origins)
