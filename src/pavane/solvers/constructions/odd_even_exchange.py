"""Exchanges of neighbours, in rows and then in columns: AAB on two-dimensional meshes (noc section 3.1, Table 3).

This is the AAB that the text of the paper describes: in odd steps the 1st and 2nd, 3rd and 4th ... router of each row
exchange what the other lacks, in even steps the 2nd and 3rd, 4th and 5th ..., then the columns do the same. The text
lets transfers double in each step and adds them up to P - 1, but a pair learns only two messages of its row a step from
either side: an even row of n routers takes n - 1 steps of 1, 2, 2, ..., 2 messages, an odd row n steps. The figures are
6/25 for 4x4 and 14/117 for 8x8; the 6/15 and 14/63 of Table 3 belong to rotation (`mesh-phases`).

A line is a mesh of one row. Paths are single channels, so every routing admits them. Reduce-scatter runs backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.solvers.constructions.rows import mesh_rows
from pavane.solvers.constructions.steps import Step, has_steps, whole_kind, written
from pavane.solvers.solver import answer


@dataclass(frozen=True)
class OddEvenExchange:
    """Exchanges of neighbours in rows, then in columns; all seeds give the same."""

    name: str = "odd-even-exchange"

    def steps(self, problem: Problem) -> Iterator[Step] | None:
        """Return the exchanges: AAB on meshes with combining, wormhole and full duplex; None elsewhere."""
        return _exchanges(problem)

    supports, find, __call__ = has_steps, written, answer


def _exchanges(problem: Problem) -> Iterator[Step] | None:
    if whole_kind(problem) != "AAB" or not problem.rules.combining:
        return None
    mesh = mesh_rows(problem)
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
    """Yield steps of (sender, receiver, positions whose messages the receiver lacks) until all know all."""
    knows = [{position} for position in range(size)]
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
